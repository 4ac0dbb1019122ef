/**
 * Reports at a start that the previous run ended unexpectedly. The report stays in the data
 * directory for the user to copy, and is never sent.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { LogEntry } from '../../src-preload/contract/log.ts'
import { readLog } from './log-file.ts'
import { redact } from '../../src-preload/domain/mask.ts'
import type { Notices } from './notices.ts'
import { type RunRecord, hasCrashed, readRunRecord } from './run-record.ts'
import { createStateFile } from './state-file.ts'

const storedReport = z.object({
  at: z.int(),
  error: z.string().nullable(),
  report: z.string(),
  isDismissed: z.boolean(),
})

const maxEntries = 100
const noticeId = 'app.crashed'

const reportFile = (dataDirectory: string) =>
  createStateFile(join(dataDirectory, 'crash-report.json'), storedReport)

export const readCrashReport = (dataDirectory: string) => reportFile(dataDirectory).read()

/**
 * Writes a report if the previous run ended unexpectedly, and raises a notice until the user
 * dismisses it. Call this before the record of this run begins.
 */
export function reportCrash(
  notices: Notices,
  { directory, logs }: { readonly directory: string; readonly logs: string },
  now: number,
): void {
  const record = readRunRecord(directory)
  if (record !== null && hasCrashed(record, now)) {
    reportFile(directory).write({ ...describeCrash(record, logs, now), isDismissed: false })
  }
  const report = readCrashReport(directory)
  if (report === null || report.isDismissed) return
  const { error } = report
  notices.raise({
    id: noticeId,
    // A process without an error was usually ended from outside, which is seldom a bug.
    level: error === null ? 'info' : 'warning',
    title: 'Tondesk ended unexpectedly',
    detail:
      error === null
        ? 'The previous run was ended from outside, for example by the system, or crashed. All deliveries that got the response 200 are stored. Check your webhooks for missed events.'
        : `The cause was an internal error (${error}). All deliveries that got the response 200 are stored. Check your webhooks for missed events.`,
    dismissible: true,
  })
}

/** Call this for each notice that the user dismisses. */
export function dismissCrashReport(dataDirectory: string, id: string): void {
  const report = id === noticeId ? readCrashReport(dataDirectory) : null
  if (report !== null) reportFile(dataDirectory).write({ ...report, isDismissed: true })
}

/** The report of a run that ended unexpectedly, with credentials and the user's name in paths masked. */
export function describeCrash(record: RunRecord, logs: string, now: number) {
  const { version, host, system, startedAt, crash, processId } = record
  const entries = readLog(logs, { level: 'debug', text: '', limit: maxEntries }).toReversed()
  const ended =
    crash === null ? `before ${formatTime(now)}, without an error` : formatTime(crash.at)
  const text = [
    'Tondesk ended unexpectedly',
    '',
    `Version  ${version}, ${host === 'electron' ? 'desktop app' : 'browser mode'}`,
    `System   ${system}`,
    `Started  ${formatTime(startedAt)}, process ${processId}`,
    `Ended    ${ended}`,
    '',
    ...(crash === null ? [] : [crash.error, '']),
    `The last ${entries.length} entries of the log:`,
    ...entries.map(formatEntry),
    '',
  ].join('\n')
  return {
    at: crash?.at ?? now,
    error: redact(crash?.error.split('\n')[0]?.slice(0, 300) ?? '') || null,
    report: redact(hideHome(text)),
  }
}

/** Hides the path of the home directory, because it usually contains the user's name. */
function hideHome(text: string): string {
  const home = homedir()
  return home.length < 2 ? text : text.replaceAll(home, '~')
}

function formatEntry({ time, level, scope, message, details }: LogEntry): string {
  const more = details === null ? '' : `\n    ${details.replaceAll('\n', '\n    ')}`
  return `${formatTime(time)} ${level.padEnd(5)} ${scope}: ${message}${more}`
}

const formatTime = (ms: number) => new Date(ms).toISOString()
