import type { Asset } from '../../src-preload/contract/index.ts'
import { AppError, gatewayCodes } from '../../src-preload/contract/index.ts'
import type { JettonBalanceAnswer, JettonPreview } from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'
import type { AssetOf } from './jetton-movement.ts'

type JettonQuery = Pick<QueryClient, 'accountJettons' | 'accountJetton' | 'jettonWalletData'>

export type JettonWalletBook = {
  /**
   * Which of these are the account's own jetton wallets, as the gateway judges it. What cannot be
   * asked now is left out, and asked again the next time.
   * @throws the signal's reason when it was aborted
   */
  ownedBy(
    account: { readonly network: string; readonly address: string },
    wallets: ReadonlySet<string>,
    asked: { readonly query: JettonQuery; readonly signal: AbortSignal },
  ): Promise<AssetOf>
}

type Known = {
  readonly own: Map<string, Asset>
  readonly others: Set<string>
  isListed: boolean
}

const mostAccounts = 200
/** Wallets looked into one by one for one page; each takes two requests. */
const mostUnknown = 5

/** A jetton wallet never changes its owner or jetton: what was learned holds while the app runs. */
export function createJettonWalletBook(): JettonWalletBook {
  const accounts = new Map<string, Known>()

  function knownOf(key: string): Known {
    const known = accounts.get(key) ?? { own: new Map(), others: new Set(), isListed: false }
    // The one used last is the last to go.
    accounts.delete(key)
    accounts.set(key, known)
    const [oldest] = accounts.keys()
    if (accounts.size > mostAccounts && oldest !== undefined) accounts.delete(oldest)
    return known
  }

  return {
    async ownedBy({ network, address }, wallets, { query, signal }) {
      const known = knownOf(`${network} ${address}`)
      const missing = () =>
        [...wallets].filter((wallet) => !known.own.has(wallet) && !known.others.has(wallet))
      try {
        if (missing().length > 0 && !known.isListed) {
          for (const balance of await query.accountJettons(address, { signal })) {
            known.own.set(balance.wallet_address.address, assetOf(balance.jetton))
          }
          known.isListed = true
        }
        // The list may leave out what is empty, and tells nothing of what came after it.
        for (const wallet of missing().slice(0, mostUnknown)) {
          const balance = await lookInto(wallet, address, query, signal)
          if (balance === null) known.others.add(wallet)
          else known.own.set(wallet, assetOf(balance.jetton))
        }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AppError)) throw error
      }
      return (wallet) => known.own.get(wallet) ?? null
    },
  }
}

/** What a contract says of itself counts only if the gateway finds this very wallet for it. */
async function lookInto(
  wallet: string,
  owner: string,
  query: JettonQuery,
  signal: AbortSignal,
): Promise<JettonBalanceAnswer | null> {
  try {
    const data = await query.jettonWalletData(wallet, { signal })
    if (data?.owner !== owner) return null
    const balance = await query.accountJetton(owner, data.jetton, { signal })
    return balance.wallet_address.address === wallet ? balance : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return null
    throw error
  }
}

function isRefusal({ code }: AppError): boolean {
  return code === gatewayCodes.notFound || code === gatewayCodes.refused
}

export function assetOf({ address, symbol, decimals }: JettonPreview): Asset {
  return { jetton: address, symbol, decimals }
}
