import { createServer as createHttpServer } from 'node:http'
import { deadlines } from '../../deadlines.ts'
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Dispatch } from '../../../src-main/bridge/dispatch.ts'
import { type EventHub, createEventHub } from '../../../src-main/bridge/events.ts'
import { connectLocalSocket } from '../../../src-main/bridge/local-socket-client.ts'
import { localSocketPath, serveLocalSocket } from '../../../src-main/bridge/local-socket.ts'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'

const echo: Dispatch = (name, input) => Promise.resolve({ ok: true, data: { name, input } })

let directory: string
let path: string
let events: EventHub
const open: AsyncDisposable[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tondesk-socket-'))
  path = localSocketPath(directory)
  events = createEventHub()
})

afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function serve(options: Partial<Parameters<typeof serveLocalSocket>[0]> = {}) {
  const server = await serveLocalSocket({ path, dispatch: echo, events, ...options })
  open.push(server)
  return server
}

async function client() {
  const found = await connectLocalSocket(path)
  if (!found) throw new Error('nobody listens')
  return found
}

/** A named pipe is not a file: it has no mode and no folder, and disappears with its process. */
const onUnix = test.skipIf(process.platform === 'win32')

const place = { platform: 'linux' as const, temporaryDirectory: '/tmp', userId: 1000 }

test('the socket’s path is in the data directory, or elsewhere if the system could not bind it there', () => {
  expect(localSocketPath('/home/ann/.tondesk', place)).toBe('/home/ann/.tondesk/tondesk.sock')
  const long = localSocketPath(`/home/${'ä'.repeat(60)}`, place)
  expect(long).toMatch(/^\/tmp\/tondesk-1000\/[0-9a-f]{16}\.sock$/)
  expect(localSocketPath(`/home/${'ö'.repeat(60)}`, place)).not.toBe(long)
  expect(localSocketPath('C:\\Users\\ann', { ...place, platform: 'win32' })).toMatch(
    /^\\\\\.\\pipe\\tondesk-[0-9a-f]{32}$/,
  )
})

test('a request reaches dispatch with its input, also without an input, and gets the envelope back', async () => {
  await serve()
  const socket = await client()
  expect(await socket.request('app.info')).toEqual({ ok: true, data: { name: 'app.info' } })
  expect(await socket.request('x', { lt: '9007199254740993' })).toEqual({
    ok: true,
    data: { name: 'x', input: { lt: '9007199254740993' } },
  })
  expect(socket.processId).toBe(process.pid)
  socket.dispose()
})

onUnix('only the owner of the data directory may open the socket', async () => {
  await serve()
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

onUnix(
  'the socket of a killed process is replaced, and a client without a server gets null',
  async () => {
    expect(await connectLocalSocket(path)).toBeNull()
    await writeFile(path, '')
    expect(await connectLocalSocket(path)).toBeNull()
    await serve()
    const socket = await client()
    socket.dispose()
  },
)

onUnix('a path that is too long to bind is replaced by a private fallback folder', async () => {
  const temporaryDirectory = directory
  const long = { platform: 'linux' as const, temporaryDirectory, userId: userInfo().uid }
  path = localSocketPath(join(directory, 'd'.repeat(120)), long)
  await serve()
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
  const socket = await client()
  expect((await socket.request('x')).ok).toBe(true)
  socket.dispose()
})

onUnix(
  'a fallback folder that another user could have created is refused by server and client',
  async () => {
    const folder = join(directory, 'tondesk-1')
    await mkdir(folder)
    path = join(folder, 'abc.sock')
    await expect(serve()).rejects.toThrow(/other users can access/)
    const planted = createServer().listen(path)
    await new Promise((resolve) => planted.once('listening', resolve))
    expect(await connectLocalSocket(path)).toBeNull()
    await new Promise((resolve) => planted.close(resolve))

    await symlink(folder, join(directory, 'tondesk-2'))
    path = join(directory, 'tondesk-2', 'abc.sock')
    await expect(serve()).rejects.toThrow(/other users can access/)
  },
)

test('a request is repeated if the app closes the idle connection at the same moment', async () => {
  // The server ends a connection while the next request on it is on its way.
  const used = new WeakSet<object>()
  const server = createHttpServer(({ socket }, response) => {
    if (used.has(socket)) socket.destroy()
    else response.end(JSON.stringify({ processId: 1, ok: true }))
    used.add(socket)
  }).listen(path)
  await new Promise((resolve) => server.once('listening', resolve))
  const socket = await client()
  for (let asked = 0; asked < 3; asked += 1) {
    expect((await socket.request('x')).ok).toBe(true)
  }
  socket.dispose()
  await new Promise((resolve) => server.close(resolve))
})

test('a request over the size limit is refused, and the server continues', async () => {
  await serve()
  const socket = await client()
  await expect(socket.request('x', 'a'.repeat(1024 * 1024))).rejects.toMatchObject({
    code: expect.stringMatching(/INVALID_INPUT|DISCONNECTED/) as string,
  })
  expect((await socket.request('x')).ok).toBe(true)
  socket.dispose()
})

test('malformed requests get 400, and unknown methods and paths 404', async () => {
  await serve()
  for (const [text, status] of [
    ['POST /request HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{"a', '400'],
    ['POST /request HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nnull', '400'],
    ['POST /request HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]', '400'],
    ['GET /request HTTP/1.1\r\nHost: x\r\n\r\n', '404'],
    ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '404'],
    ['nonsense\r\n\r\n', '400'],
  ] as const) {
    expect(await raw(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  }
})

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(path, () => socket.write(text))
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    socket.on('error', reject).on('close', () => resolve(answer))
  })
}

test('events arrive in order from the moment the subscription begins', async () => {
  await serve()
  const socket = await client()
  const got: EventMessage[] = []
  let full = () => {}
  const three = new Promise<void>((resolve) => (full = resolve))
  const stop = await socket.on((messages) => {
    got.push(...messages)
    if (got.length === 3) full()
  })
  for (const id of [1, 2, 3]) {
    events.emit('capture.changed', {
      ids: [id],
      counts: { total: id, others: 0, unread: 0, readTo: 0, pinned: 0, newestId: id },
    })
  }
  await three
  expect(got.map(({ payload }) => (payload as { ids: number[] }).ids)).toEqual([[1], [2], [3]])
  stop()
  socket.dispose()
})

test('dispose ends event streams, notifies their listeners and frees the path', async () => {
  const server = await serve()
  const socket = await client()
  const ended = new Promise<void>((resolve) => void socket.on(() => undefined, resolve))
  await socket.on(() => undefined)
  await server[Symbol.asyncDispose]()
  await ended
  expect(await connectLocalSocket(path)).toBeNull()
  await expect(socket.request('x')).rejects.toMatchObject({ code: 'DISCONNECTED' })
  await server[Symbol.asyncDispose]()
  socket.dispose()
})

test('dispose does not wait for a request that never ends', async () => {
  let asked = () => {}
  const arrived = new Promise<void>((resolve) => (asked = resolve))
  const server = await serve({
    dispatch: () => {
      asked()
      return new Promise(() => undefined)
    },
  })
  const socket = await client()
  const call = socket.request('x').catch((error: unknown) => error)
  await arrived
  const outcome = await Promise.race([
    server[Symbol.asyncDispose]().then(() => 'ended'),
    after(deadlines.wait, 'hung', { ref: false }),
  ])
  expect(outcome).toBe('ended')
  expect(await call).toMatchObject({ code: 'DISCONNECTED' })
  socket.dispose()
})

test('a request that is running when the app ends still gets its response', async () => {
  let finish = () => {}
  let asked = () => {}
  const arrived = new Promise<void>((resolve) => (asked = resolve))
  const server = await serve({
    dispatch: () =>
      new Promise((resolve) => {
        finish = () => resolve({ ok: true, data: 'done' })
        asked()
      }),
  })
  const socket = await client()
  const call = socket.request('x')
  await arrived
  const ended = server[Symbol.asyncDispose]()
  finish()
  expect(await call).toEqual({ ok: true, data: 'done' })
  await ended
  socket.dispose()
})

test('open returns the URL of a new tab; without a window it is refused with NO_WINDOW', async () => {
  await serve({ open: () => Promise.resolve({ url: 'http://127.0.0.1:1/#start=a' }) })
  const socket = await client()
  expect(await socket.open()).toEqual({ url: 'http://127.0.0.1:1/#start=a' })
  socket.dispose()

  path = join(directory, 'two', 'tondesk.sock')
  await serve()
  const command = await client()
  await expect(command.open()).rejects.toMatchObject({ code: 'NO_WINDOW' })
  command.dispose()
})
