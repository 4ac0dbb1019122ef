import { Address } from '@ton/core'
import { serve } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startTime } from '../../fixtures/deliveries.ts'
import { account, openWebhooks } from '../../fixtures/webhooks.ts'

const someone = account(1)
const friendly = Address.parseRaw(someone).toString({ bounceable: false, urlSafe: true })

test('a webhook is listed with all fields that the service documents', async () => {
  await using api = openWebhooks()
  expect(await api.get('/webhooks')).toEqual({ status: 200, body: { webhooks: [] } })
  const { status, body } = await api.post('/webhooks', { endpoint: 'http://localhost:1/hook' })
  expect(status).toBe(200)
  expect(body).toEqual({ webhook_id: 1, token: expect.stringMatching(/^[\w-]{32,}$/) as string })
  await api.post('/webhooks/1/account-tx/subscribe', {
    accounts: [{ account_id: someone }, { account_id: account(2) }],
  })
  await api.post('/webhooks/1/subscribe-msg-opcode/0x1')
  await api.post('/webhooks/1/subscribe-new-contracts')
  await api.post('/webhooks/1/mempool/subscribe')
  const at = new Date(startTime).toISOString()
  expect((await api.get('/webhooks')).body).toEqual({
    webhooks: [
      {
        id: 1,
        endpoint: 'http://localhost:1/hook',
        token: body['token'],
        subscribed_accounts: 2,
        subscribed_msg_opcodes: 1,
        subscribed_to_mempool: true,
        subscribed_to_new_contracts: true,
        status: 'online',
        status_updated_at: at,
        last_online_at: at,
        status_failed_attempts: 0,
      },
    ],
  })
})

test('a deleted webhook is deleted with its subscriptions, and its number is not used again', async () => {
  await using api = openWebhooks()
  const id = await api.create('http://localhost:1/')
  await api.post(`/webhooks/${id}/account-tx/subscribe`, { accounts: [{ account_id: someone }] })
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x1`)
  expect(await api.request(`/webhooks/${id}`, { method: 'DELETE' })).toEqual({
    status: 200,
    body: {},
  })
  expect((await api.get('/webhooks')).body).toEqual({ webhooks: [] })
  expect((await api.get('/usage-stats')).body['account_subscriptions']).toBe(0)
  expect(await api.get(`/webhooks/${id}/account-tx/subscriptions`)).toEqual({
    status: 404,
    body: { error: 'webhook not found' },
  })
  expect(await api.create('http://localhost:1/')).toBe(id + 1)
})

test('a new token replaces the old one', async () => {
  await using api = openWebhooks()
  const { token: first } = (await api.post('/webhooks', { endpoint: 'http://localhost:1/' })).body
  const { status, body } = await api.post('/webhooks/1/generate-new-token')
  expect(status).toBe(200)
  expect(body['token']).not.toBe(first)
  const [webhook] = (await api.get('/webhooks')).body['webhooks'] as { token: string }[]
  expect(webhook?.token).toBe(body['token'])
})

test('accounts are accepted in any form and returned raw, each once, in the order of subscription', async () => {
  await using api = openWebhooks()
  await api.create('http://localhost:1/')
  const subscribe = (...ids: string[]) =>
    api.post('/webhooks/1/account-tx/subscribe', {
      accounts: ids.map((id) => ({ account_id: id, unknown: true })),
    })
  expect(await subscribe(account(9), friendly, someone)).toEqual({ status: 200, body: {} })
  expect(await subscribe(someone, account(3).toUpperCase().replace('0X', '0x'))).toEqual({
    status: 200,
    body: {},
  })
  const none = { last_delivered_lt: 0, failed_attempts: 0 }
  expect((await api.get('/webhooks/1/account-tx/subscriptions')).body).toEqual({
    account_tx_subscriptions: [
      { account_id: account(9), ...none },
      { account_id: someone, ...none },
      { account_id: account(3), ...none },
    ],
  })
  const unsubscribe = await api.post('/webhooks/1/account-tx/unsubscribe', {
    accounts: [friendly, account(77)],
  })
  expect(unsubscribe).toEqual({ status: 200, body: {} })
  const page = await api.get('/webhooks/1/account-tx/subscriptions?offset=1&limit=5')
  expect(page.body).toEqual({
    account_tx_subscriptions: [{ account_id: account(3), ...none }],
  })
})

test('opcodes are accepted in any case and length and returned as eight lower-case digits', async () => {
  await using api = openWebhooks()
  await api.create('http://localhost:1/')
  for (const opcode of ['0x1', '0x00000001', '0X7362D09C', '0xffffffff', '0x0']) {
    const answer = await api.post(`/webhooks/1/subscribe-msg-opcode/${opcode}`)
    expect(answer).toEqual({ status: 200, body: {} })
  }
  expect(await api.post('/webhooks/1/unsubscribe-msg-opcode/0xFFFFFFFF')).toEqual({
    status: 200,
    body: {},
  })
  const { body } = await api.get('/webhooks/1/msg-opcode/subscriptions')
  expect(body).toEqual({
    subscriptions: ['0x00000001', '0x7362d09c', '0x00000000'].map((opcode) => ({
      opcode,
      status: 'active',
    })),
  })
})

test('an opcode that the operator disabled is listed as disabled, and active after it is subscribed again', async () => {
  await using api = openWebhooks()
  await api.create('http://localhost:1/')
  await api.post('/webhooks/1/subscribe-msg-opcode/0x5')
  expect(api.webhooks.disableOpcode(1, 5, 'too many messages')).toBe(true)
  expect(api.webhooks.disableOpcode(1, 6, '')).toBe(false)
  expect((await api.get('/webhooks/1/msg-opcode/subscriptions')).body).toEqual({
    subscriptions: [
      {
        opcode: '0x00000005',
        status: 'disabled',
        disabled_at: new Date(startTime).toISOString(),
        disabled_reason: 'too many messages',
      },
    ],
  })
  await api.post('/webhooks/1/subscribe-msg-opcode/0x5')
  expect((await api.get('/webhooks/1/msg-opcode/subscriptions')).body).toEqual({
    subscriptions: [{ opcode: '0x00000005', status: 'active' }],
  })
})

test('repeated subscriptions and removals have no further effect', async () => {
  await using api = openWebhooks()
  await api.create('http://localhost:1/')
  for (const path of [
    'subscribe-new-contracts',
    'mempool/subscribe',
    'unsubscribe-new-contracts',
    'mempool/unsubscribe',
  ]) {
    for (let time = 0; time < 2; time += 1) {
      expect(await api.post(`/webhooks/1/${path}`)).toEqual({ status: 200, body: {} })
    }
  }
  expect((await api.get('/webhooks')).body['webhooks']).toMatchObject([
    { subscribed_to_mempool: false, subscribed_to_new_contracts: false },
  ])
})

test('usage is counted from the start', async () => {
  await using api = openWebhooks()
  expect((await api.get('/usage-stats')).body).toEqual({
    period_started_at: new Date(startTime).toISOString(),
    account_subscriptions: 0,
    webhooks_delivered: 0,
    webhooks_failed: 0,
  })
})

describe('an invalid request gets an error with a sentence', () => {
  const posts = [
    'back-online',
    'generate-new-token',
    'account-tx/subscribe',
    'account-tx/unsubscribe',
    'subscribe-msg-opcode/0x1',
    'unsubscribe-msg-opcode/0x1',
    'subscribe-new-contracts',
    'unsubscribe-new-contracts',
    'mempool/subscribe',
    'mempool/unsubscribe',
  ]
  const gets = ['logs', 'account-tx/subscriptions', 'msg-opcode/subscriptions']

  test('a request for a webhook that does not exist gets 404', async () => {
    await using api = openWebhooks()
    const body = { accounts: [] }
    const notFound = { status: 404, body: { error: 'webhook not found' } }
    for (const id of ['1', '99999999999999999999', '9007199254740993']) {
      for (const path of posts)
        expect(await api.post(`/webhooks/${id}/${path}`, body)).toEqual(notFound)
      for (const path of gets) expect(await api.get(`/webhooks/${id}/${path}`)).toEqual(notFound)
      expect(await api.request(`/webhooks/${id}`, { method: 'DELETE' })).toEqual(notFound)
    }
  })

  test('a webhook_id that is not a number gets 400', async () => {
    await using api = openWebhooks()
    const bad = { status: 400, body: { error: 'webhook_id must be a whole number' } }
    for (const id of ['x', '1.5', '-1', '0x1', '%00']) {
      for (const path of posts) expect(await api.post(`/webhooks/${id}/${path}`)).toEqual(bad)
      for (const path of gets) expect(await api.get(`/webhooks/${id}/${path}`)).toEqual(bad)
      expect(await api.request(`/webhooks/${id}`, { method: 'DELETE' })).toEqual(bad)
    }
  })

  test('a method that the path does not allow gets 405 with the allowed methods', async () => {
    await using api = openWebhooks()
    for (const [path, method, allow] of [
      ['/webhooks', 'PUT', 'GET, HEAD, POST'],
      ['/webhooks/1', 'GET', 'DELETE'],
      ['/webhooks/1/logs', 'POST', 'GET, HEAD'],
      ['/webhooks/1/account-tx/subscribe', 'GET', 'POST'],
      ['/webhooks/1/subscribe-msg-opcode/0x1', 'DELETE', 'POST'],
      ['/usage-stats', 'PATCH', 'GET, HEAD'],
    ] as const) {
      const response = await api.webhooks.routes.request(path, { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe(allow)
      expect(await response.json()).toEqual({ error: `${method} is not allowed here` })
    }
  })

  test('an unknown path gets 404', async () => {
    await using api = openWebhooks()
    for (const path of [
      '/webhooks/1/x',
      '/webhooks/1/account-tx',
      '/webhooks/1/logs/2',
      '/nothing',
    ]) {
      expect(await api.get(path)).toEqual({ status: 404, body: { error: 'not found' } })
    }
  })

  const bodies: readonly [string, unknown, RegExp][] = [
    ['empty', undefined, /empty/],
    ['not JSON', '{"accounts": [', /not valid JSON/],
    ['an array', [], /the body: .*expected object/],
    ['a string', '"x"', /the body: .*expected object/],
    ['null', 'null', /the body: .*expected object/],
    ['another field', { account: [] }, /accounts: /],
    ['deep JSON', '['.repeat(100_000), /nested more than/],
  ]

  test.each(bodies)('a body that is %s gets 400', async (_name, body, error) => {
    await using api = openWebhooks()
    await api.create('http://localhost:1/')
    for (const path of ['/webhooks/1/account-tx/subscribe', '/webhooks/1/account-tx/unsubscribe']) {
      const answer = await api.post(path, body)
      expect(answer.status).toBe(400)
      expect(answer.body['error']).toMatch(error)
    }
    const answer = await api.post('/webhooks', body)
    expect(answer.status).toBe(400)
    expect(answer.body['error']).toMatch(new RegExp(error.source.replace('accounts', 'endpoint')))
    expect((await api.get('/webhooks')).body['webhooks']).toHaveLength(1)
    expect(api.errors).toEqual([])
  })

  test.each([
    ['subscribe', [someone], /^accounts\[0\]: .*expected object/],
    ['subscribe', [{ account: someone }], /^accounts\[0\]\.account_id: /],
    ['subscribe', [{ account_id: someone }, { account_id: 5 }], /^accounts\[1\]\.account_id: /],
    ['subscribe', { 0: someone }, /^accounts: .*expected array/],
    ['subscribe', [{ account_id: someone }, { account_id: '0:12' }], /^accounts\[1\]: .*0:12/],
    ['subscribe', [{ account_id: '' }], /^accounts\[0\]: can't decode address/],
    ['subscribe', [{ account_id: `7:${'0'.repeat(64)}` }], /no workchain 7/],
    ['subscribe', [{ account_id: friendly.replace(/.$/, 'x') }], /checksum/],
    ['unsubscribe', [{ account_id: someone }], /^accounts\[0\]: .*expected string/],
    ['unsubscribe', [someone, 'wallet.ton'], /^accounts\[1\]: .*wallet\.ton/],
  ])('accounts to %s get 400 if they are %j', async (path, accounts, error) => {
    await using api = openWebhooks()
    await api.create('http://localhost:1/')
    const answer = await api.post(`/webhooks/1/account-tx/${path}`, { accounts })
    expect(answer.status).toBe(400)
    expect(answer.body['error']).toMatch(error)
    expect((await api.get('/webhooks')).body['webhooks']).toMatchObject([
      { subscribed_accounts: 0 },
    ])
  })

  test.each([
    '',
    'hook',
    '/hook',
    'localhost:8080/hook',
    'ftp://localhost/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http:/localhost',
    'http://',
    'http://local host/',
    ' http://localhost/',
    'http://user:secret@localhost/',
    'http://localhost:99999/',
    `http://localhost/${'x'.repeat(2048)}`,
    5,
    null,
    ['http://localhost/'],
  ])('an endpoint like %j gets 400', async (endpoint) => {
    await using api = openWebhooks()
    const { status, body } = await api.post('/webhooks', { endpoint })
    expect(status).toBe(400)
    expect(body['error']).toMatch(/^endpoint/)
    expect((await api.get('/webhooks')).body).toEqual({ webhooks: [] })
  })

  test.each(['1', '0x', '0x123456789', '0xg', 'x1', '0x-1', '0x1.', '4294967295'])(
    'an opcode like %s gets 400',
    async (opcode) => {
      await using api = openWebhooks()
      await api.create('http://localhost:1/')
      for (const verb of ['subscribe', 'unsubscribe']) {
        const answer = await api.post(`/webhooks/1/${verb}-msg-opcode/${opcode}`)
        expect(answer.status).toBe(400)
        expect(answer.body['error']).toBe('opcode must be 0x and one to eight hexadecimal digits')
      }
    },
  )

  test.each([
    ['offset=-1', 'offset must be a whole number from 0'],
    ['offset=1.5', 'offset must be a whole number from 0'],
    ['offset=', 'offset must be a whole number from 0'],
    ['offset=99999999999999999', 'offset must be a whole number from 0'],
    ['limit=0', 'limit must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit must be a whole number from 1 to 1000'],
    ['limit=ten', 'limit must be a whole number from 1 to 1000'],
  ])('a request for a page with %s gets status 400', async (query, error) => {
    await using api = openWebhooks()
    await api.create('http://localhost:1/')
    const paths = ['account-tx/subscriptions', 'msg-opcode/subscriptions']
    if (query.startsWith('offset')) paths.push('logs')
    for (const path of paths) {
      expect(await api.get(`/webhooks/1/${path}?${query}`)).toEqual({
        status: 400,
        body: { error },
      })
    }
  })
})

describe('more accounts than one call may have', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ account_id: account(index) }))

  test('more than 10,000 accounts in a call are refused as a whole, and 10,000 accounts are accepted and paged', async () => {
    await using api = openWebhooks()
    await api.create('http://localhost:1/')
    const path = '/webhooks/1/account-tx/subscribe'
    expect((await api.post(path, { accounts: many(10_000) })).status).toBe(200)
    const short = Array.from({ length: 10_001 }, () => ({ account_id: '' }))
    expect(await api.post(path, { accounts: short })).toEqual({
      status: 400,
      body: { error: 'accounts has 10001, one call may have at most 10000' },
    })
    const unsaid = await api.get('/webhooks/1/account-tx/subscriptions')
    expect(unsaid.body['account_tx_subscriptions']).toHaveLength(1000)
    const last = await api.get('/webhooks/1/account-tx/subscriptions?offset=9999&limit=1000')
    expect(last.body['account_tx_subscriptions']).toMatchObject([{ account_id: account(9999) }])
    const beyond = await api.get('/webhooks/1/account-tx/subscriptions?offset=10000')
    expect(beyond.body).toEqual({ account_tx_subscriptions: [] })
  })

  test('a body with 100,000 accounts gets 413 before it is read, and the API continues', async () => {
    await using api = openWebhooks()
    await api.create('http://localhost:1/')
    const server = serve({ fetch: api.webhooks.routes.fetch, port: 0, hostname: '127.0.0.1' })
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
    const body = JSON.stringify({ accounts: many(100_000) })
    const answer = await fetch(`${url}/1/account-tx/subscribe`, { method: 'POST', body })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toEqual({ error: 'the body is longer than 1048576 bytes' })
    const list = (await (await fetch(url)).json()) as { webhooks: unknown[] }
    expect(list.webhooks).toMatchObject([{ subscribed_accounts: 0 }])
    await new Promise((resolve) => server.close(resolve))
  })
})
