/** Keeps the ledger of each active network equal to the gateway's list and the chain. */
import type { Condition } from '../../../src-preload/contract/incident.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { RequestTask } from '../../jobs/background-requests.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import type { InvoiceParts } from '../parts.ts'
import { createListProgress } from './list-progress.ts'
import type { Reading } from './read-list.ts'
import type { ReportedInvoices } from './reported-invoices.ts'
import { type Attempt, dueAt, isFullDue, whyNotAsked } from './schedule.ts'

type Wish = 'scheduled' | 'recent' | 'full'

type NetworkSync = {
  last: Attempt | null
  /** Identifies how the network can be queried, without the token itself. A change makes the list due. */
  access: string
  problem: string | null
  unread: readonly string[]
  wish: Wish
  reading: { readonly wish: Wish; progress: InvoiceSync['reading'] } | null
  /** After the user stopped the full reading, it continues on request or the next day. */
  fullNotBefore: number
  /** By the gateway's clock: earlier expiries were requested; null before the first reading. */
  expiredTo: number | null
  expiredTries: number
  expiredNotBefore: number
}

/** Finding networks with open invoices has a cost. */
const inUseEveryMs = 15_000
/** The gateway's list shows an expiry slightly after it happens. */
const expiryMs = 2000
/** Where more have expired, the list is read instead. */
const maxExpired = 20
/** An invoice that is pending after its expiry is requested a few more times, each time later. */
const expiredRetryMs = 2000
const maxExpiredTries = 5
const maxUnread = 20
const dayMs = 24 * 3_600_000

export function createSync(
  context: InvoicesContext,
  parts: Pick<InvoiceParts, 'chain' | 'clock' | 'ledger' | 'requests'>,
  reported: ReportedInvoices,
  applicationIds: ApplicationIds,
) {
  const { access, events, now, onBug, store, wait } = context
  const { chain, clock, ledger, requests } = parts
  const progress = createListProgress(context, ledger, applicationIds)
  const networks = new Map<NetworkId, NetworkSync>()
  let inUse: { readonly at: number; readonly ids: readonly NetworkId[] } | null = null
  const notifier = createChangeNotifier<NetworkId>({
    wait,
    onBug,
    running: () => [],
    emit(ids) {
      for (const network of ids) {
        if (find(network) !== undefined) events.emit('invoiceSync.changed', state(network))
      }
    },
  })

  function of(network: NetworkId): NetworkSync {
    const existing = networks.get(network)
    if (existing !== undefined) return existing
    const sync: NetworkSync = {
      last: null,
      access: '',
      problem: null,
      unread: [],
      wish: 'scheduled',
      reading: null,
      fullNotBefore: 0,
      expiredTo: null,
      expiredTries: 0,
      expiredNotBefore: 0,
    }
    networks.set(network, sync)
    return sync
  }

  const allNetworks = () => context.networks.state().networks

  const find = (network: NetworkId): Network | undefined =>
    allNetworks().find(({ id }) => id === network)

  const whyNot = (network: NetworkId): string | null => whyNotAsked(find(network))

  const accessOf = (network: NetworkId) =>
    JSON.stringify([whyNot(network), find(network)?.secrets.invoices])

  function nextReadingAt(network: NetworkId, { last }: NetworkSync): number | null {
    return last && dueAt(last, network === access.current(), network === 'sandbox')
  }

  function state(network: NetworkId): InvoiceSync {
    const sync = of(network)
    const { reading, problem, unread } = sync
    const recorded = store.ledgers.get(network)
    const off = whyNot(network)
    const isIdle = off === null && reading === null
    return {
      network,
      status: off !== null ? 'off' : isIdle ? 'waiting' : 'reading',
      problem: off ?? problem ?? requests.problem(network) ?? oneByOneProblem(network),
      lastAt: recorded?.listedAt ?? null,
      fullAt: recorded?.fullAt ?? null,
      nextAt: isIdle ? nextReadingAt(network, sync) : null,
      reading: reading?.progress ?? null,
      reportsWaiting: store.reports.countWaiting(network),
      unread: [...unread],
      chain: chain.state(network),
      clockOffset: Math.round(clock.now(network) - now()),
    }
  }

  function oneByOneProblem(network: NetworkId): string | null {
    const { refused } = progress.stateOf(network)
    return (
      refused &&
      `Tondesk requests invoices one by one, because the gateway does not list them for this token (${refused.message}) Only webhooks report invoices that were created outside this app.`
    )
  }

  /** Without a response the previous offset stays. */
  const readClock = (network: NetworkId) => clock.read(network).catch(() => undefined)

  const readingOf = (network: NetworkId): RequestTask => ({
    key: 'list',
    run: (signal) => readNetwork(network, signal),
  })

  async function readNetwork(network: NetworkId, signal: AbortSignal): Promise<void> {
    const sync = of(network)
    const reading: NonNullable<NetworkSync['reading']> = { wish: sync.wish, progress: null }
    sync.reading = reading
    sync.wish = 'scheduled'
    sync.access = accessOf(network)
    notifier.tell(network)
    const isWished = reading.wish !== 'scheduled'
    const unread = new Set<string>()
    let { tookMs, failures } = sync.last ?? { tookMs: 0, failures: 0 }
    try {
      if (reading.wish === 'full') progress.beginAnew(network)
      await readClock(network)
      signal.throwIfAborted()
      sync.expiredTo ??= clock.now(network) - expiryMs
      const began = now()
      const options: Reading = {
        asking: { signal, priority: isWished ? 'interactive' : 'job', owner: 'invoices' },
        onRead(read, expected) {
          reading.progress = { read, expected }
          notifier.tell(network)
        },
        onUnread(some) {
          for (const each of some) if (unread.size < maxUnread) unread.add(each)
        },
      }
      await progress.readRecent(network, isWished, options)
      tookMs = Math.max(0, now() - began)
      requests.retryNow(network)
      const isDue = isFullDue(store.ledgers.get(network)?.fullAt ?? null, now())
      if (reading.wish === 'full' || (isDue && now() >= sync.fullNotBefore)) {
        await progress.readAll(network, isWished, options)
      }
      sync.unread = [...unread]
      reading.progress = null
      sync.problem = null
      failures = 0
      await chain.read(network, signal).catch((error: unknown) => {
        if (!(error instanceof AppError) || signal.aborted) throw error
      })
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) onBug(error)
      sync.problem =
        error instanceof AppError
          ? error.message
          : 'Loading the invoices failed. The log has the details.'
      // A removed network did not fail: its list is due when it returns.
      if (whyNot(network) === null) failures += 1
      else sync.access = ''
    } finally {
      sync.last = { endedAt: now(), tookMs, failures }
      sync.reading = null
      notifier.tell(network)
      reportState(network, sync)
    }
  }

  /** After each reading. A network that cannot be queried, as a stopped sandbox, has no incident. */
  function reportState(network: NetworkId, { problem }: NetworkSync): void {
    const name = find(network)?.name
    if (name === undefined || whyNot(network) !== null) {
      context.incidents.keepOnly(network, 'invoices')
      return
    }
    const condition: Condition | null =
      problem === null
        ? null
        : {
            kind: 'failing',
            level: 'warning',
            title: `Invoices of ${name} are not synced`,
            cause: `${problem} Payments and changes of invoices are not shown until the sync works.`,
            nextStep: 'Check the access in Invoices › Access. Tondesk retries automatically.',
          }
    context.incidents.report(network, 'invoices', { condition, failures: 1 })
  }

  function readInBackground(network: NetworkId): void {
    if (!requests.isRunning(network, 'list')) {
      requests.start(network, readingOf(network)).catch(onBug)
    }
  }

  /** Reads the list for a user, who expects the state at the time of the request. */
  async function readNow(network: NetworkId, wish: 'recent' | 'full'): Promise<void> {
    const sync = of(network)
    const isFull = wish === 'full' && sync.reading?.wish !== 'full'
    if (sync.wish !== 'full') sync.wish = isFull ? 'full' : 'recent'
    sync.fullNotBefore = 0
    // What a background reading has read so far stays.
    if (sync.reading?.wish === 'scheduled') await requests.cancel(network, 'list')
    await requests.start(network, readingOf(network))
  }

  function requestExpired(network: NetworkId, sync: NetworkSync): void {
    const isRunning = requests.isRunning(network, 'list') || requests.isRunning(network, 'expired')
    const to = clock.now(network) - expiryMs
    const from = (sync.expiredTo ??= to)
    if (isRunning || to <= from || now() < sync.expiredNotBefore) return
    const expired = store.rows.expiring(network, from, to, maxExpired + 1)
    if (expired.length === 0 || expired.length > maxExpired) {
      sync.expiredTo = to
      sync.expiredTries = 0
      if (expired.length > 0) readInBackground(network)
      return
    }
    const run = async (signal: AbortSignal) => {
      const asking = { signal, priority: 'job', owner: 'invoices' } as const
      const fetched = expired.map(({ id }) =>
        ledger.fetch(network, id, 'fetch', asking).catch((error: unknown) => {
          if (!(error instanceof AppError) && !signal.aborted) onBug(error)
        }),
      )
      await Promise.all(fetched)
      sync.expiredTries += 1
      sync.expiredNotBefore = now() + expiredRetryMs * sync.expiredTries
      if (sync.expiredTries <= maxExpiredTries) return
      sync.expiredTo = to
      sync.expiredTries = 0
    }
    requests.start(network, { key: 'expired', run }).catch(onBug)
  }

  function networksInUse(): readonly NetworkId[] {
    const at = now()
    if (inUse === null || Math.abs(at - inUse.at) >= inUseEveryMs) {
      const ids = allNetworks().map(({ id }) => id)
      const isOpen = (id: NetworkId) =>
        store.rows.hasUnsettled(id) || store.reports.open(id).waiting
      inUse = { at, ids: ids.filter(isOpen) }
      // The sandbox's clock may change at any moment.
      if (find('sandbox')?.urls) void readClock('sandbox')
    }
    return [...new Set([access.current(), ...inUse.ids])].filter(find)
  }

  function tick(): void {
    for (const network of networksInUse()) {
      const sync = of(network)
      if (sync.access !== accessOf(network)) {
        sync.access = accessOf(network)
        sync.last = null
        notifier.tell(network)
      }
      if (whyNot(network) !== null) continue
      const due = nextReadingAt(network, sync)
      // A clock that was put back makes the list due.
      const isDue = due === null || now() >= due || now() < (sync.last?.endedAt ?? 0)
      if (isDue && sync.reading === null) readInBackground(network)
      else requestExpired(network, sync)
    }
    for (const { id } of allNetworks()) {
      // Also of networks that are not in use: an earlier run may have left an incident open.
      if (whyNot(id) !== null) context.incidents.keepOnly(id, 'invoices')
      if (reported.promote(id)) requests.run(id)
    }
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceSync.${string}`>> = {
    async 'invoiceSync.state'({ network }) {
      access.info(network)
      if (whyNot(network) === null) await readClock(network)
      return state(network)
    },
    async 'invoiceSync.run'({ network, full }) {
      access.info(network)
      if (whyNot(network) === null) await readNow(network, full ? 'full' : 'recent')
      return state(network)
    },
    async 'invoiceSync.stop'({ network }) {
      access.info(network)
      if (requests.isRunning(network, 'list')) {
        of(network).fullNotBefore = now() + dayMs
        await requests.cancel(network, 'list')
      }
      return state(network)
    },
  }

  return {
    handlers,
    whyNotAsked: whyNot,
    tick,
    notify: (network: NetworkId) => notifier.tell(network),
    accessChanged(network: NetworkId): void {
      const sync = of(network)
      if ((sync.last?.failures ?? 0) > 0) sync.last = null
    },
    forget(network: NetworkId): void {
      progress.forget(network)
      networks.delete(network)
      context.incidents.keepOnly(network, 'invoices')
    },
    stop: () => notifier.stop(),
  }
}
