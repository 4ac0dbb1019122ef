/** Reads the log files that `log.ts` writes. */
import { closeSync, fstatSync, openSync, readSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type LogEntry, logLevels } from '../../src-preload/contract/log.ts'
import { readJson } from '../../src-preload/domain/read-json.ts'
import { redact } from '../../src-preload/domain/mask.ts'

const line = z.looseObject({
  time: z.iso.datetime(),
  level: z.enum(logLevels),
  scope: z.string(),
  message: z.string(),
})

/** Only this many bytes at the end of the files are searched. */
const maxReadBytes = 1024 * 1024

/** Returns the newest matching entries, newest first. Never throws: an unreadable log counts as empty. */
export function readLog(
  directory: string,
  { level, text, limit }: Pick<LogEntry, 'level'> & { text: string; limit: number },
): LogEntry[] {
  const levels = logLevels.slice(0, logLevels.indexOf(level) + 1)
  const wanted = text.trim().toLowerCase()
  const entries: LogEntry[] = []
  for (const written of newestLines(directory)) {
    // The line is masked again, because another program or an earlier version may have written it.
    const masked = redact(written)
    if (wanted !== '' && !masked.toLowerCase().includes(wanted)) continue
    const entry = parseEntry(masked)
    if (entry === null || !levels.includes(entry.level)) continue
    entries.push(entry)
    if (entries.length >= limit) break
  }
  return entries
}

function parseEntry(text: string): LogEntry | null {
  const parsed = line.safeParse(readJson(text))
  if (!parsed.success) return null
  const { time, level, scope, message, ...rest } = parsed.data
  const details = Object.entries(rest).map(([name, value]) =>
    typeof value === 'string' ? `${name}: ${value}` : `${name}: ${JSON.stringify(value)}`,
  )
  const detail = details.length === 0 ? null : details.join('\n')
  return { time: Date.parse(time), level, scope, message, details: detail }
}

function* newestLines(directory: string): Generator<string> {
  let left = maxReadBytes
  for (const name of logFiles(directory).toReversed()) {
    if (left <= 0) return
    const { text, isWhole } = readEnd(join(directory, name), left)
    left -= text.length
    const lines = text.split('\n')
    // The first line of a partly read file is incomplete.
    yield* lines.slice(isWhole ? 0 : 1).toReversed()
  }
}

function logFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d{4}-\d\d-\d\d\.log$/.test(name))
      .sort()
  } catch {
    return []
  }
}

function readEnd(path: string, maxBytes: number): { text: string; isWhole: boolean } {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const buffer = Buffer.alloc(Math.min(size, maxBytes))
      const bytes = readSync(file, buffer, 0, buffer.length, size - buffer.length)
      return { text: buffer.toString('utf8', 0, bytes), isWhole: size <= maxBytes }
    } finally {
      closeSync(file)
    }
  } catch {
    return { text: '', isWhole: true }
  }
}
