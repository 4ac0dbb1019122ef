/**
 * Sends random HTTP, mostly malformed, to each listener over connections that end in different
 * ways. TONDESK_FUZZ_INPUTS sets the number of inputs per listener, TONDESK_FUZZ_SEED the seed.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../fixtures/seeded.ts'
import {
  type Running,
  postDelivery,
  killAll,
  startCommand,
  withDirectory,
} from '../main/command-line/cli-process.ts'

const inputs = Number(process.env['TONDESK_FUZZ_INPUTS'] ?? 200_000)
const seed = Number(process.env['TONDESK_FUZZ_SEED'] ?? 20_261_122)
const connectionsAtOnce = 48
/** Time limit for the other side to close a connection. */
const patienceMs = 250
const maxMemoryMiB = 900

type Random = () => number
type Target = { readonly port: number; readonly paths: readonly string[]; readonly headers: string }

let directory: Awaited<ReturnType<typeof withDirectory>>
let app: Running
let sandbox: Running
let receiverUrl: URL
let windowUrl: URL
let sandboxUrl: URL
let apiKey: string

beforeAll(async () => {
  directory = await withDirectory()
  const at = ['--json', '--port', '0', '--data-dir', directory.path]
  const ports = ['--receiver-port', '0', '--without-sandbox', '--no-open']
  app = startCommand([...at, ...ports], { entry: 'serve' })
  sandbox = startCommand(['sandbox', ...at])
  const ready = await app.json()
  receiverUrl = new URL(String(ready['receiverUrl']))
  windowUrl = new URL(String(ready['appUrl']))
  const line = await sandbox.json()
  sandboxUrl = new URL(String(line['queryUrl']))
  apiKey = String(line['apiKey'])
})

afterAll(async () => {
  killAll()
  await directory.remove()
})

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

const methods = ['GET', 'POST', 'PUT', 'CONNECT', 'OPTIONS', 'BREW', 'HEAD', 'PRI', 'get', '']
const versions = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']
const headerLines = [
  'Connection: close',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  'Expect: 100-continue',
  'Expect: the-impossible',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  'Content-Length: 5',
  'Content-Length: 100000',
  'Content-Length: -1',
  'Content-Type: application/json',
  'X-Tondesk-Session: none',
  'Trailer: X',
  'X: \x80\xff',
  'Folded: a\r\n b',
  ': empty',
]
const bodies = [
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  '{"name":"app.info"}',
  'zz\r\n',
  '5;x=y\r\nhe',
  '\0\xff',
]

function makeRequest(random: Random, { paths, headers }: Target): string {
  const path = random() < 0.8 ? pick(random, paths) : `http://x.example${pick(random, paths)}`
  let text = `${pick(random, methods)} ${path} ${pick(random, versions)}\r\n${random() < 0.8 ? headers : ''}`
  for (let count = Math.floor(random() * 4); count > 0; count -= 1) {
    text += `${pick(random, headerLines)}\r\n`
  }
  return `${text}\r\n${pick(random, bodies)}`
}

function makeInput(random: Random, target: Target): Buffer {
  let text = makeRequest(random, target)
  while (random() < 0.2) text += makeRequest(random, target)
  for (let count = Math.floor(random() * 3); count > 0; count -= 1) {
    const at = Math.floor(random() * text.length)
    const end = at + Math.floor(random() * 8)
    const put =
      random() < 0.5
        ? ''
        : String.fromCharCode(Math.floor(random() * 256)).repeat(1 + Math.floor(random() * 4))
    text = text.slice(0, at) + put + text.slice(random() < 0.5 ? at : end)
  }
  return Buffer.from(
    random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)) : text,
    'latin1',
  )
}

/** Sends one input in up to three pieces, and ends the connection in a random way. */
function throwOne(random: Random, target: Target): Promise<void> {
  const input = makeInput(random, target)
  const pieces = 1 + Math.floor(random() * 3)
  const end = pick<(socket: Socket) => void>(random, [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.destroy(),
    (socket) => socket.end(),
    () => undefined,
  ])
  const patience = random() < 0.01 ? patienceMs : 20
  return new Promise((resolve) => {
    const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true })
    socket.setTimeout(patience, () => socket.resetAndDestroy())
    socket.on('error', () => undefined)
    socket.once('close', () => resolve())
    socket.resume()
    socket.once('connect', () => {
      const size = Math.ceil(input.length / pieces)
      for (let at = 0; at + size < input.length; at += size)
        socket.write(input.subarray(at, at + size))
      const last = input.subarray(Math.floor((input.length - 1) / size) * size)
      socket.write(last, () => end(socket))
    })
  })
}

async function fuzz(target: Target, random: Random): Promise<void> {
  let left = inputs
  async function sender(): Promise<void> {
    while (left > 0) {
      left -= 1
      await throwOne(random, target)
    }
  }
  await Promise.all(Array.from({ length: connectionsAtOnce }, sender))
}

/** Returns the resident memory; null if the system does not report it. */
function memoryMiB(pid: number | undefined): number | null {
  if (process.platform !== 'linux') return null
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

function logged(): string {
  const logs = join(directory.path, 'logs')
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('')
}

function expectWell(running: Running): void {
  expect(running.child.exitCode).toBeNull()
  const memory = memoryMiB(running.child.pid)
  if (memory !== null) expect(memory).toBeLessThan(maxMemoryMiB)
  expect(running.errors()).toBe('')
  expect(logged()).not.toMatch(/"level":"(error|fatal)"/)
}

const longMs = 3_600_000

test(
  'the receiver survives random HTTP, and responds to a valid request afterwards',
  async () => {
    const paths = [
      receiverUrl.pathname,
      `${receiverUrl.pathname}/below?a=1`,
      '/hook/wrong',
      '/',
      '*',
    ]
    await fuzz(
      { port: Number(receiverUrl.port), paths, headers: 'Host: a\r\n' },
      seededRandom(seed),
    )
    expect(await postDelivery(receiverUrl, 1)).toBe(200)
    expectWell(app)
  },
  longMs,
)

test(
  'the window’s server survives random HTTP, and responds to a valid request afterwards',
  async () => {
    const headers = `Host: ${windowUrl.host}\r\nOrigin: ${windowUrl.origin}\r\n`
    const paths = ['/', '/events', '/request', '/session', '/index.html', '/../x', '*']
    await fuzz({ port: Number(windowUrl.port), paths, headers }, seededRandom(seed + 1))
    expect((await fetch(windowUrl)).status).toBe(200)
    expectWell(app)
  },
  longMs,
)

test(
  'the sandbox survives random HTTP, and responds to a valid request afterwards',
  async () => {
    const headers = `Host: ${sandboxUrl.host}\r\nAuthorization: Bearer ${apiKey}\r\n`
    const paths = [
      '/v2/status',
      '/webhooks',
      '/sandbox/state',
      '/api/v1/services/invoices/',
      '/',
      '*',
    ]
    await fuzz({ port: Number(sandboxUrl.port), paths, headers }, seededRandom(seed + 2))
    const authorized = { headers: { Authorization: `Bearer ${apiKey}` } }
    expect((await fetch(new URL('/v2/status', sandboxUrl), authorized)).status).toBe(200)
    expectWell(sandbox)
  },
  longMs,
)
