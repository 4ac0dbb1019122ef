/** Tests the error messages for failures between Tondesk and a gateway, and for faults of a gateway. */
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type ClientOptions,
  type Http,
  type HttpDeps,
  createHttp,
} from '../../../src-main/gateway/http.ts'
import { createTrouble } from '../../../src-main/gateway/trouble.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  type ScriptedServer,
  jsonResponse,
  openScriptedServer,
  errorOf,
} from '../../fixtures/scripted-server.ts'
import { selfSigned } from '../../fixtures/self-signed.ts'

const key = 'c4nary-k3y/that+nobody=may&see'
const anything = z.unknown()
const open: AsyncDisposable[] = []
let server: ScriptedServer
beforeAll(async () => {
  server = await openScriptedServer()
})
afterEach(async () => {
  server.seen = []
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]()
})
afterAll(() => server[Symbol.asyncDispose]())

function client(options: Partial<ClientOptions> = {}, deps: HttpDeps = {}) {
  const http: Http = createHttp({ wait: () => Promise.resolve(), ...deps })
  open.push(http)
  return http.client({ name: 'The gateway', baseUrl: server.origin, key, ...options })
}
const ask = (options?: Partial<ClientOptions>, deps?: HttpDeps) =>
  errorOf(client(options, deps).call({ path: '/x', answer: anything }))

/** Returns all parts of an error that could be logged, shown or exported. */
function wholeText(error: AppError): string {
  const { cause } = error
  return JSON.stringify([error.toBody(), error.stack, cause instanceof Error ? cause.stack : cause])
}

test('a redirect is not followed: its target gets neither a request nor the key', async () => {
  await using elsewhere = await openScriptedServer()
  server.answer = jsonResponse('', 302, { location: `${elsewhere.origin}/?key=${key}` })
  const error = await ask()
  expect(error.code).toBe('GATEWAY_BAD_ANSWER')
  expect(error.message).toContain(`redirects to 127.0.0.1:${elsewhere.port} (302)`)
  expect(error.data).toMatchObject({ hint: expect.stringContaining('base URL') as string })
  expect(wholeText(error)).not.toContain('c4nary')
  expect(elsewhere.seen).toEqual([])
  expect(server.seen).toHaveLength(1)
})

test.each([
  [200, /responded with a web page instead of data\. .*guest network/],
  [403, /denies this request \(403\)\. .*guest network/],
  [502, /failed \(502\)\.$/],
  [511, /failed \(511\)\. .*guest network/],
])(
  'a web page with status %i is reported as a web page or by its status',
  async (status, words) => {
    server.answer = (_request, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><p>Sign in')
    expect((await ask()).message).toMatch(words)
  },
)

test('JSON that ends too soon is reported as invalid', async () => {
  server.answer = jsonResponse('{"accounts":[{"balance":12')
  const error = await ask()
  expect(error).toMatchObject({ code: 'GATEWAY_BAD_ANSWER' })
  expect(error.message).toContain('not JSON')
})

test('a GET whose response is cut off is retried, then reported', async () => {
  server.answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"a":')
    setImmediate(() => response.destroy())
  }
  const error = await ask()
  expect(error.message).toContain('the connection was closed')
  expect(server.seen).toHaveLength(3)
})

test('a response that trickles is abandoned after the timeout of the whole call', async () => {
  const timers: NodeJS.Timeout[] = []
  server.answer = (_request, response) => {
    response.writeHead(200)
    timers.push(setInterval(() => response.write(' '), 5))
  }
  expect(await ask({ timeoutMs: 500 })).toMatchObject({ code: 'GATEWAY_TIMEOUT' })
  for (const timer of timers) clearInterval(timer)
  expect(server.seen).toHaveLength(1)
})

test('an error with a very long text keeps its status and is shortened', async () => {
  server.answer = jsonResponse('x'.repeat(1_000_000), 400)
  const error = await ask()
  expect(error.data).toMatchObject({ status: 400 })
  expect(error.message.length).toBeLessThan(600)
})

test.each([
  [(echo: string) => jsonResponse(JSON.stringify({ error: `bad ${echo}` }), 401)],
  [(echo: string) => jsonResponse(echo, 500)],
  // The message is cut here, and half of the key must not remain.
  [(echo: string) => jsonResponse(JSON.stringify({ error: 'x'.repeat(490) + echo }), 400)],
  [(echo: string) => jsonResponse(JSON.stringify({ Error: encodeURIComponent(echo) }), 429)],
  [(echo: string) => jsonResponse(`{"${echo}":1}`, 200)],
  [(echo: string) => jsonResponse('', 301, { location: `https://h/${echo}` })],
])('a key that a response repeats appears in no error (%#)', async (answerWith) => {
  server.answer = answerWith(key)
  const strict = z.record(z.string(), z.string())
  const error = await errorOf(client().call({ path: '/x', answer: strict }))
  expect(wholeText(error)).not.toContain('c4nary')
})

test('a server that does not speak HTTP is reported, without its text', async () => {
  const line = createServer((socket) => {
    socket.once('data', (text) => socket.end(`SSH-2.0 ${text.toString()}`))
  })
  open.push(closing(line))
  const error = await ask({ baseUrl: await listen(line) })
  expect(error.message).toContain('the response is not HTTP')
  expect(wholeText(error)).not.toContain('c4nary')
})

test('a self-signed certificate ends the connection before the key is sent', async () => {
  await using secure = await openScriptedServer(
    (listener) => createSecureServer(selfSigned, listener),
    'https',
  )
  const error = await ask({ baseUrl: secure.origin })
  expect(error.code).toBe('GATEWAY_UNREACHABLE')
  expect(error.message).toContain('its certificate is self-signed. ')
  expect(error.data).toMatchObject({ hint: expect.stringContaining('NODE_EXTRA_CA') as string })
  expect(secure.seen).toEqual([])
})

test('an https URL of a server without TLS is reported as such', async () => {
  const error = await ask({ baseUrl: server.origin.replace('http:', 'https:') })
  expect(error.message).toContain('it does not support TLS. Check the URL')
})

test.each([
  ['CERT_NOT_YET_VALID', 'Check this computer’s clock.'],
  ['CERT_HAS_EXPIRED', 'Check this computer’s clock; if the clock is right'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name. Check the URL'],
  ['ENOTFOUND', 'the host was not found. Check the URL'],
])('the error %s says how to solve the problem', (code, words) => {
  const trouble = createTrouble({ name: 'It', origin: 'https://a', key: null, takesKeys: true })
  const cause = Object.assign(new Error('odd'), { code })
  expect(trouble.connection(cause, null).message).toContain(words)
})

test('a refused or missing key is reported with a reference to Settings', async () => {
  server.answer = jsonResponse('{"error":"unauthorized"}', 401)
  const lane = { network: 'mainnet', root: 'query', perSecond: null } as const
  expect((await ask({ queue: lane })).message).toMatch(/Replace the key in Settings\.$/)
  expect((await ask({ queue: lane, key: null })).message).toMatch(/Add a key in Settings\.$/)
})

/** Opens a proxy that tunnels every request, or refuses with a status. */
async function openProxy(status = 200) {
  const heads: string[] = []
  const proxy = createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (bytes) => {
      const head = bytes.toString()
      heads.push(head)
      const [, host = '', port = ''] = /^CONNECT (.+):(\d+) /.exec(head) ?? []
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      onward.on('error', () => socket.destroy())
    })
  })
  const address = (await listen(proxy)).replace('http://', '')
  return { heads, address, url: `http://me:pr0xy-s3cret@${address}`, ...closing(proxy) }
}

test('behind a proxy, no request goes to a name that resolves to a forbidden address, and unknown names go to the proxy', async () => {
  await using proxy = await openProxy(502)
  const proxyFor = () => Promise.resolve(proxy.url)
  await using refusing = createHttp({ proxyFor, addressProblem: () => 'a link-local address' })
  const call = (http: typeof refusing, baseUrl: string) =>
    http
      .client({ name: 'The gateway', baseUrl, key })
      .call({ path: '/', method: 'POST', answer: anything })
  for (const baseUrl of ['https://localhost:1', 'https://169.254.169.254', 'https://[::1]:1']) {
    const why = /resolves to .*, which is a link-local address\. Tondesk sends nothing there/
    await expect(call(refusing, baseUrl), baseUrl).rejects.toThrow(why)
    await expect(call(refusing, baseUrl), baseUrl).rejects.toThrow(why)
  }
  expect(proxy.heads).toEqual([])
  await using http = createHttp({ proxyFor, addressProblem: () => null })
  await expect(call(refusing, 'https://tondesk.invalid')).rejects.toThrow()
  await expect(call(http, 'https://localhost:1')).rejects.toThrow()
  expect(proxy.heads.map((head) => head.split(' ')[1])).toEqual([
    'tondesk.invalid:443',
    'localhost:1',
  ])
})

test('a proxy gets its own password for the tunnel, and only the gateway gets the key', async () => {
  await using proxy = await openProxy()
  server.answer = jsonResponse('{"well":true}')
  const through = client({}, { proxyFor: () => Promise.resolve(proxy.url) })
  expect(await through.call({ path: '/x', answer: anything })).toEqual({ well: true })
  expect(proxy.heads).toHaveLength(1)
  expect(proxy.heads[0]).toContain(`CONNECT 127.0.0.1:${server.port} `)
  expect(proxy.heads[0]?.toLowerCase()).toContain(
    `proxy-authorization: basic ${Buffer.from('me:pr0xy-s3cret').toString('base64')}`.toLowerCase(),
  )
  expect(proxy.heads[0]).not.toContain('c4nary')
  expect(server.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${key}` })
  expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined()
})

test.each([
  [407, 'the proxy requires a user name and a password (407)'],
  [403, 'the proxy blocks the request (403)'],
])('a proxy that responds with %i is named, without its password', async (status, words) => {
  await using proxy = await openProxy(status)
  const error = await ask({}, { proxyFor: () => Promise.resolve(proxy.url) })
  expect(error.message).toContain(`through the proxy ${proxy.address}: ${words}`)
  expect(wholeText(error)).not.toMatch(/pr0xy|c4nary/)
})

test('a proxy that cannot be reached is named, without its password', async () => {
  const proxyFor = () => Promise.resolve('http://me:pr0xy-s3cret@127.0.0.1:1')
  const error = await ask({}, { proxyFor })
  expect(error.message).toContain('through the proxy 127.0.0.1:1: the connection was refused.')
  expect(wholeText(error)).not.toMatch(/pr0xy|c4nary/)
})

async function listen(line: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(line.address() as AddressInfo).port}`
}

function closing(line: ReturnType<typeof createServer>): AsyncDisposable {
  const sockets = new Set<Socket>()
  line.on('connection', (socket) => void sockets.add(socket))
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => line.close(resolve))
    },
  }
}
