import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { isCompleted } from '../app/completion.ts'
import { type Invocation, type Terminal, exitCodes } from './command.ts'

export function createTerminal(): Terminal {
  const closed = new AbortController()
  // A reader that closes early is no failure; other errors of standard output cannot be reported
  // anywhere.
  process.stdout.on('error', () => closed.abort())
  process.stderr.on('error', () => undefined)

  async function write(data: string | Uint8Array): Promise<void> {
    const { signal } = closed
    if (signal.aborted || process.stdout.write(data)) return
    await once(process.stdout, 'drain', { signal }).catch(() => undefined)
  }

  /** Resolves with an empty text after Ctrl-C or Ctrl-D. */
  async function readLine(question: string, output: Writable, isHidden: boolean): Promise<string> {
    const options = { input: process.stdin, output }
    const reader = createInterface(isHidden ? { ...options, terminal: true } : options)
    try {
      const end = once(reader, 'close').then(() => '')
      return (await Promise.race([reader.question(question).catch(() => ''), end])).trim()
    } finally {
      reader.close()
    }
  }

  return {
    closed: closed.signal,
    print: (line) => write(`${line}\n`),
    write,
    note(line) {
      process.stderr.write(`${line}\n`)
    },
    async ask(question) {
      if (!process.stdin.isTTY) return null
      return /^y(es)?$/i.test(await readLine(`${question} [y/N] `, process.stderr, false))
    },
    async readSecret(question) {
      if (!process.stdin.isTTY) return (await readText(process.stdin)).trim()
      process.stderr.write(`${question}: `)
      // In terminal mode readline handles keys one by one; its echo is discarded.
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      const secret = await readLine('', nowhere, true)
      process.stderr.write('\n')
      return secret
    },
  }
}

const control = /[\u0000-\u001f\u007f-\u009f]/g

export const sanitize = (text: string): string => text.replace(control, '�')

export const hasKeys = process.stdin.isTTY && process.stdout.isTTY

export function takeKeys(onKey: (key: string) => void): () => void {
  if (!hasKeys) return () => undefined
  const take = (data: Buffer) => {
    for (const key of data.toString()) {
      // Raw mode sends no signals, so Ctrl-C is translated here.
      if (key === '\u0003') process.kill(process.pid, 'SIGINT')
      else onKey(key)
    }
  }
  process.stdin.setRawMode(true)
  process.stdin.on('data', take)
  return () => {
    process.stdin.off('data', take)
    process.stdin.setRawMode(false)
    process.stdin.pause()
  }
}

/** One Ctrl-C can arrive twice: from the terminal, and through npm or a script. */
const sameKeyMs = 300

/** The first signal lets the command finish pending work; the second ends the process at once. */
export function stopOnSignals(...also: AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  let firstAt = 0
  const stop = () => {
    if (!controller.signal.aborted) {
      firstAt = performance.now()
      controller.abort()
    } else if (performance.now() - firstAt > sameKeyMs) {
      process.exit(exitCodes.forced)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  return AbortSignal.any([controller.signal, ...also])
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Reports on the terminal if the work takes long. @returns whether the work was completed */
export const isClosed = (work: Promise<unknown>, { note }: Pick<Terminal, 'note'>) =>
  isCompleted(work, () => note('Still closing. Press Ctrl-C again to stop immediately.'))

export async function writeEvent(
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
  event: { readonly event: string; readonly [field: string]: unknown },
  line?: string,
): Promise<void> {
  if (options['json'] === true) await terminal.print(JSON.stringify(event))
  else if (line !== undefined) await terminal.print(line)
}

/** Omits facts without a value. Values may come from strangers. */
export function factLines(
  facts: readonly (readonly [name: string, value: string | null])[],
  width: number,
): string[] {
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(width)} ${sanitize(value)}`],
  )
}
