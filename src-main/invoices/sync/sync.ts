/** Keeps the ledger of each network in use equal to its gateway's list and to its chain. */
import type { AppContext } from '../../app/context.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { Requester } from '../feed/requester.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import type { ApplicationIds, ChainFollower, GatewayAccess, Networks } from '../parts.ts'
import { whyNotAsked } from './askable.ts'
import { type Reading, createReadList } from './read-list.ts'
import { createReadings } from './readings.ts'
import { dueAt, isDue, isFullDue } from './schedule.ts'

export type SyncDeps = Pick<AppContext, 'now' | 'onBug' | 'wait'> & {
  readonly access: Pick<GatewayAccess, 'invoices' | 'current' | 'info'>
  readonly networks: Networks
  readonly store: Pick<InvoiceStore, 'rows' | 'reports' | 'ledgers'>
  readonly ledger: Pick<LocalLedger, 'record' | 'fetch' | 'missing'>
  readonly requester: Pick<Requester, 'tick' | 'problem' | 'answered'>
  readonly chain: Pick<ChainFollower, 'read' | 'state'>
  readonly applicationIds: ApplicationIds
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly onChanged: (state: InvoiceSync) => void
}

export type Sync = {
  readonly handlers: Pick<Handlers, 'invoiceSync.state' | 'invoiceSync.run' | 'invoiceSync.stop'>
  /** Why its invoices cannot be asked for; null when they can. */
  whyNotAsked(network: NetworkId): string | null
  /** Something of its state is another now. */
  tell(network: NetworkId): void
  /** Its access is another now: what was refused may be read, and nobody waits for the next try. */
  wake(network: NetworkId): void
  start(): void
  /** Its invoices are another's from now on: nothing of them is read until `rest` is forgotten too. */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

type Run = {
  readonly done: Promise<void>
  readonly halt: AbortController
  readonly isAsked: boolean
  readonly isFull: boolean
}

type Synced = {
  triedAt: number | null
  /** Which token it was tried with; never the token. */
  triedWith: string
  tookMs: number
  failures: number
  problem: string | null
  /** It could not even be asked when it was to be read last. */
  isOut: boolean
  progress: { read: number; expected: number | null } | null
  unread: readonly string[]
  clockOffset: number
  /** How often the clock was asked for, and which of the answers was taken last. */
  clock: { asked: number; taken: number }
  /** By the gateway's clock: pending ones that expired until then have been asked for. */
  expiredTo: number | null
  /** Some were pending still, or could not be asked for: how often, and not before when again. */
  expiredAgain: { tries: number; at: number }
  /** A person stopped the reading of all: it goes on when it is asked for, or on another day. */
  heldUntil: number
  running: Run | null
}

const tickMs = 1000
/** Looking for who is in use costs a little. */
const inUseEveryMs = 15_000
/** An expiry is in the gateway's list a moment after it. */
const expiryMs = 2000
const maxExpired = 20
/** What is still pending after its end is asked for again, each time a little later; then with the next reading. */
const expiredAgainMs = 2000
const maxExpiredTries = 5
const maxUnread = 20
const dayMs = 24 * 3_600_000
/** The sandbox is on this computer, and may be granted access at any moment. */
const sandboxAgainMs = 5000

export function createSync(deps: SyncDeps): Sync {
  const { access, store, ledger, requester, chain, now } = deps
  const list = createReadList({ ...deps, client: (network) => access.invoices(network) })
  const readings = createReadings({ ...deps, list })
  const networks = new Map<NetworkId, Synced>()
  const forgetting = new Set<NetworkId>()
  const stopped = new AbortController()
  let ticking: Promise<void> = Promise.resolve()
  let inUse: readonly NetworkId[] = []
  let inUseAt: number | null = null
  const notifier = createChangeNotifier<NetworkId>({
    wait: deps.wait,
    onBug: deps.onBug,
    running: () => [],
    emit(ids) {
      for (const network of ids) if (find(network) !== null) deps.onChanged(state(network))
    },
  })

  function of(network: NetworkId): Synced {
    const known = networks.get(network)
    if (known !== undefined) return known
    const fresh: Synced = {
      triedAt: null,
      triedWith: '',
      tookMs: 0,
      failures: 0,
      problem: null,
      isOut: false,
      progress: null,
      unread: [],
      clockOffset: 0,
      clock: { asked: 0, taken: 0 },
      expiredTo: null,
      expiredAgain: { tries: 0, at: 0 },
      heldUntil: 0,
      running: null,
    }
    networks.set(network, fresh)
    return fresh
  }

  const find = (network: NetworkId): Network | null =>
    deps.networks().find(({ id }) => id === network) ?? null

  function why(network: NetworkId): string | null {
    const found = find(network)
    return found === null ? 'There is no such network any more.' : whyNotAsked(found)
  }

  const isCurrent = (network: NetworkId) => network === access.current()

  function state(network: NetworkId): InvoiceSync {
    const synced = of(network)
    const known = store.ledgers.get(network)
    const off = why(network)
    const isReading = synced.running !== null
    const due = dueAt(synced, isCurrent(network))
    return {
      network,
      status: off !== null ? 'off' : isReading ? 'reading' : 'waiting',
      problem: off ?? synced.problem ?? requester.problem(network) ?? degraded(network),
      lastAt: known?.listedAt ?? null,
      fullAt: known?.fullAt ?? null,
      nextAt: off !== null || isReading ? null : due,
      reading: isReading ? synced.progress : null,
      reportsWaiting: store.reports.countWaiting(network),
      unread: [...synced.unread],
      chain: chain.state(network),
      clockOffset: synced.clockOffset,
    }
  }

  function degraded(network: NetworkId): string | null {
    const { refused } = readings.stateOf(network)
    if (refused === null) return null
    return (
      `Invoices are asked for one by one, since the gateway does not list them to this token ` +
      `(${refused.message}) What is made elsewhere is learnt from webhooks only.`
    )
  }

  async function learnClock(network: NetworkId): Promise<void> {
    const synced = of(network)
    const asked = (synced.clock.asked += 1)
    try {
      const offset = Math.round((await deps.chainNow(network)) - now())
      // One that was long under way must not undo what was asked for after it.
      if (asked < synced.clock.taken) return
      synced.clock.taken = asked
      synced.clockOffset = offset
    } catch {
      // It is not there: what was known last stands.
    }
  }

  /** Another address, with troubles of its own, which it tells by itself. */
  async function readChain(network: NetworkId, signal: AbortSignal): Promise<void> {
    try {
      await chain.read(network, signal)
    } catch (error) {
      if (!(error instanceof AppError) || signal.aborted) throw error
    }
  }

  async function read(network: NetworkId, synced: Synced, run: Omit<Run, 'done'>): Promise<void> {
    const { halt, isAsked, isFull } = run
    const signal = AbortSignal.any([halt.signal, stopped.signal])
    const priority = isAsked ? 'interactive' : 'job'
    const unread: string[] = []
    const reading: Reading = {
      asking: { signal, priority, owner: 'invoices' },
      onRead(read, expected) {
        synced.progress = { read, expected }
        notifier.tell(network)
      },
      onUnread(some) {
        for (const each of some) {
          if (unread.length < maxUnread && !unread.includes(each)) unread.push(each)
        }
      },
    }
    try {
      await learnClock(network)
      signal.throwIfAborted()
      const began = now()
      synced.expiredTo ??= began + synced.clockOffset - expiryMs
      await readings.lately(network, isAsked, reading)
      synced.tookMs = Math.max(0, now() - began)
      requester.answered(network)
      const known = store.ledgers.get(network)
      const isDueNow = isFullDue(known?.fullAt ?? null, now()) && now() >= synced.heldUntil
      if (isFull || isDueNow) await readings.all(network, isAsked, reading)
      synced.unread = unread
      synced.progress = null
      synced.problem = null
      synced.failures = 0
      synced.isOut = false
      await readChain(network, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) deps.onBug(error)
      synced.problem = error instanceof AppError ? error.message : 'Reading failed; see the log.'
      synced.isOut = why(network) !== null
      // To ask one that is not there costs nothing.
      if (!synced.isOut) synced.failures += 1
    } finally {
      synced.triedAt = now()
    }
  }

  function begin(network: NetworkId, isAsked: boolean, isFull: boolean): Promise<void> {
    if (forgetting.has(network) || stopped.signal.aborted) return Promise.resolve()
    const synced = of(network)
    if (synced.running !== null) return synced.running.done
    synced.triedWith = tokenMark(network)
    synced.isOut = false
    const halt = new AbortController()
    const done = read(network, synced, { halt, isAsked, isFull }).finally(() => {
      synced.running = null
      synced.progress = null
      notifier.tell(network)
    })
    synced.running = { done, halt, isAsked, isFull }
    notifier.tell(network)
    return done
  }

  async function run(network: NetworkId, isFull: boolean): Promise<void> {
    const synced = of(network)
    // A reading that nobody waits for makes room: what it had read stays.
    if (synced.running?.isAsked === false) synced.running.halt.abort()
    // One that is under way may have been asked for before what it is to show.
    while (synced.running !== null) {
      const { done, isAsked, isFull: isAll } = synced.running
      await done
      if (isFull && isAsked && isAll) return
    }
    synced.heldUntil = 0
    if (isFull) readings.beginAnew(network)
    await begin(network, true, isFull)
  }

  /** Pending ones whose time is over are asked for, without waiting for the next reading. */
  function askExpired(network: NetworkId, synced: Synced): void {
    const to = now() + synced.clockOffset - expiryMs
    // What expired before the first reading began is in it.
    const from = (synced.expiredTo ??= to)
    // A reading under way may have looked at them already, when they were still pending.
    if (synced.running !== null || to <= from || now() < synced.expiredAgain.at) return
    synced.expiredTo = to
    const next = store.rows.nextExpiry(network, from)
    if (next === null || next > to) return
    const expired = store.rows.expiring(network, from, to, maxExpired + 1)
    if (expired.length > maxExpired) {
      begin(network, false, false).catch(deps.onBug)
      return
    }
    const asking = { signal: stopped.signal, priority: 'job' as const, owner: 'invoices' }
    const asked = expired.map(({ id }) =>
      ledger.fetch(network, id, 'fetch', asking).catch((error: unknown) => {
        if (!(error instanceof AppError) && !stopped.signal.aborted) deps.onBug(error)
      }),
    )
    Promise.all(asked)
      .then(() => lookAgain(network, synced, from, to))
      .catch(deps.onBug)
  }

  function lookAgain(network: NetworkId, synced: Synced, from: number, to: number): void {
    if (stopped.signal.aborted) return
    const { tries } = synced.expiredAgain
    const isLeft = store.rows.expiring(network, from, to, 1).length > 0
    if (!isLeft || tries >= maxExpiredTries) {
      synced.expiredAgain = { tries: 0, at: 0 }
      return
    }
    synced.expiredAgain = { tries: tries + 1, at: now() + expiredAgainMs * (tries + 1) }
    synced.expiredTo = Math.min(synced.expiredTo ?? from, from)
  }

  function networksInUse(): readonly NetworkId[] {
    const at = now()
    if (inUseAt === null || at - inUseAt >= inUseEveryMs || at < inUseAt) {
      inUse = deps
        .networks()
        .map(({ id }) => id)
        .filter((id) => store.rows.hasUnsettled(id) || store.reports.open(id).waiting)
      inUseAt = at
      // The sandbox's clock may be turned at any moment.
      if ((find('sandbox')?.urls ?? null) !== null) void learnClock('sandbox')
    }
    return [...new Set([access.current(), ...inUse])].filter((network) => find(network) !== null)
  }

  /** Which token there is, by what may be shown of it. */
  function tokenMark(network: NetworkId): string {
    return JSON.stringify(find(network)?.secrets.invoices ?? null)
  }

  function isWorthTrying(network: NetworkId, synced: Synced): boolean {
    const { failures, triedAt, triedWith } = synced
    if (failures > 0 && triedWith !== tokenMark(network)) return true
    return failures > 0 && network === 'sandbox' && now() - (triedAt ?? 0) >= sandboxAgainMs
  }

  function tick(): void {
    for (const network of networksInUse()) {
      if (forgetting.has(network)) continue
      const synced = of(network)
      if (why(network) !== null) {
        if (!synced.isOut) notifier.tell(network)
        synced.isOut = true
        continue
      }
      // One that could not be asked may be there at any moment.
      const isBack = synced.isOut
      if (isBack) synced.isOut = false
      const due =
        isBack || isWorthTrying(network, synced) || isDue(synced, isCurrent(network), now())
      if (due && synced.running === null) begin(network, false, false).catch(deps.onBug)
      else askExpired(network, synced)
    }
    requester.tick()
  }

  async function tickOn(): Promise<void> {
    while (!stopped.signal.aborted) {
      tick()
      await deps.wait(tickMs, stopped.signal)
    }
  }

  return {
    handlers: {
      async 'invoiceSync.state'({ network }) {
        access.info(network)
        if (why(network) === null) await learnClock(network)
        return state(network)
      },
      async 'invoiceSync.run'({ network, full }) {
        access.info(network)
        if (why(network) === null) await run(network, full)
        return state(network)
      },
      async 'invoiceSync.stop'({ network }) {
        access.info(network)
        const { running } = of(network)
        if (running !== null) {
          of(network).heldUntil = now() + dayMs
          running.halt.abort()
          await running.done
        }
        return state(network)
      },
    },
    whyNotAsked: why,
    tell: (network) => notifier.tell(network),
    wake(network) {
      const synced = of(network)
      if (synced.failures > 0) synced.triedAt = null
    },
    start() {
      ticking = tickOn().catch((error: unknown) => {
        if (!stopped.signal.aborted) deps.onBug(error)
      })
    },
    async forget(network, rest) {
      forgetting.add(network)
      try {
        const running = networks.get(network)?.running
        running?.halt.abort()
        await running?.done
        await rest()
        list.forget(network)
        store.ledgers.forget(network)
        networks.delete(network)
      } finally {
        forgetting.delete(network)
      }
    },
    async stop() {
      stopped.abort()
      notifier.stop()
      await Promise.all([ticking, ...[...networks.values()].map(({ running }) => running?.done)])
    },
  }
}
