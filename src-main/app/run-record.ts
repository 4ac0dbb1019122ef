/**
 * The record is a file in the data directory that exists while the app runs. If a start finds the
 * file, the previous run had no clean end. The file then contains the error that ended that run, if
 * the process could still write it, and the state that a restarted app needs to continue.
 */
import { uptime } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { describeError } from './log.ts'
import { redact } from '../../src-preload/domain/mask.ts'
import { createStateFile } from './state-file.ts'

const runRecord = z.object({
  processId: z.int(),
  version: z.string(),
  host: z.enum(['electron', 'browser']),
  /** Describes the host and the system, for a report. */
  system: z.string(),
  /** All times in this file are Unix milliseconds. */
  startedAt: z.int(),
  /** The uncaught error that ended the run. */
  crash: z.object({ at: z.int(), error: z.string() }).nullable(),
  /** Times at which previous runs crashed a short time ago. */
  crashes: z.array(z.int()),
  /** The receiver's port; null for the port of the settings. */
  receiverPort: z.int().nullable(),
  windowPort: z.int().nullable(),
  /** Digests of the tabs' secrets in browser mode, so that sessions survive a restart after a crash. */
  sessions: z.array(z.string()),
})
export type RunRecord = z.infer<typeof runRecord>

/** Crashes within this time count together. */
const crashWindowMs = 10 * 60_000
/** The system may correct the clock by this much while the computer starts. */
const clockToleranceMs = 60_000

const recordFile = (dataDirectory: string) =>
  createStateFile(join(dataDirectory, 'run.json'), runRecord)

/** Null after a clean end, and for an unreadable file. */
export const readRunRecord = (dataDirectory: string) => recordFile(dataDirectory).read()

/** Begins the record of this process, which must hold the data directory. */
export function beginRun(
  dataDirectory: string,
  facts: Pick<RunRecord, 'version' | 'host' | 'system'>,
  now: number,
): void {
  const earlier = readRunRecord(dataDirectory)
  recordFile(dataDirectory).write({
    ...facts,
    processId: process.pid,
    startedAt: now,
    crash: null,
    crashes: earlier === null ? [] : recentCrashes(earlier, now),
    receiverPort: null,
    windowPort: null,
    sessions: [],
  })
}

/** Changes the record if this process has one. */
export function updateRun(
  dataDirectory: string,
  fields: Partial<Pick<RunRecord, 'crash' | 'receiverPort' | 'windowPort' | 'sessions'>>,
): boolean {
  const record = readRunRecord(dataDirectory)
  if (record?.processId !== process.pid) return false
  recordFile(dataDirectory).write({ ...record, ...fields })
  return true
}

/** Call this when the user ends the app: a later failure is no crash. */
export function endRun(dataDirectory: string): void {
  if (readRunRecord(dataDirectory)?.processId !== process.pid) return
  recordFile(dataDirectory).remove()
}

/**
 * Records the error that ends this process. Never throws.
 * @returns whether the app was running: false before it started and after the user ended it
 */
export const recordCrash = (dataDirectory: string, error: unknown, now = Date.now()): boolean =>
  updateRun(dataDirectory, { crash: { at: now, error: redact(describeError(error)) } })

/** Times of the recent crashes, including the crash of this record. */
function recentCrashes(record: RunRecord, now: number): number[] {
  const own = record.crash === null ? [] : [record.crash.at]
  // A time in the future was recorded before the clock was set back.
  return [...record.crashes, ...own].filter((at) => at <= now && now - at < crashWindowMs)
}

/**
 * True if the record's process ended unexpectedly. Without an error, a restart of the computer is
 * more likely.
 */
export const hasCrashed = (record: RunRecord, now: number, uptimeMs = uptime() * 1000): boolean =>
  record.crash !== null || record.startedAt > now - uptimeMs - clockToleranceMs

/** The first step of a process that was started after a crash. */
type RestartPlan = { readonly kind: 'start' | 'ask' } | { kind: 'wait'; readonly ms: number }

const secondStartMs = 5000

/** The first restart is immediate, the second waits, and then the user decides, so that crashes cannot loop. */
export function planRestart(record: RunRecord, now: number): RestartPlan {
  const crashes = recentCrashes(record, now).length
  if (crashes <= 1) return { kind: 'start' }
  return crashes === 2 ? { kind: 'wait', ms: secondStartMs } : { kind: 'ask' }
}
