import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { capturesOf, hookOf, newestCapture } from '../../fixtures/hook.ts'
import { sendRaw } from '../../fixtures/raw-http.ts'

// These tests catch code that parses, trims, reorders, re-encodes or "repairs" a request before it
// is stored.

let app: TestApp
let port: number
let path: string
beforeAll(async () => {
  app = await startApp()
  ;({ port, path } = await hookOf(app))
})
afterAll(() => app[Symbol.asyncDispose]())

type Sent = {
  readonly method?: string
  readonly below?: string
  readonly version?: string
  /** Headers as transferred, one character per byte, including `Content-Length` if there is a body. */
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: Buffer
}

async function sendAndRead({
  method = 'POST',
  below = '',
  version = '1.1',
  headers = [],
  body = Buffer.alloc(0),
}: Sent) {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = `${method} ${path}${below} HTTP/${version}\r\n${lines}\r\n`
  const [capture] = await capturesOf(app, 1, async () => {
    expect((await sendRaw(port, head, body)).status).toBe(200)
  })
  return capture
}

const bodies: readonly (readonly [string, Buffer])[] = [
  ['odd spacing', Buffer.from('{ "a" :\t1 ,\r\n\r\n  "b":[ ] }  \n')],
  ['1.50 is not 1.5', Buffer.from('{"amount":1.50,"e":1E+2,"zero":-0}')],
  ['integers beyond 2^53', Buffer.from('{"lt":9007199254740993,"max":18446744073709551615}')],
  ['escapes stay escapes', Buffer.from('{"a":"\\u00e9\\/\\ud83d\\ude00"}')],
  ['UTF-8 stays UTF-8', Buffer.from('{"a":"é😀\u2028\uFEFF"}')],
  ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])],
  ['duplicate keys', Buffer.from('{"a":1,"a":2,"__proto__":{"x":1}}')],
  ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf8, 0x22])],
  ['NUL and 0xFF', Buffer.from([0, 0xff, 0, 0xff, 0, 0, 0xff, 0xff])],
  ['every byte value', Buffer.from(Array.from({ length: 256 }, (_, value) => value))],
  ['a single line feed', Buffer.from('\n')],
  ['300 kB', Buffer.alloc(300_000, Buffer.from(Array.from({ length: 251 }, (_, i) => i)))],
]

test.each(bodies)('a body is stored byte for byte: %s', async (_name, body) => {
  const capture = await sendAndRead({ headers: [['Content-Length', String(body.length)]], body })
  expect(capture?.body.equals(body)).toBe(true)
  expect(capture).toMatchObject({ bodyBytes: body.length, completeness: 'complete', status: 200 })
})

test('headers keep order, case, duplicates, empty values and bytes above 0x7f', async () => {
  const headers: [string, string][] = [
    ['host', 'Any.Example:1'],
    ['X-One', 'first'],
    ['x-one', 'second'],
    ['X-ONE', ''],
    ['Content-Type', 'application/json;  charset="utf-8"'],
    ['X-Latin', 'caf\xe9 \xff\x80'],
    ['X-Utf8', Buffer.from('é😀').toString('latin1')],
    ["!#$%&'*+-.^_`|~", "!#$%&'*+-.^_`|~"],
    ['Cookie', 'a=1'],
    ['Cookie', 'b=2'],
    ['X-Quotes', `"'\\\t<script>`],
    ['__proto__', 'polluted'],
    ['constructor', 'x'],
    ['CONTENT-length', '2'],
  ]
  const capture = await sendAndRead({ headers, body: Buffer.from('{}') })
  expect(capture?.headers).toEqual(headers)
})

test.each([
  ['5,000 headers (node’s default limit is 2,000)', 5_000, 1],
  ['one header of 60 kB', 1, 60_000],
])('a request with %s is stored with all of them', async (_name, count, length) => {
  const headers = Array.from(
    { length: count },
    (_, index) => [`h${index}`, 'v'.repeat(length)] as const,
  )
  const capture = await sendAndRead({ headers })
  expect(capture?.headers).toEqual(headers)
})

test.each([
  '',
  '/',
  '?',
  '/a//b///',
  '/%2F%2f/%61%zz%',
  '/a/../../b/./c',
  '/..',
  '?q=a+b%20c&q=&&q=1;2',
  '?a=/hook/x?y=?',
  `/"'<>{}|^\`[]\\`,
  '/a#fragment?not=query',
  '?token=&x',
])('the request target is stored as sent: %j', async (below) => {
  const capture = await sendAndRead({ below })
  expect(capture?.target).toBe(path + below)
  expect(capture?.subpath).toBe(below)
})

test.each(['1.0', '1.1'])(
  'a request with HTTP/%s is stored with this version and gets a response',
  async (version) => {
    const capture = await sendAndRead({
      version,
      headers: [['Content-Length', '2']],
      body: Buffer.from('hi'),
    })
    expect(capture).toMatchObject({ httpVersion: version, body: Buffer.from('hi') })
  },
)

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'])(
  'a %s request is captured like a POST, with and without a body',
  async (method) => {
    const bare = await sendAndRead({ method })
    expect(bare).toMatchObject({ method, bodyBytes: 0, headers: [] })
    const body = Buffer.from('body')
    const withBody = await sendAndRead({ method, headers: [['Content-Length', '4']], body })
    expect(withBody).toMatchObject({ method, body })
  },
)

test('an announced empty body differs from no body in the stored headers', async () => {
  const announced = await sendAndRead({ headers: [['Content-Length', '0']] })
  expect(announced?.headers).toEqual([['Content-Length', '0']])
  expect((await sendAndRead({}))?.headers).toEqual([])
})

test('a chunked body is stored as its joined chunks, without extensions and trailers', async () => {
  const chunks = ['5;ext=1;q="x;y"\r\n{"a":\r\n', '00A\r\n0123456789\r\n', '1\r\n\0\r\n']
  const end = '0;last\r\nX-Trailer: t\r\nX-Trailer: u\r\n\r\n'
  const head = `POST ${path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n\r\n`
  expect((await sendRaw(port, head, ...chunks, end)).status).toBe(200)
  const capture = await newestCapture(app)
  expect(capture.body.toString('latin1')).toBe('{"a":0123456789\0')
  expect(capture.headers).toEqual([
    ['Transfer-Encoding', 'chunked'],
    ['Trailer', 'X-Trailer'],
  ])
  expect(capture).toMatchObject({ bodyBytes: 16, completeness: 'complete' })
})

test('a body that arrives byte by byte is stored whole', async () => {
  const body = '{"n":9007199254740993}'
  const head = `POST ${path} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`
  expect((await sendRaw(port, ...Array.from(head + body))).status).toBe(200)
  expect((await newestCapture(app)).body.toString()).toBe(body)
})

test('a capture has its times and the sender’s address', async () => {
  const before = Date.now() * 1000
  const capture = await sendAndRead({})
  expect(capture?.remoteAddress).toBe('127.0.0.1')
  // The receiver uses a monotonic clock, which may differ slightly from the system’s clock.
  expect(Math.abs((capture?.receivedAt ?? 0) - before)).toBeLessThan(60_000_000)
  expect(capture?.durationUs).toBeGreaterThan(0)
})

test.each(['http://any.example:8080', 'HTTPS://any.example', 'http://127.0.0.1'])(
  'a target in absolute form, as sent to a proxy, is captured: %s',
  async (origin) => {
    const target = `${origin}${path}/below?a=1`
    const [capture] = await capturesOf(app, 1, async () => {
      expect(
        (await sendRaw(port, `POST ${target} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`)).status,
      ).toBe(200)
    })
    expect(capture?.subpath).toBe('/below?a=1')
    using database = new DatabaseSync(join(app.directory, 'tondesk.db'), { readOnly: true })
    const row = database.prepare('SELECT target FROM captures WHERE id = ?').get(capture?.id ?? 0)
    expect(row).toEqual({ target })
  },
)

test.each(['ftp://any.example', 'http:/', 'http:', '//any.example', 'http://any.example?x='])(
  'a target that is neither a path nor an http URL is refused: %s',
  async (origin) => {
    const answer = await sendRaw(
      port,
      `POST ${origin}${path} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`,
    )
    expect([400, 404]).toContain(answer.status)
  },
)
