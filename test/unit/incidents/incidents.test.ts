/** Tests that incidents open, grow and close once each, whatever the clock and restarts do. */
import { describe, expect, test } from 'vitest'
import { type Incidents, createIncidents } from '../../../src-main/incidents/incidents.ts'
import type { StoredIncident } from '../../../src-main/incidents/store/incidents.ts'
import { isQuietHour } from '../../../src-main/incidents/register.ts'
import type { Condition, Incident } from '../../../src-preload/contract/incident.ts'
import { incidentCodes } from '../../../src-preload/domain/error-codes.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

function conditionOf(kind: Condition['kind'], title: string = kind): Condition {
  return { kind, level: 'warning', title, cause: 'It broke.', nextStep: 'Repair it.' }
}

/** `atMs` is the time of a clock that is never set. */
type Told = { readonly name: string; readonly incident: Incident; readonly atMs: number }

/** Runs incidents on a store in memory with its own clocks; `restart` keeps the stored incidents. */
function createDesk() {
  const rows = new Map<number, string>()
  const told: Told[] = []
  let wall = Date.UTC(2026, 10, 23)
  let up = 100 * hour
  let incidents: Incidents

  const all = () => [...rows.values()].map((row) => JSON.parse(row) as StoredIncident)
  const closed = () => all().filter(({ closedAt }) => closedAt !== null)
  const store = {
    maxId: () => Math.max(0, ...rows.keys()),
    unclosed: () => all().filter(({ closedAt }) => closedAt === null),
    countClosed: () => closed().length,
    closed: () => closed(),
    read: (id: number) => closed().find((row) => row.id === id) ?? null,
    save: (row: StoredIncident) => void rows.set(row.id, JSON.stringify(row)),
    remove: (id: number) => void rows.delete(id),
  }
  function start(): void {
    incidents = createIncidents(
      store,
      {
        emit(name: string, payload: unknown) {
          const incident = payload as Incident
          if (name !== 'incident.changed') told.push({ name, incident, atMs: up })
        },
      },
      {
        settings: () => ({ failedAttempts: 3, failingMinutes: 2 }),
        onBug(error) {
          throw error
        },
        clock: { now: () => wall, uptime: () => up },
      },
    )
  }
  start()
  const list = (open: boolean) =>
    incidents.handlers['incident.list']({ network: null, open, offset: 0, limit: 100 }).incidents
  return {
    told,
    open: () => list(true),
    history: () => list(false),
    report: (condition: Condition | null, failures = 1, subject = 'webhook:1') =>
      incidents.report('mainnet', subject, { condition, failures }),
    end: () => incidents.keepOnly('mainnet', 'webhook'),
    snooze: (until: 'hour' | 'day' | 'fixed' | null, id = list(true)[0]?.id ?? 0) =>
      incidents.handlers['incident.snooze']({ id, until }),
    pass(ms: number, everyMs = 5 * second): void {
      for (let left = ms; left > 0; left -= everyMs) {
        wall += Math.min(left, everyMs)
        up += Math.min(left, everyMs)
        incidents.tick()
      }
    },
    setClock(by: number): void {
      wall += by
    },
    restart(offMs = 0): void {
      wall += offMs
      up += offMs
      start()
    },
    names: () => told.map(({ name }) => name.replace('incident.', '')),
  }
}

describe('an incident', () => {
  test('an incident opens at the third failure or after two minutes of failure', () => {
    const counted = createDesk()
    for (const open of [0, 0, 1]) {
      counted.report(conditionOf('failing'))
      expect(counted.open()).toHaveLength(open)
    }
    const timed = createDesk()
    timed.report(conditionOf('failing'))
    timed.pass(2 * minute - 5 * second)
    expect(timed.open()).toEqual([])
    timed.pass(5 * second)
    expect(timed.open()).toMatchObject([{ kind: 'failing', count: 1, wellSince: null }])
    expect(timed.names()).toEqual(['opened'])
  })

  test('an incident opens at once when the gateway reports the webhook offline', () => {
    const desk = createDesk()
    desk.report(conditionOf('offline'))
    expect(desk.names()).toEqual(['opened'])
  })

  test('an incident grows from lagging to failing to offline under one id, and an improvement emits no event', () => {
    const desk = createDesk()
    for (let round = 0; round < 3; round += 1) desk.report(conditionOf('lagging'))
    for (const kind of ['failing', 'offline', 'failing', 'offline', 'lagging'] as const) {
      desk.report(conditionOf(kind))
      desk.pass(30 * second)
    }
    expect(desk.names()).toEqual(['opened', 'grown', 'grown'])
    expect(new Set(desk.told.map(({ incident }) => incident.id)).size).toBe(1)
    // The webhook only lags now; the history records its worst state.
    expect(desk.open()).toMatchObject([{ kind: 'lagging' }])
    desk.report(null)
    desk.pass(minute)
    expect(desk.history()).toMatchObject([{ kind: 'offline', nextStep: '', count: 8 }])
  })

  // An endpoint that fails every fourth request must not raise and clear a notice every 30 seconds.
  test('a flapping webhook has one incident, which closes after five minutes of success', () => {
    const desk = createDesk()
    for (let round = 0; round < 100; round += 1) {
      desk.report(round % 4 === 0 ? conditionOf('failing') : null)
      desk.pass(30 * second)
    }
    desk.report(null)
    desk.pass(3 * minute)
    expect(desk.names()).toEqual(['opened'])
    expect(desk.open()[0]?.wellSince).not.toBeNull()
    desk.pass(2 * minute)
    expect(desk.names()).toEqual(['opened', 'closed'])
  })

  test('an incident closes a minute after a clean recovery, and at once when its webhook is removed', () => {
    const desk = createDesk()
    desk.report(conditionOf('offline'))
    desk.report(null)
    desk.pass(minute - 5 * second)
    expect(desk.open()).toHaveLength(1)
    desk.pass(5 * second)
    desk.report(conditionOf('offline'))
    desk.end()
    expect(desk.names()).toEqual(['opened', 'closed', 'opened', 'closed'])
    const [ended, recovered] = desk.history().toSorted((a, b) => b.id - a.id)
    expect([ended?.wellSince, recovered?.wellSince === null]).toEqual([null, false])
  })

  test('an incident of the receiver closes as soon as the receiver listens', () => {
    const desk = createDesk()
    desk.report(conditionOf('stopped'))
    desk.report(null)
    expect(desk.names()).toEqual(['opened', 'closed'])
  })

  test('an incident of an earlier run reopens only after a new report', () => {
    const desk = createDesk()
    desk.report(conditionOf('failing'))
    desk.restart(8 * hour)
    desk.pass(10 * minute)
    expect(desk.names()).toEqual([])
    desk.report(conditionOf('failing'), 0)
    desk.pass(2 * minute)
    expect(desk.names()).toEqual(['opened'])
    desk.restart()
    desk.report(conditionOf('failing'))
    expect([desk.names(), desk.open().length]).toEqual([['opened'], 1])
  })
})

describe('a snooze', () => {
  test('a snooze ends after its time, even if the clock was set, and when the incident grows', () => {
    const desk = createDesk()
    desk.report(conditionOf('offline'))
    desk.snooze('hour')
    desk.setClock(-10 * hour)
    desk.pass(hour - minute)
    expect(desk.open()[0]?.snoozedUntil).not.toBeNull()
    desk.pass(minute)
    expect(desk.open()[0]?.snoozedUntil).toBeNull()
    desk.snooze('day')
    desk.report(conditionOf('suspended'))
    expect(desk.open()[0]?.snoozedUntil).toBeNull()
  })

  test('a snooze until fixed survives growth and restarts, and a closed incident cannot be snoozed', () => {
    const desk = createDesk()
    desk.report(conditionOf('offline'))
    const { id } = desk.snooze('fixed')
    desk.report(conditionOf('suspended'))
    desk.restart()
    expect(desk.open()).toMatchObject([{ id, snoozedUntil: 'fixed' }])
    desk.end()
    expect(() => desk.snooze('hour', id)).toThrow(
      expect.objectContaining({ code: incidentCodes.unknown }),
    )
  })
})

/** The mulberry32 generator returns the same numbers for the same seed. */
function createRandom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) % below
  }
}

const ranks = { lagging: 1, failing: 2, offline: 3, suspended: 4 } as const
const kinds = Object.keys(ranks) as (keyof typeof ranks)[]

test('in 10,000 random sequences each incident opens and closes once, and no alarm is lost', () => {
  let incidentsSeen = 0
  for (let seed = 1; seed <= 10_000; seed += 1) {
    const random = createRandom(seed)
    const desk = createDesk()
    // True while the subject really fails, by a clock that is never set.
    let isBad = false
    let sameMs = 0
    let failures = 0
    let restarts = 0
    for (let step = 0; step < 15; step += 1) {
      const act = random(10)
      if (act < 4) {
        const kind = kinds[act === 0 ? random(4) : 1] ?? 'failing'
        if (!isBad) sameMs = 0
        isBad = true
        // A state that the gateway reports counts as several failures.
        failures += ranks[kind] >= ranks.offline ? 3 : 1
        desk.report(conditionOf(kind))
      } else if (act < 6) {
        if (isBad) sameMs = 0
        isBad = false
        desk.report(null)
      } else if (act < 8) {
        const ms = ([5, 30, 60, 130, 330][random(5)] ?? 5) * second
        desk.pass(ms, 15 * second)
        sameMs += ms
        // A recovery of this length may end the incident.
        if (!isBad && sameMs >= minute) failures = 0
      } else if (act === 8) {
        desk.setClock((random(2) === 0 ? -1 : 1) * (minute + random(30 * 24) * hour))
      } else {
        desk.restart(random(3) * hour)
        restarts += 1
        sameMs = 0
        // After a restart the features report the present state.
        desk.report(isBad ? conditionOf('failing') : null, 0)
      }
      const isSure = isBad && (failures >= 3 || sameMs >= 2 * minute)
      const open = desk.open().length
      if (open > 1 || (isSure && open === 0)) {
        throw new Error(`Seed ${seed}, step ${step}: ${open} open, ${failures} failures`)
      }
    }
    desk.report(null)
    desk.pass(6 * minute, 15 * second)
    // `expect` itself would take most of the test's time.
    const wrong: string[] = desk.open().map(({ title }) => `${title} is still open`)
    for (const [id, of] of Map.groupBy(desk.told, ({ incident }) => incident.id)) {
      incidentsSeen += 1
      const names = of.map(({ name }) => name.replace('incident.', '')).join(' ')
      if (!/^opened( grown)* closed$/.test(names)) wrong.push(`${id}: ${names}`)
      const grown = of.slice(0, -1).map(({ incident }) => ranks[incident.kind as 'failing'])
      if (grown.some((rank, at) => rank <= (grown[at - 1] ?? 0))) wrong.push(`${id} fell`)
      const [first, last] = [of[0], of.at(-1)]
      const lasted = (last?.incident.closedAt ?? 0) - (last?.incident.openedAt ?? 0)
      if (lasted < 0) wrong.push(`${id} ended before it began`)
      // The duration while the computer was off is known only from its clock.
      const trulyLasted = (last?.atMs ?? 0) - (first?.atMs ?? 0)
      if (restarts === 0 && Math.abs(lasted - trulyLasted) >= minute) {
        wrong.push(`${id} lasted ${trulyLasted} ms, not ${lasted} ms`)
      }
    }
    if (wrong.length > 0) throw new Error(`Seed ${seed}: ${wrong.join(', ')}`)
  }
  expect(incidentsSeen).toBeGreaterThan(5000)
})

describe('quiet hours', () => {
  const at = (hours: number, minutes: number, day = 1) => new Date(2026, 5, day, hours, minutes)

  test('quiet hours within a day include their first minute and exclude their last', () => {
    const hours = { from: '13:00', to: '14:30' }
    expect(
      [at(12, 59), at(13, 0), at(14, 29), at(14, 30)].map((each) => isQuietHour(hours, each)),
    ).toEqual([false, true, true, false])
  })

  test('quiet hours across midnight apply on both sides of midnight', () => {
    const hours = { from: '22:00', to: '07:00' }
    expect(
      [at(21, 59), at(22, 0), at(23, 59), at(0, 0, 2), at(6, 59, 2), at(7, 0, 2)].map((each) =>
        isQuietHour(hours, each),
      ),
    ).toEqual([false, true, true, true, true, false])
  })

  test('quiet hours follow the local time on days of a clock change, and without a duration are never active', () => {
    const hours = { from: '01:00', to: '04:00' }
    // The nights are those of the clock changes in Europe and in America.
    for (const [month, day] of [
      [2, 29],
      [9, 25],
      [2, 8],
      [10, 1],
    ] as const) {
      expect(isQuietHour(hours, new Date(2026, month, day, 0, 59))).toBe(false)
      expect(isQuietHour(hours, new Date(2026, month, day, 1, 0))).toBe(true)
      expect(isQuietHour(hours, new Date(2026, month, day, 3, 59))).toBe(true)
      expect(isQuietHour(hours, new Date(2026, month, day, 4, 0))).toBe(false)
    }
    expect(isQuietHour(null, at(3, 0))).toBe(false)
    expect(isQuietHour({ from: '08:00', to: '08:00' }, at(8, 0))).toBe(false)
  })
})
