import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type Hook, capturesOf, hookOf, newestCapture, countCaptures } from '../../fixtures/hook.ts'
import { type RawResponse, openRaw, sendRaw } from '../../fixtures/raw-http.ts'

let app: TestApp
let hook: Hook
beforeAll(async () => {
  app = await startApp()
  hook = await hookOf(app)
})
afterAll(() => app[Symbol.asyncDispose]())

/** Returns the whole response except for the date. */
function said({ status, headers, body }: RawResponse) {
  return { status, body: body.toString(), headers: headers.filter(([name]) => name !== 'Date') }
}

const nothing = {
  status: 404,
  body: '',
  headers: [
    ['Content-Length', '0'],
    ['Connection', 'close'],
  ],
}

const replaced = (token: string, at: number) =>
  token.slice(0, at) + (token[at] === '0' ? '1' : '0') + token.slice(at + 1)

describe('a request without the right token gets an empty 404', () => {
  test.each<[string, (hook: Hook) => string]>([
    ['no token', () => '/hook/'],
    ['no slash', () => '/hook'],
    ['the root', () => '/'],
    ['a page', () => '/index.html'],
    ['the bridge', () => '/request'],
    ['the bridge session', () => '/session'],
    ['a favicon', () => '/favicon.ico'],
    ['another token', () => `/hook/${'0'.repeat(32)}`],
    ['wrong in its first character', ({ token }) => `/hook/${replaced(token, 0)}`],
    ['wrong in its last character', ({ token }) => `/hook/${replaced(token, 31)}`],
    ['one character short', ({ path }) => path.slice(0, -1)],
    ['one character more', ({ path }) => `${path}x`],
    ['a character more, escaped', ({ path }) => `${path}%2F`],
    ['a fragment', ({ path }) => `${path}#`],
    ['upper case', ({ token }) => `/hook/${token.toUpperCase()}`],
    ['upper case path', ({ token }) => `/HOOK/${token}`],
    ['escaped', ({ token }) => `/hook/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`],
    ['a doubled slash', ({ path }) => `/${path}`],
    ['below another path', ({ path }) => `/x/..${path}`],
    ['below itself', ({ path }) => `/hook${path}`],
    ['as a parameter', ({ token }) => `/hook/?token=${token}`],
    // If the token is right, an absolute URL is an ordinary target (RFC 9112 3.2.2).
    ['the whole address, with another token', () => `http://127.0.0.1/hook/${'0'.repeat(32)}`],
    ['an asterisk', () => '*'],
  ])('%s', async (_name, target) => {
    const before = await countCaptures(app)
    for (const method of ['POST', 'GET', 'OPTIONS']) {
      const head = `${method} ${target(hook)} HTTP/1.1\r\nOrigin: https://evil.example\r\n\r\n`
      expect(said(await sendRaw(hook.port, head))).toEqual(nothing)
    }
    expect(await countCaptures(app)).toBe(before)
  })

  test('the 404 is the same whatever headers and body the request has', async () => {
    const rest = [
      'Content-Length: 5\r\n\r\nhello',
      'Expect: 100-continue\r\nContent-Length: 5\r\n\r\n',
      'Expect: something\r\n\r\n',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
      'Authorization: Bearer x\r\n\r\n',
    ]
    for (const lines of rest) {
      const head = `POST /hook/${'0'.repeat(32)} HTTP/1.1\r\nHost: a\r\n`
      expect(said(await sendRaw(hook.port, head + lines))).toEqual(nothing)
    }
  })

  test('CONNECT is refused, with and without the token', async () => {
    for (const target of ['example.org:443', `127.0.0.1:${hook.port}`]) {
      const answer = await sendRaw(hook.port, `CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect(said(answer)).toEqual(nothing)
    }
  })
})

describe('the receiver URL allows nothing but capture', () => {
  const answerHeaders = ['Content-Length', 'Date', 'Connection', 'Keep-Alive']

  test('a preflight gets no permission, so pages of other origins can neither read nor send JSON', async () => {
    const answer = await sendRaw(
      hook.port,
      `OPTIONS ${hook.path} HTTP/1.1\r\nOrigin: https://evil.example\r\n` +
        'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n' +
        'Access-Control-Request-Private-Network: true\r\n\r\n',
    )
    expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) })
    expect(answer.headers.map(([name]) => name)).toEqual(answerHeaders)
    expect((await newestCapture(app)).method).toBe('OPTIONS')
  })

  test.each(['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'])(
    'the response to %s repeats no part of the request and has no body',
    async (method) => {
      const below = '/reflected?<script>=reflected'
      const answer = await sendRaw(
        hook.port,
        `${method} ${hook.path}${below} HTTP/1.1\r\nHost: reflected\r\nCookie: reflected=1\r\n` +
          'Origin: https://reflected.example\r\nX-Reflected: reflected\r\nContent-Length: 9\r\n\r\nreflected',
      )
      expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) })
      expect(answer.headers.map(([name]) => name)).toEqual(answerHeaders)
      expect(answer.head).not.toContain('reflected')
    },
  )

  test('an upgrade request is captured and gets 200, and the protocol does not change', async () => {
    const [capture] = await capturesOf(app, 1, async () => {
      const lines = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n'
      const answer = await sendRaw(hook.port, `GET ${hook.path} HTTP/1.1\r\n${lines}`)
      expect(answer.status).toBe(200)
    })
    expect(capture?.headers[1]).toEqual(['Upgrade', 'websocket'])
  })

  test.each(['', 'Host: ', 'Host: x.trycloudflare.com', 'Host: [::1]:80', 'Host: a\r\nHost: b'])(
    'any Host is accepted, because tunnels send their own: %j',
    async (host) => {
      const line = host === '' ? '' : `${host}\r\n`
      const answer = await sendRaw(hook.port, `POST ${hook.path} HTTP/1.1\r\n${line}\r\n`)
      expect(answer.status).toBe(200)
    },
  )
})

test('the receiver’s port cannot be reached from another computer', async () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.internal === false && address.family === 'IPv4')
  expect(new URL(await app.hook()).hostname).toBe('127.0.0.1')
  if (outside === undefined) return
  await expect(openRaw(hook.port, outside.address)).rejects.toThrow('ECONNREFUSED')
})

test('proxy headers of the sender are shown as claims and stored as headers', async () => {
  const headers = {
    'X-Forwarded-For': '203.0.113.7, 10.0.0.1',
    Forwarded: 'for=203.0.113.7;proto=https',
    'CF-Connecting-IP': '203.0.113.7',
  }
  await app.post('x', { headers })
  const capture = await newestCapture(app)
  expect(capture.remoteAddress).toBe('127.0.0.1')
  expect(capture.via.map(({ source }) => source)).toEqual([
    'Forwarded',
    'X-Forwarded-For',
    'Cloudflare, for',
  ])
})

test('after the token is rotated the old URL gets 404 at once, also on open connections', async () => {
  await using kept = await openRaw(hook.port)
  kept.write(`POST ${hook.path} HTTP/1.1\r\n\r\n`)
  expect((await kept.answer())?.status).toBe(200)

  const { url } = await app.request('receiver.rotateToken')
  const old = hook
  hook = await hookOf(app)
  expect(url).toBe(`http://127.0.0.1:${hook.port}${hook.path}`)
  expect(hook.port).toBe(old.port)
  expect(hook.token).toMatch(/^[0-9a-f]{32}$/)
  expect(hook.token).not.toBe(old.token)

  kept.write(`POST ${old.path} HTTP/1.1\r\n\r\n`)
  expect(said((await kept.answer()) ?? fail())).toEqual(nothing)
  const fresh = await sendRaw(hook.port, `POST ${hook.path} HTTP/1.1\r\n\r\n`)
  expect(fresh.status).toBe(200)
})

function fail(): never {
  throw new Error('The connection ended without an answer.')
}
