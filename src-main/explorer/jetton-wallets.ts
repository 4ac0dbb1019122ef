import type { Asset } from '../../src-preload/contract/chain.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import type { QueryClient } from '../gateway/query.ts'
import { type AssetOf, type ReadNode, jettonsIn, messagesOf } from './read-trace.ts'
import type { ActionAnswer } from '../gateway/event-answers.ts'
import type { JettonPreview } from '../gateway/query-answers.ts'
import { isRefusal, unlessRefused } from './chain-access.ts'

type AccountWallets = {
  isListed: boolean
  /** Wallets by address. The asset is null for a wallet of another owner. Times are Unix milliseconds. */
  readonly checked: Map<string, { readonly asset: Asset | null; readonly until: number }>
}

const maxAccounts = 200
/** Wallets checked one by one for one page, with two requests each. */
const maxUnknown = 5
const retryMs = 30_000

/** A jetton wallet never changes its owner or jetton, so results stay valid while the app runs. */
export function createJettonWalletBook(now: () => number) {
  const accounts = new LimitedMap<string, AccountWallets>(maxAccounts)

  /**
   * Returns the assets of wallets that the gateway confirms as the account's own. Unchecked wallets
   * are omitted and checked next time.
   * @throws the signal's reason after an abort
   */
  return async function ownedBy(
    { network, address }: { readonly network: string; readonly address: string },
    wallets: ReadonlySet<string>,
    { query, signal }: { readonly query: QueryClient; readonly signal: AbortSignal },
  ): Promise<AssetOf> {
    const key = `${network} ${address}`
    const entry: AccountWallets = accounts.get(key) ?? { isListed: false, checked: new Map() }
    // The account that was used least recently is dropped first.
    accounts.set(key, entry)
    const { checked } = entry
    const missing = () =>
      [...wallets].filter((wallet) => now() >= (checked.get(wallet)?.until ?? 0))
    try {
      if (missing().length > 0 && !entry.isListed) {
        for (const row of await query.accountJettons(address, { signal })) {
          if (!('value' in row)) continue
          const { wallet_address: wallet, jetton } = row.value
          checked.set(wallet.address, { asset: assetOfJetton(jetton), until: Infinity })
        }
        entry.isListed = true
      }
      // The list may omit empty wallets, and does not contain later ones.
      for (const wallet of missing().slice(0, maxUnknown)) {
        const verified = await verifyJettonWallet(wallet, query, signal)
        const asset = verified?.owner === address ? verified.asset : null
        checked.set(wallet, { asset, until: verified === undefined ? now() + retryMs : Infinity })
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
    }
    return (wallet) => checked.get(wallet)?.asset ?? null
  }
}

export type TraceJettons = ReturnType<typeof createTraceJettons>

const maxWallets = 20_000
const maxChecked = 3

export function createTraceJettons() {
  const known = new LimitedMap<string, Asset | null>(maxWallets)

  function remember(network: string, assets: Iterable<readonly [string, Asset | null]>): void {
    for (const [wallet, asset] of assets) known.set(`${network} ${wallet}`, asset)
  }

  return {
    /**
     * @param request.actions fetches the actions of the trace, called only when needed
     * @returns assets: null marks a contract that is no jetton wallet; isSure: false if a wallet could not be checked or the gateway does not know it
     * @throws the signal's reason after an abort
     */
    async find(
      network: string,
      nodes: readonly ReadNode[],
      { query, actions, signal }: TraceRequest,
    ) {
      const wallets = [...jettonWalletsOf(nodes)]
      const found = () => {
        const assets = new Map<string, Asset | null>()
        for (const wallet of wallets) {
          const asset = known.get(`${network} ${wallet}`)
          if (asset !== undefined) assets.set(wallet, asset)
        }
        addReceivers(nodes, assets)
        return assets
      }
      const missing = () => {
        const assets = found()
        return wallets.filter((wallet) => !assets.has(wallet))
      }
      try {
        if (missing().length > 0) {
          remember(network, assetsInActions((await unlessRefused(actions())) ?? []))
        }
        for (const wallet of missing().slice(0, maxChecked)) {
          const verified = await verifyJettonWallet(wallet, query, signal)
          if (verified !== undefined) remember(network, [[wallet, verified?.asset ?? null]])
        }
      } catch (error) {
        signal.throwIfAborted()
        // The trace is shown without these jettons; the next call tries again.
        if (!(error instanceof AppError)) throw error
      }
      const assets = found()
      remember(network, assets)
      return { assets, isSure: missing().length === 0 }
    },
  }
}

type TraceRequest = {
  readonly query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>
  readonly actions: () => Promise<readonly ActionAnswer[]>
  readonly signal: AbortSignal
}

export function jettonWalletsOf(nodes: readonly ReadNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(messagesOf).flatMap((each) => jettonsIn(each)?.wallet ?? []))
}

/** Adds receiving wallets: a jetton wallet sends only to wallets of its own jetton. */
function addReceivers(nodes: readonly ReadNode[], assets: Map<string, Asset | null>): void {
  for (const { message, parent, transaction } of nodes) {
    if (message?.body?.name !== 'jetton_internal_transfer') continue
    if (parent?.message?.body?.name !== 'jetton_transfer') continue
    const asset = assets.get(parent.transaction.account.address)
    const wallet = transaction.account.address
    if (asset && !assets.has(wallet)) assets.set(wallet, asset)
  }
}

function assetsInActions(actions: readonly ActionAnswer[]): [wallet: string, asset: Asset][] {
  return actions.flatMap(({ known }) => {
    if (known === null || !('jetton' in known.details)) return []
    const { details } = known
    const asset = assetOfJetton(details.jetton)
    const wallets = [
      'senders_wallet' in details ? details.senders_wallet : null,
      'recipients_wallet' in details ? details.recipients_wallet : null,
    ]
    return wallets.flatMap((wallet): [string, Asset][] => (wallet ? [[wallet, asset]] : []))
  })
}

/**
 * A contract may lie about its owner and jetton, so the gateway must find the same wallet for that
 * owner and jetton.
 * @returns null for another contract; undefined if the gateway has not indexed it
 * @throws AppError if a request fails
 */
async function verifyJettonWallet(
  address: string,
  query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>,
  signal: AbortSignal,
) {
  try {
    const data = await query.jettonWalletData(address, { signal })
    if (data === null) return null
    const { owner } = data
    const { wallet_address, jetton } = await query.accountJetton(owner, data.jetton, { signal })
    return wallet_address.address === address ? { owner, asset: assetOfJetton(jetton) } : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return undefined
    throw error
  }
}

export function assetOfJetton({ address, symbol, decimals, scaled_ui }: JettonPreview): Asset {
  return { jetton: address, symbol, decimals, ...(scaled_ui && { scale: scaled_ui }) }
}
