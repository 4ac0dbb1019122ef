import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Address } from '@ton/core'
import { afterEach, expect, test } from 'vitest'
import type { ReadyLine } from '../../../src-main/sandbox/sandbox.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { sandboxClient } from '../../fixtures/sandbox.ts'
import { killAll, onUnix, runCommand, startCommand } from './cli-process.ts'

afterEach(killAll)

async function ready(...[args, options]: Parameters<typeof startCommand>) {
  const command = startCommand(['sandbox', '--json', '--port', '0', ...args], options)
  return { command, line: (await command.json()) as unknown as ReadyLine }
}

const keysOf = ({ apiKey, invoicesToken, controlKey }: ReadyLine) => ({
  apiKey,
  invoicesToken,
  controlKey,
})

onUnix(
  'sandbox prints its URLs and keys in the first line, keeps its keys over restarts and shares none with others',
  async () => {
    using directory = temporaryDirectory()
    const args = ['--data-dir', directory.path]
    const { command, line } = await ready(args)
    expect(line).toMatchObject({
      event: 'ready',
      queryUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      testnetWebhooksUrl: `${line.queryUrl}/testnet`,
      controlUrl: `${line.queryUrl}/sandbox`,
      consoleUrl: line.queryUrl,
    })
    const clock = { mode: 'real', now: expect.any(Number) as number }
    const dataDirectory = join(directory.path, 'sandbox')
    expect(line, 'the ready line did not name the USDT master').toMatchObject({
      usdtMasterFriendly: Address.parseRaw(line.usdtMaster).toString(),
      seed: 'tondesk',
      clock,
      dataDirectory,
      ephemeral: false,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    })
    expect(() => process.kill(line.pid, 0)).not.toThrow()
    for (const { address, friendly, publicKey } of line.wallets) {
      expect([Address.parse(friendly).toRawString(), publicKey.length]).toEqual([address, 64])
    }
    expect(line.wallets).toHaveLength(11)
    expect(line.wallets.map(({ mnemonic }) => mnemonic.length)).toEqual(Array(11).fill(24))
    const { control, webhooks, invoices, query } = sandboxClient(line)
    expect((await query('GET', '/status')).status).toBe(200)
    expect((await webhooks('GET', '/webhooks')).status).toBe(200)
    expect((await invoices('GET', '/')).status).toBe(200)
    expect((await control('GET', '/state')).status).toBe(200)

    const own = join(directory.path, 'sandbox')
    expect(statSync(own).mode & 0o777).toBe(0o700)
    expect(statSync(join(own, 'keys.json')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(own, 'keys.json'), 'utf8'))).toEqual(keysOf(line))

    command.child.kill('SIGINT')
    expect(await command.exit).toBe(0)
    expect(command.errors()).toBe('')

    const again = await ready(args)
    expect(keysOf(again.line)).toEqual(keysOf(line))
    again.command.child.kill('SIGTERM')
    expect(await again.command.exit).toBe(0)

    // A sandbox with --ephemeral leaves no files.
    using temporary = temporaryDirectory()
    const another = await ready(['--ephemeral'], { env: { TMPDIR: temporary.path } })
    const secrets = Object.values(keysOf(line))
    expect(Object.values(keysOf(another.line)).some((key) => secrets.includes(key))).toBe(false)
    expect(readdirSync(temporary.path)).toHaveLength(1)
    another.command.child.kill('SIGTERM')
    expect(await another.command.exit).toBe(0)
    expect(readdirSync(temporary.path)).toEqual([])
  },
)

test('keys are read from the environment or a file, and are not written to the data directory', async () => {
  using directory = temporaryDirectory()
  const keysFile = join(directory.path, 'given.json')
  writeFileSync(
    keysFile,
    '{"controlKey":"control-from-a-file","webhookToken":"webhook-from-a-file"}',
  )
  const { line } = await ready(['--data-dir', directory.path, '--keys-file', keysFile], {
    env: {
      TONDESK_SANDBOX_API_KEY: 'api-from-the-environment',
      TONDESK_SANDBOX_INVOICES_TOKEN: 'invoices-from-the-environment',
      TONDESK_SANDBOX_CONTROL_KEY: 'the file comes first'.replaceAll(' ', '-'),
    },
  })
  expect(keysOf(line)).toEqual({
    apiKey: 'api-from-the-environment',
    invoicesToken: 'invoices-from-the-environment',
    controlKey: 'control-from-a-file',
  })
  const { control, webhooks, invoices } = sandboxClient(line)
  const made = await webhooks('POST', '/webhooks', { endpoint: 'http://127.0.0.1:1/' })
  expect(made.body).toMatchObject({ token: 'webhook-from-a-file' })
  expect(line).not.toHaveProperty('webhookToken')
  expect((await invoices('GET', '/')).status).toBe(200)
  expect((await control('GET', '/state')).status).toBe(200)
  expect(readFileSync(join(directory.path, 'sandbox', 'keys.json'), 'utf8')).not.toContain('-from-')
})

test('invalid arguments of sandbox fail with one sentence and exit code 2', async () => {
  using directory = temporaryDirectory()
  for (const [args, sentence] of [
    [['--port', 'x'], /--port needs a port/],
    [['--clock', 'slow'], /--clock must be real or virtual, not "slow"/],
    [['--activity', '601'], /--activity needs a number of steps per minute/],
    [['--now', '2026-01-01'], /--now sets the start of a virtual clock: add --clock virtual/],
    [['--clock', 'virtual', '--now', '12:00'], /--now needs a time from 2020 to 2099/],
    [['--seeds', '1'], /Unknown option '--seeds'/],
    [['--seed', 'two words'], /A seed has 1 to 64 letters/],
    [['--keys-file', join(directory.path, 'none.json')], /none\.json does not exist/],
    [['--ephemeral', '--data-dir', directory.path], /--data-dir cannot be combined/],
  ] as const) {
    const { code, lines, errors } = await runCommand('sandbox', ...args)
    expect([code, lines], args.join(' ')).toEqual([2, []])
    expect(errors).toMatch(sentence)
    expect(errors.trim().split('\n')).toHaveLength(1)
  }
})

test('sandbox refuses a directory that another sandbox uses, an invalid seed and the seed of another chain', async () => {
  using directory = temporaryDirectory()
  const args = ['--data-dir', directory.path]
  const bad = await runCommand('sandbox', ...args, '--seed', 'two words')
  expect([bad.code, bad.lines]).toEqual([2, []])
  expect(bad.errors).toMatch(/^tondesk: A seed has 1 to 64 [^\n]+\n$/)

  const first = await ready([...args, '--seed', 'one'])
  const second = await runCommand('sandbox', ...args, '--port', '0')
  expect([second.code, second.lines]).toEqual([3, []])
  expect(second.errors).toMatch(/^tondesk: Another sandbox uses [^\n]+\n$/)
  first.command.child.kill('SIGKILL')
  await first.command.exit
  const other = await runCommand('sandbox', ...args, '--seed', 'two')
  expect(other.code).toBe(2)
  expect(other.errors).toMatch(/created with the seed "one", not "two"/)
})

test('sandbox fails with one sentence and exit code 1 if its port is taken', async () => {
  using directory = temporaryDirectory()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const taken = await runCommand('sandbox', '--data-dir', directory.path, '--port', String(port))
  server.close()
  expect([taken.code, taken.lines]).toEqual([1, []])
  expect(taken.errors).toMatch(/^tondesk: Port \d+ is taken\. [^\n]+\n$/)
})

test('sandbox refuses unreadable data and data of a newer version with one sentence', async () => {
  for (const [spoil, sentence] of [
    [
      (folder: string) => writeFileSync(join(folder, 'mainnet.db'), 'not a database'.repeat(100)),
      /The sandbox data in .* cannot be read/,
    ],
    [
      (folder: string) => {
        const database = new DatabaseSync(join(folder, 'testnet.db'))
        database.exec('PRAGMA user_version = 999')
        database.close()
      },
      /was written by a newer Tondesk/,
    ],
    [(folder: string) => writeFileSync(join(folder, 'keys.json'), '{"apiKey":5}'), /keys\.json/],
  ] as const) {
    using directory = temporaryDirectory()
    const folder = join(directory.path, 'sandbox')
    mkdirSync(folder)
    spoil(folder)
    const { code, lines, errors } = await runCommand('sandbox', '--data-dir', directory.path)
    expect([code, lines]).toEqual([1, []])
    expect(errors).toMatch(sentence)
    expect(errors.trim().split('\n')).toHaveLength(1)
  }
  const file = await runCommand('sandbox', '--data-dir', import.meta.filename)
  expect([file.code, file.lines]).toEqual([1, []])
  expect(file.errors).toMatch(/^tondesk: The sandbox data in .* cannot be used/)
})

test('the help of sandbox names the options and the environment variable of a key', async () => {
  const { code, lines } = await runCommand('sandbox', '--help')
  const text = lines.join('\n')
  expect(code).toBe(0)
  for (const option of ['port', 'data-dir', 'ephemeral', 'seed', 'clock', 'activity', 'json']) {
    expect(text).toContain(`--${option}`)
  }
  expect(text).toContain('TONDESK_SANDBOX_API_KEY')
})

onUnix('sandbox calls prints, filters and follows the calls of a running sandbox', async () => {
  using directory = temporaryDirectory()
  const args = ['--data-dir', directory.path]
  const { command, line } = await ready(args)
  const { query, webhooks } = sandboxClient(line)
  await query('GET', '/status')
  await webhooks('GET', '/webhooks/7')
  const calls = ['sandbox', 'calls', ...args, '--port', new URL(line.queryUrl).port]
  const all = await runCommand(...calls)
  expect([all.code, all.errors]).toEqual([0, ''])
  expect(all.lines).toEqual([
    expect.stringMatching(/^#1 {2}.*Z {2}200 {2}GET \/v2\/status {2}[\d.]+ ms {2}node$/),
    expect.stringMatching(/^#2 {2}.*Z {2}405 {2}GET \/webhooks\/7 {2}/),
  ])
  const failed = await runCommand(...calls, 'status=4xx', '--json')
  expect(failed.lines.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { event: 'call', number: 2, root: 'webhooks', template: '/webhooks/{id}', status: 405 },
  ])
  const following = startCommand([...calls, '--follow', 'root=query'])
  expect(await following.line()).toMatch(/^#1 /)
  await webhooks('GET', '/webhooks')
  await query('GET', '/rates')
  expect(await following.line()).toMatch(/^#4 .* 400 {2}GET \/v2\/rates /)
  following.child.kill('SIGINT')
  expect(await following.exit).toBe(0)

  for (const [wrong, sentence] of [
    [[...calls, 'status=x'], /status: is a status, a class such as 4xx, or aborted/],
    [['sandbox', 'call'], /`tondesk sandbox` knows calls, not "call"/],
    [[...calls, 'statuses=200'], /Unrecognized key/],
  ] as const) {
    const { code, errors } = await runCommand(...wrong)
    expect([code === 0, errors.trim().split('\n').length], wrong.join(' ')).toEqual([false, 1])
    expect(errors).toMatch(sentence)
  }
  command.child.kill('SIGTERM')
  expect(await command.exit).toBe(0)
})

test('sandbox --with-parent ends when its standard input closes', async () => {
  // In this test the input of the command is a pipe that is closed at once.
  const { command } = await ready(['--ephemeral', '--with-parent'])
  expect(await command.exit).toBe(0)
})

/** Runs the script of docs/sandbox.md unchanged. */
async function runRecipe(env: Record<string, string>) {
  const script = fileURLToPath(new URL('../../../docs/sandbox-ci.sh', import.meta.url))
  const shell = spawn('sh', [script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, ...env },
  })
  const [output, errors, closed] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'close'),
  ])
  return { code: (closed as [number])[0], output, errors }
}

onUnix('the CI recipe of the docs delivers the payment and the expiry to the backend', async () => {
  await using backend = await startEndpoint()
  const cli = fileURLToPath(new URL('../../../out/main/cli.js', import.meta.url))
  const { code, output, errors } = await runRecipe({
    BACKEND: backend.url,
    TONDESK: `${process.execPath} ${cli}`,
  })
  expect([code, errors]).toEqual([0, ''])
  const invoice = JSON.parse(output) as Record<string, unknown>
  expect(invoice).toMatchObject({ status: 'expired', overpayment: '500000000' })
  const delivered = backend.received.map(({ path, body }) => [path, JSON.parse(body) as unknown])
  expect(delivered).toEqual([
    ['/hook', expect.objectContaining({ account_id: invoice['pay_to_address'] })],
    ['/invoices', expect.objectContaining({ id: invoice['id'], status: 'expired' })],
  ])
})

onUnix('the CI recipe of the docs ends with an error when the sandbox does not start', async () => {
  const { code, output, errors } = await runRecipe({ TONDESK: 'false' })
  expect([code, output, errors]).toEqual([1, '', 'The sandbox did not start.\n'])
})
