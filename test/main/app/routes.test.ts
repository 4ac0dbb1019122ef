import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Input, type RouteName, routes } from '../../../src-preload/contract/routes.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { uploadBackup } from '../../fixtures/backup-upload.ts'
import { transactionEvent } from '../../fixtures/bodies.ts'

/** Prepares the app so that the route has work to do, and returns the input of the request. */
type Prepare<N extends RouteName> = (app: TestApp) => Promise<Input<N>> | Input<N>

async function captureOf(app: TestApp): Promise<number> {
  await app.post(transactionEvent(), { path: '/a?b=1' })
  const { newestId } = await app.request('capture.counts')
  return newestId ?? 0
}

async function backupOf(app: TestApp): Promise<{ name: string }> {
  const { name } = await app.request('backup.create')
  return { name }
}

async function uploadOf(app: TestApp): Promise<{ id: string }> {
  const { path } = await app.request('backup.create')
  return uploadBackup(app, path)
}

const nothing = () => undefined

const customNetwork: Input<'network.add'> = {
  name: 'Ours',
  urls: {
    query: 'http://127.0.0.1:9',
    webhooks: 'http://127.0.0.1:9',
    testnetWebhooks: null,
    console: null,
  },
  testOnly: true,
}

/** Returns the network that the cases share, and adds it if it does not exist. */
async function networkOf(app: TestApp): Promise<{ id: string }> {
  const { networks } = await app.request('network.list')
  const { id } =
    networks.find(({ kind }) => kind === 'custom') ??
    (await app.request('network.add', customNetwork))
  return { id }
}

/**
 * Routes that need a sandbox, a gateway or Electron have their cases in the tests of their rooms.
 */
const elsewhere = [
  'alert',
  'watch',
  'account',
  'asset',
  'block',
  'cell',
  'chain',
  'change',
  'reconciliation',
  'contract',
  'desktop',
  'dictionary',
  'export',
  'exportView',
  'failure',
  'file',
  'incident',
  'invoice',
  'invoiceAccess',
  'invoiceCancel',
  'invoiceExport',
  'invoiceIssue',
  'invoiceJob',
  'invoiceStats',
  'invoiceSync',
  'invoiceView',
  'historyExport',
  'job',
  'label',
  'missedEvents',
  'lookup',
  'discrepancy',
  'message',
  'move',
  'payment',
  'plan',
  'refund',
  'report',
  'sampler',
  'sandbox',
  'search',
  'subscription',
  'transaction',
  'webhook',
  'responseRule',
  'captureQuery',
  'captureView',
  'captureExport',
  'captureImport',
  'forward',
  'forwardRule',
  'explanation',
  'replay',
  'target',
  'tunnel',
] as const
type NeedsSandbox = `${(typeof elsewhere)[number]}.${string}`
type OurRoute = Exclude<RouteName, NeedsSandbox>

/** A route of the contract without a case here does not compile. */
const cases: { readonly [N in OurRoute]: Prepare<N> } = {
  'app.info': nothing,
  'app.checkIntegrity': nothing,
  'app.restart': nothing,
  'traffic.read': nothing,
  'log.list': () => ({}),
  'log.openFolder': nothing,
  'log.crash': nothing,
  'update.state': nothing,
  'update.check': nothing,
  'update.download': nothing,
  'window.open': () => ({ hash: '#/inspector/1' }),
  'window.print': nothing,
  'notice.list': nothing,
  'notice.dismiss': () => ({ id: 'receiver.port' }),
  'backup.list': async (app) => {
    await backupOf(app)
    return undefined
  },
  'backup.create': nothing,
  'backup.restore': backupOf,
  'backup.uploadStart': () => ({ bytes: 100 }),
  'backup.uploadPiece': async (app) => ({
    ...(await app.request('backup.uploadStart', { bytes: 16 })),
    offset: 0,
    base64: Buffer.from('SQLite format 3\0').toString('base64'),
  }),
  'backup.uploadEnd': uploadOf,
  'backup.uploadCancel': uploadOf,
  'backup.restoreUpload': async (app) => {
    const upload = await uploadOf(app)
    await app.request('backup.uploadEnd', upload)
    return upload
  },
  'capture.list': async (app) => {
    await captureOf(app)
    await app.classified()
    return { query: { text: 'account_tx' } }
  },
  'capture.counts': nothing,
  'capture.get': async (app) => ({ id: await captureOf(app), reveal: true }),
  'capture.body': async (app) => ({ id: await captureOf(app), form: 'decoded' }),
  'capture.snippet': async (app) => ({ id: await captureOf(app), language: 'python' }),
  'capture.markRead': async (app) => ({ upTo: await captureOf(app) }),
  'capture.pin': async (app) => ({ ids: [await captureOf(app)], pinned: true }),
  'capture.note': async (app) => ({ id: await captureOf(app), note: 'looked into' }),
  'capture.delete': async (app) => ({ ids: [await captureOf(app)] }),
  'capture.clear': async (app) => {
    await captureOf(app)
    return { keepPinned: false }
  },
  'network.list': nothing,
  'network.add': () => customNetwork,
  'network.select': networkOf,
  'network.change': async (app) => ({ ...(await networkOf(app)), ...customNetwork }),
  'network.setSecret': async (app) => {
    // The tests must not write to the keychain of this computer.
    await app.request('secrets.useSessionOnly')
    return { ...(await networkOf(app)), slot: 'api', secret: 'a-key-of-some-length' }
  },
  'network.removeSecret': async (app) => ({ ...(await networkOf(app)), slot: 'api' }),
  'network.test': networkOf,
  'network.remove': networkOf,
  'receiver.refusals': nothing,
  'receiver.state': nothing,
  'receiver.start': nothing,
  'receiver.stop': nothing,
  'receiver.rotateToken': nothing,
  'secrets.state': nothing,
  'secrets.useSessionOnly': nothing,
  'secrets.retryKeychain': nothing,
  'webhookToken.list': nothing,
  'webhookToken.add': async (app) => {
    // The tests must not write to the keychain of this computer.
    await app.request('secrets.useSessionOnly')
    return { label: 'shop', token: 'a-token-of-some-length' }
  },
  'webhookToken.remove': () => ({ id: 'of-no-token' }),
  'settings.get': nothing,
  'settings.change': () => ({ appearance: { theme: 'dark' } }),
}

test('every route has a case in this file or is tested elsewhere', () => {
  const isElsewhere = (name: string) => elsewhere.some((room) => name.startsWith(`${room}.`))
  const ours = Object.keys(routes).filter((name) => !isElsewhere(name))
  expect(Object.keys(cases).sort()).toEqual(ours.sort())
})

// All cases share one app: each case creates its own data, and no case after `receiver.stop` sends
// deliveries.
let shared: TestApp
beforeAll(async () => {
  shared = await startApp({
    openFolder: () => Promise.resolve(),
    windows: { open: () => undefined, print: () => Promise.resolve(true) },
  })
})
afterAll(() => shared[Symbol.asyncDispose]())

test.for(Object.keys(cases) as OurRoute[])(
  '%s returns the output of the contract',
  async (name) => {
    const prepare = cases[name] as Prepare<OurRoute>
    const input = await prepare(shared)
    // `checkOutput` is on: an output of another shape would be refused as INTERNAL.
    expect(await shared.envelope(name, input)).toMatchObject({ ok: true })
  },
)

test('a request for a restart calls the host once', async () => {
  let asked = 0
  await using app = await startApp({ restart: () => (asked += 1) })
  await app.request('app.restart')
  expect(asked).toBe(1)
})

test('the app reports its version, host, data directory and process', async () => {
  await using app = await startApp({ host: 'browser', version: '1.2.3' })
  expect(await app.request('app.info')).toMatchObject({
    version: '1.2.3',
    host: 'browser',
    dataDirectory: app.directory,
    processId: process.pid,
    node: process.versions.node,
  })
})

test('browser mode refuses to open or print a window through the app', async () => {
  await using app = await startApp({ receive: false })
  expect(await app.refusal('window.open', { hash: '#/overview' })).toBe('DESKTOP_UNAVAILABLE')
  expect(await app.refusal('window.print')).toBe('DESKTOP_UNAVAILABLE')
})

test('a host that shows no folders reports so, and refuses to open the log’s folder', async () => {
  await using app = await startApp({ receive: false })
  expect(await app.request('log.list', {})).toMatchObject({ canOpenFolder: false })
  expect(await app.refusal('log.openFolder')).toBe('DESKTOP_UNAVAILABLE')
})

test('requests for a capture that does not exist get CAPTURE_NOT_FOUND', async () => {
  await using app = await startApp({ receive: false })
  for (const name of ['capture.get', 'capture.body'] as const) {
    expect(await app.refusal(name, { id: 77 })).toBe('CAPTURE_NOT_FOUND')
  }
  expect(await app.refusal('capture.snippet', { id: 77, language: 'posix' })).toBe(
    'CAPTURE_NOT_FOUND',
  )
  expect(await app.refusal('capture.note', { id: 77, note: '' })).toBe('CAPTURE_NOT_FOUND')
})
