import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { nodeArguments } from '../../stand-in/chromium.ts'
import { checkLine } from '../../fixtures/published-output.ts'

/** Windows has no way to send Ctrl-C to one process: a signal there only kills. */
export const onUnix = test.skipIf(process.platform === 'win32')
/** Systems on which a test can replace the program that opens the browser. */
export const onLinux = test.skipIf(process.platform !== 'linux')

// The shipped programs, which `npm test` has built. Each would start half a second later from TypeScript.
const entries = {
  cli: fileURLToPath(new URL('../../../out/main/cli.js', import.meta.url)),
  serve: fileURLToPath(new URL('../../../out/main/serve.js', import.meta.url)),
  supervised: fileURLToPath(new URL('../../fixtures/supervised-serve.mjs', import.meta.url)),
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** A running command, read line by line. */
export type Running = {
  readonly child: Child
  /** Returns the next unread line of standard output; null at its end. */
  line(): Promise<string | null>
  /** Returns the next line, parsed as JSON. */
  json(): Promise<Record<string, unknown>>
  /** Returns all unread lines of standard output, after its end. */
  rest(): Promise<string[]>
  errors(): string
  exit: Promise<number | null>
}

const started: Child[] = []

export function startCommand(
  args: readonly string[],
  options: {
    entry?: keyof typeof entries
    env?: Record<string, string>
    input?: string
    /** A module that runs before the program. */
    preload?: string
    /** Another user of this computer; only root can start a program as another user. */
    userId?: number
  } = {},
): Running {
  const preload =
    options.preload === undefined
      ? []
      : ['--import', `data:text/javascript,${encodeURIComponent(options.preload)}`]
  const program = [...nodeArguments, ...preload, entries[options.entry ?? 'cli'], ...args]
  const child: Child = spawn(process.execPath, program, {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.userId !== undefined && { uid: options.userId, gid: options.userId }),
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HOME: tmpdir(),
      // There is no keychain and no browser unless a test provides one.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      ...options.env,
    },
  })
  child.stdin.end(options.input ?? '')
  started.push(child)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const lines = readLines(child.stdout, args)
  return {
    child,
    async line() {
      const { value, done } = await lines.next()
      return done ? null : value
    },
    async json() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`The command ended without another line. ${errors}`)
      return JSON.parse(value) as Record<string, unknown>
    },
    async rest() {
      const all: string[] = []
      for await (const line of lines) all.push(line)
      return all
    },
    errors: () => errors,
    exit: Promise.all([
      new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code))),
      // The event `close` would also wait for standard output, which a test may leave unread.
      new Promise((resolve) => child.stderr.once('end', resolve)),
    ]).then(([code]) => code),
  }
}

/** Runs a command to its end. */
export async function runCommand(...args: string[]) {
  const command = startCommand(args)
  const lines = await command.rest()
  return { code: await command.exit, lines, errors: command.errors() }
}

/** Ends processes that a failed test left running. */
export function killAll(): void {
  for (const child of started.splice(0)) {
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}

async function* readLines(
  stream: Readable,
  args: readonly string[],
): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + (chunk as string)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      checkLine(args, line)
      yield line
    }
  }
  if (rest !== '') yield rest
  return undefined
}

export async function withDirectory(): Promise<{ path: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(join(tmpdir(), 'tondesk-cli-'))
  return {
    path: join(parent, 'data'),
    remove: () => rm(parent, { recursive: true, force: true }),
  }
}

/** Posts the body of a delivery and returns the status of the response. */
export async function postDelivery(
  url: unknown,
  lt: number | string,
  account = '0:ab',
): Promise<number> {
  const response = await fetch(String(url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: `{"event_type":"account_tx","account_id":"${account}","lt":${lt},"tx_hash":"${'0'.repeat(64)}"}`,
  })
  await response.arrayBuffer()
  return response.status
}
