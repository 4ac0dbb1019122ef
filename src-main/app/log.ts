import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { redact } from '../../src-preload/domain/mask.ts'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug'
type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Writes JSON lines, one file per day. Never throws, because an unwritable log must not stop the app. */
export type Log = {
  write(level: Level, message: string, fields?: Fields): void
  failure(message: string, error: unknown, fields?: Fields): void
  /**
   * Logs the error that ends the process. When this returns, the error is in the file, whatever the
   * file's size.
   */
  fatal(message: string, error: unknown): void
  scope(name: string): Log
}

const keptDays = 14
const maxFileBytes = 10 * 1024 * 1024
/** Returns the error's stack and the messages of its causes. The text may contain credentials: see `redact`. */
export function describeError(error: unknown): string {
  const parts: string[] = []
  let current: unknown = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    parts.push(depth === 0 ? (current.stack ?? current.message) : `caused by ${current.message}`)
    current = current.cause
  }
  return parts.length > 0 ? parts.join('\n') : String(error)
}

export function createLog(directory: string, now: () => Date = () => new Date()): Log {
  let prepared = ''

  function prepare(day: string): void {
    if (prepared === day) return
    prepared = day
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const old = readdirSync(directory)
      .filter((name) => /^\d{4}-\d\d-\d\d\.log$/.test(name))
      .sort()
      .slice(0, -keptDays)
    for (const name of old) rmSync(join(directory, name))
  }

  function create(scope: string): Log {
    const write: Log['write'] = (level, message, fields = {}) => {
      try {
        const time = now().toISOString()
        const day = time.slice(0, 10)
        prepare(day)
        const file = join(directory, `${day}.log`)
        const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
        if (size > maxFileBytes && level !== 'fatal') return
        const line = JSON.stringify({ time, level, scope, message, ...fields })
        appendFileSync(file, `${redact(line)}\n`, { mode: 0o600 })
      } catch {}
    }
    return {
      write,
      failure: (message, error, fields) => {
        write('error', message, { ...fields, error: describeError(error) })
      },
      fatal: (message, error) => write('fatal', message, { error: describeError(error) }),
      scope: create,
    }
  }
  return create('app')
}
