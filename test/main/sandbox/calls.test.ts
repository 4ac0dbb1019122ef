/** The call log: what reached the APIs of a sandbox, as its developers see it. */
import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { z } from 'zod'
import { expect, test } from 'vitest'
import { createCalls } from '../../../src-main/sandbox/calls.ts'
import { sandboxCalls } from '../../../src-preload/contract/sandbox.ts'
import { createCallStore } from '../../../src-main/sandbox/store/calls.ts'
import { openDatabase } from '../../../src-main/sandbox/store/database.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { openRaw } from '../../fixtures/raw-http.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

type Page = z.infer<typeof sandboxCalls>

async function read(sandbox: RunningSandbox, query = ''): Promise<Page> {
  const { status, body } = await sandbox.control('GET', `/calls?${query}`)
  expect([status, body]).toMatchObject([200, {}])
  return sandboxCalls.parse(body)
}

const portOf = ({ ready }: RunningSandbox) => Number(new URL(ready.queryUrl).port)

test('a call has its number, root, path, template, names, status, sizes, shape and key, but no values', async () => {
  await using sandbox = await startSandbox()
  const before = Date.now()
  const account = sandbox.ready.wallets[0]?.address ?? ''
  await sandbox.query('GET', `/accounts/${account}/jettons?currencies=usd&limit=5`)
  const made = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', {
    endpoint: 'http://127.0.0.1:1/',
  })
  const id = made.body.webhook_id
  const accounts = [{ account_id: account }, { account_id: account }]
  await sandbox.webhooks('POST', `/webhooks/${id}/account-tx/subscribe`, { accounts })
  await sandbox.invoices('POST', '/invoice', { amount: '5', life_time: 600, currency: 'TON' })
  await sandbox.control('GET', '/state')

  const { calls, last } = await read(sandbox)
  expect(last).toBe(4)
  expect(calls.map(({ number }) => number)).toEqual([4, 3, 2, 1])
  const [invoice, subscription, , jettons] = calls
  const { now } = sandbox.ready.clock
  const key = `****${sandbox.ready.apiKey.slice(-4)}`
  expect(jettons).toMatchObject({
    root: 'query',
    method: 'GET',
    status: 200,
    chainAt: now,
    key,
    shape: null,
    body: null,
    path: `/v2/accounts/${account}/jettons`,
    template: '/v2/accounts/{account_id}/jettons',
    queryNames: ['currencies', 'limit'],
    requestBytes: 0,
    delivery: null,
  })
  expect(jettons?.at).toBeGreaterThanOrEqual(before)
  expect(jettons?.durationMs).toBeGreaterThanOrEqual(0)
  expect(jettons?.responseBytes).toBeGreaterThan(100)
  expect(subscription).toMatchObject({
    root: 'webhooks',
    template: '/webhooks/{id}/account-tx/subscribe',
    shape: '{"accounts":[{"account_id":"string"}]}',
    requestBytes: JSON.stringify({ accounts }).length,
  })
  expect(invoice).toMatchObject({
    root: 'invoices',
    template: '/api/v1/services/invoices/invoice',
    shape: '{"amount":"string","life_time":"number","currency":"string"}',
  })
})

test('requests that fail before their API are recorded, and those of the control API are not', async () => {
  await using sandbox = await startSandbox()
  const base = sandbox.ready.queryUrl
  const statusOf = async (path: string, init?: RequestInit) =>
    (await fetch(`${base}${path}`, init)).status
  const wrong = { headers: { Authorization: 'Bearer a-wrong-key-of-ours' } }
  expect(await statusOf('/favicon.ico')).toBe(404)
  expect(await statusOf('/v2/status', wrong)).toBe(401)
  expect(await statusOf('/v2/no/such/path')).toBe(404)
  expect(await statusOf('/v2/rates/markets')).toBe(501)
  expect(await statusOf('/sandbox/state')).toBe(401)
  await sandbox.control('PUT', '/faults', {
    faults: [
      { root: 'query', kind: 'rate-limit', perSecond: 0.001 },
      { root: 'invoices', kind: 'reset' },
      { root: 'webhooks', kind: 'status', status: 503 },
    ],
  })
  await sandbox.query('GET', '/status')
  await sandbox.query('GET', '/status')
  await sandbox.webhooks('GET', '/webhooks/7')
  await expect(sandbox.invoices('GET', '/stats')).rejects.toThrow()
  await using other = await openRaw(portOf(sandbox))
  other.write('GET /v2/status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
  expect((await other.answer())?.status).toBe(403)
  await expect.poll(async () => (await read(sandbox)).last).toBe(9)

  const { calls } = await read(sandbox)
  expect(calls.map(({ root, template, status }) => [root, template, status]).toReversed()).toEqual([
    [null, null, 404],
    ['query', '/v2/status', 401],
    ['query', null, 404],
    ['query', '/v2/rates/markets', 501],
    ['query', '/v2/status', 200],
    ['query', '/v2/status', 429],
    ['webhooks', '/webhooks/{id}', 503],
    ['invoices', '/api/v1/services/invoices/stats', null],
    ['query', '/v2/status', 403],
  ])
  expect(calls[7]?.key).toBe('****ours')
  const numbers = async (query: string) =>
    (await read(sandbox, query)).calls.map(({ number }) => number)
  expect(await numbers('status=4xx')).toEqual([9, 6, 3, 2, 1])
  expect(await numbers('status=404&root=query')).toEqual([3])
  expect(await numbers('status=aborted')).toEqual([8])
  expect(await numbers('method=get&path=status&since=6')).toEqual([9, 6])
  expect(await numbers('network=testnet')).toEqual([])
  expect(await numbers('network=mainnet&limit=2')).toEqual([9, 8])
  expect(await numbers('client=tondesk')).toEqual([])
  expect((await sandbox.control('GET', '/calls?status=4x')).status).toBe(400)
})

test('no key enters the log or the database, not even with bodies, and tokens in URLs are masked', async () => {
  using directory = temporaryDirectory()
  const canary = 'canary-0123456789-canary'
  const secrets = await (async () => {
    await using sandbox = await startSandbox({ dataDirectory: directory.path })
    const { ready } = sandbox
    expect(await sandbox.control('PUT', '/calls', { bodies: true })).toMatchObject({
      body: { bodies: true },
    })
    const send = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${ready.queryUrl}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers,
      })
    await send(
      '/webhooks',
      {},
      { Authorization: `Bearer ${canary}`, 'User-Agent': `x token=${canary}` },
    )
    await send('/webhooks', {}, { Authorization: `Basic ${canary}`, Cookie: canary })
    await send(`/webhooks?token=${canary}`, {})
    await send(`/api/v1/services/invoices/invoice?api_key=${canary}`, {})
    const bearer = { Authorization: `Bearer ${ready.apiKey}` }
    await send('/webhooks', { endpoint: `http://user:${canary}@127.0.0.1/hook` }, bearer)
    await send('/webhooks', { endpoint: `http://127.0.0.1/?token=${canary}&x=1`, kept: 1 }, bearer)
    await send('/v2/message/decode', {
      boc: 'x',
      token: canary,
      nested: [{ Authorization: `Bearer ${canary}` }, { api_key: [canary] }],
      text: `Bearer ${canary}`,
    })
    await send('/v2/message/decode', `{"secret": "${canary}`)
    await send('/v2/message/decode', {
      note: ready.apiKey,
      [ready.controlKey]: ready.invoicesToken,
    })
    await fetch(`${ready.queryUrl}/v2/accounts/${ready.apiKey}?${ready.controlKey}=1`)
    await using raw = await openRaw(portOf(sandbox))
    raw.write(`GET http://user:${canary}@127.0.0.1/v2/status?token=${canary} HTTP/1.1\r\n`)
    raw.write(`Host: 127.0.0.1\r\nConnection: close\r\n\r\n`)
    expect((await raw.answer())?.status).toBe(400)
    await expect.poll(async () => (await read(sandbox)).last).toBe(11)
    const { calls } = await read(sandbox)
    const text = JSON.stringify(calls)
    const hidden = [canary, ready.apiKey, ready.controlKey, ready.invoicesToken]
    for (const secret of hidden) expect(text).not.toContain(secret)
    expect(calls.find(({ number }) => number === 6)?.body).toMatch(
      /^\{"endpoint":"http:.*"kept":1\}$/,
    )
    return hidden
  })()
  using database = openDatabase(join(directory.path, 'mainnet.db'))
  const stored = JSON.stringify(createCallStore(database).all())
  for (const secret of secrets) expect(stored).not.toContain(secret)
})

test('a follower gets new calls oldest first, and waits for a match until its time limit', async () => {
  await using sandbox = await startSandbox()
  await sandbox.query('GET', '/status')
  expect((await read(sandbox, 'after=1&waitMs=1')).calls).toEqual([])
  const waiting = read(sandbox, 'after=1&root=webhooks&waitMs=20000&limit=2')
  await sandbox.query('GET', '/status')
  await sandbox.webhooks('GET', '/webhooks')
  const { calls, last } = await waiting
  expect([calls.map(({ number }) => number), last]).toEqual([[3], 3])
  expect((await read(sandbox, 'after=0&limit=2')).calls.map(({ number }) => number)).toEqual([1, 2])
})

test('a call that names the account of a delivery that is open is marked with that delivery', async () => {
  await using sandbox = await startSandbox({ clock: 'real' })
  const [, payee, other] = sandbox.ready.wallets
  await using endpoint = await startEndpoint()
  endpoint.answer = (request, response) => {
    const { tx_hash: hash } = JSON.parse(request.body) as { tx_hash: string }
    void (async () => {
      await sandbox.query('GET', `/accounts/${payee?.friendly ?? ''}`)
      await sandbox.query('GET', `/blockchain/transactions/${hash.toUpperCase()}`)
      await sandbox.query('POST', '/accounts/_bulk', { account_ids: [payee?.address] })
      await sandbox.query('GET', `/accounts/${other?.address ?? ''}`)
      response.end()
    })()
  }
  const made = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', {
    endpoint: endpoint.url,
  })
  const path = `/webhooks/${made.body.webhook_id}/account-tx/subscribe`
  await sandbox.webhooks('POST', path, { accounts: [{ account_id: payee?.address }] })
  await sandbox.control('POST', '/send', { from: 'wallet-1', to: payee?.address, amount: '1' })
  await sandbox.control('POST', '/idle')
  await sandbox.query('GET', `/accounts/${payee?.address ?? ''}`)
  const { calls } = await read(sandbox, 'root=query')
  expect(calls.toReversed().map(({ delivery }) => delivery?.inferredFrom ?? null)).toEqual([
    'account',
    'transaction',
    'account',
    null,
    null,
  ])
  expect(calls.at(-1)?.delivery).toMatchObject({ eventType: 'account_tx' })
})

test('a reset clears the log, and a revert and a restart do not', async () => {
  using directory = temporaryDirectory()
  const options = { dataDirectory: directory.path, now: undefined } as const
  {
    await using sandbox = await startSandbox(options)
    await sandbox.query('GET', '/status')
    await sandbox.control('POST', '/snapshots', { name: 'one' })
    await sandbox.query('GET', '/rates')
    await sandbox.control('POST', '/snapshots/one/revert')
    expect((await read(sandbox)).calls).toHaveLength(2)
  }
  await using again = await startSandbox(options)
  await again.query('GET', '/status')
  const { calls } = await read(again)
  expect(calls.map(({ number, path }) => [number, path])).toEqual([
    [3, '/v2/status'],
    [2, '/v2/rates'],
    [1, '/v2/status'],
  ])
  await again.control('POST', '/reset')
  expect((await read(again)).calls).toEqual([])
  await again.query('GET', '/status')
  expect((await read(again)).calls.map(({ number }) => number)).toEqual([4])
})

test('the log keeps the newest 10,000 calls, in memory and in the database', async () => {
  using directory = temporaryDirectory()
  const path = join(directory.path, 'mainnet.db')
  const database = openDatabase(path)
  const store = createCallStore(database)
  const deps = {
    clock: { now: () => 7 },
    secrets: () => [],
    openDeliveries: () => [],
    onError: (error: unknown) => {
      throw error
    },
  }
  const callOf = (number: number) => ({
    number,
    at: 1,
    chainAt: 1,
    root: null,
    method: 'GET',
    template: null,
    path: '/x',
    queryNames: [],
    status: 200,
    durationMs: 1,
    requestBytes: 0,
    responseBytes: 0,
    shape: null,
    body: null,
    key: null,
    client: '',
    delivery: null,
  })
  const stored = Array.from({ length: 10_000 }, (_, index) => callOf(index + 1))
  store.add(stored, 0)
  const log = createCalls({ ...deps, store })
  const query = { waitMs: 0, limit: 10_000 }
  expect((await log.find(query)).calls).toHaveLength(10_000)
  const request = new EventEmitter()
  const response = new EventEmitter()
  const socket = { bytesWritten: 0 }
  log.record(
    Object.assign(request, { method: 'GET', url: '/x', headers: {}, socket }) as never,
    response as never,
    null,
    undefined,
  )
  response.emit('close')
  log.close()
  const { calls } = await log.find(query)
  expect([calls.length, calls[0]?.number, calls.at(-1)?.number]).toEqual([10_000, 10_001, 2])
  expect(store.all()).toHaveLength(10_000)
  expect(store.all()[0]?.number).toBe(2)
  database.close()
})

test('aborted requests, a client that reads nothing and a body of 100 MB do not delay the log', async () => {
  await using sandbox = await startSandbox()
  const port = portOf(sandbox)
  await sandbox.control('PUT', '/faults', {
    faults: [{ root: 'testnet-query', kind: 'delay', delayMs: 600_000 }],
  })
  const head = `Host: 127.0.0.1:${port}\r\n`
  {
    await using aborted = await openRaw(port)
    aborted.write(`GET /testnet/v2/status HTTP/1.1\r\n${head}\r\n`)
  }
  await using silent = await openRaw(port)
  silent.socket.pause()
  const account_ids = Array<string>(1000).fill(sandbox.ready.wallets[0]?.address ?? '')
  const bulk = JSON.stringify({ account_ids })
  const request = `POST /v2/accounts/_bulk HTTP/1.1
${head}Content-Length: ${bulk.length}

${bulk}`
  silent.write(request.repeat(20))
  await using large = await openRaw(port)
  large.write(
    `POST /v2/message/decode HTTP/1.1\r\n${head}Content-Length: 104857600\r\n\r\n{"boc":"`,
  )
  const answered = await large.answer()
  expect(answered?.status).toBe(413)
  await sandbox.query('GET', '/status')
  const aborted = await read(sandbox, 'after=0&waitMs=20000&status=aborted')
  expect(aborted.calls).toMatchObject([{ status: null, template: '/testnet/v2/status' }])
  expect((await read(sandbox, 'after=0&waitMs=20000&status=413')).calls).toMatchObject([
    { requestBytes: 104_857_600, shape: null },
  ])
  expect((await read(sandbox, 'path=status&status=200')).calls).toHaveLength(1)
})

test('a sandbox directory of 23d917d gets the log and keeps its chain', async () => {
  using directory = temporaryDirectory()
  const stored = fileURLToPath(new URL('../../data/23d917d/sandbox', import.meta.url))
  mkdirSync(directory.path, { recursive: true })
  for (const name of readdirSync(stored)) {
    const bytes = gunzipSync(readFileSync(join(stored, name)))
    writeFileSync(join(directory.path, name.replace(/\.gz$/, '')), bytes)
  }
  await using sandbox = await startSandbox({ dataDirectory: directory.path, now: undefined })
  await sandbox.query('GET', '/status')
  expect((await read(sandbox)).calls).toMatchObject([{ number: 1, path: '/v2/status' }])
  const { body } = await sandbox.control<{ head: { seqno: number } }>('GET', '/state')
  expect(body.head.seqno).toBeGreaterThan(1)
})
