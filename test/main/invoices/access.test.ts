/** Tests access to invoices on the real sandbox, and on a gateway that allows less to a token. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNetworkSecrets } from '../../../src-main/secrets/network-secrets.ts'
import type { NetworkSecretRecord } from '../../../src-main/networks/store/networks.ts'
import type { InvoiceAccess } from '../../../src-preload/contract/invoice-access.ts'
import type { InvoiceJob } from '../../../src-preload/contract/invoice-job.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type GatewayProxy, startGatewayProxy } from '../../fixtures/gateway-proxy.ts'

const sandbox = { network: 'sandbox' }
let app: TestApp
let proxy: GatewayProxy
/** The same gateway as a second network, through the proxy. */
let other = { network: '' }

const statesOf = ({ steps }: InvoiceAccess) =>
  Object.fromEntries(steps.map(({ id, state }) => [id, state]))

async function running(): Promise<void> {
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'a start')
}

beforeAll(async () => {
  app = await startApp({ startSandbox: true, sandboxPort: 0 })
  await app.request('secrets.useSessionOnly')
  await running()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const done = { account: 'done', project: 'done', granted: 'done' }

test('the steps of invoice access are completed in order on the sandbox, each depends on the former, and the token is found', async () => {
  const first = await app.request('invoiceAccess.read', sandbox)
  expect(statesOf(first)).toEqual({ ...done, application: 'done', token: 'done', webhook: 'open' })
  const step = (id: 'account' | 'project' | 'granted', isDone: boolean) =>
    app.request('invoiceAccess.setStep', { ...sandbox, step: id, done: isDone })
  expect(statesOf(await step('account', false))).toEqual({
    account: 'done',
    project: 'open',
    granted: 'blocked',
    application: 'blocked',
    token: 'blocked',
    webhook: 'blocked',
  })
  // Without access, the sandbox reports no token at its start.
  await app.request('sandbox.restart')
  await running()
  expect(
    await app.refusal('invoiceAccess.setStep', { ...sandbox, step: 'granted', done: true }),
  ).toBe('INVOICE_ACCESS_NOT_YET')
  const sent = await step('project', true)
  expect(statesOf(sent)).toMatchObject({ project: 'done', granted: 'waiting', token: 'blocked' })
  expect(sent.token).toBeNull()
  // These steps have no effect on the other network.
  for (const { text } of sent.steps) expect(text).not.toMatch(/section of|keychain|127\.0\.0\.1/)
  expect(await app.refusal('invoiceAccess.token', sandbox)).toBe('INVOICE_NO_ACCESS')
  const granted = await step('granted', true)
  expect(statesOf(granted)).toEqual(statesOf(first))
  expect(granted.token).toMatchObject({ hint: first.token?.hint, present: true })
  expect(statesOf(await step('granted', false))).toMatchObject({ granted: 'open' })
  expect(statesOf(await step('granted', true))).toEqual(statesOf(first))
})

test('application and webhooks are changed, and a wrong recipient is refused with its field', async () => {
  const { application, receiverUrl } = await app.request('invoiceAccess.read', sandbox)
  const recipient = application?.recipient ?? ''
  const form = { ...sandbox, name: 'Tea & more', description: 'чай', recipient }
  const changed = await app.request('invoiceAccess.setApplication', form)
  expect(changed.application).toMatchObject({ name: 'Tea & more', description: 'чай', recipient })
  const testOnly = `kQ${'A'.repeat(42)}AHTW`
  for (const wrong of ['nowhere', testOnly]) {
    const refused = await app.envelope('invoiceAccess.setApplication', {
      ...form,
      recipient: wrong,
    })
    expect(refused).toMatchObject({ error: { data: [{ path: 'recipient' }] } })
  }
  const added = await app.request('invoiceAccess.addWebhook', { ...sandbox, url: receiverUrl })
  expect(statesOf(added)).toMatchObject({ webhook: 'done' })
  const [webhook] = added.application?.webhooks ?? []
  expect(webhook).toMatchObject({ url: receiverUrl, isHere: true })
  const removed = { ...sandbox, id: webhook?.id ?? '' }
  const after = await app.request('invoiceAccess.removeWebhook', removed)
  expect(after.application?.webhooks).toEqual([])
})

async function ended(job: InvoiceJob): Promise<InvoiceJob> {
  const get = () => app.job('invoiceJob', job.id)
  await app.until(async () => (await get()).state !== 'running', 'the job')
  return get()
}

test('a rotated token is used at once: invoices of a file are issued, exported and cancelled with it', async () => {
  const before = (await app.request('invoiceAccess.token', sandbox)).token
  await app.request('invoiceAccess.rotateToken', sandbox)
  const { token } = await app.request('invoiceAccess.token', sandbox)
  expect(token).not.toBe(before)
  const text = "amount;description\n12,5;'=1+1\n3,25;чай\n"
  const usual = { currency: 'USDT', lifeTimeSeconds: 3600 } as const
  const draft = await app.request('invoiceIssue.draftFile', { ...sandbox, text, ...usual })
  expect(draft).toMatchObject({ valid: 2, totals: [{ currency: 'USDT', amount: '15750000' }] })
  const job = await ended(await app.request('invoiceIssue.start', { draft: draft.id }))
  expect(job).toMatchObject({ state: 'done', done: 2 })
  const file = await app.request('invoiceIssue.export', { id: job.id })
  const { base64 } = await app.request('export.read', { id: file.id, offset: 0 })
  const csv = Buffer.from(base64, 'base64').toString()
  expect(csv).toMatch(/^\ufeffid,link,amount,currency,description,expires,order_reference\r\n/)
  expect(csv).toMatch(/,12\.5,USDT,'=1\+1,\d{4}-\d\d-\d\dT/)
  const { items } = await app.request('invoiceJob.items', { id: job.id, offset: 0, limit: 10 })
  const ids = items.map(({ invoice }) => invoice ?? '')
  expect(await app.request('invoice.get', { ...sandbox, id: ids[0] ?? '' })).toMatchObject({
    status: 'pending',
    firstSource: 'created-here',
    description: '=1+1',
  })
  const cancel = await app.request('invoiceCancel.start', { ...sandbox, invoices: { ids } })
  expect(await ended(cancel)).toMatchObject({ kind: 'cancel', state: 'done', done: 2 })
  const told = JSON.stringify(app.events)
  expect(told).toContain('invoiceAccess.changed')
  expect(told).not.toContain(token)
})

test('for a gateway that hides the application from tokens, the steps in the console are explained and confirmed by the user', async () => {
  const { urls } = await app.request('sandbox.state')
  if (urls === null) throw new Error('The sandbox has gone.')
  proxy = await startGatewayProxy(new URL(urls.console).origin)
  const roots = { query: urls.query, webhooks: urls.webhooks, testnetWebhooks: null }
  const added = await app.request('network.add', {
    name: 'Shop',
    testOnly: false,
    urls: { ...roots, console: proxy.origin + new URL(urls.console).pathname.replace(/\/$/, '') },
  })
  other = { network: added.id }
  const bare = await app.request('invoiceAccess.read', other)
  expect(statesOf(bare)).toMatchObject({ account: 'open', project: 'blocked', token: 'open' })
  expect(proxy.calls).toEqual([])
  const sent = { ...other, step: 'project', done: true } as const
  expect(statesOf(await app.request('invoiceAccess.setStep', sent))).toMatchObject({
    account: 'done',
    project: 'done',
    granted: 'waiting',
  })
  const taken = { ...other, step: 'account', done: false } as const
  expect(statesOf(await app.request('invoiceAccess.setStep', taken))).toMatchObject(statesOf(bare))
  const ids = { ...other, appId: '1', projectId: '1' }
  expect(await app.request('invoiceAccess.setIds', ids)).toMatchObject({ appId: '1' })

  const { token } = await app.request('invoiceAccess.token', sandbox)
  const give = (secret: string) =>
    app.request('network.setSecret', { id: other.network, slot: 'invoices', secret })
  await give('TC-INVOICES_another')
  expect(statesOf(await app.request('invoiceAccess.read', other))).toMatchObject({ token: 'open' })
  await give(token)
  proxy.judge = ({ path }) => (path.includes('/app') ? { status: 401, body: {} } : 'pass')
  const closed = await app.request('invoiceAccess.read', other)
  expect(closed).toMatchObject({ canManage: false, application: null, problem: null })
  expect(statesOf(closed)).toEqual({
    ...done,
    application: 'done',
    token: 'done',
    webhook: 'unknown',
  })

  // Unlike in the public document, the list requires the id: without it the steps are open.
  const isOfApp = (path: string) => new URLSearchParams(path.split('?')[1]).has('app_id')
  proxy.judge = ({ method, path }) => {
    if (path.includes('/app?') || path.endsWith('/app')) return { status: 401, body: {} }
    const isList = method === 'GET' && path.includes('?') && path.includes('/invoices?')
    if (!isList || isOfApp(path)) return 'pass'
    return { status: 400, body: { error: 'missing required parameter app_id' } }
  }
  const nameless = await app.request('invoiceAccess.setIds', { ...ids, appId: null })
  expect(statesOf(nameless)).toMatchObject({ application: 'open', token: 'done' })
  expect(nameless.steps.find(({ id }) => id === 'application')?.text).toContain('App ID')
  const unlisted = await app.envelope('invoiceSync.run', other)
  expect(JSON.stringify(unlisted)).toContain('Invoices › Set up › App ID')
  expect(statesOf(await app.request('invoiceAccess.setIds', ids))).toEqual(statesOf(closed))

  const url = { ...other, url: 'https://example.com/hook' }
  const refused = await app.envelope('invoiceAccess.addWebhook', url)
  expect(refused).toMatchObject({ error: { code: 'INVOICE_ACCESS_NOT_HERE' } })
  expect(JSON.stringify(refused)).toContain('Overview page')
  proxy.judge = () => 'pass'
  expect(await app.request('invoiceAccess.read', other)).toMatchObject({ canManage: true })
})

test('a rotation stores the new token; if its response is lost, an error says that the old token no longer works', async () => {
  const before = (await app.request('invoiceAccess.token', other)).token
  const rotated = await app.request('invoiceAccess.rotateToken', other)
  const after = (await app.request('invoiceAccess.token', other)).token
  expect(after).not.toBe(before)
  expect(rotated).toMatchObject({ problem: null, token: { hint: after.slice(-4) } })
  expect(statesOf(rotated)).toMatchObject({ token: 'done' })
  proxy.judge = ({ method, path }) =>
    method === 'PATCH' && path.includes('/token') ? 'lose' : 'pass'
  const lost = await app.envelope('invoiceAccess.rotateToken', other)
  expect(lost).toMatchObject({ error: { code: 'GATEWAY_FAILED' } })
  expect(JSON.stringify(lost)).toContain('the old token no longer works')
  expect(statesOf(await app.request('invoiceAccess.read', other))).toMatchObject({ token: 'open' })
  // The sandbox's token comes from its own control API, so its access keeps working.
  expect(statesOf(await app.request('invoiceAccess.read', sandbox))).toMatchObject({
    token: 'done',
  })
})

test('a new token that the keychain refuses is used, and stored when the keychain works again', async () => {
  const kept = new Map<string, string>()
  let isWell = true
  const records = new Map<string, NetworkSecretRecord>()
  const secrets = createNetworkSecrets({
    secrets: {
      get: (name) => Promise.resolve(kept.get(name) ?? null),
      set: (name, secret) =>
        isWell ? Promise.resolve(void kept.set(name, secret)) : Promise.reject(new Error('locked')),
      delete: (name) => Promise.resolve(void kept.delete(name)),
    },
    records: {
      list: () => [...records.values()],
      set: (record) => void records.set(record.slot, record),
      remove: (_, slot) => void records.delete(slot),
    },
    originsOf: () => null,
    withheld: { list: () => [], set: () => undefined },
    now: () => 1,
  })
  await secrets.set('mainnet', 'invoices', 'token-0001')
  isWell = false
  secrets.hold('mainnet', 'invoices', 'token-0002')
  await secrets.reload()
  expect(secrets.get('mainnet', 'invoices')).toBe('token-0002')
  expect(secrets.kept('mainnet').invoices).toMatchObject({ hint: '0002', present: true })
  isWell = true
  await secrets.reload()
  expect([...kept.values()]).toEqual(['token-0002'])
})
