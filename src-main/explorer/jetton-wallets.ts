import type { Asset } from '../../src-preload/contract/chain.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { QueryClient } from '../gateway/query.ts'
import type { AssetOf } from './jetton-movement.ts'
import { assetOfJetton, verifyJettonWallet } from './verify-jetton-wallet.ts'

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
  /** Wallets that the gateway did not know: when to ask again, in Unix milliseconds. */
  readonly askAgainAt: Map<string, number>
  isListed: boolean
}

const maxAccounts = 200
/** Wallets looked into one by one for one page; each takes two requests. */
const maxUnknown = 5
/** A wallet that the gateway has not indexed yet is asked for again after this time. */
const askAgainMs = 30_000

/** A jetton wallet never changes its owner or jetton: what was learned holds while the app runs. */
export function createJettonWalletBook(now: () => number): JettonWalletBook {
  const accounts = new Map<string, Known>()

  function knownOf(key: string): Known {
    const known = accounts.get(key) ?? {
      own: new Map(),
      others: new Set(),
      askAgainAt: new Map(),
      isListed: false,
    }
    // The one used last is the last to go.
    accounts.delete(key)
    accounts.set(key, known)
    const [oldest] = accounts.keys()
    if (accounts.size > maxAccounts && oldest !== undefined) accounts.delete(oldest)
    return known
  }

  return {
    async ownedBy({ network, address }, wallets, { query, signal }) {
      const known = knownOf(`${network} ${address}`)
      const missing = () =>
        [...wallets].filter(
          (wallet) =>
            !known.own.has(wallet) &&
            !known.others.has(wallet) &&
            now() >= (known.askAgainAt.get(wallet) ?? 0),
        )
      try {
        if (missing().length > 0 && !known.isListed) {
          for (const row of await query.accountJettons(address, { signal })) {
            if (!('value' in row)) continue
            const { wallet_address: wallet, jetton } = row.value
            known.own.set(wallet.address, assetOfJetton(jetton))
          }
          known.isListed = true
        }
        // The list may leave out what is empty, and tells nothing of what came after it.
        for (const wallet of missing().slice(0, maxUnknown)) {
          const verified = await verifyJettonWallet(wallet, query, signal)
          if (verified === undefined) known.askAgainAt.set(wallet, now() + askAgainMs)
          else if (verified?.owner === address) known.own.set(wallet, verified.asset)
          else known.others.add(wallet)
        }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AppError)) throw error
      }
      return (wallet) => known.own.get(wallet) ?? null
    },
  }
}
