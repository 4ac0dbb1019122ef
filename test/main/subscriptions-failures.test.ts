/** Deliveries that fail, on the real sandbox: counted, explained, told once, and over. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Notice } from '../../src-preload/contract/app.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { type Endpoint, answering, startEndpoint } from '../fixtures/endpoint.ts'

const network = 'sandbox'
const directory = temporaryDirectory()
let app: TestApp
let endpoint: Endpoint
let webhook: Webhook
let account: string

async function start(): Promise<TestApp> {
  const started = await startApp({
    dataDirectory: directory.path,
    startSandbox: true,
    sandboxPort: 0,
  })
  await started.until(
    async () => (await started.request('sandbox.state')).status === 'running',
    'sandbox',
  )
  return started
}

/** The gateway itself, as a backend of the person's own would ask it. */
async function subscribe(id: string, wallet: string): Promise<string> {
  const { wallets } = await app.request('sandbox.chain', {})
  const address = wallets.find(({ name }) => name === wallet)?.address ?? ''
  const { urls, keysFile } = await app.request('sandbox.state')
  const keys = JSON.parse(readFileSync(keysFile, 'utf8')) as { apiKey: string }
  const response = await fetch(`${urls?.webhooks ?? ''}/webhooks/${id}/account-tx/subscribe`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ accounts: [{ account_id: address }] }),
  })
  expect(response.status).toBe(200)
  return address
}

beforeAll(async () => {
  endpoint = await startEndpoint(answering(500))
  app = await start()
  await app.request('settings.change', { monitoring: { failedAttempts: 1 } })
  webhook = await app.request('webhook.create', { network, endpoint: `${endpoint.url}/my-secret` })
  account = await subscribe(webhook.id, 'merchant')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await endpoint[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

const like = (pattern: RegExp) => expect.stringMatching(pattern) as string
const ours = ({ id }: Notice) => id.startsWith(`webhook.${network}.${webhook.id}.`)
const notices = async () => (await app.request('notice.list')).filter(ours)
const told = () => {
  app.app.events.flush()
  return app.events.flatMap(({ name, payload }) =>
    name === 'notification.raised' ? [payload] : [],
  )
}
const row = async () => {
  const page = { offset: 0, limit: 10 }
  const { rows } = await app.request('subscription.list', { network, webhook: webhook.id, ...page })
  return rows[0]
}
const explain = () => app.request('failure.explain', { network, webhook: webhook.id, account })
const round = () => app.request('sampler.run', { network })
/** Rounds by hand until one shows it. */
const rounds = (shows: () => Promise<boolean>, what: string) =>
  app.until(async () => {
    await round()
    return shows()
  }, what)
/** Everything that waits is tried again, so that no test waits for the retry. */
const hurry = () => app.request('webhook.backOnline', { network, id: webhook.id })

test('failed deliveries are told once, counted against the chain and explained', async () => {
  for (let sent = 0; sent < 3; sent += 1) {
    await app.request('sandbox.send', { from: 'wallet-1', to: 'merchant', amount: '1000000' })
  }
  await endpoint.arrived(1)
  await rounds(async () => (await row())?.isFailing === true, 'failing')
  await round()
  expect(await notices()).toMatchObject([
    { level: 'warning', title: like(/^Deliveries to .* fail for /) },
  ])
  expect(told()).toMatchObject([{ network, webhook: webhook.id }])
  expect(JSON.stringify([await notices(), told()])).not.toContain('my-secret')

  const { rows: history } = await app.request('account.history', { network, address: account })
  const failed = history.at(-1)
  expect((await row())?.lag).toMatchObject({ transactions: 3, more: false })
  const explanation = await explain()
  expect(explanation).toMatchObject({
    failedLt: failed?.lt,
    transaction: { hash: failed?.hash, sentence: like(/merchant/) },
    logsProblem: null,
    transactionProblem: null,
    seen: { what: 'elsewhere' },
    cause: like(/responds with 500/),
  })
  expect(explanation.logs[0]?.message).toContain('500')

  const attempts = endpoint.received.length
  endpoint.answer = answering(401)
  await hurry()
  await endpoint.arrived(attempts + 1)
  await rounds(async () => /token/.test((await explain()).cause), '401')
  expect((await explain()).steps[0]?.act).toBe('rotate-token')
  // U17: the log stood in the order of nearness to the failure: 22, 21, 24, 19 s ago.
  const times = (await explain()).logs.map(({ at }) => at ?? 0)
  expect(times.length).toBeGreaterThan(1)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
})

test('a shown notice has a new label within a second, without another notification', async () => {
  const before = told().length
  const label = { network, address: account, note: '' }
  await app.request('label.set', { ...label, name: 'Till 3' })
  const isRenewed = async () => (await notices()).some(({ title }) => title.includes('Till 3'))
  await expect.poll(isRenewed, { timeout: 1000 }).toBe(true)
  await app.request('label.set', { ...label, name: 'merchant' })
  expect(told()).toHaveLength(before)
})

test('what cannot be read is said, and costs nobody the rest', async () => {
  const faults = (['webhooks', 'query'] as const).map((root) => ({
    root,
    kind: 'status' as const,
    status: 501,
  }))
  await app.request('sandbox.setFaults', { faults })
  expect(await explain()).toMatchObject({
    logs: [],
    logsProblem: like(/501/),
    transaction: null,
    transactionProblem: like(/501/),
  })
  await app.request('sandbox.setFaults', { faults: [] })
})

test('a delivery that this receiver refused is found among its captures', async () => {
  const hook = await app.hook()
  // A tunnel that leaves out what it does not know.
  await using tunnel = await startEndpoint(({ path, body }, response) => {
    void fetch(new URL(path, hook), { method: 'POST', body }).then(({ status }) =>
      response.writeHead(status).end(),
    )
  })
  const receiver = { rejectWrongToken: true, publicUrl: tunnel.url }
  await app.request('settings.change', { receiver })
  await app.request('sandbox.setPolicy', { retryDelaysMs: [600_000] })
  const endpoint = tunnel.url + new URL(hook).pathname
  const { id, isHere } = await app.request('webhook.create', { network, endpoint })
  expect(isHere).toBe(true)
  const payee = await subscribe(id, 'wallet-2')
  // The same event is taken here for another webhook.
  const beside = await app.request('webhook.create', { network, endpoint: hook })
  await subscribe(beside.id, 'wallet-2')
  await app.request('sandbox.send', { from: 'wallet-1', to: 'wallet-2', amount: '1000000' })
  await app.until(async () => (await app.request('capture.counts')).total === 2, 'the deliveries')
  const captures = await app.classified()
  expect(captures.map(({ status }) => status).sort()).toEqual([200, 401])
  const capture = captures.find(({ status }) => status === 401)

  const why = () => app.request('failure.explain', { network, webhook: id, account: payee })
  await rounds(async () => /token/.test((await why().catch(() => null))?.cause ?? ''), 'failing')
  const { seen, cause, steps } = await why()
  expect(seen).toMatchObject({
    what: 'unauthorized',
    captures: [{ id: capture?.id, status: 401, receivedAt: capture?.receivedAt }],
  })
  expect(cause).toMatch(/receiver rejects/)
  expect(steps.map(({ act }) => act)).toEqual(
    expect.arrayContaining(['rotate-token', 'receiver-settings', 'open-capture']),
  )
  await app.request('webhook.delete', { network, id, endpoint })
  await app.request('webhook.delete', { network, id: beside.id, endpoint: hook })
})

test('a matter that is turned off is gone at once, and so is one turned on again there', async () => {
  const count = told().length
  await app.request('settings.change', { monitoring: { failing: false } })
  await app.until(async () => (await notices()).length === 0, 'no notice')
  await app.request('settings.change', { monitoring: { failing: true, native: false } })
  await app.until(async () => (await notices()).length === 1, 'the notice')
  expect(told()).toHaveLength(count)
})

test('after a restart it is shown, but not told again; the recovery is told once', async () => {
  await app.request('settings.change', { monitoring: { native: true } })
  await app[Symbol.asyncDispose]()
  app = await start()
  await round()
  expect(await notices()).toHaveLength(1)
  expect(told()).toEqual([])

  const attempts = endpoint.received.length
  endpoint.answer = answering(200)
  await hurry()
  await endpoint.arrived(attempts + 3)
  await rounds(async () => (await row())?.isFailing === false, 'recovery')
  await rounds(async () => (await row())?.lastDeliveredLt !== '0', 'delivery')
  expect(await notices()).toMatchObject([{ level: 'info', title: like(/succeed again$/) }])
  expect(told()).toMatchObject([{ title: like(/succeed again$/) }])
  await round()
  expect(told()).toHaveLength(1)
  expect(await explain()).toMatchObject({ cause: like(/recovered/) })
})

test('a webhook that goes offline is told of, and a reset leaves no notice', async () => {
  endpoint.answer = answering(500)
  await app.request('sandbox.setClock', { mode: 'virtual' })
  const attempts = endpoint.received.length
  await app.request('sandbox.send', { from: 'wallet-1', to: 'merchant', amount: '1000000' })
  await endpoint.arrived(attempts + 1)
  // Its chain is two days ahead of this computer's clock from here on.
  await app.request('sandbox.advance', { byMs: 2 * 86_400_000 })
  const levels = async () => (await notices()).map(({ level }) => level)
  await rounds(async () => (await levels()).includes('alarm'), 'offline')
  const offline = (await notices()).find(({ level }) => level === 'alarm')
  expect(offline?.title).toBe(`Webhook to 127.0.0.1:${endpoint.port} is offline`)
  expect((await explain()).steps.map(({ act }) => act)).toContain('back-online')
  await app.request('sandbox.reset')
  expect(await notices()).toEqual([])
})
