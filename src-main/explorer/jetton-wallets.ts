import type { Asset } from '../../src-preload/contract/chain.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { QueryClient } from '../gateway/query.ts'
import { type AssetOf, jettonsIn, type ReadNode } from './read-trace.ts'
import type { ActionAnswer, JettonPreview } from '../gateway/query-answers.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'

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

/** By the address of the jetton wallet; null for what is none. What is missing could not be learned. */
type JettonAssets = ReadonlyMap<string, Asset | null>

export type TraceJettons = {
  /**
   * @param asked.actions of the trace, asked for only when they are needed
   * @returns isSure: false when not all could be asked, or the gateway did not know one of them
   * @throws the signal's reason when it was aborted
   */
  find(
    network: string,
    nodes: readonly ReadNode[],
    asked: {
      readonly query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>
      readonly actions: () => Promise<readonly ActionAnswer[]>
      readonly signal: AbortSignal
    },
  ): Promise<{ readonly assets: JettonAssets; readonly isSure: boolean }>
}

/** Wallets in memory; the one learned first goes first. */
const maxKnown = 20_000
/** Wallets of one trace looked into one by one, two requests each. */
const maxLookedInto = 3

/** The address of a jetton wallet follows from its owner and jetton: what was learned stays true. */
export function createTraceJettons(): TraceJettons {
  const known = new Map<string, Asset | null>()

  function learn(network: string, wallet: string, asset: Asset | null): void {
    known.set(`${network} ${wallet}`, asset)
    const [oldest] = known.keys()
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
  }

  return {
    async find(network, nodes, { query, actions, signal }) {
      const wallets = jettonWalletsOf(nodes)
      const found = () =>
        carryOn(
          nodes,
          new Map(
            [...wallets].flatMap((wallet) => {
              const asset = known.get(`${network} ${wallet}`)
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
          for (const [wallet, asset] of toldBy(await actionsOrNone(actions))) {
            learn(network, wallet, asset)
          }
        }
        for (const wallet of missing().slice(0, maxLookedInto)) {
          const verified = await verifyJettonWallet(wallet, query, signal)
          if (verified !== undefined) learn(network, wallet, verified?.asset ?? null)
        }
      } catch (error) {
        signal.throwIfAborted()
        // The trace can be shown without; next time it is asked again.
        if (!(error instanceof AppError)) throw error
      }
      const assets = found()
      for (const [wallet, asset] of assets) learn(network, wallet, asset)
      return { assets, isSure: missing().length === 0 }
    },
  }
}

/** A gateway without an event of the trace may know the wallets themselves all the same. */
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

/** Contracts that are jetton wallets if the messages mean what they say. */
export function jettonWalletsOf(nodes: readonly ReadNode[]): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(({ message, underWay }) =>
      [...(message === null ? [] : [message]), ...underWay].flatMap(
        (each) => jettonsIn(each)?.wallet ?? [],
      ),
    ),
  )
}

/** A jetton wallet sends on to others of its own jetton only. */
function carryOn(nodes: readonly ReadNode[], assets: JettonAssets): JettonAssets {
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

function toldBy(actions: readonly ActionAnswer[]): [wallet: string, asset: Asset][] {
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
 * What a contract says of itself counts only if the gateway finds this very wallet for the owner and
 * jetton that it names. Two requests. Null for what is no jetton wallet; undefined where the gateway
 * does not know the contract or the owner's wallet: it may not have indexed them yet.
 * @throws AppError when it could not be asked
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

/** The gateway answered that it does not know what was asked for, or does not take the question. */
export function isRefusal({ code }: AppError): boolean {
  return code === gatewayCodes.notFound || code === gatewayCodes.refused
}

export function assetOfJetton({ address, symbol, decimals, scaled_ui }: JettonPreview): Asset {
  return { jetton: address, symbol, decimals, ...(scaled_ui && { scale: scaled_ui }) }
}
