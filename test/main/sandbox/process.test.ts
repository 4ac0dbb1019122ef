/** Tests the sandbox as the app starts it: its first line, and every way to end. */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { holdDirectory, holdEphemeralDirectory } from '../../../src-main/sandbox/sandbox.ts'
import {
  isSameKey,
  keysFromEnvironment,
  keysOf,
  readKeysOption,
} from '../../../src-main/sandbox/start-options.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../fixtures/directory.ts'
import { sendAndReset } from '../../fixtures/raw-http.ts'
import { prepareSandbox } from '../../fixtures/sandbox.ts'

const entry = fileURLToPath(new URL('../../../out/main/sandbox-process.js', import.meta.url))
const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(...args: string[]) {
  return startWith([], ...args)
}

function startWith(execArgv: string[], ...args: string[]) {
  const child = fork(entry, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv })
  children.push(child)
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return {
    child,
    exit,
    async line(): Promise<Record<string, unknown>> {
      if (child.stdout === null) throw new Error('its output is a pipe')
      for await (const line of createInterface({ input: child.stdout })) {
        return JSON.parse(line) as Record<string, unknown>
      }
      throw new Error('it ended without a line')
    },
  }
}

const argsOf = ({ path }: TemporaryDirectory) => [
  '--data-dir',
  join(path, 'sandbox'),
  '--port',
  '0',
]

test.each([
  ['the message stop', (child: ChildProcess): void => void child.send('stop')],
  ['the end of its parent', (child: ChildProcess): void => child.disconnect()],
] as const)('%s ends the sandbox with exit code 0 and releases its data', async (_name, end) => {
  using directory = temporaryDirectory()
  await prepareSandbox(join(directory.path, 'sandbox'))
  const first = start(...argsOf(directory))
  expect(await first.line()).toMatchObject({ event: 'ready' })
  end(first.child)
  expect(await first.exit).toBe(0)
  const held = holdDirectory(join(directory.path, 'sandbox'))
  held.release()
})

test('the reason why the sandbox cannot start is a JSON line', async () => {
  using directory = temporaryDirectory()
  const held = holdDirectory(join(directory.path, 'sandbox'))
  const second = start(...argsOf(directory))
  expect(await second.line()).toMatchObject({
    event: 'failed',
    code: 'SANDBOX_HELD',
    message: expect.stringContaining('Another sandbox uses') as string,
  })
  expect(await second.exit).toBe(1)
  held.release()
  const wrong = start(...argsOf(directory), '--clock', 'slow')
  expect(await wrong.line()).toMatchObject({ event: 'failed', code: 'SANDBOX_FAILED' })
  expect(await wrong.exit).toBe(1)
})

test('the directories of killed ephemeral sandboxes are deleted, those of running and new ones are not', () => {
  using directory = temporaryDirectory()
  const names = () => readdirSync(directory.path)
  const living = holdEphemeralDirectory(directory.path)
  const dead = join(directory.path, 'tondesk-sandbox-dead01')
  holdDirectory(dead).release()
  const young = join(directory.path, 'tondesk-sandbox-young1')
  holdDirectory(young).release()
  writeFileSync(join(directory.path, 'tondesk-other'), '')
  const longAgo = new Date(Date.now() - 3_600_000)
  for (const path of [living.path, dead]) utimesSync(path, longAgo, longAgo)

  const next = holdEphemeralDirectory(directory.path)
  expect(existsSync(dead)).toBe(false)
  expect([existsSync(living.path), existsSync(young)]).toEqual([true, true])
  next.release()
  living.release()
  expect(names().sort()).toEqual(['tondesk-other', 'tondesk-sandbox-young1'])
})

test('keys are created once with mode 0600, and a missing key is added', () => {
  using directory = temporaryDirectory()
  const { path } = directory
  const first = keysOf(path)
  expect(keysOf(path)).toEqual(first)
  expect(new Set(Object.values(first)).size).toBe(3)
  // A key that the user removed is created again, the others stay.
  const { apiKey, controlKey } = first
  writeFileSync(join(path, 'keys.json'), JSON.stringify({ apiKey, controlKey }))
  const mended = keysOf(path)
  expect(mended).toMatchObject({ apiKey, controlKey })
  expect(mended.invoicesToken).not.toBe(first.invoicesToken)
  expect(keysOf(path, { apiKey: 'given-for-once' }).apiKey).toBe('given-for-once')
  expect(readFileSync(join(path, 'keys.json'), 'utf8')).not.toContain('given-for-once')
})

test('an invalid key is refused by its name and never shown', () => {
  using directory = temporaryDirectory()
  const file = join(directory.path, 'given.json')
  for (const text of ['', '[]', '{"apiKey":"short"}', '{"apiKey":"with a space"}', '{"key":"x"}']) {
    writeFileSync(file, text)
    expect(() => readKeysOption(file), text).toThrow(/given\.json must be a JSON object/)
  }
  expect(() => readKeysOption(join(directory.path, 'none.json'))).toThrow(/does not exist/)
  expect(() => keysFromEnvironment({ TONDESK_SANDBOX_CONTROL_KEY: 'se cret' })).toThrow(
    /^TONDESK_SANDBOX_CONTROL_KEY is not a key: (?!.*se cret)/,
  )
  expect(keysFromEnvironment({ TONDESK_SANDBOX_API_KEY: '' })).toEqual({})
})

test('keys are compared completely, whatever their lengths', () => {
  expect(isSameKey('the-key-0', 'the-key-0')).toBe(true)
  for (const sent of ['the-key-1', 'the-key-', 'the-key-00', '', 'THE-KEY-0']) {
    expect(isSameKey(sent, 'the-key-0'), sent).toBe(false)
  }
})

test('a CONNECT that is reset and an uncaught error of a connection do not end the sandbox, a bug does', async () => {
  using directory = temporaryDirectory()
  await prepareSandbox(join(directory.path, 'sandbox'))
  const broken = `{ errno: -32, code: 'EPIPE', syscall: 'write' }`
  const preload = `process.on('message', (message) => {
    if (message === 'break') throw Object.assign(new Error('write EPIPE'), ${broken})
    if (message === 'bug') throw new TypeError('a bug')
  })`
  const sandbox = startWith(
    ['--import', `data:text/javascript,${encodeURIComponent(preload)}`],
    ...argsOf(directory),
  )
  const { queryUrl } = await sandbox.line()
  const url = new URL(String(queryUrl))
  let stderr = ''
  sandbox.child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  await sendAndReset(Number(url.port), 'CONNECT x:1 HTTP/1.1\r\n\r\n', 10)
  sandbox.child.send('break')
  // The response comes after all earlier data on the channel and the sockets.
  expect((await fetch(url)).status).toBe(404)
  sandbox.child.send('bug')
  expect(await sandbox.exit).toBe(1)
  expect(stderr).toMatch(/sandbox: Error: write EPIPE[^]*sandbox: TypeError: a bug/)
})
