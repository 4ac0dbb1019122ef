import type { Asset } from '../../src-preload/contract/chain.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import type { QueryClient } from '../gateway/query.ts'
import { type AssetOf, jettonsIn, type ReadNode } from './read-trace.ts'
import type { ActionAnswer, JettonPreview } from '../gateway/query-answers.ts'
import { isRefusal } from './chain-access.ts'

type JettonQuery = Pick<QueryClient, 'accountJettons' | 'accountJetton' | 'jettonWalletData'>

type JettonWalletBook = {
  /**
   * Returns the assets of wallets that the gateway confirms as the account's own. Unchecked wallets
   * are omitted and checked next time.
   * @throws the signal's reason after an abort
   */
  ownedBy(
    account: { readonly network: string; readonly address: string },
    wallets: ReadonlySet<string>,
    request: { readonly query: JettonQuery; readonly signal: AbortSignal },
  ): Promise<AssetOf>
}

type AccountWallets = {
  readonly own: Map<string, Asset>
  readonly others: Set<string>
  /** Times of the next check in Unix milliseconds, by wallets that the gateway did not know. */
  readonly askAgainAt: Map<string, number>
  isListed: boolean
}

const maxAccounts = 200
/** Wallets checked one by one for one page, with two requests each. */
const maxUnknown = 5
const retryMs = 30_000

/** A jetton wallet never changes its owner or jetton, so results stay valid while the app runs. */
export function createJettonWalletBook(now: () => number): JettonWalletBook {
  const accounts = new LimitedMap<string, AccountWallets>(maxAccounts)

  function entryOf(key: string): AccountWallets {
    const entry = accounts.get(key) ?? {
      own: new Map(),
      others: new Set(),
      askAgainAt: new Map(),
      isListed: false,
    }
    // The account that was used least recently is dropped first.
    accounts.set(key, entry)
    return entry
  }

  return {
    async ownedBy({ network, address }, wallets, { query, signal }) {
      const entry = entryOf(`${network} ${address}`)
      const missing = () =>
        [...wallets].filter(
          (wallet) =>
            !entry.own.has(wallet) &&
            !entry.others.has(wallet) &&
            now() >= (entry.askAgainAt.get(wallet) ?? 0),
        )
      try {
        if (missing().length > 0 && !entry.isListed) {
          for (const row of await query.accountJettons(address, { signal })) {
            if (!('value' in row)) continue
            const { wallet_address: wallet, jetton } = row.value
            entry.own.set(wallet.address, assetOfJetton(jetton))
          }
          entry.isListed = true
        }
        // The list may omit empty wallets, and does not contain later ones.
        for (const wallet of missing().slice(0, maxUnknown)) {
          const verified = await verifyJettonWallet(wallet, query, signal)
          if (verified === undefined) entry.askAgainAt.set(wallet, now() + retryMs)
          else if (verified?.owner === address) entry.own.set(wallet, verified.asset)
          else entry.others.add(wallet)
        }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AppError)) throw error
      }
      return (wallet) => entry.own.get(wallet) ?? null
    },
  }
}

/** Null marks a contract that is no jetton wallet; unknown wallets are missing. */
type JettonAssets = ReadonlyMap<string, Asset | null>

export type TraceJettons = {
  /**
   * @param request.actions fetches the actions of the trace, called only when needed
   * @returns isSure: false if a wallet could not be checked or the gateway does not know it
   * @throws the signal's reason after an abort
   */
  find(
    network: string,
    nodes: readonly ReadNode[],
    request: {
      readonly query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>
      readonly actions: () => Promise<readonly ActionAnswer[]>
      readonly signal: AbortSignal
    },
  ): Promise<{ readonly assets: JettonAssets; readonly isSure: boolean }>
}

const maxWallets = 20_000
/** Wallets of one trace that are checked one by one, with two requests each. */
const maxChecked = 3

export function createTraceJettons(): TraceJettons {
  const entry = new LimitedMap<string, Asset | null>(maxWallets)

  function remember(network: string, wallet: string, asset: Asset | null): void {
    entry.set(`${network} ${wallet}`, asset)
  }

  return {
    async find(network, nodes, { query, actions, signal }) {
      const wallets = jettonWalletsOf(nodes)
      const found = () =>
        addReceivers(
          nodes,
          new Map(
            [...wallets].flatMap((wallet) => {
              const asset = entry.get(`${network} ${wallet}`)
              return asset === undefined ? [] : [[wallet, asset] as const]
            }),
          ),
        )
      const missing = () => {
        const assets = found()
        return [...wallets].filter((wallet) => !assets.has(wallet))
      }
      try {
        if (missing().length > 0) {
          for (const [wallet, asset] of assetsInActions(await actionsOrNone(actions))) {
            remember(network, wallet, asset)
          }
        }
        for (const wallet of missing().slice(0, maxChecked)) {
          const verified = await verifyJettonWallet(wallet, query, signal)
          if (verified !== undefined) remember(network, wallet, verified?.asset ?? null)
        }
      } catch (error) {
        signal.throwIfAborted()
        // The trace is shown without these jettons; the next call tries again.
        if (!(error instanceof AppError)) throw error
      }
      const assets = found()
      for (const [wallet, asset] of assets) remember(network, wallet, asset)
      return { assets, isSure: missing().length === 0 }
    },
  }
}

async function actionsOrNone(
  actions: () => Promise<readonly ActionAnswer[]>,
): Promise<readonly ActionAnswer[]> {
  try {
    return await actions()
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return []
    throw error
  }
}

export function jettonWalletsOf(nodes: readonly ReadNode[]): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(({ message, underWay }) =>
      [...(message === null ? [] : [message]), ...underWay].flatMap(
        (each) => jettonsIn(each)?.wallet ?? [],
      ),
    ),
  )
}

/** Adds receiving wallets: a jetton wallet sends only to wallets of its own jetton. */
function addReceivers(nodes: readonly ReadNode[], assets: JettonAssets): JettonAssets {
  const all = new Map(assets)
  for (const { message, parent, transaction } of nodes) {
    if (message?.body?.name !== 'jetton_internal_transfer') continue
    if (parent?.message?.body?.name !== 'jetton_transfer') continue
    const asset = all.get(parent.transaction.account.address)
    const wallet = transaction.account.address
    if (asset && !all.has(wallet)) all.set(wallet, asset)
  }
  return all
}

function assetsInActions(actions: readonly ActionAnswer[]): [wallet: string, asset: Asset][] {
  return actions.flatMap((action) => {
    const details =
      action.JettonTransfer ?? action.FlawedJettonTransfer ?? action.JettonBurn ?? action.JettonMint
    if (!details) return []
    const asset = assetOfJetton(details.jetton)
    return [details.senders_wallet, details.recipients_wallet].flatMap(
      (wallet): [string, Asset][] => (wallet ? [[wallet, asset]] : []),
    )
  })
}

type JettonWallet = { readonly owner: string; readonly asset: Asset }

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
): Promise<JettonWallet | null | undefined> {
  try {
    const data = await query.jettonWalletData(address, { signal })
    if (data === null) return null
    const { wallet_address, jetton } = await query.accountJetton(data.owner, data.jetton, {
      signal,
    })
    return wallet_address.address === address
      ? { owner: data.owner, asset: assetOfJetton(jetton) }
      : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return undefined
    throw error
  }
}

export function assetOfJetton({ address, symbol, decimals, scaled_ui }: JettonPreview): Asset {
  return { jetton: address, symbol, decimals, ...(scaled_ui && { scale: scaled_ui }) }
}
