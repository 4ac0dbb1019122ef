/** Tests the HTTP client of gateways with a small real server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Http, type HttpClient, createHttp } from '../../../src-main/gateway/http.ts'
import { createInvoicesClient } from '../../../src-main/gateway/invoices.ts'
import { createSandboxClient } from '../../../src-main/gateway/sandbox.ts'
import { createWebhooksClient } from '../../../src-main/gateway/webhooks.ts'
import {
  type ScriptedServer,
  type Respond,
  type Seen,
  jsonResponse,
  openScriptedServer,
  errorOf,
} from '../../fixtures/scripted-server.ts'

let server: ScriptedServer
let origin = ''
let seen: Seen[] = []
let answer: Respond = jsonResponse('{}')
beforeAll(async () => {
  server = await openScriptedServer()
  server.answer = (request, response) => {
    seen.push(request)
    answer(request, response)
  }
  origin = server.origin
})
afterAll(() => server[Symbol.asyncDispose]())

const key = 'k3y-that-nobody-may-see'
let waited: number[] = []
const open: Http[] = []
afterEach(async () => {
  seen = []
  waited = []
  for (const http of open.splice(0)) await http[Symbol.asyncDispose]()
})

function client(options: { key?: string | null; path?: string; limitBytes?: number } = {}) {
  const http = createHttp({ wait: (ms) => Promise.resolve(waited.push(ms)), random: () => 1 })
  open.push(http)
  return http.client({
    name: 'The gateway',
    baseUrl: origin + (options.path ?? ''),
    key: options.key === undefined ? key : options.key,
    ...(options.limitBytes !== undefined && { limitBytes: options.limitBytes }),
  })
}

const anything = z.unknown()
const get = (http: HttpClient, path = '/x') => http.call({ path, answer: anything })

test('the key is sent as a Bearer header below the base path, and never in the URL', async () => {
  await client({ path: '/testnet/' }).call({
    path: '/webhooks',
    query: { offset: 0, limit: 5, absent: undefined },
    answer: anything,
  })
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/testnet/webhooks?offset=0&limit=5' })
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${key}`)
  await get(client({ key: null }))
  expect(seen[1]?.headers.authorization).toBeUndefined()
})

test('an int64 keeps all its digits in requests and responses', async () => {
  answer = ({ body }, response) => response.end(body)
  const lt = 9_223_372_036_854_775_807n
  const echoed = await client().call({
    method: 'POST',
    path: '/x',
    body: { lt, small: 7 },
    answer: anything,
  })
  expect(seen[0]?.body).toBe('{"lt":9223372036854775807,"small":7}')
  expect(echoed).toEqual({ lt, small: 7 })
})

test.each([
  [
    400,
    '{"error":"can\'t decode address X"}',
    'GATEWAY_REFUSED',
    /rejected the request.*decode address X\./,
  ],
  [400, '{"Error":"operation: bad path"}', 'GATEWAY_REFUSED', /bad path/],
  [400, '{"message":"bad request","status_code":400}', 'GATEWAY_REFUSED', /bad request/],
  [401, '{"error":"no such key","code":7}', 'GATEWAY_KEY_REFUSED', /key.*no such key/],
  [403, '{"error":"not granted","code":3}', 'GATEWAY_FORBIDDEN', /not granted/],
  [404, '{"error":"entity not found"}', 'GATEWAY_NOT_FOUND', /entity not found/],
  [405, '', 'GATEWAY_REFUSED', /405/],
  [406, '{"error":"cannot apply external message"}', 'GATEWAY_NOT_ACCEPTED', /cannot apply/],
  [501, '<html>not implemented</html>', 'GATEWAY_FAILED', /failed \(501\)\.$/],
  [302, 'elsewhere', 'GATEWAY_BAD_ANSWER', /302/],
])(
  'a response with status %s and body %s becomes a readable error',
  async (status, body, code, words) => {
    answer = jsonResponse(body, status, { location: `${origin}/elsewhere` })
    const error = await errorOf(get(client()))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(/^The gateway /)
    expect(error.message).toMatch(words)
    expect(error.data).toMatchObject({ status })
    // A redirect is not followed: its target would get the key.
    expect(seen).toHaveLength(1)
  },
)

test('an error message of the gateway that contains the key is masked', async () => {
  answer = ({ headers }, response) =>
    response.writeHead(401).end(JSON.stringify({ error: `bad ${headers.authorization ?? ''}` }))
  expect((await errorOf(get(client()))).message).not.toContain(key)
})

test('a GET is sent up to five times while it gets 429, with growing pauses', async () => {
  answer = jsonResponse('{"Error":"rate limit"}', 429)
  expect((await errorOf(get(client()))).code).toBe('GATEWAY_RATE_LIMITED')
  expect(seen).toHaveLength(5)
  expect(waited).toEqual([300, 600, 1200, 2400])
})

test('a retry waits as long as Retry-After requires, within limits', async () => {
  answer = jsonResponse('{}', 429, { 'retry-after': '2' })
  await errorOf(get(client()))
  expect(waited).toEqual([2000, 2000, 2000, 2400])
  waited = []
  answer = jsonResponse('{}', 429, { 'retry-after': '86400' })
  await errorOf(get(client()))
  expect(waited).toEqual([3000, 3000, 3000, 3000])
})

test.each([500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530])(
  'a GET is sent three times while it gets %s',
  async (status) => {
    answer = jsonResponse('{}', status)
    await errorOf(get(client()))
    expect(waited).toEqual([500, 1000])
    expect(seen).toHaveLength(3)
  },
)

test('a GET whose connection was closed is retried', async () => {
  answer = (_request, response) => {
    answer = jsonResponse('{"well":true}')
    response.destroy()
  }
  expect(await get(client())).toEqual({ well: true })
  expect(seen).toHaveLength(2)
})

test('a byte order mark before the JSON of a response is ignored', async () => {
  answer = jsonResponse('\uFEFF{"lt":123456789012345678}')
  expect(await get(client())).toEqual({ lt: 123456789012345678n })
})

test.each([
  ['utf16le', 'JSON in UTF-16, which the JSON standard does not allow'],
  ['marked utf16le', 'JSON in UTF-16, which the JSON standard does not allow'],
  ['utf32', 'JSON in UTF-32, which the JSON standard does not allow'],
])('a response in another encoding is reported by name: %s', async (encoding, named) => {
  const text = '{"a":1}'
  const bytes =
    encoding === 'utf32'
      ? Buffer.from(Array.from(text, (each) => [0, 0, 0, each.charCodeAt(0)]).flat())
      : Buffer.from(encoding === 'utf16le' ? text : `\uFEFF${text}`, 'utf16le')
  answer = (_request, response) => response.end(bytes)
  expect((await errorOf(get(client()))).message).toContain(named)
})

test('an error in problem+json keeps its title and its detail', async () => {
  const problem = {
    type: 'about:blank',
    title: 'Bad lt',
    detail: 'lt 7 is in the future',
    status: 400,
  }
  answer = jsonResponse(JSON.stringify(problem), 400)
  expect((await errorOf(get(client()))).message).toBe(
    'The gateway rejected the request (400): Bad lt: lt 7 is in the future.',
  )
})

test('a response of null is reported as null', async () => {
  answer = jsonResponse('null')
  const call = { path: '/x', answer: z.object({ a: z.number() }) }
  expect((await errorOf(client().call(call))).message).toBe(
    'The gateway sent an unexpected response (null instead of data).',
  )
})

test('requests other than GET are never sent twice', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    for (const status of [429, 503]) {
      answer = jsonResponse('{}', status)
      await errorOf(client().call({ method, path: '/x', body: {}, answer: anything }))
    }
    answer = (_request, response) => response.destroy()
    await errorOf(client().call({ method, path: '/x', body: {}, answer: anything }))
  }
  expect(waited).toEqual([])
  expect(seen).toHaveLength(12)
})

test('responses of 400, 401, 403, 404 and 406 are not retried', async () => {
  for (const status of [400, 401, 403, 404, 406]) {
    answer = jsonResponse('{}', status)
    await errorOf(get(client()))
  }
  expect(seen).toHaveLength(5)
})

test('a response that never begins or never ends is abandoned after the timeout', async () => {
  answer = () => undefined
  const silent = await errorOf(client().call({ path: '/x', answer: anything, timeoutMs: 500 }))
  expect(silent).toMatchObject({ code: 'GATEWAY_TIMEOUT' })
  answer = (_request, response) => response.writeHead(200).write('{')
  const endless = await errorOf(client().call({ path: '/x', answer: anything, timeoutMs: 500 }))
  expect(endless.code).toBe('GATEWAY_TIMEOUT')
  expect(seen).toHaveLength(2)
})

test('a response over the limit is not read to its end', async () => {
  let written = 0
  answer = (_request, response) => {
    const more = () => {
      while (!response.destroyed && written < 50e6) {
        written += 65_536
        if (!response.write('x'.repeat(65_536))) return void response.once('drain', more)
      }
    }
    more()
  }
  const error = await errorOf(get(client({ limitBytes: 1_000_000 })))
  expect(error.code).toBe('GATEWAY_BAD_ANSWER')
  expect(error.message).toContain('more than 977 KiB')
  expect(written).toBeLessThan(50e6)
})

const encoded = (bytes: Buffer, encoding: string): Respond => {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
  return (_request, response) => response.writeHead(200, headers).end(bytes)
}

test.each(['constructor', 'toString', 'nonsense'])(
  'a body in the unknown encoding %s is an unexpected response',
  async (encoding) => {
    answer = encoded(Buffer.from('{}'), encoding)
    const error = await errorOf(get(client()))
    expect(error.code).toBe('GATEWAY_BAD_ANSWER')
    expect(error.message).toContain(`encoded as ${encoding}`)
  },
)

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('a request has the app’s name and accepts %s', async (encoding, compress) => {
  answer = encoded(compress(JSON.stringify({ text: 'tonkeeper '.repeat(500) })), encoding)
  const read = await client().call({ path: '/x', answer: z.object({ text: z.string() }) })
  expect(read.text).toHaveLength(5_000)
  expect(seen[0]?.headers['accept-encoding']).toBe('gzip, br, deflate')
  expect(seen[0]?.headers['user-agent']).toMatch(/^Tondesk\/\d/)
})

test('the limit of a response counts decompressed bytes', async () => {
  answer = encoded(gzipSync(Buffer.alloc(50_000_000, 0x20)), 'gzip')
  const error = await errorOf(get(client({ limitBytes: 100_000 })))
  expect(error.code).toBe('GATEWAY_BAD_ANSWER')
  expect(error.message).toContain('more than 98 KiB')
})

test.each([
  [encoded(Buffer.from('{"a":1}'), 'gzip'), 'its compressed body is damaged'],
  [encoded(gzipSync('{"a":1}').subarray(0, 15), 'gzip'), 'its compressed body is damaged'],
  [encoded(Buffer.from('{}'), 'zstd'), 'encoded as zstd'],
])(
  'a compressed response that cannot be decompressed is reported with the reason (%#)',
  async (damaged, words) => {
    answer = damaged
    expect((await errorOf(get(client()))).message).toContain(words)
  },
)

test('a response of another shape is reported with the field', async () => {
  answer = jsonResponse('{"webhooks":[{"id":"one","endpoint":"x"}]}')
  const error = await errorOf(createWebhooksClient(client()).list())
  expect(error.code).toBe('GATEWAY_BAD_ANSWER')
  expect(error.message).toContain('webhooks.0.id')
  answer = jsonResponse('{"webhooks":')
  expect((await errorOf(get(client()))).message).toContain('not JSON')
})

test('a refused connection is reported with the URL', async () => {
  const http = createHttp()
  open.push(http)
  const away = http.client({ name: 'The sandbox', baseUrl: 'http://127.0.0.1:1', key: null })
  const error = await errorOf(get(away))
  expect(error.code).toBe('GATEWAY_UNREACHABLE')
  expect(error.message).toBe(
    'The sandbox cannot be reached at http://127.0.0.1:1: the connection was refused.',
  )
})

test('an aborted request is rejected with its signal’s reason', async () => {
  answer = () => undefined
  const controller = new AbortController()
  const asked = client().call({ path: '/x', answer: anything, signal: controller.signal })
  controller.abort(new Error('changed my mind'))
  await expect(asked).rejects.toThrow('changed my mind')
})

test('a request that is aborted between two tries is rejected with its signal’s reason, too', async () => {
  answer = (_request, response) => response.writeHead(503).end()
  const controller = new AbortController()
  const http = createHttp({
    wait(ms, signal) {
      controller.abort(new Error('changed my mind'))
      return sleep(ms, undefined, { signal })
    },
  })
  open.push(http)
  const gateway = http.client({ name: 'The gateway', baseUrl: origin, key })
  const asked = gateway.call({ path: '/x', answer: anything, signal: controller.signal })
  await expect(asked).rejects.toThrow('changed my mind')
})

test('events of a stream are parsed from chunks of any size', async () => {
  const text = ': hello\n\nevent: changed\r\ndata: {"a":\ndata: "ü"}\n\ndata: two\n\n'
  const bytes = Buffer.from(text)
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const byte of bytes) response.write(Buffer.of(byte))
    response.end()
  }
  const events = []
  for await (const event of client().events('/events', new AbortController().signal)) {
    events.push(event)
  }
  expect(events).toEqual([
    { name: 'changed', data: '{"a":\n"ü"}' },
    { name: 'message', data: 'two' },
  ])
})

test('a malformed head event is skipped, and the stream continues', async () => {
  const head = { network: 'testnet', seqno: 3, waiting: 0, failing: 0, now: 5 }
  answer = (_request, response) =>
    response.end(`data: nonsense\n\ndata: {"network":"moon"}\n\ndata: ${JSON.stringify(head)}\n\n`)
  const heads = []
  for await (const each of createSandboxClient(client()).heads(new AbortController().signal)) {
    heads.push(each)
  }
  expect(heads).toEqual([head])
})

test('a refused event stream is reported like any other error', async () => {
  answer = jsonResponse('{"error":"wrong key"}', 401)
  const iterator = client().events('/events', new AbortController().signal)[Symbol.asyncIterator]()
  expect((await errorOf(iterator.next())).code).toBe('GATEWAY_KEY_REFUSED')
})

test('the webhooks client sends the requests that the service documents', async () => {
  const webhooks = createWebhooksClient(client())
  answer = jsonResponse('{"webhook_id":7}')
  expect(await webhooks.create('http://127.0.0.1:1/h')).toEqual({ id: '7', token: null })
  answer = jsonResponse('{}')
  await webhooks.subscribeAccounts('7', ['0:aa'])
  answer = jsonResponse(
    '{"account_tx_subscriptions":[{"account_id":"0:aa","last_delivered_lt":25713146000000000001}]}',
  )
  expect(await webhooks.subscriptions('7')).toEqual([
    {
      account: '0:aa',
      lastDeliveredLt: '25713146000000000001',
      failedAt: null,
      failedLt: null,
      failedAttempts: 0,
    },
  ])
  expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
    'POST /webhooks {"endpoint":"http://127.0.0.1:1/h"}',
    'POST /webhooks/7/account-tx/subscribe {"accounts":[{"account_id":"0:aa"}]}',
    'GET /webhooks/7/account-tx/subscriptions?offset=0&limit=1000',
  ])
})

test('a list that a Go service sends as null is an empty list', async () => {
  const webhooks = createWebhooksClient(client())
  answer = jsonResponse('{"webhooks":null}')
  expect(await webhooks.list()).toEqual([])
  answer = jsonResponse('{"account_tx_subscriptions":null}')
  expect(await webhooks.subscriptions('7')).toEqual([])
  answer = jsonResponse('{"subscriptions":null}')
  expect(await webhooks.opcodes('7')).toEqual([])
  answer = jsonResponse('{"logs":null,"next_offset":null}')
  expect(await webhooks.logs('7')).toEqual({ logs: [], next: null })
  answer = jsonResponse('{"items":null,"count":0}')
  const listed = await createInvoicesClient(client()).list({}, null)
  expect(listed).toEqual({ invoices: [], unread: [], count: 0 })
})

test('several states are requested by a repeated parameter, not separated by commas', async () => {
  answer = jsonResponse('{"items":[],"count":0}')
  const invoices = createInvoicesClient(client())
  await invoices.list({ statuses: ['paid', 'expired'] }, '7')
  await invoices.list({}, '7')
  const [some, all] = seen.map(({ url }) => new URLSearchParams(url.split('?')[1]))
  expect(some?.getAll('filter_status')).toEqual(['paid', 'expired'])
  expect(some?.get('app_id')).toBe('7')
  expect(all?.has('filter_status')).toBe(false)
})

test('a gateway that requires the application’s id is reported with where to enter the id', async () => {
  const invoices = createInvoicesClient(client())
  answer = jsonResponse('{"error":"app_id is required"}', 400)
  for (const refused of [
    () => invoices.list({}, null),
    () => invoices.stats('TON', null),
    () => invoices.cancel('a', null),
  ]) {
    const error = await errorOf(refused())
    expect(error).toMatchObject({ code: 'GATEWAY_REFUSED' })
    expect(error.message).toContain('Invoices › Set up › App ID')
  }
  // A refused key causes another error.
  expect((await errorOf(invoices.list({}, '7'))).message).not.toContain('›')
})

test('an invoice’s times are read in seconds and milliseconds, and its currency defaults to the requested one', async () => {
  const invoice = (date: number) =>
    `{"id":"a","status":"pending","amount":"5","date_create":${date},"date_expire":${date},"pay_to_address":"0:a","payment_link":"x"}`
  const invoices = createInvoicesClient(client())
  for (const date of [1_700_000_000, 1_700_000_000_000]) {
    answer = jsonResponse(invoice(date), 201)
    for (const currency of ['TON', 'USDT'] as const) {
      const wanted = { amount: 5n, currency, lifeTimeSeconds: 60, description: '' }
      const made = await invoices.create(wanted)
      expect(made).toMatchObject({ createdAt: 1_700_000_000_000, overpayment: 0n, currency })
    }
  }
})
