/** Of which jetton the wallets in a trace are, with as few requests as it can be learned by. */
import type { Asset } from '../../src-preload/contract/chain.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { ActionAnswer } from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'
import { jettonsIn } from './jetton-movement.ts'
import type { ReadNode } from './read-trace.ts'
import { assetOfJetton, isRefusal, verifyJettonWallet } from './verify-jetton-wallet.ts'

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
