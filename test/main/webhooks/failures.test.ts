/**
 * Tests failing deliveries on the real sandbox: counted, explained, and one incident until the recovery.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import type { Incident } from '../../../src-preload/contract/incident.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Endpoint, respondWith, startEndpoint } from '../../fixtures/endpoint.ts'

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

/** Subscribes at the gateway itself, as the user’s own backend would. */
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
  endpoint = await startEndpoint(respondWith(500))
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
async function incidents(open = true): Promise<Incident[]> {
  const page = { offset: 0, limit: 10 }
  const found = await app.request('incident.list', { network, open, ...page })
  return found.incidents.filter(({ subject }) => subject === `webhook:${webhook.id}`)
}
const notifications = () => {
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
/** Triggers rounds until one of them shows the condition. */
const rounds = (shows: () => Promise<boolean>, what: string) =>
  app.until(async () => {
    await round()
    return shows()
  }, what)
/** All waiting deliveries are retried, so that no test waits for the schedule. */
test('a text names an account as the window does: by its name, otherwise by its friendly address', async () => {
  const contract = `0:${'ab'.repeat(32)}`
  const { wallets } = await app.request('sandbox.chain', {})
  const wallet = wallets.find(({ name }) => name === 'wallet-9')?.address ?? ''
  const message = async (of: string) => {
    const input = { network, webhook: webhook.id, account: of }
    const answer = await app.envelope('failure.explain', input)
    return answer.ok ? '' : answer.error.message
  }
  expect(await message(wallet)).toContain('subscription to wallet-9.')
  const friendly = formatFriendly(contract, { bounceable: true, testOnly: false })
  expect(await message(contract)).toContain(
    `subscription to ${friendly.slice(0, 6)}…${friendly.slice(-4)}.`,
  )
  await app.request('label.set', { network, address: wallet, name: 'Till 9' })
  expect(await message(wallet)).toContain('subscription to Till 9.')
  await app.request('label.set', { network, address: wallet, name: '' })
})

const hurry = () => app.request('webhook.backOnline', { network, id: webhook.id })

test('failed deliveries are one incident, with their delay and explanation', async () => {
  for (let sent = 0; sent < 3; sent += 1) {
    await app.request('sandbox.send', { from: 'wallet-1', to: 'merchant', amount: '1000000' })
  }
  await endpoint.arrived(1)
  await rounds(async () => (await row())?.isFailing === true, 'failing')
  await round()
  expect(await incidents()).toMatchObject([
    {
      network,
      kind: 'failing',
      level: 'warning',
      wellSince: null,
      snoozedUntil: null,
      title: like(/^Deliveries to .* fail for merchant$/),
      cause: like(/: deliveries for merchant fail\. .*responds with 500/),
    },
  ])
  expect(notifications()).toMatchObject([{ network, subject: `webhook:${webhook.id}` }])
  expect(JSON.stringify([await incidents(), notifications()])).not.toContain('my-secret')

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

  // Without a watched account the summary lists subscribed accounts; with one, only watched
  // accounts.
  const summary = () => app.request('subscription.summary', { network })
  const failing = { webhook: webhook.id, account, isFailing: true }
  expect(await summary()).toMatchObject({ watched: 0, rows: [failing], isLoaded: true })
  const { failedAttempts } = await summary()
  expect(failedAttempts).toHaveLength(24)
  // Hours before the first sample are unknown, not zero.
  expect([failedAttempts[0], failedAttempts.at(-1) ?? failedAttempts.at(-2)]).toEqual([null, 0])
  const calm = await subscribe(webhook.id, 'wallet-3')
  await app.request('subscription.refresh', { network, webhook: webhook.id })
  await app.until(async () => (await summary()).rows.length === 2, 'both accounts')
  const watch = (accounts: string[]) =>
    app.request('subscription.watch', { network, webhook: webhook.id, accounts, watched: true })
  await watch([calm])
  expect(await summary()).toMatchObject({ watched: 1, rows: [{ account: calm }] })
  await watch([account])
  expect(await summary()).toMatchObject({ watched: 2, rows: [failing, { account: calm }] })

  const attempts = endpoint.received.length
  endpoint.answer = respondWith(401)
  await hurry()
  await endpoint.arrived(attempts + 1)
  await rounds(async () => /token/.test((await explain()).cause), '401')
  expect((await explain()).steps[0]?.act).toBe('rotate-token')
  // Earlier, the log was sorted by distance from the failure: 22, 21, 24, 19 s ago.
  const times = (await explain()).logs.map(({ at }) => at ?? 0)
  expect(times.length).toBeGreaterThan(1)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
})

test('an incident shows a changed label at once, without another notification', async () => {
  const before = notifications().length
  const label = { network, address: account, note: '' }
  await app.request('label.set', { ...label, name: 'Till 3' })
  const isRenewed = async () => (await incidents()).some(({ title }) => title.includes('Till 3'))
  await expect.poll(isRenewed).toBe(true)
  await app.request('label.set', { ...label, name: 'merchant' })
  expect(notifications()).toHaveLength(before)
})

test('unreadable parts of an explanation are reported, and the other parts are shown', async () => {
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

test('a delivery that this receiver rejected is found among its captures', async () => {
  const hook = await app.hook()
  // The tunnel forwards only the body.
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
  // The receiver gets the same event for another webhook.
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

test('an incident that a setting hides closes without a recovery, and is a new incident when shown again', async () => {
  const count = notifications().length
  const [first] = await incidents()
  await app.request('settings.change', { monitoring: { failing: false } })
  await app.until(async () => (await incidents()).length === 0, 'no incident')
  expect(await incidents(false)).toMatchObject([{ id: first?.id, wellSince: null }])
  await app.request('settings.change', { monitoring: { failing: true, native: false } })
  await app.until(async () => (await incidents()).length === 1, 'the incident')
  expect(notifications()).toHaveLength(count)
})

test('an incident is the same after a restart, is not notified again, can be snoozed, and recovers', async () => {
  await app.request('settings.change', { monitoring: { native: true } })
  const id = (await incidents())[0]?.id ?? 0
  await app.request('incident.snooze', { id, until: 'fixed' })
  await app[Symbol.asyncDispose]()
  app = await start()
  await round()
  expect(await incidents()).toMatchObject([{ id, snoozedUntil: 'fixed' }])
  await app.request('incident.snooze', { id, until: null })
  expect(notifications()).toEqual([])
  expect(await app.refusal('incident.snooze', { id: id + 99, until: 'day' })).toBe(
    'INCIDENT_UNKNOWN',
  )

  const attempts = endpoint.received.length
  endpoint.answer = respondWith(200)
  await hurry()
  await endpoint.arrived(attempts + 3)
  await rounds(async () => (await row())?.isFailing === false, 'recovery')
  await rounds(async () => (await row())?.lastDeliveredLt !== '0', 'delivery')
  // The incident closes when this state lasts.
  await rounds(async () => (await incidents())[0]?.wellSince !== null, 'the recovery')
  expect(await incidents()).toMatchObject([{ id }])
  expect(notifications()).toEqual([])
  expect(await explain()).toMatchObject({ cause: like(/recovered/) })
})

test('the incident of a webhook that goes offline grows, and a reset of the sandbox closes it', async () => {
  endpoint.answer = respondWith(500)
  await app.request('sandbox.setClock', { mode: 'virtual' })
  const attempts = endpoint.received.length
  await app.request('sandbox.send', { from: 'wallet-1', to: 'merchant', amount: '1000000' })
  await endpoint.arrived(attempts + 1)
  const id = (await incidents())[0]?.id ?? 0
  // After this, the chain is two days ahead of this computer’s clock.
  await app.request('sandbox.advance', { byMs: 2 * 86_400_000 })
  await rounds(async () => (await incidents())[0]?.kind === 'offline', 'offline')
  const title = `Webhook to 127.0.0.1:${endpoint.port} is offline`
  expect(await incidents()).toMatchObject([{ id, level: 'alarm', title }])
  expect(notifications()).toMatchObject([{ id: `incident.${id}`, title }])
  expect((await explain()).steps.map(({ act }) => act)).toContain('back-online')
  await app.request('sandbox.reset')
  expect(await incidents()).toEqual([])
})
