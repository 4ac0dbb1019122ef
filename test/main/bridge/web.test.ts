import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { deadlines } from '../../deadlines.ts'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Dispatch } from '../../../src-main/bridge/dispatch.ts'
import { createEventHub } from '../../../src-main/bridge/events.ts'
import { type WebHost, type WebHostOptions, createWebHost } from '../../../src-main/bridge/web.ts'
import { type RawConnection, openRaw } from '../../fixtures/raw-http.ts'

const echo: Dispatch = (name, input) => Promise.resolve({ ok: true, data: { name, input } })

let directory: string
let clock: number
const hosts: WebHost[] = []

beforeEach(async () => {
  clock = 1_000_000
  directory = await mkdtemp(join(tmpdir(), 'tondesk-web-'))
  await mkdir(join(directory, 'renderer', 'assets'), { recursive: true })
  await writeFile(join(directory, 'renderer', 'index.html'), '<!doctype html><title>page</title>')
  await writeFile(join(directory, 'renderer', 'assets', 'main-Ab3_x-9Z.js'), 'let a')
  await writeFile(join(directory, 'renderer', 'notes.md'), 'not for the window')
  await writeFile(join(directory, 'secret.html'), 'secret')
  // Windows lets only administrators create links.
  if (process.platform !== 'win32')
    await symlink(join(directory, 'secret.html'), join(directory, 'renderer', 'link.html'))
})

afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function start(options: Partial<WebHostOptions> = {}, dispatch = echo) {
  const host = await createWebHost({
    port: 0,
    rendererDirectory: join(directory, 'renderer'),
    now: () => clock,
    ...options,
  })
  hosts.push(host)
  const events = createEventHub()
  host.attach({ dispatch, events })
  return { host, events, origin: `http://127.0.0.1:${host.port}` }
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

function post(
  host: WebHost,
  path: string,
  body: unknown,
  headers: Record<string, string | string[]> = {},
) {
  const own = { Origin: `http://127.0.0.1:${host.port}`, 'Content-Type': 'application/json' }
  return send(host.port, 'POST', path, { ...own, ...headers }, JSON.stringify(body))
}

/** Sends exactly these bytes, and returns all bytes until the other side closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    socket.on('error', reject).on('close', () => resolve(answer))
  })
}

function startToken(host: WebHost): string {
  return new URL(host.mintStartUrl()).hash.replace('#start=', '')
}

async function enter(host: WebHost): Promise<string> {
  const answer = await post(host, '/session', { start: startToken(host) })
  return (JSON.parse(answer.body) as { session: string }).session
}

test('a start URL opens a session in one tab, and the session can send requests', async () => {
  const { host } = await start()
  const session = await enter(host)
  const answer = await post(
    host,
    '/request',
    { name: 'app.info', input: { a: 1 } },
    { 'X-Tondesk-Session': session },
  )
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.body)).toEqual({
    ok: true,
    data: { name: 'app.info', input: { a: 1 } },
  })
  expect(answer.headers['cache-control']).toBe('no-store')
})

test('a start token can be used once', async () => {
  const spent: string[] = []
  const { host } = await start({ onStartSpent: (token) => spent.push(token) })
  const token = startToken(host)
  expect((await post(host, '/session', { start: token })).status).toBe(200)
  expect((await post(host, '/session', { start: token })).status).toBe(403)
  expect(spent).toEqual([token])
})

test('a start token expires after ten minutes', async () => {
  const { host } = await start()
  const early = startToken(host)
  const late = startToken(host)
  clock += 10 * 60 * 1000 - 1
  expect((await post(host, '/session', { start: early })).status).toBe(200)
  clock += 1
  expect((await post(host, '/session', { start: late })).status).toBe(403)
})

test('an invented or missing start token opens no session', async () => {
  const { host } = await start()
  host.mintStartUrl()
  expect((await post(host, '/session', { start: 'AAAAAAAAAAAAAAAAAAAAAA' })).status).toBe(403)
  expect((await post(host, '/session', { start: null })).status).toBe(403)
  expect((await post(host, '/session', {})).status).toBe(403)
  expect((await post(host, '/session', [])).status).toBe(400)
})

test('a request without a session, or with the session of another host, is refused before dispatch', async () => {
  let asked = 0
  const { host } = await start({}, () => {
    asked += 1
    return Promise.resolve({ ok: true, data: null })
  })
  const other = await start()
  const foreign = await enter(other.host)
  for (const headers of [
    {},
    { 'X-Tondesk-Session': '' },
    { 'X-Tondesk-Session': 'x' },
    { 'X-Tondesk-Session': foreign },
    // The browser would send a cookie to any program that listens on 127.0.0.1.
    { Cookie: `session=${await enter(host)}` },
  ]) {
    expect((await post(host, '/request', { name: 'app.info' }, headers)).status).toBe(401)
  }
  expect(asked).toBe(0)
})

test('no response sets a cookie or allows another origin', async () => {
  const { host } = await start()
  const answers = [
    await send(host.port, 'GET', '/', { Origin: 'https://evil.example' }),
    await post(host, '/session', { start: startToken(host) }),
    await post(host, '/session', {}, { Origin: 'https://evil.example' }),
    await send(host.port, 'OPTIONS', '/request', {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-tondesk-session',
    }),
  ]
  for (const { headers } of answers) {
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers).not.toHaveProperty('access-control-allow-private-network')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
  }
  expect(answers[3]?.status).toBe(405)
})

test('requests for another Host are refused, which prevents DNS rebinding', async () => {
  const { host } = await start()
  const { port } = host
  expect((await send(port, 'GET', '/', { Host: `localhost:${port}` })).status).toBe(200)
  for (const name of [
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
    `[::1]:${port}`,
    `LOCALHOST.:${port}`,
  ]) {
    expect((await send(port, 'GET', '/', { Host: name })).status).toBe(403)
  }
  const twice = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil\r\nConnection: close\r\n\r\n`
  expect(await raw(port, twice)).toMatch(/^HTTP\/1.1 40[03] /)
  expect(await raw(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 40[03] /)
})

test('a POST of another origin, or without an origin, is refused even with a valid token', async () => {
  const { host, origin } = await start()
  const token = startToken(host)
  for (const foreign of [
    'https://evil.example',
    'null',
    '',
    `http://localhost:${host.port}`,
    `https://127.0.0.1:${host.port}`,
    `${origin}.evil.example`,
    `http://127.0.0.1:${host.port + 1}`,
  ]) {
    const answer = await post(host, '/session', { start: token }, { Origin: foreign })
    expect(answer.status).toBe(403)
  }
  const none = await send(
    host.port,
    'POST',
    '/session',
    { 'Content-Type': 'application/json' },
    JSON.stringify({ start: token }),
  )
  expect(none.status).toBe(403)
  expect((await post(host, '/session', { start: token })).status).toBe(200)
})

test('a POST with the content type of a form is refused, because foreign pages can send such a form', async () => {
  const { host } = await start()
  const body = { start: startToken(host) }
  expect((await post(host, '/session', body, { 'Content-Type': 'text/plain' })).status).toBe(400)
  expect((await post(host, '/session', body)).status).toBe(200)
})

test('bodies over the limit get 413, with or without a Content-Length', async () => {
  const { host } = await start()
  const session = await enter(host)
  const big = { name: 'x', input: 'a'.repeat(1024 * 1024) }
  expect((await post(host, '/request', big, { 'X-Tondesk-Session': session })).status).toBe(413)
  const chunked = { 'X-Tondesk-Session': session, 'Transfer-Encoding': 'chunked' }
  expect((await post(host, '/request', big, chunked)).status).toBe(413)
  expect((await post(host, '/session', { start: 'a'.repeat(2000) })).status).toBe(413)
  const fits = { name: 'x', input: 'a'.repeat(1024 * 1000) }
  expect((await post(host, '/request', fits, { 'X-Tondesk-Session': session })).status).toBe(200)
})

test('the page is served without caching, and files with a hash in the name are cached forever', async () => {
  const { host } = await start()
  const page = await send(host.port, 'GET', '/')
  expect(page.body).toContain('<title>page</title>')
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  })
  const script = await send(host.port, 'GET', '/assets/main-Ab3_x-9Z.js?v=1')
  expect(script).toMatchObject({
    status: 200,
    body: 'let a',
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  })
  const head = await send(host.port, 'HEAD', '/assets/main-Ab3_x-9Z.js')
  expect(head).toMatchObject({ status: 200, body: '' })
})

test('no path leads out of the folder, to a folder, through a link or to a file of another type', async () => {
  const { host } = await start()
  for (const path of [
    '/../secret.html',
    '/%2e%2e/secret.html',
    '/%2e%2e%2fsecret.html',
    '/..%5csecret.html',
    '/..\\secret.html',
    '/assets/../../secret.html',
    '/assets/..%2f..%2fsecret.html',
    '//etc/passwd',
    '//index.html',
    '/./index.html',
    '/assets/%2e%2e/index.html',
    `/${directory}/secret.html`,
    '/assets',
    '/assets/',
    '/link.html',
    '/notes.md',
    '/index.html%00.js',
    '/toString',
    '/__proto__',
  ]) {
    const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`
    const answer = await raw(host.port, head)
    expect(answer, path).toMatch(/^HTTP\/1.1 40[04] /)
    expect(answer, path).not.toContain('secret</')
  }
  const proxied = `GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`
  expect(await raw(host.port, proxied)).toMatch(/^HTTP\/1.1 40[034] /)
})

test('other methods get 405, and GET of an endpoint for POST gets 404', async () => {
  const { host, origin } = await start()
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    expect((await send(host.port, method, '/', { Origin: origin })).status).toBe(405)
  }
  expect((await send(host.port, 'GET', '/request')).status).toBe(404)
  expect((await send(host.port, 'GET', '/session')).status).toBe(404)
})

test('the host uses the next free port if its port is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo
  const { host } = await start({ port })
  expect(host.port).toBeGreaterThan(port)
  expect((await send(host.port, 'GET', '/')).status).toBe(200)
  await new Promise((resolve) => taken.close(resolve))
})

test('a request that is never completed gets 408 after the limit', async () => {
  const { host } = await start({ limits: { requestMs: 2000 } })
  const session = await enter(host)
  const head = `POST /request HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n`
  const own = `Origin: http://127.0.0.1:${host.port}\r\nX-Tondesk-Session: ${session}\r\n`
  const answer = raw(
    host.port,
    `${head}${own}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  )
  expect(await Promise.race([answer, after(deadlines.wait, 'hung', { ref: false })])).toMatch(
    /^HTTP\/1.1 408 /,
  )
})

test('idle connections over the limit are closed, the oldest first, and requests are still served', async () => {
  const begun = Promise.withResolvers<undefined>()
  const gate = Promise.withResolvers<undefined>()
  const { host } = await start({ limits: { maxConnections: 5 } }, async (...asked) => {
    begun.resolve(undefined)
    await gate.promise
    return echo(...asked)
  })
  const session = await enter(host)
  const waiting = post(host, '/request', { name: 'a' }, { 'X-Tondesk-Session': session })
  await begun.promise
  const idle: RawConnection[] = []
  for (let count = 0; count < 20; count += 1) idle.push(await openRaw(host.port))
  await Promise.all(idle.slice(0, 15).map(({ closed }) => closed))
  // A connection with a running request stays open.
  gate.resolve(undefined)
  expect((await waiting).status).toBe(200)
  expect((await send(host.port, 'GET', '/')).status).toBe(200)
  for (const connection of idle) await connection[Symbol.asyncDispose]()
})

test('a session survives a replacement of the app, and a request waits for the next app', async () => {
  const { host } = await start()
  const session = await enter(host)
  host.detach()
  const call = post(host, '/request', { name: 'x' }, { 'X-Tondesk-Session': session })
  const next: Dispatch = () => Promise.resolve({ ok: true, data: 'the next app' })
  host.attach({ dispatch: next, events: createEventHub() })
  expect(JSON.parse((await call).body)).toEqual({ ok: true, data: 'the next app' })
})

test('a request gets 503 if the next app does not start in time', async () => {
  const { host } = await start({ limits: { restartMs: 50 } })
  const session = await enter(host)
  host.detach()
  const answer = await post(host, '/request', { name: 'x' }, { 'X-Tondesk-Session': session })
  expect(answer.status).toBe(503)
  expect(JSON.parse(answer.body)).toMatchObject({ ok: false, error: { code: 'DISCONNECTED' } })
})

test('dispose ends idle, half-sent and running requests in bounded time', async () => {
  let asked = () => {}
  const arrived = new Promise<void>((resolve) => (asked = resolve))
  const { host } = await start({}, () => {
    asked()
    return new Promise(() => undefined)
  })
  const session = await enter(host)
  const call = post(host, '/request', { name: 'x' }, { 'X-Tondesk-Session': session }).catch(
    () => 'cut off',
  )
  const idle = raw(host.port, '').catch(() => 'reset')
  const half = raw(host.port, 'GET / HT').catch(() => 'reset')
  await arrived
  const ended = host[Symbol.asyncDispose]().then(() => 'ended')
  expect(await Promise.race([ended, after(deadlines.wait, 'hung', { ref: false })])).toBe('ended')
  expect(await call).toBe('cut off')
  await Promise.all([idle, half])
})
