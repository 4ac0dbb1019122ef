import { mkdtemp, rm } from 'node:fs/promises'
import { deadlines } from '../../deadlines.ts'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type EventHub, createEventHub } from '../../../src-main/bridge/events.ts'
import { type WebHost, type WebHostOptions, createWebHost } from '../../../src-main/bridge/web.ts'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'

const app = { dispatch: () => Promise.resolve({ ok: true as const, data: null }) }

let directory: string
let host: WebHost
let events: EventHub
const sockets: WebSocket[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tondesk-events-'))
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  await host[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function start(limits: WebHostOptions['limits'] = {}) {
  host = await createWebHost({ port: 0, rendererDirectory: directory, limits })
  events = createEventHub()
  host.attach({ ...app, events })
}

async function enter(): Promise<string> {
  const answer = await fetch(`${host.url}session`, {
    method: 'POST',
    headers: { Origin: host.url.slice(0, -1), 'Content-Type': 'application/json' },
    body: JSON.stringify({ start: new URL(host.mintStartUrl()).hash.replace('#start=', '') }),
  })
  return ((await answer.json()) as { session: string }).session
}

function dial(
  headers: Record<string, string> = { Origin: host.url.slice(0, -1) },
  path = 'events',
) {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/${path}`, { headers })
  sockets.push(socket)
  return socket
}

/** Returns the HTTP status of a refused handshake, or 101. */
function handshake(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('error', () => undefined)
  })
}

const closed = (socket: WebSocket) =>
  new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)))
const message = (socket: WebSocket) =>
  new Promise<EventMessage[]>((resolve) =>
    socket.once('message', (data: Buffer) =>
      resolve(JSON.parse(data.toString('utf8')) as EventMessage[]),
    ),
  )

/** Opens a tab that listens to events. */
async function tab(): Promise<WebSocket> {
  const session = await enter()
  const socket = dial()
  await handshake(socket)
  const ready = message(socket)
  socket.send(JSON.stringify({ session }))
  expect(await ready).toEqual([])
  return socket
}

function emit(id: number, padding = ''): void {
  const counts = { total: id, others: 0, unread: 0, readTo: 0, pinned: 0, newestId: id }
  events.emit('capture.changed', { ids: [id], counts })
  if (padding !== '') {
    const notice = { id: padding, level: 'info' as const, title: '', detail: '', raisedAt: 0 }
    events.emit('notice.changed', { notices: [{ ...notice, dismissible: true }] })
  }
}

test('every tab with a valid session gets the events as arrays, in order', async () => {
  await start()
  const one = await tab()
  const two = await tab()
  const got: number[] = []
  const full = new Promise<void>((resolve) =>
    one.on('message', (data: Buffer) => {
      for (const { payload } of JSON.parse(data.toString('utf8')) as EventMessage[]) {
        got.push(...(payload as { ids: number[] }).ids)
      }
      if (got.length === 3) resolve()
    }),
  )
  const other = message(two)
  for (const id of [1, 2, 3]) emit(id)
  await full
  expect(got).toEqual([1, 2, 3])
  expect((await other).length).toBeGreaterThan(0)
})

test('a WebSocket from another origin, Host or path is refused', async () => {
  await start()
  const origin = host.url.slice(0, -1)
  expect(await handshake(dial())).toBe(101)
  expect(await handshake(dial({}))).toBe(403)
  expect(await handshake(dial({ Origin: 'https://evil.example' }))).toBe(403)
  expect(await handshake(dial({ Origin: 'null' }))).toBe(403)
  const rebound = { Origin: `http://evil.example:${host.port}`, Host: `evil.example:${host.port}` }
  expect(await handshake(dial(rebound))).toBe(403)
  expect(await handshake(dial({ Origin: origin }, 'other'))).toBe(403)
  expect(await handshake(dial({ Origin: origin }, 'events/'))).toBe(403)
})

test('a connection without a valid session gets no event and is closed', async () => {
  await start({ firstMessageMs: 100 })
  const silent = dial()
  await handshake(silent)
  const heard: unknown[] = []
  silent.on('message', (data) => heard.push(data))
  emit(1)
  expect(await closed(silent)).toBe(4401)
  expect(heard).toEqual([])

  for (const first of ['{"session":"wrong"}', '{"session":1}', '[]', 'null', '{', '']) {
    const socket = dial()
    await handshake(socket)
    const end = closed(socket)
    socket.send(first)
    expect(await end, first).toBe(4401)
  }
  const large = dial()
  await handshake(large)
  const end = closed(large)
  large.send(JSON.stringify({ session: 'a'.repeat(10_000) }))
  expect(await end).toBe(1009)
})

test('silent connections do not keep a tab from connecting', async () => {
  await start()
  const session = await enter()
  const silent = Array.from({ length: 40 }, () => dial())
  const ends = silent.map(closed)
  expect(await Promise.all(silent.map(handshake))).toEqual(silent.map(() => 101))
  // Catches a tab that gets 403 while 32 other connections are silent.
  const tab = dial()
  expect(await handshake(tab)).toBe(101)
  const ready = new Promise((resolve) =>
    tab.once('message', (data: Buffer) => resolve(data.toString())),
  )
  tab.send(JSON.stringify({ session }))
  expect(await ready).toBe('[]')
  // At most 32 connections may be silent, so the oldest ones have been closed.
  await Promise.all(ends.slice(0, 9))
  expect(tab.readyState).toBe(WebSocket.OPEN)
})

test('a tab that does not read is disconnected, and other tabs still get every event', async () => {
  await start({ unreadLimitBytes: 64 * 1024 })
  const session = await enter()
  const slow = connect(host.port, '127.0.0.1')
  const upgraded = new Promise((resolve) => slow.once('data', resolve))
  slow.write(
    `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nOrigin: ${host.url.slice(0, -1)}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await upgraded
  const ready = new Promise((resolve) => slow.once('data', resolve))
  slow.write(maskedText(JSON.stringify({ session })))
  await ready
  slow.pause()
  const gone = new Promise((resolve) => slow.once('close', resolve))
  slow.on('error', () => undefined)

  const quick = await tab()
  let heard = 0
  quick.on('message', () => (heard += 1))
  // The events need more space than the kernel’s buffers on both sides.
  for (let id = 1; id <= 400; id += 1) {
    const next = message(quick)
    emit(id, 'x'.repeat(100_000))
    events.flush()
    await next
  }
  slow.resume()
  await gone
  expect(heard).toBeGreaterThan(300)
})

test('when the app is replaced, tabs are disconnected and can reconnect with the same session', async () => {
  await start()
  const session = await enter()
  const socket = dial()
  await handshake(socket)
  const ready = message(socket)
  socket.send(JSON.stringify({ session }))
  await ready
  const end = closed(socket)
  host.detach()
  expect(await end).toBe(1012)

  events = createEventHub()
  host.attach({ ...app, events })
  const again = dial()
  await handshake(again)
  const back = message(again)
  again.send(JSON.stringify({ session }))
  expect(await back).toEqual([])
  const next = message(again)
  emit(7)
  expect(await next).toMatchObject([{ name: 'capture.changed' }])
})

test('dispose disconnects every tab, also a tab that does not close its side', async () => {
  await start()
  const polite = await tab()
  const rude = connect(host.port, '127.0.0.1')
  const upgraded = new Promise((resolve) => rude.once('data', resolve))
  rude.on('error', () => undefined)
  rude.write(
    `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nOrigin: ${host.url.slice(0, -1)}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await upgraded
  const end = closed(polite)
  const ended = host[Symbol.asyncDispose]().then(() => 'ended')
  expect(await Promise.race([ended, after(deadlines.wait, 'hung', { ref: false })])).toBe('ended')
  expect(await end).toBe(1001)
  rude.destroy()
})

/** Builds a short text frame as a client sends it, with a mask of zeros. */
function maskedText(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}
