/** The incidents of the app: features report what works and what does not, others hear of each incident once. */
import { uptime } from 'node:os'
import type { Incident } from '../../src-preload/contract/incident.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { incidentCodes } from '../../src-preload/domain/error-codes.ts'
import {
  type Happened,
  type Limits,
  type Observation,
  type Tracked,
  observe,
  wait,
} from './model.ts'
import type { IncidentStore, StoredIncident } from './store/incidents.ts'

type IncidentEvents = {
  emit(name: 'incident.opened' | 'incident.grown' | 'incident.closed', incident: Incident): void
  emit(name: 'incident.changed', of: { network: NetworkId | null }): void
}

export type Incidents = ReturnType<typeof createIncidents>

/** Milliseconds. The uptime of the computer shows how much time has passed when its clock was set. */
type IncidentClock = { readonly now: () => number; readonly uptime: () => number }

const hourMs = 3_600_000
const snoozes = { hour: hourMs, day: 24 * hourMs } as const
const tickMs = 5000
/** Longer gaps are the sleep of the computer, in which nothing was seen. */
const maxStepMs = 4 * tickMs
/** The uptime is exact to a second on some systems. */
const clockToleranceMs = 5000

const severity: Readonly<Record<Incident['level'], number>> = { alarm: 0, warning: 1 }

export function createIncidents(
  store: IncidentStore,
  events: IncidentEvents,
  {
    settings,
    onBug,
    clock = { now: Date.now, uptime: () => uptime() * 1000 },
  }: {
    readonly settings: () => Pick<Settings['monitoring'], 'failedAttempts' | 'failingMinutes'>
    readonly onBug: (error: unknown) => void
    readonly clock?: IncidentClock
  },
) {
  const entries = new Map<string, StoredIncident>()
  /** Reported since the start: what an earlier run last saw may be over. */
  const fresh = new Set<string>()
  /** Not written yet, because the disk is full or the database is locked. */
  const unsaved = new Map<number, StoredIncident | null>()
  let hasFailed = false
  let nextId = store.maxId() + 1
  let seen = { now: clock.now(), uptime: clock.uptime() }
  let untickedMs = 0
  let timer: NodeJS.Timeout | undefined

  const keyOf = ({ network, subject }: Pick<Incident, 'network' | 'subject'>) =>
    `${network ?? ''} ${subject}`

  for (const stored of load()) {
    // The clock may have been set back since.
    const openedAt = stored.openedAt && Math.min(stored.openedAt, seen.now)
    entries.set(keyOf(stored), { ...stored, openedAt, snoozedUntil: shortenSnooze(stored) })
  }

  /** A row that cannot be read must not keep the app from starting: what is wrong is reported again. */
  function load(): StoredIncident[] {
    try {
      return store.unclosed()
    } catch (error) {
      onBug(error)
      return []
    }
  }

  function shortenSnooze({ snoozedUntil }: StoredIncident): StoredIncident['snoozedUntil'] {
    if (typeof snoozedUntil !== 'number') return snoozedUntil
    return Math.min(snoozedUntil, clock.now() + snoozes.day)
  }

  function limits(): Limits {
    const { failedAttempts, failingMinutes } = settings()
    return { failures: failedAttempts, ms: failingMinutes * 60_000 }
  }

  function write(id: number, stored: StoredIncident | null): void {
    unsaved.set(id, stored)
    if (!hasFailed) save()
  }

  function save(): void {
    // A write to a locked database would block this thread. The receiver reports when writing works again.
    const isBlocked = [...entries.values()].some(
      ({ condition, isWell }) => condition.kind === 'unwritable' && !isWell,
    )
    if (isBlocked) return
    try {
      for (const [id, stored] of unsaved) {
        if (stored === null) store.remove(id)
        else store.save(stored)
        unsaved.delete(id)
      }
      hasFailed = false
    } catch (error) {
      // The incident may be about the disk itself, so it is reported all the same.
      if (!hasFailed) onBug(error)
      hasFailed = true
    }
  }

  function changed(network: NetworkId | null): void {
    events.emit('incident.changed', { network })
  }

  function close(entry: StoredIncident): void {
    const key = keyOf(entry)
    entries.delete(key)
    fresh.delete(key)
    const { openedAt } = entry
    if (openedAt === null) {
      write(entry.id, null)
      return
    }
    const closed = { ...entry, closedAt: Math.max(openedAt, clock.now()), snoozedUntil: null }
    // Before it is stored, so that after a kill in between it is reported again, not lost.
    events.emit('incident.closed', toIncident(closed, clock.now()))
    write(entry.id, closed)
    changed(entry.network)
  }

  function take(entry: StoredIncident, tracked: Tracked, happened: Happened): void {
    const { isOpen: _, ...rest } = tracked
    const now = clock.now()
    const isNew = happened === 'opened'
    const next: StoredIncident = {
      ...entry,
      ...rest,
      openedAt: isNew ? now : entry.openedAt,
      // What became worse needs the user now; an hour or a day was chosen for what it was.
      snoozedUntil:
        happened === 'grown' && entry.snoozedUntil !== 'fixed' ? null : entry.snoozedUntil,
    }
    if (happened === 'closed' || happened === 'dropped') {
      close(next)
      return
    }
    entries.set(keyOf(next), next)
    // Before it is stored, as in `close`.
    if (isNew) events.emit('incident.opened', toIncident(next, now))
    if (happened === 'grown') events.emit('incident.grown', toIncident(next, now))
    write(next.id, next)
    if (next.openedAt !== null) changed(next.network)
  }

  function report(network: NetworkId | null, subject: string, observation: Observation): void {
    followClock()
    const key = keyOf({ network, subject })
    const before = entries.get(key)
    const step = observe(before ? toTracked(before) : null, observation, limits())
    if (step === null) return
    fresh.add(key)
    if (before && step.happened === null && isSame(before, step.tracked)) return
    const entry = before ?? {
      id: nextId,
      network,
      subject,
      openedAt: null,
      closedAt: null,
      snoozedUntil: null,
      ...step.tracked,
    }
    if (before === undefined) nextId += 1
    take(entry, step.tracked, step.happened)
  }

  /** Moves times with a clock that was set, so that durations stay right. */
  function followClock(): void {
    const now = { now: clock.now(), uptime: clock.uptime() }
    const passedMs = Math.max(0, now.uptime - seen.uptime)
    const jumpMs = now.now - seen.now - passedMs
    seen = now
    untickedMs += Math.min(maxStepMs, passedMs)
    if (Math.abs(jumpMs) <= clockToleranceMs) return
    for (const [key, entry] of entries) {
      const { openedAt, snoozedUntil } = entry
      const moved = {
        ...entry,
        openedAt: openedAt && Math.min(now.now, openedAt + jumpMs),
        snoozedUntil: typeof snoozedUntil === 'number' ? snoozedUntil + jumpMs : snoozedUntil,
      }
      entries.set(key, moved)
      write(entry.id, moved)
    }
  }

  function tick(): void {
    followClock()
    const ms = untickedMs
    untickedMs = 0
    if (unsaved.size > 0) save()
    for (const [key, entry] of entries) {
      const { snoozedUntil } = entry
      if (typeof snoozedUntil === 'number' && snoozedUntil <= clock.now()) {
        const woken = { ...entry, snoozedUntil: null }
        entries.set(key, woken)
        write(entry.id, woken)
        changed(entry.network)
      }
      if (!fresh.has(key)) continue
      const current = entries.get(key) ?? entry
      const { tracked, happened } = wait(toTracked(current), ms, limits())
      // Times alone are not written, since they change with each tick.
      if (happened === null) entries.set(key, { ...current, lastedMs: tracked.lastedMs })
      else take(current, tracked, happened)
    }
  }

  const handlers = {
    'incident.list': ({ network, open, offset, limit }) => {
      const now = clock.now()
      if (!open) {
        const page = store.closed(network, { offset, limit })
        return {
          total: store.countClosed(network),
          incidents: page.map((each) => toIncident(each, now)),
        }
      }
      const all = [...entries.values()]
        .filter((each) => each.openedAt !== null)
        .filter((each) => network === null || each.network === null || each.network === network)
        .map((each) => toIncident(each, now))
        .sort((a, b) => severity[a.level] - severity[b.level] || b.openedAt - a.openedAt)
      return { total: all.length, incidents: all.slice(offset, offset + limit) }
    },
    'incident.read': ({ id }) => {
      const open = [...entries.values()].find((each) => each.id === id && each.openedAt !== null)
      const found = open ?? store.read(id)
      if (found === null) throw new AppError(incidentCodes.unknown, 'Incident not found.')
      return toIncident(found, clock.now())
    },
    'incident.snooze': ({ id, until }) => {
      followClock()
      const entry = [...entries.values()].find((each) => each.id === id && each.openedAt !== null)
      if (entry === undefined) {
        throw new AppError(incidentCodes.unknown, 'Incident not found. It may be over.')
      }
      const snoozedUntil =
        until === null || until === 'fixed' ? until : clock.now() + snoozes[until]
      const snoozed = { ...entry, snoozedUntil }
      entries.set(keyOf(entry), snoozed)
      write(id, snoozed)
      changed(entry.network)
      return toIncident(snoozed, clock.now())
    },
  } satisfies Partial<Handlers>

  return {
    handlers,
    /** `subject` is unique on its network, or in the app if that is null. */
    report,
    /**
     * Ends the incidents of a group (`webhook` of `webhook:12`) whose subjects are not listed: they were
     * removed, stopped or turned off by the user, which is no recovery.
     */
    keepOnly(network: NetworkId | null, group: string, subjects: readonly string[] = []): void {
      followClock()
      for (const entry of [...entries.values()]) {
        const isOfGroup = entry.subject === group || entry.subject.startsWith(`${group}:`)
        if (entry.network !== network || !isOfGroup || subjects.includes(entry.subject)) continue
        close({ ...entry, isWell: false })
      }
    },
    /** What the timer does; tests call it. */
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
      save()
    },
  }
}

function toTracked(stored: StoredIncident): Tracked {
  return { ...stored, isOpen: stored.openedAt !== null }
}

function isSame(before: StoredIncident, after: Tracked): boolean {
  return (
    before.isWell === after.isWell &&
    before.failures === after.failures &&
    before.isFlapping === after.isFlapping &&
    JSON.stringify(before.condition) === JSON.stringify(after.condition)
  )
}

function toIncident(stored: StoredIncident, now: number): Incident {
  const { id, network, subject, openedAt, closedAt, isWell, lastedMs, failures } = stored
  const isClosed = closedAt !== null
  // An open incident shows what is wrong now, the history what it was at its worst.
  const { kind, level, title, cause, nextStep, afterwards } = isClosed
    ? stored.worst
    : stored.condition
  return {
    id,
    network,
    subject,
    kind,
    level,
    title,
    cause,
    nextStep: isClosed ? (afterwards ?? '') : nextStep,
    openedAt: openedAt ?? now,
    closedAt,
    wellSince: isWell ? (closedAt ?? now) - lastedMs : null,
    count: failures,
    snoozedUntil: stored.snoozedUntil,
  }
}
