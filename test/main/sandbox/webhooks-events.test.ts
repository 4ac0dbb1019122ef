import { expect, test } from 'vitest'
import type { ExecutedTransaction } from '../../../src-main/sandbox/chain/chain.ts'
import { advanceClock, startTime } from '../../fixtures/deliveries.ts'
import { type Endpoint, respondWith, startEndpoint } from '../../fixtures/endpoint.ts'
import { type TestWebhooks, account, openWebhooks } from '../../fixtures/webhooks.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const iso = (ms: number) => new Date(ms).toISOString()

function tx(of: number, lt: bigint | number, more: Partial<ExecutedTransaction> = {}) {
  return { account: account(of), lt: BigInt(lt), hash: hashOf(lt), ...more }
}

function hashOf(lt: bigint | number): string {
  return BigInt(lt).toString(16).padStart(64, '0')
}

/** Returns the received requests as `event:account:lt`. */
function heard({ received }: Endpoint): string[] {
  return received.map(({ body }) => {
    const { event_type, account_id, lt } = JSON.parse(body) as Record<string, unknown>
    return `${String(event_type)}:${Number(`0x${String(account_id).slice(2)}`)}:${String(lt)}`
  })
}

async function subscribe(api: TestWebhooks, id: number, ...accounts: number[]): Promise<void> {
  const body = { accounts: accounts.map((number) => ({ account_id: account(number) })) }
  expect((await api.post(`/webhooks/${id}/account-tx/subscribe`, body)).status).toBe(200)
}

async function unsubscribe(api: TestWebhooks, id: number, ...accounts: number[]): Promise<void> {
  const body = { accounts: accounts.map(account) }
  expect((await api.post(`/webhooks/${id}/account-tx/unsubscribe`, body)).status).toBe(200)
}

async function subscriptions(api: TestWebhooks, id: number): Promise<unknown> {
  return (await api.get(`/webhooks/${id}/account-tx/subscriptions`)).body[
    'account_tx_subscriptions'
  ]
}

async function webhook(api: TestWebhooks, id: number): Promise<unknown> {
  const list = (await api.get('/webhooks')).body['webhooks'] as { id: number }[]
  return list.find((one) => one.id === id)
}

test('a transaction is delivered to the webhooks that subscribed its account, byte for byte, with their tokens', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const first = await api.create(`${endpoint.url}/first`)
  const second = await api.create(`${endpoint.url}/second`)
  await api.create(`${endpoint.url}/third`)
  await subscribe(api, first, 1, 2)
  await subscribe(api, second, 1)
  await api.settle(tx(1, 2n ** 62n + 1n), tx(3, 2n ** 62n + 2n))
  const body =
    `{"event_type":"account_tx","account_id":"${account(1)}",` +
    `"lt":4611686018427387905,"tx_hash":"${hashOf(2n ** 62n + 1n)}"}`
  const list = (await api.get('/webhooks')).body['webhooks'] as { token: string }[]
  const received = endpoint.received
    .map(({ path, body, headers }) => ({ path, body, authorization: headers.authorization }))
    .toSorted((a, b) => a.path.localeCompare(b.path))
  expect(received).toEqual([
    { path: '/first', body, authorization: `Bearer ${list[0]?.token}` },
    { path: '/second', body, authorization: `Bearer ${list[1]?.token}` },
  ])
  expect(await subscriptions(api, second)).toEqual([
    { account_id: account(1), last_delivered_lt: 2n ** 62n + 1n, failed_attempts: 0 },
  ])
})

test('opcodes match exactly, zero and the highest included, in incoming and outgoing messages', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x0`)
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0xFFFFFFFF`)
  await api.settle(
    tx(1, 1, { inOpcode: 0 }),
    tx(2, 2, { inOpcode: null }),
    tx(3, 3, { inOpcode: 0xffffffff }),
    tx(4, 4, { inOpcode: 0xfffffffe }),
    // This is one event, even if several of its messages have the opcode.
    tx(5, 5, { inOpcode: 3, outOpcodes: [0, 7, 0] }),
  )
  const expected = ['opcode_msg:1:1', 'opcode_msg:3:3', 'opcode_msg:5:5']
  expect(heard(endpoint).toSorted()).toEqual(expected)
})

test('account, opcode and new-contract events are delivered only to their subscriptions', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1)
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x7`)
  await api.post(`/webhooks/${id}/subscribe-new-contracts`)
  await api.settle(
    tx(1, 1, { inOpcode: 7, deployed: true }),
    tx(1, 2),
    tx(2, 3, { deployed: true }),
  )
  expect(heard(endpoint).filter((one) => one.includes(':1:'))).toEqual([
    'account_tx:1:1',
    'opcode_msg:1:1',
    'new_contracts:1:1',
    'account_tx:1:2',
  ])
  expect(heard(endpoint).filter((one) => one.includes(':2:'))).toEqual(['new_contracts:2:3'])
  await api.post(`/webhooks/${id}/unsubscribe-new-contracts`)
  await api.post(`/webhooks/${id}/unsubscribe-msg-opcode/0x00000007`)
  await unsubscribe(api, id, 1)
  await api.settle(tx(1, 4, { inOpcode: 7, deployed: true }))
  expect(endpoint.received).toHaveLength(5)
})

test('the events of an account arrive in the order of their lt, over blocks, failures and kinds of event', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1, 2, 3)
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x7`)
  let count = 0
  endpoint.answer = (request, response) => {
    count += 1
    respondWith(count % 3 === 0 ? 500 : 200)(request, response)
  }
  for (let lt = 1; lt <= 60; lt += 1)
    api.block(tx((lt % 3) + 1, lt, { inOpcode: lt % 2 === 0 ? 7 : 8 }))
  await advanceClock(api.queue, api.clock, 12 * hour)
  expect(api.queue.count().waiting).toBe(0)
  for (const of of [1, 2, 3]) {
    const lts = heard(endpoint)
      .filter((one) => one.includes(`:${of}:`))
      .map((one) => Number(one.split(':')[2]))
    expect(lts).toEqual(lts.toSorted((a, b) => a - b))
    expect(new Set(lts).size).toBe(20)
  }
})

test('each failure is counted at its subscription and its webhook, and logged', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1, 2)
  endpoint.answer = (request, response) =>
    respondWith(request.body.includes(account(1)) ? 500 : 200)(request, response)
  await api.settle(tx(1, 10))
  await advanceClock(api.queue, api.clock, 20 * second)
  const failed = {
    account_id: account(1),
    last_delivered_lt: 0,
    failed_at: iso(startTime + 20 * second),
    failed_lt: 10,
    failed_attempts: 3,
  }
  expect(await subscriptions(api, id)).toEqual([
    failed,
    { account_id: account(2), last_delivered_lt: 0, failed_attempts: 0 },
  ])
  expect(await webhook(api, id)).toMatchObject({
    status: 'online',
    status_failed_attempts: 3,
    last_online_at: iso(startTime),
  })
  const message = `POST ${endpoint.url}: 500 Internal Server Error`
  expect((await api.get(`/webhooks/${id}/logs`)).body).toEqual({
    logs: [20, 5, 0].map((after) => ({
      timestamp: iso(startTime + after * second),
      message,
      event_type: 'account_tx',
    })),
  })
  expect((await api.get('/usage-stats')).body).toMatchObject({
    account_subscriptions: 2,
    webhooks_delivered: 0,
    webhooks_failed: 3,
  })

  // A successful delivery ends the webhook’s series of failures, but not the other account’s
  // failure.
  await api.settle(tx(2, 11))
  expect(await subscriptions(api, id)).toEqual([
    failed,
    { account_id: account(2), last_delivered_lt: 11, failed_attempts: 0 },
  ])
  expect(await webhook(api, id)).toMatchObject({
    status_failed_attempts: 0,
    last_online_at: iso(startTime + 20 * second),
  })
})

test('delivery logs are paged, newest first', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, ...Array.from({ length: 150 }, (_, index) => index))
  api.policy.concurrency = 1
  await api.settle(...Array.from({ length: 150 }, (_, index) => tx(index, index)))
  api.clock.at += 1
  const first = await api.get(`/webhooks/${id}/logs`)
  expect(first.body['logs']).toHaveLength(100)
  expect(first.body['next_offset']).toBe(100)
  const rest = await api.get(`/webhooks/${id}/logs?offset=100`)
  expect(rest.body['logs']).toHaveLength(50)
  expect(rest.body['next_offset']).toBeUndefined()
  expect((await api.get(`/webhooks/${id}/logs?offset=200`)).body).toEqual({ logs: [] })
})

test('after a day of failures a webhook is offline, and after back-online it gets all waiting events in order', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1, 2)
  const retry = () => api.webhooks.list()[0]?.retry
  expect(retry()).toBeNull()
  const offline = startTime + 24 * hour
  for (let lt = 1; lt <= 10; lt += 1) await api.settle(tx((lt % 2) + 1, lt))
  expect(retry()).toEqual({ nextAttemptAt: startTime + 5_000, offlineAt: offline })
  // A time limit that has passed takes effect at the next attempt.
  const { offlineAfterMs } = api.policy
  api.policy.offlineAfterMs = 1_000
  expect(retry()).toEqual({ nextAttemptAt: startTime + 5_000, offlineAt: startTime + 5_000 })
  api.policy.offlineAfterMs = offlineAfterMs
  await advanceClock(api.queue, api.clock, 24 * hour - 1)
  expect(await webhook(api, id)).toMatchObject({ status: 'online' })
  expect(retry()).toEqual({ nextAttemptAt: offline, offlineAt: offline })
  await advanceClock(api.queue, api.clock, 1)
  expect(retry()).toBeNull()
  expect(await webhook(api, id)).toMatchObject({
    status: 'offline',
    status_updated_at: iso(offline),
  })
  const attempts = endpoint.received.length
  await api.settle(tx(1, 11), tx(2, 12))
  await advanceClock(api.queue, api.clock, 10 * hour)
  expect(endpoint.received).toHaveLength(attempts)
  expect(api.webhooks.list()).toMatchObject([{ id, status: 'offline', waiting: 12 }])

  endpoint.answer = respondWith(200)
  endpoint.received.length = 0
  expect(await api.post(`/webhooks/${id}/back-online`)).toEqual({ status: 200, body: {} })
  await api.queue.settled()
  const back = iso(api.clock.at)
  expect(await webhook(api, id)).toMatchObject({
    status: 'online',
    status_updated_at: back,
    last_online_at: back,
    status_failed_attempts: 0,
  })
  expect(retry()).toBeNull()
  const of = (number: number) => heard(endpoint).filter((one) => one.includes(`:${number}:`))
  expect(of(1)).toEqual([2, 4, 6, 8, 10, 11].map((lt) => `account_tx:1:${lt}`))
  expect(of(2)).toEqual([1, 3, 5, 7, 9, 12].map((lt) => `account_tx:2:${lt}`))
  expect(await subscriptions(api, id)).toMatchObject([
    { last_delivered_lt: 11, failed_lt: 2 },
    { last_delivered_lt: 12, failed_lt: 1 },
  ])
})

test('a webhook that still fails after back-online goes offline after another day', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1)
  await api.settle(tx(1, 1))
  await advanceClock(api.queue, api.clock, 25 * hour)
  await api.post(`/webhooks/${id}/back-online`)
  await api.queue.settled()
  await advanceClock(api.queue, api.clock, 23 * hour)
  expect(await webhook(api, id)).toMatchObject({ status: 'online' })
  await advanceClock(api.queue, api.clock, hour)
  expect(await webhook(api, id)).toMatchObject({ status: 'offline' })
})

test('a suspended webhook gets no delivery until back-online', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1)
  expect(api.webhooks.suspend(id)).toBe(true)
  expect(api.webhooks.suspend(id + 1)).toBe(false)
  await api.settle(tx(1, 1))
  await advanceClock(api.queue, api.clock, 48 * hour)
  expect(await webhook(api, id)).toMatchObject({ status: 'suspended' })
  expect(endpoint.received).toEqual([])
  await api.post(`/webhooks/${id}/back-online`)
  await api.queue.settled()
  expect(heard(endpoint)).toEqual(['account_tx:1:1'])
})

test('removing a subscription drops only its own waiting deliveries', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1, 2)
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x7`)
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x8`)
  await api.post(`/webhooks/${id}/subscribe-new-contracts`)
  await api.settle(
    tx(1, 1, { inOpcode: 7 }),
    tx(1, 2, { inOpcode: 8, deployed: true }),
    tx(2, 3, { inOpcode: 7 }),
  )
  await unsubscribe(api, id, 1)
  await api.post(`/webhooks/${id}/unsubscribe-msg-opcode/0x7`)
  endpoint.answer = respondWith(200)
  endpoint.received.length = 0
  await advanceClock(api.queue, api.clock, minute)
  expect(heard(endpoint).toSorted()).toEqual([
    'account_tx:2:3',
    'new_contracts:1:2',
    'opcode_msg:1:2',
  ])
})

test('deleting a webhook drops its waiting deliveries, and the running one is not counted', async () => {
  await using endpoint = await startEndpoint(() => undefined)
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1)
  api.block(tx(1, 1), tx(1, 2))
  await endpoint.arrived(1)
  await api.request(`/webhooks/${id}`, { method: 'DELETE' })
  await api.queue.settled()
  expect(api.queue.count()).toEqual({ waiting: 0, failing: 0 })
  expect(api.queue.nextDue()).toBeNull()
  expect((await api.get('/usage-stats')).body).toMatchObject({ webhooks_failed: 0 })
  expect(api.errors).toEqual([])
})

test('waiting deliveries are sent with a new token', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1)
  await api.settle(tx(1, 1))
  const { token } = (await api.post(`/webhooks/${id}/generate-new-token`)).body
  await advanceClock(api.queue, api.clock, 5 * second)
  const sent = endpoint.received.map(({ headers }) => headers.authorization)
  expect(sent[0]).not.toBe(sent[1])
  expect(sent[1]).toBe(`Bearer ${String(token)}`)
})

test('an endpoint that hangs delays no other webhook', async () => {
  await using hanging = await startEndpoint(() => undefined)
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  api.policy.timeoutMs = 60_000
  const slow = await api.create(hanging.url)
  const quick = await api.create(endpoint.url)
  await subscribe(api, slow, 1)
  await subscribe(api, quick, 1)
  for (let lt = 1; lt <= 50; lt += 1) api.block(tx(1, lt))
  await endpoint.arrived(50)
  expect(heard(endpoint)).toEqual(Array.from({ length: 50 }, (_, i) => `account_tx:1:${i + 1}`))
  expect(hanging.received).toHaveLength(1)
})

test('a block that cannot be stored causes no delivery', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  await subscribe(api, id, 1)
  api.observers.push({
    storing() {
      throw new Error('no room on the disk')
    },
    stored: () => undefined,
  })
  expect(() => api.block(tx(1, 1))).toThrow()
  api.observers.pop()
  await api.settle(tx(1, 2))
  expect(heard(endpoint)).toEqual(['account_tx:1:2'])
})

test('among 100,000 subscriptions a block’s transactions cause deliveries to the subscribed accounts only', async () => {
  await using endpoint = await startEndpoint()
  await using api = openWebhooks()
  const id = await api.create(endpoint.url)
  for (let from = 0; from < 100_000; from += 10_000) {
    await subscribe(api, id, ...Array.from({ length: 10_000 }, (_, index) => from + index))
  }
  await api.settle(...Array.from({ length: 100 }, (_, index) => tx(99_950 + index, index)))
  expect(endpoint.received).toHaveLength(50)
})
