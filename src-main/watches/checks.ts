/** Finds the watched accounts that have new transactions. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AppContext } from '../app/context.ts'
import { isMissing } from '../chain/access.ts'
import { type Head, readHeads } from '../chain/heads.ts'
import type { QueryOptions } from '../gateway/query.ts'
import type { Backoff } from '../jobs/backoff.ts'
import type { WatchState } from './state.ts'
import type { WatchSource, WatchStore } from './store/watches.ts'

/** Nodes behind one gateway may lag; a chain that stays older is another chain. */
const olderChainMs = 10 * 60_000
/** Transactions of one second have the same last activity. */
const settledMs = 30_000

export type Requesting = { readonly signal: AbortSignal; readonly backoff: Backoff }

export const queryOptionsOf = (signal: AbortSignal): QueryOptions => ({
  signal,
  priority: 'job',
  owner: 'watches',
})

export type WatchChecks = ReturnType<typeof createWatchChecks>

export function createWatchChecks(
  { access, now }: Pick<AppContext, 'access' | 'now'>,
  store: WatchStore,
  state: WatchState,
) {
  /** The present last transactions of accounts; null where the gateway cannot list them. */
  async function headsOf(
    network: NetworkId,
    addresses: readonly string[],
    queryOptions: QueryOptions,
  ) {
    const own = state.network(network)
    if (!own.hasBulk) return null
    try {
      return await readHeads(access.query(network), addresses, queryOptions, own.accepted)
    } catch (error) {
      if (!isMissing(error)) throw error
      own.hasBulk = false
      return null
    }
  }

  async function check(network: NetworkId, { signal, backoff }: Requesting): Promise<null> {
    const all = store.sources(network)
    const addresses = [...new Set(all.map(({ address }) => address))]
    const { hasBulk } = state.network(network)
    const heads = await headsOf(network, addresses, queryOptionsOf(signal))
    signal.throwIfAborted()
    // A gateway that lacks the operation has responded, too.
    if (hasBulk) backoff.answered()
    for (const source of all) {
      if (heads === null) state.source(source).isBehind = true
      else takeHead(source, heads.get(source.address))
    }
    state.network(network).checkedAt = now()
    return null
  }

  /** @param head undefined for an account that does not exist */
  function takeHead(source: WatchSource, head: Head = { lt: 0n }): void {
    const own = state.source(source)
    if ('lastActivityAt' in head) {
      own.isBehind = source.lt === null || head.lastActivityAt !== own.activity
      const isSettled = now() - head.lastActivityAt > settledMs
      own.activity = isSettled ? head.lastActivityAt : -1
      return
    }
    const newest = head.lt.toString()
    own.newestLt = newest
    if (source.lt === null) {
      store.start(source, newest)
      return
    }
    const isOlder = head.lt < BigInt(source.lt)
    own.isBehind = head.lt > BigInt(source.lt)
    own.olderSince = isOlder ? (own.olderSince ?? now()) : null
    if (own.olderSince === null || now() - own.olderSince < olderChainMs) return
    own.olderSince = null
    const why = `The gateway now reports an older last transaction (lt ${newest}) than Tondesk has read (lt ${source.lt}). The watch continues after the older one.`
    store.start(source, newest, { at: now(), why })
    state.refresh()
  }

  return { check, headsOf }
}
