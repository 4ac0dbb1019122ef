import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'

/** Standard output, error and input, as commands use them. */
export type Terminal = {
  /** To standard output. Resolves when there is room for more, so a slow reader slows the writer. */
  print(line: string): Promise<void>
  /** The same of bytes, as they are. */
  write(bytes: Uint8Array): Promise<void>
  /** To standard error: what is for the person, not for a program that reads along. */
  note(line: string): void
  /** Yes or no, No by default; null where nobody can be asked. */
  ask(question: string): Promise<boolean | null>
  /** All of standard input; in a terminal, one line that is asked for and not shown. Without spaces around. */
  readSecret(question: string): Promise<string>
  /** Aborted when nobody reads standard output any more, as after `| head`. */
  readonly closed: AbortSignal
}

export function createTerminal(): Terminal {
  const closed = new AbortController()
  // Not reading our output to its end is no failure of ours; any other error has nowhere to be said.
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
      // Told that this is a terminal, it takes the keys one by one, and what it echoes goes nowhere.
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

// C0, DEL and C1: what a terminal might obey.
const control = /[\u0000-\u001f\u007f-\u009f]/g

/** Text of a stranger's, made safe to show in a terminal. */
export function plain(text: string): string {
  return text.replace(control, '�')
}
