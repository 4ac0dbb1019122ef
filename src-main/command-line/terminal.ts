import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { type Invocation, type Terminal, exitCodes } from './command.ts'

export function createTerminal(): Terminal {
  const closed = new AbortController()
  // A reader that closes early is no failure; other errors of standard output cannot be reported
  // anywhere.
  process.stdout.on('error', () => closed.abort())
  process.stderr.on('error', () => undefined)

  async function write(data: string | Uint8Array): Promise<void> {
    if (closed.signal.aborted) return
    if (process.stdout.write(data)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        process.stdout.off('drain', done)
        closed.signal.removeEventListener('abort', done)
        resolve()
      }
      process.stdout.on('drain', done)
      closed.signal.addEventListener('abort', done)
      if (closed.signal.aborted) done()
    })
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
      const reader = createInterface({ input: process.stdin, output: process.stderr })
      try {
        const answer = new Promise<string>((resolve) => {
          // Ctrl-C and Ctrl-D at the question mean No.
          reader.once('close', () => resolve(''))
          void reader.question(`${question} [y/N] `).then(resolve, () => resolve(''))
        })
        return /^y(es)?$/i.test((await answer).trim())
      } finally {
        reader.close()
      }
    },
    async readSecret(question) {
      if (!process.stdin.isTTY) return (await readText(process.stdin)).trim()
      process.stderr.write(`${question}: `)
      // In terminal mode readline handles keys one by one; its echo is discarded.
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true })
      try {
        const closed = once(reader, 'close').then(() => '')
        return (await Promise.race([reader.question(''), closed])).trim()
      } finally {
        reader.close()
        process.stderr.write('\n')
      }
    },
  }
}

const control = /[\u0000-\u001f\u007f-\u009f]/g

export function plain(text: string): string {
  return text.replace(control, '�')
}

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

const drainMs = 3000

/** One Ctrl-C can arrive twice: from the terminal, and through npm or a script. */
const sameKeyMs = 300

/** The first signal requests draining; the second ends the process at once. */
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

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export async function inTime(work: Promise<unknown>, ms: number = drainMs): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

export async function printEvent(
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
  event: { readonly event: string; readonly [field: string]: unknown },
  line?: string,
): Promise<void> {
  if (options['json'] === true) await terminal.print(JSON.stringify(event))
  else if (line !== undefined) await terminal.print(line)
}

/** Omits names without a value. Values may come from strangers. */
export function factLines(
  facts: readonly (readonly [name: string, value: string | null])[],
  width: number,
): string[] {
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(width)} ${plain(value)}`],
  )
}
