import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../../fixtures/app.ts'
import { startBareReceiver } from '../../fixtures/bare-receiver.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { capturesOf, hookOf, countCaptures } from '../../fixtures/hook.ts'
import { openRaw, sendRaw } from '../../fixtures/raw-http.ts'
import { beginRequest } from '../../fixtures/slow-request.ts'

/** Starts a program on this port, or on any free port. */
async function occupy(wanted = 0) {
  const server = createServer((socket) => socket.destroy()).listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

async function freePort(): Promise<number> {
  await using server = await occupy()
  return server.port
}

test('a receiver whose port is taken uses the next free port, with a notice until its port is free', async () => {
  await using other = await occupy()
  await using app = await startApp({ receiverPort: other.port })
  const state = await app.request('receiver.state')
  expect(state).toMatchObject({ status: 'listening', wantedPort: other.port, problem: null })
  expect(state.port).toBeGreaterThan(other.port)
  expect(state.port).toBeLessThanOrEqual(other.port + 20)
  expect(await app.post('{}')).toBe(200)
  const [notice] = await app.request('notice.list')
  expect(notice).toMatchObject({ id: 'receiver.port', level: 'warning' })
  expect(notice?.title).toContain(String(other.port))
  expect(notice?.detail).toContain(String(state.port))

  // Catches a warning that remains after its cause has ended.
  await other[Symbol.asyncDispose]()
  await app.request('receiver.stop')
  await app.request('settings.change', { receiver: { port: other.port } })
  expect(await app.request('receiver.start')).toMatchObject({ port: other.port, wantedPort: null })
  expect((await app.request('notice.list')).map(({ id }) => id)).not.toContain('receiver.port')
})

test('another port in the settings moves the receiver, with the same token', async () => {
  await using app = await startApp()
  const before = await hookOf(app)
  const port = await freePort()
  await app.request('settings.change', { receiver: { port } })
  const after = await hookOf(app)
  expect(after).toEqual({ ...before, port })
  expect((await sendRaw(port, `POST ${after.path} HTTP/1.1\r\n\r\n`)).status).toBe(200)
  await expect(openRaw(before.port)).rejects.toThrow('ECONNREFUSED')
  // If the port is changed while the receiver is stopped, the next start uses it.
  await app.request('receiver.stop')
  const next = await freePort()
  await app.request('settings.change', { receiver: { port: next } })
  await app.request('receiver.start')
  expect(await hookOf(app)).toEqual({ ...before, port: next })
})

test('a change of other settings closes no connection', async () => {
  await using app = await startApp()
  const { port, path } = await hookOf(app)
  await using connection = await openRaw(port)
  connection.write(`POST ${path} HTTP/1.1\r\n\r\n`)
  await connection.answer()
  await app.request('settings.change', { receiver: { bodyLimitBytes: 2048 } })
  connection.write(`POST ${path} HTTP/1.1\r\n\r\n`)
  expect((await connection.answer())?.status).toBe(200)
})

test('a stopping receiver accepts no new connection, finishes begun deliveries and closes idle connections', async () => {
  await using app = await startApp()
  const { port, path } = await hookOf(app)
  await using idle = await openRaw(port)
  idle.write(`POST ${path} HTTP/1.1\r\n\r\n`)
  await idle.answer()
  await using begun = await openRaw(port)
  begun.write(`POST ${path} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nhi`)
  expect((await begun.answer())?.status).toBe(100)

  const before = await countCaptures(app)
  const stopped = app.request('receiver.stop')
  await idle.closed
  // The system closes the port a moment after the thread has ended.
  const opened = () => openRaw(port).then(({ socket }) => void socket.destroy(), String)
  await expect.poll(opened).toContain('ECONNREFUSED')
  begun.write('ho')
  const answer = await begun.answer()
  expect(answer?.status).toBe(200)
  // Catches a keep-alive connection that delays every exit until the time limit.
  expect(answer?.head).toContain('Connection: close')
  expect(await stopped).toMatchObject({ status: 'stopped', url: null, port: null })
  expect(await countCaptures(app)).toBe(before + 1)
})

test('a delivery that was read gets its response while the receiver stops, however slow the disk is', async () => {
  const read = Promise.withResolvers<undefined>()
  const written = Promise.withResolvers<undefined>()
  const beforeWrite = () => {
    read.resolve(undefined)
    return written.promise
  }
  await using bare = await startBareReceiver({ beforeWrite })
  await using sender = await openRaw(bare.port)
  sender.write(`POST ${bare.path} HTTP/1.1\r\n\r\n`)
  await read.promise
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const stopped = bare.receiver.stop()
  await vi.advanceTimersByTimeAsync(120_000)
  written.resolve(undefined)
  expect((await sender.answer())?.status).toBe(200)
  await stopped
})

test('an app that ends finishes a begun delivery and has its capture after the next start', async () => {
  using directory = temporaryDirectory()
  const options = { dataDirectory: directory.path }
  const app = await startApp(options)
  await using begun = await beginRequest(await app.hook())
  const disposed = app[Symbol.asyncDispose]()
  expect(await begun.finish()).toContain('200 OK')
  await disposed
  await using again = await startApp({ ...options, receive: false })
  expect(await countCaptures(again)).toBe(1)
})

test('token and port survive a restart, and a receiver that is turned off at the start stays stopped', async () => {
  using directory = temporaryDirectory()
  const options = { dataDirectory: directory.path }
  const port = await freePort()
  let token: string
  {
    await using app = await startApp(options)
    await app.request('settings.change', { receiver: { port } })
    await app.request('receiver.rotateToken')
    ;({ token } = await hookOf(app))
  }
  {
    await using app = await startApp({ ...options, receive: false })
    await app.request('receiver.start')
    expect(await hookOf(app)).toMatchObject({ token, port })
    await app.request('settings.change', { receiver: { listenAtStart: false } })
  }
  await using app = await startApp(options)
  expect((await app.request('receiver.state')).status).toBe('stopped')
  await app.request('receiver.start')
  expect((await hookOf(app)).token).toBe(token)
})

test('concurrent starts and stops leave one listener or none', async () => {
  await using app = await startApp({ receive: false })
  const port = await freePort()
  await app.request('settings.change', { receiver: { port } })
  const started = await Promise.all([
    app.request('receiver.start'),
    app.request('receiver.start'),
    app.request('receiver.start'),
  ])
  // Catches a second listener on the next port that nothing can stop any more.
  expect(started.map((state) => state.port)).toEqual([port, port, port])
  const [, last] = await Promise.all([app.request('receiver.start'), app.request('receiver.stop')])
  expect(last.status).toBe('stopped')
  await expect(openRaw(port)).rejects.toThrow('ECONNREFUSED')
})

test('the receiver’s state counts the stored captures', async () => {
  await using app = await startApp()
  const { port } = await hookOf(app)
  await capturesOf(app, 3, () => Promise.all([app.post('1'), app.post('2'), app.post('3')]))
  await sendRaw(port, 'POST /hook/wrong HTTP/1.1\r\n\r\n')
  expect(await app.request('receiver.state')).toMatchObject({ captured: 3, refused: 0 })
})
