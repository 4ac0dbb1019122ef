import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { Watch, WatchRule } from '../../src-preload/contract/watch.ts'
import { AppError, watchCodes } from '../../src-preload/domain/app-error.ts'
import type { AppContext } from '../app/context.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { requireAccount } from '../chain/addresses.ts'
import type { QueryOptions } from '../gateway/query.ts'
import { createArrivals } from '../captures/store/arrivals.ts'
import { type WatchSchedule, createWatchSchedule } from './schedule.ts'
import { readRule } from './rules.ts'
import { createWatchReader } from './reader.ts'
import { createWatchReports, createWatchState } from './report.ts'
import { type StoredWatch, createWatchStore, watchedFrom } from './store/watches.ts'

/** The limit of watches of one network; one request checks a hundred of them. */
const maxWatches = 1000

export function registerWatches(
  context: AppContext,
  { indexDatabase, pipeline, writer }: CaptureLog,
) {
  const { access, database, events, labelsOf, now, resources } = context
  const store = createWatchStore(database)
  const arrivals = createArrivals(database, indexDatabase)
  const state = createWatchState(store)
  const reports = createWatchReports(context, store, state)
  const reader = createWatchReader(context, store, state, {
    arrivals,
    async put(records, origin) {
      const count = await writer.put(records, origin)
      if (count > 0) events.emit('captures.put', {})
    },
    onMatch: reports.matched,
  })
  const schedule = createWatchSchedule(context, store, state, reader, reports)
  resources.defer(() => schedule.stop())
  let seenTo = writer.state().newestId ?? 0
  pipeline.on('notifyIndexed', ({ upTo }) => {
    if (schedule.hasWatches() && upTo > seenTo) {
      schedule.delivered(arrivals.accountsBetween(seenTo, upTo))
    }
    seenTo = Math.max(seenTo, upTo)
  })
  context.onForget('webhooks', (network) => schedule.forget(network, false))
  context.onForget('chain', (network) => schedule.forget(network, true))
  events.on('network.changed', () => schedule.retryNow())

  function show(watch: StoredWatch): Watch {
    const { told: _, lastMatch, ...shown } = watch
    const { network, address } = watch
    return {
      ...shown,
      ...schedule.state(watch),
      label: labelsOf(network, [address]).get(address) ?? null,
      lastMatch: lastMatch && {
        ...lastMatch,
        capture: store.capture(watchedFrom(network, lastMatch.account, lastMatch.hash)),
      },
      deliveredBy: reader.deliveredBy(network, address),
    }
  }

  function find(id: number): StoredWatch {
    const watch = store.get(id)
    if (watch !== null) return watch
    throw new AppError(watchCodes.unknown, 'This account is no longer watched.')
  }

  function changed(id: number): void {
    reports.withdraw(id)
    events.emit('watch.changed', {})
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `watch.${string}`>> = {
    'watch.list': () => store.list().map(show),
    async 'watch.save'({ network, address: text, rules: entered, ...choices }) {
      const address = await requireAccount(context, network, text)
      const isNew = !store.has(network, address)
      if (isNew && store.count(network) >= maxWatches) {
        throw new AppError(
          watchCodes.tooMany,
          `At most ${maxWatches.toLocaleString('en-US')} accounts of a network can be watched. Remove one that you no longer need.`,
        )
      }
      const rules: WatchRule[] = []
      for (const [place, rule] of entered.entries()) {
        rules.push(await readRule(access, network, address, rule, place))
      }
      const wallets = new Map(
        rules.flatMap((rule) => (rule.kind === 'jetton' ? [[rule.wallet, rule.jetton]] : [])),
      )
      // If all rules are about jettons, the account's own transactions need not be read.
      const isOwn = rules.length === 0 || rules.some(({ kind }) => kind !== 'jetton')
      const addresses = [...(isOwn ? [address] : []), ...wallets.keys()]
      const startOf = await startsOf(schedule, network, addresses)
      const sources = addresses.map((each) => ({
        address: each,
        jetton: wallets.get(each) ?? null,
        lt: startOf(each),
      }))
      const id = store.save({ network, address, rules, ...choices, createdAt: now() }, sources)
      // A new watch has nothing to report yet.
      if (isNew) state.refresh()
      else changed(id)
      // A check costs requests for all accounts, so it runs only if the gateway did not report where to begin.
      if (sources.some(({ lt }) => lt === null)) void schedule.check(network).catch(context.onBug)
      return show(find(id))
    },
    'watch.setPaused'({ id, isPaused }) {
      find(id)
      store.setPaused(id, isPaused)
      changed(id)
      return show(find(id))
    },
    'watch.remove'({ id }) {
      find(id)
      store.remove(id)
      changed(id)
      return {}
    },
    async 'watch.check'({ network }) {
      access.info(network)
      await schedule.check(network)
      return {}
    },
  }
  return { handlers, start: () => schedule.start() }
}

/**
 * Requests where new sources begin. While the gateway is unreachable this is unknown, and the first
 * check decides.
 */
async function startsOf(schedule: WatchSchedule, network: NetworkId, addresses: readonly string[]) {
  const queryOptions: QueryOptions = { priority: 'interactive', owner: 'watches' }
  try {
    const heads = await schedule.headsOf(network, addresses, queryOptions)
    return (address: string) => {
      if (heads === null) return null
      const head = heads.get(address) ?? { lt: 0n }
      return 'lt' in head ? head.lt.toString() : null
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return () => null
  }
}
