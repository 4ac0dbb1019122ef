/** Tests reconciliations on a schedule: due periods, and reports for a folder that fails. */
import { describe, expect, test } from 'vitest'
import {
  createScheduledReports,
  duePeriods,
} from '../../../src-main/invoices/reconciliation/scheduled.ts'
import type { Span } from '../../../src-main/invoices/reconciliation/compare.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const berlin = 'Europe/Berlin'
const at = (iso: string) => Date.parse(iso)
const iso = (spans: readonly Span[]) =>
  spans.map(({ from, to }) => [from, to].map((ms) => new Date(ms).toISOString().slice(0, 16)))

describe('the due periods', () => {
  const now = at('2026-11-02T08:00:00+01:00')

  test('the first due period is the last period that ended, and later due periods are all that ended since the last report', () => {
    expect(iso(duePeriods('day', berlin, now, null))).toEqual([
      ['2026-10-31T23:00', '2026-11-01T23:00'],
    ])
    const done = at('2026-10-31T00:00:00+01:00')
    expect(iso(duePeriods('day', berlin, now, done))).toEqual([
      ['2026-10-30T23:00', '2026-10-31T23:00'],
      ['2026-10-31T23:00', '2026-11-01T23:00'],
    ])
    expect(duePeriods('day', berlin, now, at('2026-11-02T00:00:00+01:00'))).toEqual([])
    // A clock that was set back must not make a period due again.
    expect(duePeriods('day', berlin, now, at('2026-12-02T00:00:00+01:00'))).toEqual([])
    expect(duePeriods('day', berlin, now, at('2020-01-01T00:00:00Z'))).toHaveLength(31)
  })

  test('periods begin at midnight of the time zone, even on a clock change, and weeks begin on Monday', () => {
    const after = at('2026-10-26T08:00:00+01:00')
    // This day has 25 hours.
    expect(iso(duePeriods('day', berlin, after, null))).toEqual([
      ['2026-10-24T22:00', '2026-10-25T23:00'],
    ])
    expect(iso(duePeriods('week', berlin, after, null))).toEqual([
      ['2026-10-18T22:00', '2026-10-25T23:00'],
    ])
    expect(iso(duePeriods('month', berlin, now, null))).toEqual([
      ['2026-09-30T22:00', '2026-10-31T23:00'],
    ])
    expect(iso(duePeriods('month', 'UTC', at('2026-01-15T00:00:00Z'), null))).toEqual([
      ['2025-12-01T00:00', '2026-01-01T00:00'],
    ])
  })
})

test('a missing folder is reported and retried, and each period is saved once', async () => {
  using place = temporaryDirectory()
  const reports = {
    merchantName: '',
    reconcileEvery: 'day',
    reconcileZone: 'UTC',
    reconcileNetwork: 'mainnet',
    reconcileFormat: 'xlsx',
    reconcileFolder: `${place.path}/missing`,
  }
  let now = at('2026-11-23T10:00:00Z')
  const stored = new Map<string, unknown>()
  const problems: (string | null)[] = []
  const saved: string[] = []
  const context = {
    config: { chooseFolder: (from: string | null) => Promise.resolve(`${from ?? ''}/chosen`) },
    incidents: {
      keepOnly: () => undefined,
      report: (
        _network: unknown,
        _subject: string,
        { condition }: { condition: { cause: string } | null },
      ) => problems.push(condition?.cause ?? null),
    },
    log: { write: () => undefined },
    now: () => now,
    onBug: (error: unknown) => expect.unreachable(String(error)),
    settings: { get: () => ({ reports }), on: () => undefined },
    values: {
      get: (key: string, _schema: unknown, fallback: unknown) => stored.get(key) ?? fallback,
      set: (key: string, value: unknown) => stored.set(key, value),
    },
  } as unknown as Parameters<typeof createScheduledReports>[0]
  let readTo: number | null = null
  const schedule = createScheduledReports(context, {
    isKnown: () => true,
    chain: () => ({ readTo, now }),
    save: (_network, { to }) => {
      saved.push(new Date(to).toISOString().slice(0, 10))
      return Promise.resolve('')
    },
  })

  // The system's dialog opens at the configured folder.
  const chosen = await schedule.handlers['report.chooseFolder']()
  expect(chosen).toEqual({ folder: `${place.path}/missing/chosen` })

  await schedule.check()
  // The chain is not yet synced past the end of the day.
  expect([saved, problems]).toEqual([[], []])
  readTo = now
  await schedule.check()
  expect(problems).toEqual([expect.stringMatching(/missing: the folder does not exist/)])
  // The next check comes too early for a retry.
  await schedule.check()
  expect(problems).toHaveLength(1)
  reports.reconcileFolder = place.path
  now += 10 * 60_000
  await schedule.check()
  await schedule.check()
  expect([saved, problems.at(-1)]).toEqual([['2026-11-23'], null])

  // The app was off for two and a half days; the clock then jumps back.
  now = readTo = at('2026-11-25T22:00:00Z')
  await schedule.check()
  now = at('2026-11-24T05:00:00Z')
  await schedule.check()
  expect(saved).toEqual(['2026-11-23', '2026-11-24', '2026-11-25'])
})
