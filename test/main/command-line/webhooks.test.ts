/**
 * Tests `tondesk webhooks` as the command line calls it, through the socket of an app with a real
 * sandbox.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Invocation, Terminal } from '../../../src-main/command-line/command.ts'
import { webhookCommands as command, readOptions } from '../../../src-main/command-line/webhooks.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { checkLine } from '../../fixtures/published-output.ts'

const account = (number: number) => `0:${number.toString(16).padStart(64, '0')}`
const endpoint = 'https://hook.example/tondesk'
const temporary = temporaryDirectory()

let app: TestApp
beforeAll(async () => {
  app = await startApp({ startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  temporary[Symbol.dispose]()
})

type Ended = {
  /** The exit code, or the code of the error that ended the command. */
  readonly code: number | string
  readonly lines: readonly string[]
  /** The output to standard error. */
  readonly notes: string
}

async function webhooks(
  positionals: readonly string[],
  options: Invocation['options'] = {},
  stop = new AbortController().signal,
): Promise<Ended> {
  const lines: string[] = []
  const notes: string[] = []
  const terminal: Terminal = {
    print(line) {
      checkLine(['webhooks', ...positionals], line)
      return Promise.resolve(void lines.push(line))
    },
    write: (bytes) => Promise.resolve(void lines.push(Buffer.from(bytes).toString())),
    note: (line) => void notes.push(line),
    ask: () => Promise.resolve(null),
    readSecret: () => Promise.resolve(''),
    closed: new AbortController().signal,
  }
  const given = { dataDirectory: app.directory, isDirectoryGiven: true, lists: {}, terminal, stop }
  const all = { network: 'sandbox', ...options }
  const end = (code: number | string) => ({ code, lines, notes: notes.join('\n') })
  try {
    return end(await command.run({ ...given, options: all, positionals }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    notes.push(error.message)
    return end(error.code)
  }
}

function write(name: string, count: number): string {
  const path = join(temporary.path, name)
  const rows = Array.from({ length: count }, (_, index) => `${endpoint},account,${account(index)}`)
  writeFileSync(path, `endpoint,kind,value\n${rows.join('\n')}\n`)
  return path
}

test('webhooks plan, apply, export, list and undo print their results, and their exit codes state the outcome', async () => {
  const file = write('wanted.csv', 3)
  const planned = await webhooks(['plan', file])
  expect([planned.code, planned.lines]).toEqual([
    3,
    [
      `+ ${endpoint} webhook`,
      ...[0, 1, 2].map((number) => `+ ${endpoint} account ${account(number)}`),
    ],
  ])
  expect((await webhooks(['plan', file], { json: true })).lines).toHaveLength(5)
  expect(planned.notes).toContain('4 to subscribe or create (+)')

  const unasked = await webhooks(['apply', file])
  expect([unasked.code, unasked.notes]).toEqual(['USAGE', expect.stringContaining('needs --yes')])
  const applied = await webhooks(['apply', file], { yes: true, json: true })
  expect(applied.code).toBe(0)
  expect(JSON.parse(applied.lines[0] ?? '')).toMatchObject({
    event: 'change',
    kind: 'apply',
    state: 'done',
    counts: { done: 4, failed: 0 },
  })
  expect(applied.notes).toContain('Done: 4 changed')

  const output = join(temporary.path, 'out.yaml')
  expect((await webhooks(['export'], { output })).code).toBe(0)
  expect(readFileSync(output, 'utf8')).toContain(`- endpoint: "${endpoint}"`)
  const again = await webhooks(['plan', output], { json: true })
  expect([again.code, again.lines.length]).toEqual([0, 1])
  const listed = await webhooks(['list'])
  expect((await webhooks(['list'], { json: true })).lines).toHaveLength(1)
  expect(listed.lines).toEqual([expect.stringMatching(/online .*hook\.example.* 3 accounts/)])

  expect((await webhooks(['undo'], { yes: true, json: true })).code).toBe(0)
  const { webhooks: left } = await app.request('webhook.list', { network: 'sandbox', fresh: true })
  expect(left).toMatchObject([{ endpoint, accounts: 0 }])
  const nothing = await webhooks(['undo'], { yes: true })
  expect([nothing.code, nothing.notes]).toEqual([
    'NOTHING_TO_UNDO',
    expect.stringContaining('already undone'),
  ])
})

test('webhooks apply is interrupted by Ctrl-C and continued by the same command', async () => {
  const delay = { root: 'webhooks', kind: 'delay', delayMs: 200 } as const
  await app.request('sandbox.setFaults', { faults: [delay] })
  const file = write('many.csv', 4000)
  const stop = new AbortController()
  const first = webhooks(['apply', file], { yes: true }, stop.signal)
  const last = async () => (await app.jobs('change', 'sandbox'))[0]
  const done = async () => {
    const change = await last()
    return change?.name.startsWith('many.csv') === true ? change.counts.done : 0
  }
  await app.until(async () => (await done()) > 0, 'a chunk')
  stop.abort()
  const { code, notes } = await first
  expect([code, notes]).toEqual([
    'JOB_INTERRUPTED',
    expect.stringMatching(/was interrupted\. Run the same command to continue\./),
  ])
  await app.request('sandbox.setFaults', { faults: [] })
  const second = await webhooks(['apply', file], { yes: true })
  expect([second.code, second.notes]).toEqual([0, expect.stringContaining('continues:')])
  expect(await last()).toMatchObject({ counts: { done: 4000, unchanged: 0 } })
})

test('invalid arguments of webhooks are refused with a reason', () => {
  const read = (options: Record<string, string>, ...positionals: string[]) =>
    readOptions({ options, positionals } as unknown as Invocation)
  const network = 'sandbox'
  expect(() => read({ network }, 'mend')).toThrow('knows list, export, plan, apply, undo')
  expect(() => read({}, 'list')).toThrow('needs --network')
  expect(() => read({ network }, 'plan')).toThrow('needs a FILE, or - for standard input')
  expect(() => read({ network }, 'undo', 'a.yaml')).toThrow('reads no file')
  expect(() => read({ network, format: 'xlsx' }, 'export')).toThrow('yaml or csv, not "xlsx"')
  expect(read({ network }, 'plan', 'a.CSV')).toMatchObject({ format: 'csv' })
  expect(read({ network, output: 'b.csv' }, 'export')).toMatchObject({ format: 'csv' })
  expect(read({ network }, 'plan', '-')).toMatchObject({ format: 'yaml', file: null })
})
