/** Decides when which watched account is read: checks in turn, and accounts that are behind between them. */
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import type { Watch } from '../../src-preload/contract/watch.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { AppContext } from '../app/context.ts'
import { createBackgroundRequests, type RequestTask } from '../jobs/background-requests.ts'
import type { Backoff } from '../jobs/backoff.ts'
import { readRefusal } from '../jobs/refusal.ts'
import type { WatchChecks } from './checks.ts'
import type { WatchReader } from './reader.ts'
import type { WatchReports } from './report.ts'
import type { WatchState } from './state.ts'
import type { StoredWatch, WatchSource, WatchStore } from './store/watches.ts'

const standstillMs = 60_000

/** Milliseconds between two checks, and at least for each request of a check: a tenth to a half of the rate. */
const paces = {
  local: { check: 1000, request: 50 },
  withKey: { check: 5000, request: 2000 },
  withoutKey: { check: 40_000, request: 8000 },
} as const

type WatchSteps = {
  readonly checks: WatchChecks
  readonly reader: WatchReader
  readonly reports: WatchReports
}

export function createWatchSchedule(
  context: AppContext,
  store: WatchStore,
  state: WatchState,
  { checks, reader, reports }: WatchSteps,
) {
  const { access, events, networks, now, onBug } = context
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
      for (const network of new Set(state.watches().map((each) => each.network))) {
        requests.run(network)
      }
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
    // A check comes first: one busy account must not hide the others.
    if (now() >= state.network(network).nextAt && !running.has('check')) return checkTask(network)
    if (behind === undefined) return null
    const run: RequestTask['run'] = (signal, backoff) =>
      guarded(() => reader.readPage(network, behind, { signal, backoff }), signal, backoff, behind)
    return { key: state.keyOf(behind), run }
  }

  function checkTask(network: NetworkId): RequestTask {
    const run: RequestTask['run'] = async (signal, backoff) => {
      state.network(network).nextAt = now() + everyMs(network)
      await guarded(() => checks.check(network, { signal, backoff }), signal, backoff, null)
    }
    return { key: 'check', run }
  }

  async function guarded(
    work: () => Promise<string | null>,
    signal: AbortSignal,
    backoff: Backoff,
    source: WatchSource | null,
  ): Promise<void> {
    try {
      const problem = await work()
      if (source !== null) state.source(source).problem = problem
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) {
        onBug(error)
        backoff.pause('Reading new transactions failed. The log has the details.', standstillMs)
        return
      }
      const refusal = readRefusal(error)
      if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
      else if (refusal.kind === 'standstill' || source === null) {
        backoff.pause(refusal.message, standstillMs)
      } else {
        // The other accounts continue; this one is requested again after the next check.
        Object.assign(state.source(source), {
          problem: refusal.message,
          isBehind: false,
          activity: -1,
        })
      }
    }
  }

  return {
    start: () => requests.startTicking(),
    /**
     * Reads accounts of webhooks at once when a delivery about them has arrived. Anyone who knows the receiver's
     * URL could send deliveries, so that each account is read at most once a second.
     */
    delivered(accounts: readonly string[]): void {
      for (const network of new Set(state.watches().map((each) => each.network))) {
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
    /** Requests again at once after a key or URL has changed. */
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
    /** The network was removed, or its chain was replaced. */
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

/** Public networks are read without a key, slowly; a key that is stored but cannot be read needs the user. */
function whyNot(network: Network | undefined): string | null {
  if (network === undefined) return 'The network was removed.'
  const { name, problem, urls, secrets } = network
  if (problem !== null) return problem
  if (urls === null) return `${name} has no URL yet.`
  if (secrets.api === null || secrets.api.present) return null
  return `The key of ${name} is missing. Enter it again in Settings › Networks.`
}
