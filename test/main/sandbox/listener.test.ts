import { createServer, type AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import { type Fault, createFaults, createRoots } from '../../../src-main/sandbox/roots.ts'
import { createGate } from '../../../src-main/sandbox/snapshots.ts'
import { HttpProblem, jsonResponse, readText } from '../../../src-main/sandbox/http.ts'
import { type Listener, createListener } from '../../../src-main/sandbox/listener.ts'
import { openRaw } from '../../fixtures/raw-http.ts'

const keys = { apiKey: 'the-api-key', invoicesToken: 'the-token', controlKey: 'the-control-key' }
const open: Listener[] = []

afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close()
})

/** Creates an API that responds with its name and the requested path. */
function api(name: string): Hono {
  const hono = new Hono()
  hono.onError((error) => {
    if (error instanceof HttpProblem) return jsonResponse({ error: error.message }, error.status)
    throw error
  })
  hono.get('/broken', () => {
    throw new Error('the secret is the-api-key')
  })
  hono.post('/body', async (context) =>
    jsonResponse({ length: (await readText(context, 1000)).length }),
  )
  hono.all('*', ({ req }) => jsonResponse({ name, path: req.path, query: req.query() }))
  return hono
}

const fixed = (hono: Hono) => () => hono

async function listen(faults: readonly Fault[] = []) {
  const errors: unknown[] = []
  const made = createFaults()
  made.set(faults)
  const roots = createRoots(
    {
      query: fixed(api('query')),
      'testnet-query': fixed(api('testnet query')),
      webhooks: fixed(api('webhooks')),
      'testnet-webhooks': fixed(api('testnet webhooks')),
      invoices: fixed(api('invoices')),
      control: fixed(api('control')),
    },
    keys,
    {
      faults: made,
      gate: createGate(),
      onServed: () => undefined,
      onError: (error) => errors.push(error),
    },
  )
  const listener = await createListener({ port: 0, orNearby: false, roots })
  open.push(listener)
  const base = `http://127.0.0.1:${listener.port}`
  return { base, port: listener.port, errors }
}

async function statusOfRaw(port: number, request: string): Promise<number | undefined> {
  await using connection = await openRaw(port)
  connection.write(request)
  return (await connection.answer())?.status
}

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

test('each path is routed to its API with the rest of the path, on both networks', async () => {
  const { base } = await listen()
  for (const [path, name, under, key] of [
    ['/v2/status?a=1', 'query', '/status', null],
    ['/v2', 'query', '/', null],
    ['/testnet/v2/status', 'testnet query', '/status', null],
    ['/webhooks/1', 'webhooks', '/webhooks/1', keys.apiKey],
    ['/testnet/webhooks', 'testnet webhooks', '/webhooks', keys.apiKey],
    ['/api/v1/services/invoices/stats', 'invoices', '/stats', null],
    ['/sandbox/state', 'control', '/state', keys.controlKey],
    ['/usage-stats', 'webhooks', '/usage-stats', keys.apiKey],
    ['/v2/../sandbox/state', 'control', '/state', keys.controlKey],
  ] as const) {
    const response = await fetch(`${base}${path}`, key === null ? {} : bearer(key))
    expect(await response.json(), path).toMatchObject({ name, path: under })
  }
})

test('each API requires its own key in its own places, and returns its own error format', async () => {
  const { base } = await listen()
  const statusOf = async (path: string, init?: RequestInit) =>
    (await fetch(`${base}${path}`, init)).status
  expect(await statusOf('/v2/status')).toBe(200)
  expect(await statusOf('/v2/status', bearer(keys.apiKey))).toBe(200)
  expect(await statusOf('/v2/status', bearer('wrong'))).toBe(401)
  expect(await statusOf('/webhooks')).toBe(401)
  expect(await statusOf(`/webhooks?token=${keys.apiKey}`)).toBe(200)
  expect(await statusOf(`/webhooks?token=${keys.controlKey}`)).toBe(401)
  // The Bearer header takes precedence, even if the parameter has the right key.
  expect(await statusOf(`/webhooks?token=${keys.apiKey}`, bearer('wrong'))).toBe(401)
  expect(await statusOf(`/sandbox/state?token=${keys.controlKey}`)).toBe(401)
  expect(await statusOf('/sandbox/state', bearer(keys.apiKey))).toBe(401)
  expect(await statusOf('/sandbox/state', bearer(keys.controlKey))).toBe(200)

  const wrong = await fetch(`${base}/webhooks`, bearer('wrong'))
  expect(wrong.headers.get('content-type')).toContain('application/json')
  expect(await wrong.json()).toEqual({ error: 'this API key is unknown' })
})

test('a key without "Bearer" is refused on every API, and with another header the parameter is used', async () => {
  const { base } = await listen()
  const statusOf = async (path: string, authorization: string) =>
    (await fetch(`${base}${path}`, { headers: { Authorization: authorization } })).status
  for (const path of ['/v2/status', '/webhooks', '/testnet/webhooks']) {
    const bare = await fetch(`${base}${path}`, { headers: { Authorization: keys.apiKey } })
    expect([bare.status, await bare.text()], path).toEqual([
      401,
      expect.stringContaining('Authorization: Bearer'),
    ])
  }
  expect(await statusOf('/sandbox/state', keys.controlKey)).toBe(401)
  for (const header of ['Basic eDp5', 'Bearer', '', 'x']) {
    expect(await statusOf(`/webhooks?token=${keys.apiKey}`, header), header).toBe(200)
  }
})

test('an unknown path gets 404 without a key, not 401', async () => {
  const { base, port } = await listen()
  for (const path of ['/', '/v2x', '//v2//status', '/favicon.ico', '/testnet', '/testnet/x']) {
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
    expect(await statusOfRaw(port, request), path).toBe(404)
  }
  expect(await (await fetch(`${base}/v2x`)).json()).toHaveProperty('error')
  const elsewhere = `GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
  expect(await statusOfRaw(port, elsewhere)).toBe(403)
})

test('another Host is refused on every API, which prevents DNS rebinding', async () => {
  const { port } = await listen()
  for (const path of ['/v2/status', '/webhooks', '/testnet/v2/x', '/sandbox/state']) {
    for (const [hosts, statuses] of [
      [[`127.0.0.1:${port}`], [200, 401]],
      [[`localhost:${port}`], [200, 401]],
      [[`evil.example:${port}`], [403]],
      [['127.0.0.1'], [403]],
      [
        [`127.0.0.1:${port}`, `evil.example:${port}`],
        [400, 403],
      ],
      [[], [400]],
    ] as const) {
      const head = hosts.map((host) => `Host: ${host}\r\n`).join('')
      const status = await statusOfRaw(
        port,
        `GET ${path} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
      )
      expect(statuses, `${path} ${hosts.join(' and ')}`).toContain(status)
    }
  }
  const absolute = `GET http://evil.example/v2/status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
  expect(await statusOfRaw(port, absolute)).toBe(400)
})

test('pages of other origins may use only the query API', async () => {
  const { base } = await listen()
  const preflight = (path: string) =>
    fetch(`${base}${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        Authorization: 'Bearer x',
      },
    })
  for (const path of ['/v2/status', '/testnet/v2/status']) {
    const answer = await preflight(path)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-headers')).toContain('Content-Type')
    const refused = await fetch(`${base}${path}`, bearer('wrong'))
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  }
  for (const path of ['/webhooks', '/testnet/webhooks', '/sandbox/state']) {
    const answer = await preflight(path)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('an internal error gets 500 in the API’s format, and its message appears only in the log', async () => {
  const { base, errors } = await listen()
  const query = await fetch(`${base}/v2/broken`)
  expect([query.status, await query.json()]).toEqual([
    500,
    { error: 'an internal error of the sandbox occurred' },
  ])
  const invoices = await fetch(`${base}/api/v1/services/invoices/broken`)
  expect(await invoices.json()).toMatchObject({ code: 500 })
  expect(errors).toHaveLength(2)
})

test('faults cause a status in the API’s format, a broken connection, a limit or a delay', async () => {
  const { base } = await listen([
    { root: 'query', kind: 'rate-limit', perSecond: 1, share: 1 },
    { root: 'invoices', kind: 'status', status: 503, share: 1 },
    { root: 'webhooks', kind: 'reset', share: 1 },
    { root: 'testnet-query', kind: 'delay', delayMs: 1, share: 1 },
  ])
  expect((await fetch(`${base}/v2/status`)).status).toBe(200)
  const limited = await fetch(`${base}/v2/status`)
  expect([limited.status, await limited.json()]).toEqual([429, { Error: 'rate limit' }])
  const down = await fetch(`${base}/api/v1/services/invoices/stats`)
  expect([down.status, await down.json()]).toEqual([
    503,
    { error: 'service unavailable', code: 503 },
  ])
  await expect(fetch(`${base}/webhooks`, bearer(keys.apiKey))).rejects.toThrow()
  expect((await fetch(`${base}/testnet/v2/status`)).status).toBe(200)
})

test('a body over the limit gets 413, and the next request gets its response', async () => {
  const { base } = await listen()
  const post = (length: number) =>
    fetch(`${base}/v2/body`, { method: 'POST', body: 'x'.repeat(length) })
  expect((await post(10_000_000)).status).toBe(413)
  expect(await (await post(1000)).json()).toEqual({ length: 1000 })
})

test('a listener on a taken port fails with the reason, or uses the next free port if allowed', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  try {
    await expect(createListener({ port, orNearby: false, roots: [] })).rejects.toMatchObject({
      code: 'SANDBOX_PORT_TAKEN',
      message: expect.stringMatching(/^Port \d+ is taken\./) as string,
    })
    const next = await createListener({ port, orNearby: true, roots: [] })
    open.push(next)
    expect(next.port).toBeGreaterThan(port)
  } finally {
    other.close()
  }
})
