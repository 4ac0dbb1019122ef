import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import {
  type BareReceiver,
  callInThisThread,
  startBareReceiver,
} from '../../fixtures/bare-receiver.ts'
import { createListener } from '../../../src-main/receiver/listener.ts'
import type { OnWritten } from '../../../src-main/captures/store/capture-appender.ts'
import { createReceiver } from '../../../src-main/receiver/receiver.ts'
import { defaultSettings } from '../../../src-preload/contract/settings.ts'
import { type Hook, capturesOf, hookOf } from '../../fixtures/hook.ts'
import { type RawConnection, openRaw, sendRaw } from '../../fixtures/raw-http.ts'

/** Writes the same bytes repeatedly, as fast as they are accepted, until the connection ends. */
function writeWithoutEnd({ socket }: RawConnection, chunk: string): void {
  const write = () => {
    while (!socket.destroyed && socket.writable) {
      if (!socket.write(chunk, 'latin1')) {
        socket.once('drain', write)
        return
      }
    }
  }
  write()
}

describe('a body over the limit gets 413, and its beginning is stored as truncated', () => {
  const limit = 64 * 1024
  let app: TestApp
  let hook: Hook
  beforeAll(async () => {
    app = await startApp()
    hook = await hookOf(app)
    await app.request('settings.change', { receiver: { bodyLimitBytes: limit } })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test.each([
    ['exactly at the limit', limit, 200, 'complete'],
    ['one byte above', limit + 1, 413, 'truncated'],
    ['far above', 20_000_000, 413, 'truncated'],
  ])('%s', async (_name, length, status, completeness) => {
    const body = Buffer.alloc(length, 'abcdefg')
    const [capture] = await capturesOf(app, 1, async () => {
      const head = `POST ${hook.path} HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`
      // All bytes are written before the response is read, which catches a response lost to a reset.
      expect((await sendRaw(hook.port, head, body)).status).toBe(status)
    })
    expect(capture).toMatchObject({ status, completeness, bodyBytes: length })
    expect(capture?.body.equals(body.subarray(0, limit))).toBe(true)
    if (status === 413) expect(capture?.incident).toContain(String(limit))
  })

  test('a chunked body without an end gets 413', async () => {
    const [capture] = await capturesOf(app, 1, async () => {
      await using connection = await openRaw(hook.port)
      connection.write(`POST ${hook.path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`)
      writeWithoutEnd(connection, `1000\r\n${'x'.repeat(0x1000)}\r\n`)
      const answer = await connection.answer()
      expect(answer?.status).toBe(413)
      expect(answer?.head).toContain('Connection: close')
    })
    expect(capture).toMatchObject({ status: 413, completeness: 'truncated' })
    expect(capture?.body.equals(Buffer.alloc(limit, 'x'))).toBe(true)
  })

  test('a sender that waits for 100 may send, and gets 413 only for the sent bytes', async () => {
    await using connection = await openRaw(hook.port)
    const head = `Content-Length: ${limit * 2}\r\nExpect: 100-continue\r\n\r\n`
    connection.write(`POST ${hook.path} HTTP/1.1\r\n${head}`)
    expect((await connection.answer())?.status).toBe(100)
    connection.write(Buffer.alloc(limit * 2))
    expect((await connection.answer())?.status).toBe(413)
  })

  test('a sender with a wrong token gets 404 although it sends without reading', async () => {
    const body = Buffer.alloc(20_000_000)
    const head = `POST /hook/${'0'.repeat(32)} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`
    expect((await sendRaw(hook.port, head, body)).status).toBe(404)
  })

  test('a changed limit applies to the next delivery', async () => {
    const body = Buffer.alloc(3_000_000, 'y')
    expect(await app.post(body)).toBe(413)
    await app.request('settings.change', { receiver: { bodyLimitBytes: 4 * 1024 * 1024 } })
    const [capture] = await capturesOf(app, 1, async () => {
      expect(await app.post(body)).toBe(200)
    })
    expect(capture?.body.equals(body)).toBe(true)
  })
})

describe('slow connections end at the time limit', () => {
  let bare: BareReceiver
  beforeAll(async () => {
    const times = { headersMs: 1000, requestMs: 1500, lingerMs: 300, checkEveryMs: 50 }
    bare = await startBareReceiver({ times, settings: { bodyLimitBytes: 1024 } })
  })
  afterAll(() => bare[Symbol.asyncDispose]())

  test('headers that never end get 408 and are not stored', async () => {
    await using connection = await openRaw(bare.port)
    connection.write(`POST ${bare.path} HTTP/1.1\r\nX-Slow: `)
    expect((await connection.answer())?.status).toBe(408)
    await connection.closed
    expect(await bare.written(0)).toEqual([])
  })

  test('a connection without any data is closed', async () => {
    await using connection = await openRaw(bare.port)
    await connection.closed
  })

  test('a body that stops gets 408 and is stored as partial', async () => {
    await using connection = await openRaw(bare.port)
    connection.write(`POST ${bare.path} HTTP/1.1\r\nContent-Length: 100\r\n\r\nbeginning`)
    expect((await connection.answer())?.status).toBe(408)
    await connection.closed
    const capture = (await bare.written(1)).at(-1)
    expect(capture).toMatchObject({ completeness: 'partial', status: 408, bodyBytes: 100 })
    expect(capture?.body.toString()).toBe('beginning')
    expect(capture?.incident).toMatch(/did not end within 1\.5 seconds.* after 9 bytes/)
  })

  test('a body that trickles gets 408, however many bytes arrive', async () => {
    await using connection = await openRaw(bare.port)
    connection.write(`POST ${bare.path} HTTP/1.1\r\nContent-Length: 1000\r\n\r\n`)
    const trickle = setInterval(() => connection.socket.write('x'), 20)
    try {
      expect((await connection.answer())?.status).toBe(408)
      await connection.closed
    } finally {
      clearInterval(trickle)
    }
    const capture = (await bare.written(2)).at(-1)
    expect(capture).toMatchObject({ completeness: 'partial', status: 408 })
    expect(capture?.body.toString()).toMatch(/^x+$/)
  })

  test('a refused sender that continues to send is disconnected', async () => {
    await using connection = await openRaw(bare.port)
    connection.write(`POST ${bare.path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`)
    writeWithoutEnd(connection, `1000\r\n${'x'.repeat(0x1000)}\r\n`)
    expect((await connection.answer())?.status).toBe(413)
    await connection.closed
    expect((await bare.written(3)).at(-1)).toMatchObject({ completeness: 'truncated', status: 413 })
  })

  test('a stopping receiver does not wait forever for an unfinished delivery', async () => {
    await using connection = await openRaw(bare.port)
    connection.write(`POST ${bare.path} HTTP/1.1\r\nExpect: 100-continue\r\n`)
    connection.write('Content-Length: 9\r\n\r\n')
    expect((await connection.answer())?.status).toBe(100)
    await bare.receiver.stop()
    expect((await bare.written(4)).at(-1)?.completeness).toBe('partial')
    await bare.receiver.start(0)
  })
})

test('the bodies in memory share one limit: a body over the limit gets 503, and written bodies free their memory', async () => {
  // The disk does nothing: a delivery is written only when the test says so.
  const written: OnWritten[] = []
  let handedOver = Promise.withResolvers<undefined>()
  const listener = createListener({
    append(_records, onWritten) {
      written.push(...onWritten)
      handedOver.resolve(undefined)
    },
    settings: defaultSettings.receiver,
    onRequestRefused: () => undefined,
    decide: () => null,
    onAnswered: () => undefined,
    keepTest: () => Promise.reject(new Error('This receiver stores no test captures.')),
    maxBodyBytes: 1_000_000,
  })
  const receiver = createReceiver({
    call: callInThisThread(listener),
    settings: () => defaultSettings.receiver,
    memory: { token: () => null, setToken: () => undefined },
    onChanged: () => undefined,
  })
  const url = new URL((await receiver.start(0)).url ?? '')
  const head = (length: number) =>
    `POST ${url.pathname} HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`
  const port = Number(url.port)
  async function untilHandedOver(count: number): Promise<void> {
    while (written.length < count) {
      handedOver = Promise.withResolvers()
      await handedOver.promise
    }
  }
  try {
    // The received part of a body still counts after its sender has disconnected, until it is written.
    await using gone = await openRaw(port)
    gone.write(head(200_000), Buffer.alloc(140_000))
    gone.socket.end()
    await untilHandedOver(1)
    await using first = await openRaw(port)
    first.write(head(600_000), Buffer.alloc(600_000))
    await untilHandedOver(2)
    // A body over the limit gets 503 while it is still being sent.
    expect((await sendRaw(port, head(600_000), Buffer.alloc(600_000))).status).toBe(503)
    expect((await sendRaw(port, head(100_000), Buffer.alloc(100_000))).status).toBe(503)
    // A quarter of the memory is reserved for small bodies, such as deliveries of the gateway.
    await using small = await openRaw(port)
    small.write(head(1_000), Buffer.alloc(1_000))
    await untilHandedOver(3)

    for (const onWritten of written.splice(0)) onWritten(null, 1)
    expect((await first.answer())?.status).toBe(200)
    expect((await small.answer())?.status).toBe(200)
    // Catches memory that is counted twice or never freed.
    for (let count = 0; count < 3; count += 1) {
      await using next = await openRaw(port)
      next.write(head(740_000), Buffer.alloc(740_000))
      await untilHandedOver(1)
      for (const onWritten of written.splice(0)) onWritten(null, 1)
      expect((await next.answer())?.status).toBe(200)
    }
    expect((await receiver.currentState()).refused).toBe(2)
  } finally {
    await receiver.stop()
  }
})

test('a body in thousands of chunks is stored whole, in order', async () => {
  await using bare = await startBareReceiver()
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251))
  const pieces = [...bytes].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('')
  const head = `POST ${bare.path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`
  expect((await sendRaw(bare.port, head, pieces, '0\r\n\r\n')).status).toBe(200)
  expect((await bare.written(1))[0]?.body.equals(bytes)).toBe(true)
})

test('idle connections are closed when a delivery needs their place, and are counted as refused', async () => {
  await using bare = await startBareReceiver({ maxConnections: 20 })
  const request = `POST ${bare.path} HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi`
  await using busy = await openRaw(bare.port)
  busy.write(request)
  expect((await busy.answer())?.status).toBe(200)
  const idle: RawConnection[] = []
  for (let count = 0; count < 40; count += 1) idle.push(await openRaw(bare.port))
  // Catches a delivery that is reset while other connections are silent.
  for (let count = 0; count < 5; count += 1) {
    expect((await sendRaw(bare.port, request)).status).toBe(200)
  }
  busy.write(request)
  expect((await busy.answer())?.status).toBe(200)
  // The connection that was silent for longest was closed first.
  await Promise.all(idle.slice(0, 20).map(({ closed }) => closed))
  expect(bare.refusals().total).toBeGreaterThanOrEqual(20)
  expect(bare.refusals().latest[0]).toMatchObject({ status: null, start: '' })
  for (const connection of idle) await connection[Symbol.asyncDispose]()
})
