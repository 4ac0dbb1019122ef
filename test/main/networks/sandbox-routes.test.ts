/**
 * Tests every route of the sandbox over HTTP: the app and the real sandbox run in separate processes.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Input,
  type Output,
  type RouteName,
  routes,
} from '../../../src-preload/contract/routes.ts'
import type { StartProcess } from '../../../src-main/networks/sandbox-process.ts'
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import { type StartOptions, type TestApp, startApp } from '../../fixtures/app.ts'

type SandboxRoute = Extract<RouteName, `sandbox.${string}`>
type Prepare<N extends RouteName> = (app: TestApp) => Promise<Input<N>> | Input<N>

const nothing = () => undefined

async function running(app: TestApp): Promise<SandboxState> {
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  return app.request('sandbox.state')
}

async function startWithSandbox(options: StartOptions = {}): Promise<TestApp> {
  const app = await startApp({ startSandbox: true, sandboxPort: 0, ...options })
  await running(app)
  return app
}

async function invoiceOf(app: TestApp): Promise<string> {
  const { id } = await app.request('sandbox.createInvoice', {
    amount: '1000000000',
    currency: 'TON',
    lifeTimeSeconds: 600,
    description: 'order-1',
  })
  return id
}

const ton = '1000000000'
/** A route of the contract without a case here does not compile. */
const cases: { readonly [N in SandboxRoute]: Prepare<N> } = {
  'sandbox.state': nothing,
  'sandbox.start': nothing,
  'sandbox.copyEnvironment': () => ({ network: 'mainnet', isConfirmed: false }),
  'sandbox.chain': () => ({ network: 'testnet' }),
  'sandbox.mnemonics': nothing,
  'sandbox.queue': () => ({}),
  'sandbox.calls': () => ({}),
  'sandbox.faucet': async (app) => {
    const { wallets } = await app.request('sandbox.chain', {})
    return { address: wallets[0]?.address ?? '', amount: '5000000', currency: 'USDT' }
  },
  'sandbox.send': () => ({ from: 'wallet-1', to: 'merchant', amount: ton, comment: 'hello' }),
  'sandbox.deploy': () => ({ from: 'wallet-2', name: 'one of mine' }),
  'sandbox.opcode': () => ({ opcode: '0x5fcc3d14' }),
  'sandbox.invoices': async (app) => {
    await invoiceOf(app)
    return undefined
  },
  'sandbox.createInvoice': () => ({ amount: '7000000', currency: 'USDT', lifeTimeSeconds: 60 }),
  'sandbox.pay': async (app) => ({ id: await invoiceOf(app), how: 'exact', from: 'wallet-3' }),
  'sandbox.setActivity': () => ({ perMinute: 0 }),
  'sandbox.setClock': () => ({ mode: 'virtual' }),
  'sandbox.advance': async (app) => {
    await app.request('sandbox.setClock', { mode: 'virtual' })
    return { byMs: 60_000 }
  },
  'sandbox.cancelAdvance': nothing,
  'sandbox.snapshot': () => ({ name: 'before it' }),
  'sandbox.revert': async (app) => {
    await app.request('sandbox.snapshot', { name: 'to revert to' })
    return { name: 'to revert to' }
  },
  'sandbox.deleteSnapshot': async (app) => {
    await app.request('sandbox.snapshot', { name: 'to delete' })
    return { name: 'to delete' }
  },
  'sandbox.reset': nothing,
  'sandbox.setPolicy': () => ({ timeoutMs: 5000, retryDelaysMs: [1000, 2000] }),
  'sandbox.setFaults': () => ({
    faults: [{ root: 'testnet-query', kind: 'status', status: 503, share: 0.5 }],
  }),
  'sandbox.setAccess': () => ({ state: 'granted' }),
  'sandbox.setMatching': () => ({ rule: 'comment' }),
  'sandbox.invoicesApp': nothing,
  'sandbox.setInvoicesApp': async (app) => ({ webhooks: [await app.hook()] }),
  'sandbox.backOnline': async (app) => {
    const { webhook } = await app.request('sandbox.doStep', { step: 'webhook' })
    return { webhookId: webhook?.id ?? 0 }
  },
  'sandbox.testWebhook': async (app) => {
    const { webhook } = await app.request('sandbox.doStep', { step: 'webhook' })
    return { webhookId: webhook?.id ?? 0, headers: { 'X-Tondesk-Test': '1' }, body: '{}' }
  },
  'sandbox.steps': nothing,
  'sandbox.doStep': () => ({ step: 'webhook' }),
  // This case comes last, because later cases would find no running sandbox.
  'sandbox.restart': nothing,
  'sandbox.stop': nothing,
}

// Earlier, the first steps started again while the receiver was stopped, although the webhook existed.
test('the first steps stay done while the receiver is stopped, and the next step is refused until it runs', async () => {
  await other.request('sandbox.doStep', { step: 'webhook' })
  const done = await other.request('sandbox.doStep', { step: 'account' })
  await other.request('receiver.stop')
  expect(await other.request('sandbox.steps')).toEqual(done)
  expect(await other.refusal('sandbox.doStep', { step: 'payment' })).toBe('SANDBOX_STEP_NOT_YET')
  await other.request('receiver.start')
})

// Earlier, the sandbox in the app could not be allowed to deliver to another host.
test('a host that the settings allow causes no warning, and the sandbox restarts with it', async () => {
  const about = { network: 'sandbox', endpoint: 'https://example.com/hook' }
  const kinds = async () =>
    (await other.request('webhook.checkEndpoint', about)).map(({ kind }) => kind)
  expect(await kinds()).toEqual(['host-not-allowed'])
  await other.request('settings.change', { sandbox: { allowHosts: ['example.com'] } })
  expect(await kinds()).toEqual([])
  await running(other)
})

test('every route of the sandbox has a case in this file', () => {
  const ours = Object.keys(routes).filter((name) => name.startsWith('sandbox.'))
  expect(Object.keys(cases).sort()).toEqual(ours.sort())
})

let shared: TestApp
/** A second app, in which each test leaves both chains unchanged or longer. */
let other: TestApp
const clipboard: string[] = []
beforeAll(async () => {
  const writeClipboard = (text: string) => Promise.resolve(void clipboard.push(text))
  ;[shared, other] = await Promise.all([startWithSandbox({ writeClipboard }), startWithSandbox()])
})
afterAll(async () => {
  await Promise.all([shared[Symbol.asyncDispose](), other[Symbol.asyncDispose]()])
})

test.for(Object.keys(cases) as SandboxRoute[])(
  '%s returns the output of the contract',
  async (name) => {
    const prepare = cases[name] as Prepare<SandboxRoute>
    const input = await prepare(shared)
    // `checkOutput` is on: an output of another shape would be refused as INTERNAL.
    expect(await shared.envelope(name, input)).toMatchObject({ ok: true })
  },
)

test('an invoice id that is not valid Unicode is refused as INVALID_INPUT', async () => {
  const refused = await shared.envelope('sandbox.pay', { id: '\ud800', how: 'exact' })
  expect(refused).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } })
})

test('the three first steps create a webhook, a subscription and a delivery with the right token', async () => {
  await using app = await startWithSandbox()
  const steps = () => app.request('sandbox.steps')
  expect(await steps()).toEqual({ webhook: null, account: null, delivered: false })
  expect(await app.refusal('sandbox.doStep', { step: 'payment' })).toBe('SANDBOX_STEP_NOT_YET')
  expect(await app.refusal('sandbox.doStep', { step: 'account' })).toBe('SANDBOX_STEP_NOT_YET')

  const first = await app.request('sandbox.doStep', { step: 'webhook' })
  expect(first.webhook?.endpoint).toBe(await app.hook())
  // A second click does not create a second webhook.
  await app.request('sandbox.doStep', { step: 'webhook' })
  expect((await app.request('sandbox.chain', {})).webhooks).toHaveLength(1)

  const second = await app.request('sandbox.doStep', { step: 'account' })
  expect(second).toMatchObject({ account: { name: 'merchant' }, delivered: false })
  await app.request('sandbox.doStep', { step: 'payment' })
  await app.until(async () => (await app.request('capture.counts')).total > 0, 'the delivery')
  const [capture] = await app.classified()
  expect(capture).toMatchObject({
    kind: 'account_tx',
    status: 200,
    token: 'right',
    account: second.account?.address,
  })
  await app.until(async () => (await steps()).delivered, 'the sandbox to count it as delivered')
})

test('a new receiver URL resets the first steps', async () => {
  const app = other
  await app.request('sandbox.doStep', { step: 'webhook' })
  await app.request('receiver.rotateToken')
  expect((await app.request('sandbox.steps')).webhook).toBeNull()
})

test('the app is ready before its sandbox, and refuses requests to the sandbox until it runs', async () => {
  await using app = await startApp({ startSandbox: true, sandboxPort: 0 })
  expect(await app.request('sandbox.state')).toMatchObject({ status: 'starting', urls: null })
  const envelope = await app.envelope('sandbox.chain', {})
  expect(envelope).toMatchObject({
    ok: false,
    error: {
      code: 'SANDBOX_NOT_RUNNING',
      message: 'The sandbox is not running. Wait until it has started.',
    },
  })
  await running(app)
})

test('new blocks are reported by events, without requests', async () => {
  const app = other
  const heads = async () => (await app.request('sandbox.state')).heads
  await app.until(async () => (await heads()).length === 2, 'both heads')
  const seqno = async () => (await heads()).find(({ network }) => network === 'mainnet')?.seqno ?? 0
  const before = await seqno()
  await app.request('sandbox.send', { from: 'wallet-1', to: 'wallet-2', amount: ton })
  await app.until(async () => (await seqno()) > before, 'a higher head')
  expect(app.events.some(({ name }) => name === 'sandbox.changed')).toBe(true)
})

test('a restarted sandbox continues its chain, with the same keys', async () => {
  const app = other
  const { block } = await app.request('sandbox.send', {
    from: 'wallet-1',
    to: 'wallet-2',
    amount: ton,
  })
  await app.request('sandbox.restart')
  await running(app)
  expect((await app.request('sandbox.chain', {})).head.seqno).toBe(block)
})

test('the sandbox’s keys appear in no response, event, log or database of the app', async () => {
  const app = other
  const { keysFile } = await app.request('sandbox.state')
  const keys = Object.values(JSON.parse(readFileSync(keysFile, 'utf8')) as Record<string, string>)
  expect(keys).toHaveLength(3)
  const answers: unknown[] = []
  for (const name of ['sandbox.chain', 'sandbox.queue', 'sandbox.invoicesApp'] as const) {
    answers.push(await app.envelope(name, name === 'sandbox.invoicesApp' ? undefined : {}))
  }
  answers.push(
    await app.request('sandbox.steps'),
    await app.request('sandbox.doStep', { step: 'webhook' }),
  )
  const copied: Output<'sandbox.state'> = await app.request('sandbox.state')
  const told = JSON.stringify([answers, copied, app.events])
  const files = [
    'tondesk.db',
    'tondesk.db-wal',
    ...readdirSync(join(app.directory, 'logs')).map((name) => join('logs', name)),
  ]
  const kept = files
    .map((name) => join(app.directory, name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'latin1'))
    .join()
  for (const key of keys) {
    expect(told).not.toContain(key)
    expect(kept).not.toContain(key)
  }
})

test('the copied .env has each URL, key and token of the sandbox, and reaches the page only after a confirmation', async () => {
  const app = other
  const { keysFile, urls } = await app.request('sandbox.state')
  const keys = JSON.parse(readFileSync(keysFile, 'utf8')) as Record<string, string>
  const refused = await app.envelope('sandbox.copyEnvironment', {
    network: 'mainnet',
    isConfirmed: false,
  })
  expect(refused).toMatchObject({ ok: false, error: { code: 'CLIPBOARD_UNAVAILABLE' } })
  expect(JSON.stringify(refused)).toContain(keysFile)
  await app.request('sandbox.doStep', { step: 'webhook' })
  const input = { network: 'mainnet', isConfirmed: true } as const
  const { text } = await app.request('sandbox.copyEnvironment', input)
  const { webhooks } = await app.request('webhook.list', { network: 'sandbox', fresh: true })
  const id = String(Math.max(...webhooks.map((webhook) => Number(webhook.id))))
  const { token } = await app.request('webhook.revealToken', { network: 'sandbox', id })
  expect(parseEnv(text ?? '')).toEqual({
    TON_QUERY_URL: urls?.query,
    TON_WEBHOOKS_URL: urls?.webhooks,
    TON_API_KEY: keys['apiKey'],
    TON_CONSOLE_URL: urls?.console,
    TON_INVOICES_TOKEN: keys['invoicesToken'],
    TON_SANDBOX_CONTROL_URL: urls?.control,
    TON_SANDBOX_CONTROL_KEY: keys['controlKey'],
    WEBHOOK_TOKEN: token,
  })
  // The desktop app wrote the clipboard itself, in the case above.
  expect(clipboard).toHaveLength(1)
  expect(clipboard[0]).toContain('TON_API_KEY=')
})

test('the sandbox does not start if the setting turns it off, and never for a command', async () => {
  await using app = await startApp({ host: 'browser', startSandbox: false })
  expect(await app.request('sandbox.state')).toMatchObject({ status: 'stopped', problem: null })
  await app.request('settings.change', { sandbox: { startWithApp: false } })
  await app.app.dispose()
  await using again = await startApp({ host: 'browser', dataDirectory: app.directory })
  expect((await again.request('sandbox.state')).status).toBe('stopped')
  await using command = await startApp({ host: 'cli' })
  expect((await command.request('sandbox.state')).status).toBe('stopped')
})

// Catches 200 to 350 MB of memory for users who never use the sandbox, and a first start without
// the sandbox.
test('the sandbox starts only while its network is selected', async () => {
  const starts: URL[] = []
  const startProcess: StartProcess = (entry) => {
    starts.push(entry)
    throw new Error('This test starts no process.')
  }
  const status = async (app: TestApp) => (await app.request('sandbox.state')).status
  await using first = await startApp({ host: 'browser', startProcess, sandboxPort: 0 })
  expect(await status(first)).toBe('starting')
  await first.until(() => starts.length > 0, 'the start of the sandbox')
  await first.request('network.select', { id: 'mainnet' })
  await first.app.dispose()

  starts.length = 0
  const options = {
    host: 'browser',
    dataDirectory: first.directory,
    startProcess,
    sandboxPort: 0,
  } as const
  await using again = await startApp(options)
  expect(await status(again)).toBe('stopped')
  await again.request('network.select', { id: 'testnet' })
  expect(await status(again)).toBe('stopped')
  await again.request('network.select', { id: 'sandbox' })
  expect(await status(again)).toBe('starting')
  await again.until(() => starts.length > 0, 'the start of the sandbox')
  await again.app.dispose()

  await using without = await startApp({ ...options, startSandbox: false })
  await without.request('network.select', { id: 'sandbox' })
  expect(await status(without)).toBe('stopped')
})
