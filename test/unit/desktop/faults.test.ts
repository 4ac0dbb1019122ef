/** Tests restarts and crash reports after the app ended unexpectedly. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeCrash, readCrashReport, reportCrash } from '../../../src-main/app/crash-report.ts'
import { readLog } from '../../../src-main/app/log-file.ts'
import { createLog } from '../../../src-main/app/log.ts'
import { createNotices } from '../../../src-main/app/notices.ts'
import {
  type RunRecord,
  beginRun,
  endRun,
  hasCrashed,
  planRestart,
  readRunRecord,
  recordCrash,
  updateRun,
} from '../../../src-main/app/run-record.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const now = Date.UTC(2026, 10, 20, 12)
const minute = 60_000
const facts = { version: '1.2.3', host: 'browser', system: 'linux x64' } as const
const canary = 'c4n4ry-0123456789abcdef'

const record: RunRecord = {
  ...facts,
  processId: 1,
  startedAt: now - minute,
  crash: { at: now, error: 'TypeError: a bug\n    at main.js:1' },
  crashes: [],
  receiverPort: null,
  windowPort: null,
  sessions: [],
}

// The app must not restart forever, and a single error must not stop the receiver.
test.each([
  [[], 'start'],
  [[now - 11 * minute], 'start'],
  [[now - 9 * minute], 'wait'],
  [[now - 2 * minute, now - minute], 'ask'],
  // The clock was set back.
  [[now + 60 * minute], 'start'],
])('a crash after earlier crashes at %j leads to the restart plan %s', (crashes, kind) => {
  expect(planRestart({ ...record, crashes }, now).kind).toBe(kind)
})

// The app must not report a crash whenever the computer was switched off.
test('a run that ended with the computer is no crash unless it recorded an error', () => {
  const killed = { ...record, crash: null }
  expect(hasCrashed(killed, now, 60 * minute)).toBe(true)
  expect(hasCrashed({ ...killed, startedAt: now - 90 * minute }, now, 60 * minute)).toBe(false)
  expect(hasCrashed({ ...record, startedAt: now - 90 * minute }, now, 60 * minute)).toBe(true)
})

test('a run is recorded until its clean end, and crashes are counted across runs', () => {
  using directory = temporaryDirectory()
  const { path } = directory
  expect(recordCrash(path, new Error('too early'), now)).toBe(false)
  beginRun(path, facts, now)
  updateRun(path, { receiverPort: 4802 })
  expect(readRunRecord(path)).toMatchObject({ receiverPort: 4802, processId: process.pid })
  expect(recordCrash(path, new Error(`Bearer ${canary}`), now)).toBe(true)
  expect(readRunRecord(path)?.crash?.error).toMatch(/^Error: Bearer \*\*\*\n/)
  beginRun(path, facts, now + minute)
  expect(readRunRecord(path)).toMatchObject({ crash: null, crashes: [now], receiverPort: null })
  endRun(path)
  expect(readRunRecord(path)).toBeNull()
  expect(recordCrash(path, new Error('while it ends'), now)).toBe(false)
})

test('neither an unreadable run record nor a read-only folder prevents the start', () => {
  using directory = temporaryDirectory()
  writeFileSync(join(directory.path, 'run.json'), '{"processId": "seven"')
  expect(readRunRecord(directory.path)).toBeNull()
  beginRun('/proc/none', facts, now)
  expect(recordCrash('/proc/none', new Error('a bug'), now)).toBe(false)
})

// The report is copied into public issues.
test('the crash report contains versions, error and log, but neither credentials nor the home directory', () => {
  using directory = temporaryDirectory()
  const log = createLog(directory.path, () => new Date(now))
  log.failure('The request failed.', new Error(`GET /x?token=${canary}`), { route: 'a.b' })
  // An earlier version may have masked less text.
  const line = { time: new Date(now).toISOString(), level: 'info', scope: 'x', message: canary }
  const [file = ''] = readdirSync(directory.path)
  const path = join(directory.path, file)
  writeFileSync(
    path,
    `${readFileSync(path, 'utf8')}${JSON.stringify({ ...line, message: `Bearer ${canary}` })}\n`,
  )
  const error = `TypeError: Bearer ${canary}\n    at ${join(homedir(), 'tondesk', 'main.js')}:1`
  const {
    at,
    error: first,
    report,
  } = describeCrash({ ...record, crash: { at: now, error } }, directory.path, now + minute)
  expect([at, first]).toEqual([now, `TypeError: Bearer ***`])
  expect(report).toContain('1.2.3, browser mode')
  expect(report).toContain('The request failed.')
  expect(report).toContain('route: a.b')
  expect(report).toMatch(/at ~.tondesk/)
  expect(report).not.toContain(canary)
  expect(report).not.toContain(homedir())
})

test('a crash is reported at every start until its notice is dismissed, and a clean end is not reported', () => {
  using directory = temporaryDirectory()
  const { path } = directory
  const raised = () => {
    const notices = createNotices(
      () => undefined,
      () => now,
    )
    reportCrash(notices, { directory: path, logs: join(path, 'logs') }, now)
    return notices.list().map(({ id, level, detail }) => ({ id, level, detail }))
  }
  expect(raised()).toEqual([])
  beginRun(path, facts, now)
  endRun(path)
  expect(raised()).toEqual([])
  beginRun(path, facts, now)
  recordCrash(path, new TypeError('a bug'), now)
  const [notice] = raised()
  expect(notice).toMatchObject({ id: 'app.crashed', level: 'warning' })
  expect(notice?.detail).toContain('TypeError: a bug')
  beginRun(path, facts, now)
  endRun(path)
  expect(raised()).toHaveLength(1)
  expect(readCrashReport(path)).toMatchObject({ at: now, isDismissed: false })
})

test('the log is listed newest first, filtered by level and text, across files, without damaged lines', () => {
  using directory = temporaryDirectory()
  const at = (day: number) => () => new Date(Date.UTC(2026, 10, day, 12))
  createLog(directory.path, at(19)).write('error', 'the oldest', { code: 7, nothing: null })
  const log = createLog(directory.path, at(20)).scope('receiver')
  log.write('info', 'started')
  writeFileSync(join(directory.path, '2026-11-20.log'), 'half a li', { flag: 'a' })
  writeFileSync(join(directory.path, '2026-11-20.log'), '\n{"level":"loud"}\n', { flag: 'a' })
  log.write('warn', 'the newest')
  const read = (level: 'debug' | 'warn' | 'fatal', text = '', limit = 10) =>
    readLog(directory.path, { level, text, limit }).map(({ message }) => message)
  expect(read('debug')).toEqual(['the newest', 'started', 'the oldest'])
  expect(read('warn')).toEqual(['the newest', 'the oldest'])
  expect(read('fatal')).toEqual([])
  expect(read('debug', ' OLD')).toEqual(['the oldest'])
  expect(read('debug', '', 1)).toEqual(['the newest'])
  expect(readLog(directory.path, { level: 'error', text: '', limit: 1 })).toEqual([
    {
      time: at(19)().getTime(),
      level: 'error',
      scope: 'app',
      message: 'the oldest',
      details: 'code: 7\nnothing: null',
    },
  ])
  expect(readLog(join(directory.path, 'none'), { level: 'debug', text: '', limit: 1 })).toEqual([])
})
