/** Tests the deliveries of a webhook with the real sandbox, receiver and database. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { createDeliveries } from '../../../src-main/captures/store/deliveries.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { roundDelay } from '../../../src-main/webhooks/history/delivery-health.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'

const network = 'sandbox'
let app: TestApp
let webhook = ''

beforeAll(async () => {
  app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  const steps = await app.request('sandbox.doStep', { step: 'webhook' })
  webhook = String(steps.webhook?.id)
  await app.request('webhook.list', { network, fresh: true })
  await app.request('sandbox.doStep', { step: 'account' })
  await app.request('sandbox.setPolicy', { retryDelaysMs: [50] })
})
afterAll(() => app[Symbol.asyncDispose]())

const health = async () => {
  const { webhooks } = await app.request('webhook.health', { network })
  const found = webhooks.find((each) => each.webhook === webhook)
  if (found === undefined) throw new Error('no health of the webhook')
  return found
}
const pay = async (count: number) => {
  const before = (await app.request('capture.counts')).total
  for (let sent = 0; sent < count; sent += 1) {
    await app.request('sandbox.send', { from: 'wallet-1', to: 'merchant', amount: '1000000' })
  }
  await app.until(
    async () => (await app.request('capture.counts')).total >= before + count,
    'the deliveries',
  )
}

test('success rate, delays and errors equal a recount of the captures', async () => {
  expect(await health()).toMatchObject({ accepted: 0, failed: 0, delay: null, lastError: null })
  await pay(6)
  // The first count runs while some captures are not explained yet, so their delays must be added later.
  await health()
  const action = { kind: 'answer' as const, status: 500 }
  await app.request('responseRule.save', { action, next: 2 })
  await pay(2)
  await app.until(async () => (await health()).delay?.deliveries === 8, 'the delays')
  await app.classified()

  const database = openDatabase(dataPaths(app.directory).database, { readOnly: true })
  const rows = database
    .prepare(
      `SELECT c.id, c.status, c.received_at / 1000 AS at, m.block_at AS block FROM captures c
       LEFT JOIN capture_meanings m ON m.capture_id = c.id WHERE c.token_id IS NOT NULL`,
    )
    .all() as { id: number; status: number; at: number; block: number | null }[]
  database.close()
  const accepted = rows.filter(({ status }) => status === 200)
  const failed = rows.filter(({ status }) => status !== 200)
  const delays = accepted
    .map(({ at, block }) => roundDelay(Math.max(0, at - (block ?? NaN))))
    .sort((a, b) => a - b)
  const rank = (share: number) => delays[Math.ceil(delays.length * share) - 1]
  const found = await health()
  expect(failed.length).toBeGreaterThan(0)
  expect(found).toMatchObject({
    accepted: accepted.length,
    failed: failed.length,
    delay: { deliveries: accepted.length, p50: rank(0.5), p95: rank(0.95) },
    lastError: {
      text: '500 Internal Server Error',
      capture: Math.max(...failed.map(({ id }) => id)),
    },
  })
  expect(found.failures.reduce((sum, each) => sum + each, 0)).toBe(failed.length)

  const span = { from: Date.now() - 3_600_000, to: Date.now() + 60_000 }
  const errors = await app.request('failure.errors', { network, webhook, ...span })
  expect(errors).toMatchObject({ total: failed.length, isWhole: true, moreGroups: 0 })
  expect(errors.groups).toMatchObject([{ cause: '500', count: failed.length }])
  expect(errors.groups[0]?.account).toMatch(/^0:[0-9a-f]{64}$/)
  const times = failed.map(({ at }) => Math.floor(at))
  expect(errors.groups[0]).toMatchObject({
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
  })
  const attempts = await app.request('capture.list', {
    query: { text: `network:${network} webhook:${webhook} origin:received -status:200` },
  })
  expect(attempts.rows.map(({ id }) => id).sort()).toEqual(failed.map(({ id }) => id).sort())
})

test('a test event arrives like a delivery, is captured as a test, and is not counted', async () => {
  const before = await health()
  const { sender, headers } = await app.request('webhook.testEvent', { network, id: webhook })
  expect(sender).toBe('gateway')
  const { response, capture } = await app.request('webhook.sendTestEvent', { network, id: webhook })
  expect(response).toMatchObject({ status: 200, problem: null })
  await app.classified()
  const found = await app.request('capture.get', { id: capture ?? 0, reveal: true })
  expect(found).toMatchObject({ origin: 'test', token: 'right', kind: 'account_tx', status: 200 })
  expect(found.headers.map(([name]) => name)).toEqual(
    expect.arrayContaining(headers.map(([name]) => name)),
  )
  expect(JSON.stringify(headers)).not.toContain(
    found.headers.find(([name]) => name === 'Authorization')?.[1],
  )
  expect(await health()).toEqual(before)
})

test('the sandbox sends a test event to another endpoint, and its response is shown', async () => {
  await using endpoint = await startEndpoint((_, answer) =>
    answer.writeHead(418, { 'X-Own': 'yes' }).end('short and stout'.padEnd(10_000, '.')),
  )
  const { id } = await app.request('webhook.create', { network, endpoint: endpoint.url })
  const { response, capture } = await app.request('webhook.sendTestEvent', { network, id })
  expect(response).toMatchObject({ status: 418, isCut: true })
  expect(response.headers).toContainEqual(['x-own', 'yes'])
  expect(Buffer.from(response.body, 'base64').toString()).toMatch(/^short and stout/)
  expect(capture).toBeNull()
  expect(endpoint.received).toHaveLength(1)
  const logs = await app.request('webhook.logs', { network, id })
  expect(logs.logs).toEqual([])
  await app.request('webhook.delete', { network, id, endpoint: endpoint.url })
})

test('on another network this computer sends the test event with the token, but never to a private address', async () => {
  await app.until(async () => {
    const { place, problem } = await app.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }, 'the keychain')
  await app.request('secrets.useSessionOnly')
  const { urls, keysFile } = await app.request('sandbox.state')
  const { apiKey } = JSON.parse(readFileSync(keysFile, 'utf8')) as { apiKey: string }
  const roots = { query: urls?.query ?? '', webhooks: urls?.webhooks ?? '' }
  const other = await app.request('network.add', {
    name: 'A real one',
    urls: { ...roots, testnetWebhooks: null, console: null },
    testOnly: false,
  })
  await app.request('network.setSecret', { id: other.id, slot: 'api', secret: apiKey })
  const create = (endpoint: string) =>
    app.request('webhook.create', { network: other.id, endpoint })
  const send = (id: string) => app.request('webhook.sendTestEvent', { network: other.id, id })
  await using endpoint = await startEndpoint((_, answer) => answer.writeHead(202).end())
  const { id } = await create(endpoint.url)
  const { sender, body } = await app.request('webhook.testEvent', { network: other.id, id })
  expect(sender).toBe('direct')
  expect((await send(id)).response).toMatchObject({ status: 202, problem: null })
  const { token } = await app.request('webhook.revealToken', { network: other.id, id })
  const [request] = endpoint.received
  expect(request?.body.toString()).toBe(body)
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'x-tondesk-test': '1',
  })

  // Only the user’s backend gets the event: neither the endpoint nor the receiver gets it.
  await using backend = await startEndpoint()
  const sendTo = (url: string) =>
    app.request('webhook.sendTestEvent', { network: other.id, id, url })
  expect(await sendTo(backend.url)).toMatchObject({ response: { status: 200 }, capture: null })
  expect(backend.received[0]?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'x-tondesk-test': '1',
    'user-agent': 'Tondesk test event',
  })
  expect(endpoint.received).toHaveLength(1)
  expect((await sendTo(await app.hook())).response).toMatchObject({ status: null })

  const inside = await create('http://169.254.169.254/latest')
  const { response } = await send(inside.id)
  expect(response.status).toBeNull()
  expect(response.problem).toMatch(/Tondesk sends nothing there/)
  // The receiver may be tested, although the sender usually refuses it.
  const here = await create(await app.hook())
  const own = await send(here.id)
  expect(own.response.status).toBe(200)
  expect(own.capture).not.toBeNull()
  await app.request('network.remove', { id: other.id })
})

test('the queries of deliveries use an index, never a full scan', () => {
  const paths = dataPaths(app.directory)
  using database = openDatabase(paths.database, { readOnly: true })
  using index = openDatabase(paths.index, { readOnly: true })
  const texts: string[] = []
  const listening = new Proxy(database, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name) as unknown
      return (text: string) => {
        texts.push(text)
        return target.prepare(text)
      }
    },
  })
  const deliveries = createDeliveries(listening, index)
  deliveries.attempts(1, 10)
  ;[...deliveries.failed('token', 0, 1, 10)].flat()
  const plans = texts.map((text) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map((row) => String(row['detail']))
      .join('; '),
  )
  expect(plans).toEqual([
    expect.stringMatching(/^SEARCH c USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\); /),
    expect.stringMatching(
      /^SEARCH c USING INDEX captures_by_time \(received_at>\? AND received_at<\?\); /,
    ),
  ])
  expect(plans.join()).not.toMatch(/SCAN|TEMP B-TREE/)
})
