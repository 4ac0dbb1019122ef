/**
 * Manages the incidents of the app: features report working and failing conditions, and listeners
 * get each incident once.
 */
import { uptime } from 'node:os'
import type { Incident } from '../../src-preload/contract/incident.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { AppError, incidentCodes } from '../../src-preload/domain/app-error.ts'
import { createDeferredWrites } from '../database/deferred-writes.ts'
import {
  type Happened,
  type Limits,
  type Observation,
  type Tracked,
  observeCondition,
  afterWait,
} from './model.ts'
import type { IncidentStore, StoredIncident } from './store/incidents.ts'

type IncidentEvents = {
  emit(name: 'incident.opened' | 'incident.grown' | 'incident.closed', incident: Incident): void
  emit(name: 'incident.changed', of: { network: NetworkId | null }): void
}

export type Incidents = ReturnType<typeof createIncidents>

/** The time in milliseconds. The uptime of the computer shows how much time has passed if the clock was set. */
type IncidentClock = { readonly now: () => number; readonly uptime: () => number }

const systemClock: IncidentClock = { now: () => Date.now(), uptime: () => uptime() * 1000 }

type IncidentDeps = {
  readonly settings: () => Pick<Settings['monitoring'], 'failedAttempts' | 'failingMinutes'>
  readonly onBug: (error: unknown) => void
  readonly clock?: IncidentClock
}

const hourMs = 3_600_000
const snoozes = { hour: hourMs, day: 24 * hourMs } as const
const tickMs = 5000
/** A longer gap means that the computer slept, and nothing was observed. */
const maxStepMs = 4 * tickMs
/** The uptime is exact to a second on some systems. */
const clockToleranceMs = 5000

const severity: Readonly<Record<Incident['level'], number>> = { alarm: 0, warning: 1 }

export function createIncidents(
  store: IncidentStore,
  events: IncidentEvents,
  { settings, onBug, clock = systemClock }: IncidentDeps,
) {
  const entries = new Map(
    readUnclosed(store, clock.now(), onBug).map((each) => [keyOf(each), each] as const),
  )
  /** Keys that were reported since the start; a condition from an earlier run may be over. */
  const fresh = new Set<string>()
  const isUnwritable = ({ condition, isWell }: StoredIncident) =>
    condition.kind === 'unwritable' && !isWell
  // The receiver reports when writing works again.
  const writes = createDeferredWrites(() => [...entries.values()].some(isUnwritable), onBug)
  const jumps = createClockJumps(clock)
  let nextId = store.maxId() + 1
  let timer: NodeJS.Timeout | undefined

  function limits(): Limits {
    const { failedAttempts, failingMinutes } = settings()
    return { failures: failedAttempts, ms: failingMinutes * 60_000 }
  }

  function set(entry: StoredIncident): void {
    entries.set(keyOf(entry), entry)
    writes.write(entry.id, () => store.save(entry))
  }

  function changed(network: NetworkId | null): void {
    events.emit('incident.changed', { network })
  }

  function close(entry: StoredIncident): void {
    const key = keyOf(entry)
    entries.delete(key)
    fresh.delete(key)
    const { id, openedAt } = entry
    if (openedAt === null) {
      writes.write(id, () => store.remove(id))
      return
    }
    const closed = { ...entry, closedAt: Math.max(openedAt, clock.now()), snoozedUntil: null }
    // The event is emitted before the change is stored: after a kill in between, the incident is
    // reported twice instead of never.
    events.emit('incident.closed', toIncident(closed, clock.now()))
    writes.write(id, () => store.save(closed))
    changed(entry.network)
  }

  function take(entry: StoredIncident, tracked: Tracked, happened: Happened): void {
    const now = clock.now()
    const next = afterStep(entry, tracked, happened, now)
    if (happened === 'closed' || happened === 'dropped') {
      close(next)
      return
    }
    // The event is emitted before the change is stored, as in `close`.
    if (happened === 'opened') events.emit('incident.opened', toIncident(next, now))
    if (happened === 'grown') events.emit('incident.grown', toIncident(next, now))
    set(next)
    if (next.openedAt !== null) changed(next.network)
  }

  function report(network: NetworkId | null, subject: string, observation: Observation): void {
    moveWithClock()
    const key = keyOf({ network, subject })
    const before = entries.get(key)
    const step = observeCondition(before ? toTracked(before) : null, observation, limits())
    if (step === null) return
    fresh.add(key)
    if (before && step.happened === null && isSame(before, step.tracked)) return
    const id = before?.id ?? nextId
    nextId = Math.max(nextId, id + 1)
    const added = { id, network, subject, openedAt: null, closedAt: null, snoozedUntil: null }
    take(before ?? { ...added, ...step.tracked }, step.tracked, step.happened)
  }

  /** Moves times when the clock was set, so that durations stay right. */
  function moveWithClock(): void {
    const jumpMs = jumps.next()
    if (jumpMs === 0) return
    for (const entry of entries.values()) set(moved(entry, jumpMs, clock.now()))
  }

  function tick(): void {
    moveWithClock()
    const ms = jumps.takeUnticked()
    if (!writes.isEmpty()) writes.flush()
    for (const [key, entry] of entries) {
      const { snoozedUntil } = entry
      if (typeof snoozedUntil === 'number' && snoozedUntil <= clock.now()) {
        set({ ...entry, snoozedUntil: null })
        changed(entry.network)
      }
      if (!fresh.has(key)) continue
      const current = entries.get(key) ?? entry
      const { tracked, happened } = afterWait(toTracked(current), ms, limits())
      // Times alone are not written, because they change with each tick.
      if (happened === null) entries.set(key, { ...current, lastedMs: tracked.lastedMs })
      else take(current, tracked, happened)
    }
  }

  const open = () => [...entries.values()].filter((each) => each.openedAt !== null)

  return {
    handlers: createIncidentRoutes(store, clock, open, (entry) => {
      moveWithClock()
      set(entry)
      changed(entry.network)
    }),
    /** `subject` is unique on its network, or in the app if the network is null. */
    report,
    /**
     * Ends the incidents of a group (`webhook` of `webhook:12`) whose webhooks are not listed: they
     * were removed, stopped or turned off by the user, which is no recovery.
     */
    keepOnly(network: NetworkId | null, group: string, subjects: readonly string[] = []): void {
      moveWithClock()
      for (const entry of [...entries.values()]) {
        const isOfGroup = entry.subject === group || entry.subject.startsWith(`${group}:`)
        if (entry.network !== network || !isOfGroup || subjects.includes(entry.subject)) continue
        close({ ...entry, isWell: false })
      }
    },
    /** Called by the timer and by tests. */
    tick,
    start(): void {
      timer = setInterval(() => {
        try {
          tick()
        } catch (error) {
          onBug(error)
        }
      }, tickMs)
      timer.unref()
    },
    stop(): void {
      clearInterval(timer)
      writes.flush()
    },
  }
}

function createIncidentRoutes(
  store: IncidentStore,
  { now }: IncidentClock,
  open: () => StoredIncident[],
  set: (entry: StoredIncident) => void,
) {
  return {
    'incident.list': ({ network, open: isOpen, offset, limit }) => {
      const shown = (each: StoredIncident) => toIncident(each, now())
      if (!isOpen) {
        const page = store.closed(network, { offset, limit })
        return { total: store.countClosed(network), incidents: page.map(shown) }
      }
      const all = open()
        .filter((each) => network === null || each.network === null || each.network === network)
        .map(shown)
        .sort((a, b) => severity[a.level] - severity[b.level] || b.openedAt - a.openedAt)
      return { total: all.length, incidents: all.slice(offset, offset + limit) }
    },
    'incident.read': ({ id }) => {
      const found = open().find((each) => each.id === id) ?? store.read(id)
      if (found === null) throw new AppError(incidentCodes.unknown, 'Incident not found.')
      return toIncident(found, now())
    },
    'incident.snooze': ({ id, until }) => {
      const entry = open().find((each) => each.id === id)
      if (entry === undefined) {
        throw new AppError(incidentCodes.unknown, 'Incident not found. It may be over.')
      }
      const snoozedUntil = until === null || until === 'fixed' ? until : now() + snoozes[until]
      const snoozed = { ...entry, snoozedUntil }
      set(snoozed)
      return toIncident(snoozed, now())
    },
  } satisfies Partial<Handlers>
}

/** Measures how far the clock was set, and how much time has passed while the computer was awake. */
function createClockJumps(clock: IncidentClock) {
  let seen = { now: clock.now(), uptime: clock.uptime() }
  let untickedMs = 0
  return {
    /** Returns by how many milliseconds the clock was set since the last call; 0 if it was not. */
    next(): number {
      const now = { now: clock.now(), uptime: clock.uptime() }
      const passedMs = Math.max(0, now.uptime - seen.uptime)
      const jumpMs = now.now - seen.now - passedMs
      seen = now
      untickedMs += Math.min(maxStepMs, passedMs)
      return Math.abs(jumpMs) <= clockToleranceMs ? 0 : jumpMs
    },
    takeUnticked(): number {
      const ms = untickedMs
      untickedMs = 0
      return ms
    },
  }
}

const keyOf = ({ network, subject }: Pick<Incident, 'network' | 'subject'>): string =>
  `${network ?? ''} ${subject}`

/** An unreadable row must not keep the app from starting, because failing conditions are reported again. */
function readUnclosed(store: IncidentStore, now: number, onBug: (error: unknown) => void) {
  try {
    // The clock may have been set back since the incident opened.
    return store.unclosed().map((stored) => ({
      ...stored,
      openedAt: stored.openedAt && Math.min(stored.openedAt, now),
      snoozedUntil:
        typeof stored.snoozedUntil === 'number'
          ? Math.min(stored.snoozedUntil, now + snoozes.day)
          : stored.snoozedUntil,
    }))
  } catch (error) {
    onBug(error)
    return []
  }
}

function afterStep(entry: StoredIncident, tracked: Tracked, happened: Happened, now: number) {
  const { isOpen: _, ...next } = { ...entry, ...tracked }
  // An incident that became worse ignores its snooze, because the user snoozed its earlier state.
  const isShown = happened === 'grown' && entry.snoozedUntil !== 'fixed'
  return {
    ...next,
    openedAt: happened === 'opened' ? now : entry.openedAt,
    snoozedUntil: isShown ? null : entry.snoozedUntil,
  }
}

function moved(entry: StoredIncident, jumpMs: number, now: number): StoredIncident {
  const { openedAt, snoozedUntil } = entry
  return {
    ...entry,
    openedAt: openedAt && Math.min(now, openedAt + jumpMs),
    snoozedUntil: typeof snoozedUntil === 'number' ? snoozedUntil + jumpMs : snoozedUntil,
  }
}

const toTracked = (stored: StoredIncident): Tracked => ({
  ...stored,
  isOpen: stored.openedAt !== null,
})

const isSame = (before: StoredIncident, after: Tracked): boolean =>
  before.isWell === after.isWell &&
  before.failures === after.failures &&
  before.isFlapping === after.isFlapping &&
  JSON.stringify(before.condition) === JSON.stringify(after.condition)

function toIncident(stored: StoredIncident, now: number): Incident {
  const { id, network, subject, openedAt, closedAt, isWell, lastedMs, failures } = stored
  // An open incident shows the present problem, a closed one its worst problem.
  const { afterwards = '', ...condition } = closedAt === null ? stored.condition : stored.worst
  return {
    id,
    network,
    subject,
    ...condition,
    nextStep: closedAt === null ? condition.nextStep : afterwards,
    openedAt: openedAt ?? now,
    closedAt,
    wellSince: isWell ? (closedAt ?? now) - lastedMs : null,
    count: failures,
    snoozedUntil: stored.snoozedUntil,
  }
}
