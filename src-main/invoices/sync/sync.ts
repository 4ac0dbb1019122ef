/** Keeps the ledger of each active network equal to the gateway's list and the chain. */
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, problemOf } from '../../../src-preload/domain/app-error.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import { type Reading, createListProgress } from './read-list.ts'
import type { ReportedInvoices } from './reported-invoices.ts'
import { type Attempt, dueAt, isFullDue, syncProblem } from './schedule.ts'
import type { Condition } from '../../../src-preload/contract/incident.ts'

/** Networks with open invoices are searched at this interval, because searching takes time. */
const inUseEveryMs = 15_000
const dayMs = 24 * 3_600_000
const maxUnread = 20

type Parts = Pick<InvoicesRoom, 'chain' | 'clock' | 'ledger' | 'requests'>

export class LedgerSync {
  readonly #context: InvoicesContext
  readonly #parts: Parts
  readonly #reported: ReportedInvoices
  readonly #progress
  readonly #expired
  readonly #notifier
  readonly #states = createSyncStates()
  #inUse: { readonly at: number; readonly ids: readonly NetworkId[] } | null = null

  constructor(
    context: InvoicesContext,
    parts: Parts,
    reported: ReportedInvoices,
    applicationIds: ApplicationIds,
  ) {
    this.#context = context
    this.#parts = parts
    this.#reported = reported
    this.#progress = createListProgress(context, parts.ledger, applicationIds)
    this.#expired = createExpiredInvoices(context, parts)
    this.#notifier = createChangeNotifier<NetworkId>({
      ...context,
      emit: (ids) => {
        for (const network of ids.filter((id) => this.#find(id) !== undefined)) {
          context.events.emit('invoiceSync.changed', this.#state(network))
        }
      },
    })
  }

  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceSync.${string}`>> = {
    'invoiceSync.state': async ({ network }) => {
      if (this.#isReadable(network)) await this.#readClock(network)
      return this.#state(network)
    },
    'invoiceSync.run': async ({ network, full }) => {
      if (this.#isReadable(network)) await this.#readNow(network, full ? 'full' : 'recent')
      return this.#state(network)
    },
    'invoiceSync.stop': async ({ network }) => {
      const { access, now } = this.#context
      const { requests } = this.#parts
      access.info(network)
      if (requests.isRunning(network, 'list')) {
        this.#states.update(network, (sync) => ({ ...sync, fullNotBefore: now() + dayMs }))
        await requests.cancel(network, 'list')
      }
      return this.#state(network)
    },
  }

  tick(): void {
    const { incidents, now } = this.#context
    const states = this.#states
    for (const network of this.#networksInUse()) {
      const access = this.#accessOf(network)
      if (states.of(network).access !== access) {
        states.update(network, (sync) => ({ ...sync, access, last: null }))
        this.notify(network)
      }
      if (this.#whyNot(network) !== null) continue
      const { last, reading } = states.of(network)
      const due = this.#nextReadingAt(network)
      // After the clock was set back, the list is due.
      const isDue = due === null || now() >= due || now() < (last?.endedAt ?? 0)
      if ((isDue && reading === null) || this.#expired.request(network)) this.#readDue(network)
    }
    for (const { id } of this.#networks()) {
      // Networks that are not in use are included, because an earlier run may have left an incident open.
      if (this.#whyNot(id) !== null) incidents.keepOnly(id, 'invoices')
      if (this.#reported.promote(id)) this.#parts.requests.run(id)
    }
  }

  notify(network: NetworkId): void {
    this.#notifier.tell(network)
  }

  accessChanged(network: NetworkId): void {
    const hasFailed = (this.#states.of(network).last?.failures ?? 0) > 0
    if (hasFailed) this.#states.update(network, (sync) => ({ ...sync, last: null }))
  }

  forget(network: NetworkId): void {
    this.#progress.forget(network)
    this.#states.forget(network)
    this.#expired.forget(network)
    this.#context.incidents.keepOnly(network, 'invoices')
  }

  stop(): void {
    this.#notifier.stop()
  }

  #networks(): readonly Network[] {
    return this.#context.networks.state().networks
  }

  #find(network: NetworkId): Network | undefined {
    return this.#networks().find(({ id }) => id === network)
  }

  #whyNot(network: NetworkId): string | null {
    return syncProblem(this.#find(network))
  }

  /** @throws AppError for an unknown network */
  #isReadable(network: NetworkId): boolean {
    this.#context.access.info(network)
    return this.#whyNot(network) === null
  }

  #accessOf(network: NetworkId): string {
    return JSON.stringify([this.#whyNot(network), this.#find(network)?.secrets.invoices])
  }

  #networksInUse(): NetworkId[] {
    const { access, now, store } = this.#context
    const at = now()
    if (this.#inUse === null || Math.abs(at - this.#inUse.at) >= inUseEveryMs) {
      const ids = this.#networks().map(({ id }) => id)
      const isOpen = (id: NetworkId) =>
        store.rows.hasUnsettled(id) || store.reports.open(id).waiting
      this.#inUse = { at, ids: ids.filter(isOpen) }
      // The sandbox's clock may change at any moment.
      if (this.#find('sandbox')?.urls) void this.#readClock('sandbox')
    }
    const inUse = [...new Set([access.current(), ...this.#inUse.ids])]
    return inUse.filter((network) => this.#find(network) !== undefined)
  }

  /** If there is no response, the previous offset stays. */
  #readClock(network: NetworkId): Promise<unknown> {
    return this.#parts.clock.read(network).catch(() => undefined)
  }

  #nextReadingAt(network: NetworkId): number | null {
    const { last } = this.#states.of(network)
    const isCurrent = network === this.#context.access.current()
    return last && dueAt(last, isCurrent, network === 'sandbox')
  }

  #state(network: NetworkId): InvoiceSync {
    const { now, store } = this.#context
    const { chain, clock, requests } = this.#parts
    const { reading, problem, unread } = this.#states.of(network)
    const recorded = store.ledgers.get(network)
    const off = this.#whyNot(network)
    const isIdle = off === null && reading === null
    return {
      network,
      status: off !== null ? 'off' : isIdle ? 'waiting' : 'reading',
      problem: off ?? problem ?? requests.problem(network) ?? this.#progress.problem(network),
      lastAt: recorded?.listedAt ?? null,
      fullAt: recorded?.fullAt ?? null,
      nextAt: isIdle ? this.#nextReadingAt(network) : null,
      reading: reading?.progress ?? null,
      reportsWaiting: store.reports.countWaiting(network),
      unread: [...unread],
      chain: chain.state(network),
      clockOffset: Math.round(clock.now(network) - now()),
    }
  }

  #readDue(network: NetworkId): void {
    if (!this.#parts.requests.isRunning(network, 'list')) {
      this.#start(network).catch(this.#context.onBug)
    }
  }

  /** Reads the list for a user, who expects its state at the time of the request. */
  async #readNow(network: NetworkId, wish: 'recent' | 'full'): Promise<void> {
    this.#states.update(network, (sync) => addWish(sync, wish))
    // Invoices that a background reading has already stored stay.
    const isBackground = this.#states.of(network).reading?.wish === 'scheduled'
    if (isBackground) await this.#parts.requests.cancel(network, 'list')
    await this.#start(network)
  }

  #start(network: NetworkId): Promise<void> {
    const run = (signal: AbortSignal) => this.#read(network, signal)
    return this.#parts.requests.start(network, { key: 'list', run })
  }

  /** Reads the gateway's list and the chain, and reports whether this works. */
  async #read(network: NetworkId, signal: AbortSignal): Promise<void> {
    const { now, onBug, store } = this.#context
    const [progress, states] = [this.#progress, this.#states]
    const { wish, last } = states.of(network)
    states.update(network, (sync) => beginReading(sync, this.#accessOf(network)))
    this.notify(network)
    const isWished = wish !== 'scheduled'
    const unread = new Set<string>()
    let { tookMs, failures } = last ?? { tookMs: 0, failures: 0 }
    try {
      if (wish === 'full') progress.beginAnew(network)
      await this.#readClock(network)
      signal.throwIfAborted()
      this.#expired.begin(network)
      const began = now()
      const reading: Reading = {
        asking: { signal, priority: isWished ? 'interactive' : 'job', owner: 'invoices' },
        onRead: (read, expected) => {
          states.update(network, (sync) => setProgress(sync, { read, expected }))
          this.notify(network)
        },
        onUnread(some) {
          for (const each of some) if (unread.size < maxUnread) unread.add(each)
        },
      }
      await progress.readRecent(network, isWished, reading)
      tookMs = Math.max(0, now() - began)
      this.#parts.requests.retryNow(network)
      const isDue = isFullDue(store.ledgers.get(network)?.fullAt ?? null, now())
      if (wish === 'full' || (isDue && now() >= states.of(network).fullNotBefore)) {
        await progress.readAll(network, isWished, reading)
      }
      states.update(network, (sync) => endReading(sync, [...unread]))
      failures = 0
      await this.#parts.chain.read(network, signal).catch((error: unknown) => {
        if (!(error instanceof AppError) || signal.aborted) throw error
      })
    } catch (error) {
      if (signal.aborted) return
      const problem = problemOf(error, 'Loading the invoices failed.', onBug)
      // A removed network has not failed; its list is due when it returns.
      const isRemoved = this.#whyNot(network) !== null
      if (!isRemoved) failures += 1
      states.update(network, ({ access, ...sync }) => {
        return { ...sync, problem, access: isRemoved ? '' : access }
      })
    } finally {
      const ended = { endedAt: now(), tookMs, failures }
      states.update(network, (sync) => ({ ...sync, last: ended, reading: null }))
      this.notify(network)
      this.#report(network)
    }
  }

  #report(network: NetworkId): void {
    const { incidents } = this.#context
    const found = this.#find(network)
    // A network that cannot be queried, such as a stopped sandbox, has no incident.
    if (found === undefined || syncProblem(found) !== null) incidents.keepOnly(network, 'invoices')
    else {
      const condition = conditionOf(found.name, this.#states.of(network).problem)
      incidents.report(network, 'invoices', { condition, failures: 1 })
    }
  }
}

type Wish = 'scheduled' | 'recent' | 'full'

type NetworkSync = {
  readonly last: Attempt | null
  /** Describes how the network can be queried, without the token itself. If it changes, the list is due. */
  readonly access: string
  readonly problem: string | null
  readonly unread: readonly string[]
  readonly wish: Wish
  readonly reading: { readonly wish: Wish; readonly progress: InvoiceSync['reading'] } | null
  /** After the user stopped the full reading, it continues on request or the next day. */
  readonly fullNotBefore: number
}

const idle: NetworkSync = {
  last: null,
  access: '',
  problem: null,
  unread: [],
  wish: 'scheduled',
  reading: null,
  fullNotBefore: 0,
}

function createSyncStates() {
  const states = new Map<NetworkId, NetworkSync>()
  const of = (network: NetworkId): NetworkSync => states.get(network) ?? idle
  return {
    of,
    update(network: NetworkId, step: (sync: NetworkSync) => NetworkSync): void {
      states.set(network, step(of(network)))
    },
    forget: (network: NetworkId) => void states.delete(network),
  }
}

/** While all invoices are being read, a request to read all of them only reads the newest. */
function addWish(sync: NetworkSync, wish: 'recent' | 'full'): NetworkSync {
  const isFull = sync.wish === 'full' || (wish === 'full' && sync.reading?.wish !== 'full')
  return { ...sync, wish: isFull ? 'full' : 'recent', fullNotBefore: 0 }
}

const beginReading = (sync: NetworkSync, access: string): NetworkSync => ({
  ...sync,
  access,
  wish: 'scheduled',
  reading: { wish: sync.wish, progress: null },
})

const setProgress = (sync: NetworkSync, progress: InvoiceSync['reading']): NetworkSync => ({
  ...sync,
  reading: sync.reading && { ...sync.reading, progress },
})

/** Call this when the list was read; the invoices with these ids could not be parsed. */
const endReading = (sync: NetworkSync, unread: readonly string[]): NetworkSync => ({
  ...setProgress(sync, null),
  unread,
  problem: null,
})

/** @param problem null if the sync works */
function conditionOf(name: string, problem: string | null): Condition | null {
  if (problem === null) return null
  return {
    kind: 'failing',
    level: 'warning',
    title: `Invoices of ${name} are not synced`,
    cause: `${problem} Payments and changes of invoices are not shown until the sync works.`,
    nextStep: 'Check the access in Invoices › Set up. Tondesk retries automatically.',
  }
}

type Expiry = {
  /** A time by the gateway's clock: earlier expiries were requested; null before the first reading. */
  readonly to: number | null
  readonly tries: number
  readonly notBefore: number
}

/** The gateway's list shows an expiry slightly after the expiry. */
const delayMs = 2000
/** If more invoices have expired, the list is read instead. */
const maxExpired = 20
/** An invoice that is still pending after its expiry is requested a few more times at growing intervals. */
const retryMs = 2000
const maxTries = 5

/** Requests pending invoices whose time has ended. */
function createExpiredInvoices(
  { now, onBug, store }: Pick<InvoicesContext, 'now' | 'onBug' | 'store'>,
  { clock, ledger, requests }: Pick<InvoicesRoom, 'clock' | 'ledger' | 'requests'>,
) {
  const expiries = new Map<NetworkId, Expiry>()

  const expiredTo = (network: NetworkId) => clock.now(network) - delayMs

  /** Expiries before the first call are found by reading the list. */
  function begin(network: NetworkId): Expiry & { readonly to: number } {
    const { to, ...rest } = expiries.get(network) ?? { to: null, tries: 0, notBefore: 0 }
    const expiry = { ...rest, to: to ?? expiredTo(network) }
    expiries.set(network, expiry)
    return expiry
  }

  async function fetchAll(network: NetworkId, ids: readonly string[], signal: AbortSignal) {
    const queryOptions = { signal, priority: 'job', owner: 'invoices' } as const
    const fetched = ids.map((id) =>
      ledger.fetch(network, id, 'fetch', queryOptions).catch((error: unknown) => {
        if (!(error instanceof AppError) && !signal.aborted) onBug(error)
      }),
    )
    await Promise.all(fetched)
  }

  return {
    begin,
    /** @returns whether the list must be read, because many invoices have expired */
    request(network: NetworkId): boolean {
      const isRunning =
        requests.isRunning(network, 'list') || requests.isRunning(network, 'expired')
      const expiry = begin(network)
      const to = expiredTo(network)
      if (isRunning || to <= expiry.to || now() < expiry.notBefore) return false
      const expired = store.rows.expiring(network, expiry.to, to, maxExpired + 1)
      if (expired.length === 0 || expired.length > maxExpired) {
        expiries.set(network, { ...expiry, to, tries: 0 })
        return expired.length > 0
      }
      const run = async (signal: AbortSignal) => {
        const ids = expired.map(({ id }) => id)
        await fetchAll(network, ids, signal)
        expiries.set(network, afterTry(begin(network), to, now()))
      }
      requests.start(network, { key: 'expired', run }).catch(onBug)
      return false
    },
    forget: (network: NetworkId) => void expiries.delete(network),
  }
}

function afterTry({ to, tries }: Expiry, triedTo: number, now: number): Expiry {
  const notBefore = now + retryMs * (tries + 1)
  if (tries >= maxTries) return { to: triedTo, tries: 0, notBefore }
  return { to, tries: tries + 1, notBefore }
}
