/** Of which jetton the wallets in a trace are, with as few requests as it can be learned by. */
import type { Asset } from '../../src-preload/contract/index.ts'
import { AppError } from '../../src-preload/contract/index.ts'
import type { ActionAnswer } from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'
import { jettonsIn } from './jetton-movement.ts'
import type { ReadNode } from './read-trace.ts'
import { assetOfJetton, verifyJettonWallet } from './verify-jetton-wallet.ts'

/** By the address of the jetton wallet. */
export type JettonAssets = ReadonlyMap<string, Asset>

export type TraceJettons = {
  /**
   * @param asked.actions of the trace, asked for only when they are needed
   * @returns isSure: false when not all could be asked
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
const mostKnown = 20_000
/** Wallets of one trace looked into one by one, two requests each. */
const mostLookedInto = 3

/** The address of a jetton wallet follows from its owner and jetton: what was learned stays true. */
export function createTraceJettons(): TraceJettons {
  const known = new Map<string, Asset>()

  function learn(network: string, wallet: string, asset: Asset): void {
    known.set(`${network} ${wallet}`, asset)
    const [oldest] = known.keys()
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }

  return {
    async find(network, nodes, { query, actions, signal }) {
      const wallets = walletsIn(nodes)
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
      let isSure = true
      try {
        if (missing().length > 0) {
          for (const [wallet, asset] of toldBy(await actions())) learn(network, wallet, asset)
        }
        for (const wallet of missing().slice(0, mostLookedInto)) {
          const verified = await verifyJettonWallet(wallet, query, signal)
          if (verified !== null) learn(network, wallet, verified.asset)
        }
      } catch (error) {
        signal.throwIfAborted()
        // The trace can be shown without; next time it is asked again.
        if (!(error instanceof AppError)) throw error
        isSure = false
      }
      const assets = found()
      for (const [wallet, asset] of assets) learn(network, wallet, asset)
      return { assets, isSure }
    },
  }
}

/** Contracts that are jetton wallets if the messages mean what they say. */
function walletsIn(nodes: readonly ReadNode[]): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(({ message, underWay }) =>
      [...(message === null ? [] : [message]), ...underWay].flatMap(
        (each) => jettonsIn(each)?.wallet ?? [],
      ),
    ),
  )
}

/** A jetton wallet sends on to others of its own jetton only. */
function carryOn(nodes: readonly ReadNode[], assets: ReadonlyMap<string, Asset>): JettonAssets {
  const all = new Map(assets)
  for (const { message, parent, transaction } of nodes) {
    if (message?.body?.name !== 'jetton_internal_transfer') continue
    if (parent?.message?.body?.name !== 'jetton_transfer') continue
    const asset = all.get(parent.transaction.account.address)
    const wallet = transaction.account.address
    if (asset !== undefined && !all.has(wallet)) all.set(wallet, asset)
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
