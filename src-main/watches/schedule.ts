/**
 * Decides when each watched account is read: checks run in turn, and accounts that are behind are
 * read between them.
 */
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import type { Watch } from '../../src-preload/contract/watch.ts'
import { AppError, problemOf } from '../../src-preload/domain/app-error.ts'
import type { AppContext } from '../app/context.ts'
import { type RequestTask, createBackgroundRequests } from '../jobs/background-requests.ts'
import { readRefusal } from '../jobs/refusal.ts'
import type { WatchReader } from './reader.ts'
import { type WatchReports, type Requesting, type WatchState, queryOptionsOf } from './report.ts'
import type { StoredWatch, WatchSource, WatchStore } from './store/watches.ts'
import { isMissing } from '../chain/access.ts'
import { type Head, readHeads } from '../chain/heads.ts'
import type { QueryOptions } from '../gateway/query.ts'

const standstillMs = 60_000

/**
 * The number of milliseconds between two checks, and the minimum for each request of a check: a
 * tenth to a half of the rate.
 */
const paces = {
  local: { check: 1000, request: 50 },
  withKey: { check: 5000, request: 2000 },
  withoutKey: { check: 40_000, request: 8000 },
} as const

export type WatchSchedule = ReturnType<typeof createWatchSchedule>

export function createWatchSchedule(
  context: AppContext,
  store: WatchStore,
  state: WatchState,
  reader: WatchReader,
  reports: WatchReports,
) {
  const { access, events, networks, now, onBug } = context
  const checks = createWatchChecks(context, store, state)
  const networkOf = (id: NetworkId) => networks.state().networks.find((each) => each.id === id)

  function everyMs(network: NetworkId): number {
    const { accepted, hasBulk } = state.network(network)
    const count = store.countSources(network)
    const requests = hasBulk ? Math.ceil(count / accepted.chunk) : count
    const isLocal = access.info(network).deliversFromHere === true
    const hasKey = networkOf(network)?.secrets.api?.present === true
    const pace = paces[isLocal ? 'local' : hasKey ? 'withKey' : 'withoutKey']
    return Math.max(pace.check, requests * pace.request)
  }

  const requests = createBackgroundRequests({
    ...context,
    next: nextTask,
    whyNot: (id) => whyNot(networkOf(id)),
    onTick() {
      for (const network of state.watchedNetworks()) requests.run(network)
      reports.report()
      if (state.takeChange()) events.emit('watch.changed', {})
    },
    onSettled: () => state.changed(),
  })

  function nextTask(
    network: NetworkId,
    running: { has(key: string): boolean },
  ): RequestTask | null {
    const all = store.sources(network)
    if (all.length === 0) return null
    const behind = all
      .filter((each) => state.source(each).isBehind && !running.has(state.keyOf(each)))
      .sort((a, b) => state.source(a).read - state.source(b).read)[0]
    // A check comes first, because one busy account must not delay the others.
    if (now() >= state.network(network).nextAt && !running.has('check')) return checkTask(network)
    if (behind === undefined) return null
    return {
      key: state.keyOf(behind),
      run(signal, backoff) {
        const how = { signal, backoff }
        return guarded(() => reader.readPage(network, behind, how), how, behind)
      },
    }
  }

  function checkTask(network: NetworkId): RequestTask {
    return {
      key: 'check',
      async run(signal, backoff) {
        const how = { signal, backoff }
        state.network(network).nextAt = now() + everyMs(network)
        await guarded(() => checks.check(network, how), how, null)
      },
    }
  }

  async function guarded(
    work: () => Promise<string | null>,
    { signal, backoff }: Requesting,
    source: WatchSource | null,
  ): Promise<void> {
    try {
      const problem = await work()
      if (source !== null) state.source(source).problem = problem
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) {
        const problem = problemOf(error, 'Reading new transactions failed.', onBug)
        backoff.pause(problem, standstillMs)
        return
      }
      const refusal = readRefusal(error)
      const problem = refusal.message
      if (refusal.kind === 'request' && source !== null) {
        // The other accounts continue; this account is requested again after the next check.
        Object.assign(state.source(source), { problem, isBehind: false, activity: -1 })
      } else if (refusal.kind === 'passing') backoff.pause(problem, refusal.retryAfterMs)
      else backoff.pause(problem, standstillMs)
    }
  }

  return {
    start: () => requests.startTicking(),
    headsOf: checks.headsOf,
    /**
     * Reads accounts of webhooks at once when a delivery about them arrives, but at most once a
     * second, because anyone who knows the receiver's URL could send deliveries.
     */
    delivered(accounts: readonly string[]): void {
      for (const network of state.watchedNetworks()) {
        const own = store
          .sources(network)
          .filter(
            ({ address }) => accounts.includes(address) && reader.deliveredBy(network, address),
          )
          .map(state.source)
          .filter(({ nudgedAt }) => now() - nudgedAt >= 1000)
        for (const each of own) Object.assign(each, { isBehind: true, nudgedAt: now() })
        if (own.length > 0) requests.run(network)
      }
    },
    hasWatches: () => state.watches().length > 0,
    stop: () => requests.stop(),
    /** Call this after a key or URL has changed. */
    retryNow: () => requests.retryNow(),
    async check(network: NetworkId): Promise<void> {
      await requests.start(network, checkTask(network))
      requests.run(network)
    },
    state(watch: StoredWatch): Pick<Watch, 'checkedAt' | 'everyMs' | 'isBehind' | 'problem'> {
      const own = store.sourcesOf(watch.id).map(state.source)
      const problem = requests.problem(watch.network) ?? own.find((each) => each.problem)?.problem
      return {
        checkedAt: state.network(watch.network).checkedAt,
        everyMs: networkOf(watch.network) === undefined ? 0 : everyMs(watch.network),
        isBehind: own.some((each) => each.isBehind),
        problem: watch.isPaused ? null : (problem ?? null),
      }
    },
    /** Call this when the network was removed, or when its chain was replaced. */
    forget: (network: NetworkId, isChain: boolean) =>
      requests.forget(network, () => {
        state.forget(network)
        reports.forget(network)
        if (networkOf(network) === undefined) store.forget(network)
        else if (isChain) {
          const why =
            'The chain of this network was replaced. The watch continues with the transactions after its newest one.'
          store.restart(network, { at: now(), why })
        }
        state.refresh()
        return Promise.resolve()
      }),
  }
}

/** Public networks are read slowly without a key; a stored key that cannot be read needs the user's action. */
function whyNot(network: Network | undefined): string | null {
  if (network === undefined) return 'The network was removed.'
  const { name, problem, urls, secrets } = network
  if (problem !== null) return problem
  if (urls === null) return `${name} has no URL yet.`
  if (secrets.api === null || secrets.api.present) return null
  return `The key of ${name} is missing. Enter it again in Settings › Networks.`
}

/** Nodes behind one gateway may lag by this much; a chain that stays older is another chain. */
const olderChainMs = 10 * 60_000
/** Transactions within one second have the same last activity, so the account is read again after this time. */
const settledMs = 30_000

/** Finds the watched accounts that have new transactions. */
function createWatchChecks(
  { access, now }: Pick<AppContext, 'access' | 'now'>,
  store: WatchStore,
  state: WatchState,
) {
  /** Requests the last transactions of accounts; null if the gateway cannot list them. */
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
    // An error that the operation is missing is a response of the gateway, too.
    if (hasBulk) backoff.answered()
    for (const source of all) {
      if (heads === null) state.source(source).isBehind = true
      else takeHead(source, heads.get(source.address))
    }
    state.network(network).checkedAt = now()
    return null
  }

  /** @param head undefined if the account does not exist */
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
