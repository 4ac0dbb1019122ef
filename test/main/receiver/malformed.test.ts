import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type Hook, capturesOf, hookOf, countCaptures } from '../../fixtures/hook.ts'
import { openRaw, sendRaw, sendUntilClosed } from '../../fixtures/raw-http.ts'

let app: TestApp
let hook: Hook
beforeAll(async () => {
  app = await startApp()
  hook = await hookOf(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const statuses = async (...parts: readonly string[]) =>
  (await sendUntilClosed(hook.port, ...parts)).map((answer) => answer.status)

/** Sends a delivery after the attack: the receiver must still work. */
async function stillWorks() {
  expect((await sendRaw(hook.port, `POST ${hook.path} HTTP/1.1\r\n\r\n`)).status).toBe(200)
}

describe('a request that is not valid HTTP is refused at once and not stored', () => {
  const post = 'POST /PATH HTTP/1.1\r\n'
  test.each([
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['zeros', '\0'.repeat(64), 400],
    ['0xff', '\xff'.repeat(64), 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['an invalid version', 'POST /PATH HTTP/9.9\r\n\r\n', 400],
    ['an unknown method', 'FETCH /PATH HTTP/1.1\r\n\r\n', 400],
    ['a space in the target', 'POST /PATH/a b HTTP/1.1\r\n\r\n', 400],
    ['NUL in the target', 'POST /PATH/\0 HTTP/1.1\r\n\r\n', 400],
    ['raw bytes in the target', 'POST /PATH/\xe9 HTTP/1.1\r\n\r\n', 400],
    ['a space in a header name', `${post}Bad Name: 1\r\n\r\n`, 400],
    ['a space before the colon', `${post}Content-Length : 5\r\n\r\nhello`, 400],
    ['a header without a colon', `${post}Nothing\r\n\r\n`, 400],
    ['NUL in a header', `${post}X: a\0b\r\n\r\n`, 400],
    ['a folded header', `${post}X: a\r\n b\r\n\r\n`, 400],
    ['bare line feeds', 'POST /PATH HTTP/1.1\nHost: a\n\n', 400],
    ['a bare carriage return', `${post}X: a\rY: b\r\n\r\n`, 400],
    ['a length that is not a number', `${post}Content-Length: five\r\n\r\nhello`, 400],
    ['a negative length', `${post}Content-Length: -5\r\n\r\nhello`, 400],
    ['a length above 2^64', `${post}Content-Length: 99999999999999999999999\r\n\r\n`, 400],
    ['two lengths', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
    ['a list of lengths', `${post}Content-Length: 5, 5\r\n\r\nhello`, 400],
    ['a header of 100 kB', `${post}X: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
    ['a target of 100 kB', `POST /PATH?${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 431],
    ['20,000 headers', `${post}${'X-Bomb: 1\r\n'.repeat(20_000)}\r\n`, 431],
  ])('%s', async (_name, raw, status) => {
    const before = await countCaptures(app)
    expect(await statuses(raw.replace('/PATH', hook.path))).toEqual([status])
    expect(await countCaptures(app)).toBe(before)
    await stillWorks()
  })

  test('a request smuggled by two lengths is never captured', async () => {
    const inner = `POST ${hook.path}/smuggled HTTP/1.1\r\nContent-Length: 0\r\n\r\n`
    const te = ['Transfer-Encoding: chunked', 'transfer-encoding:\tchunked']
    for (const line of te) {
      const head = `POST ${hook.path} HTTP/1.1\r\nContent-Length: ${inner.length + 5}\r\n${line}\r\n\r\n`
      expect(await statuses(`${head}0\r\n\r\n${inner}`)).toEqual([400])
      const swapped = `POST ${hook.path} HTTP/1.1\r\n${line}\r\nContent-Length: 5\r\n\r\n`
      expect(await statuses(`${swapped}0\r\n\r\n${inner}`)).toEqual([400])
    }
    const { rows } = await app.request('capture.list', {})
    expect(rows.filter((row) => row.subpath.includes('smuggled'))).toEqual([])
  })
})

describe('a delivery that fails midway is stored as far as it arrived', () => {
  test.each([
    ['a chunk size that is not a number', '2\r\nhi\r\nzz\r\n', 'hi'],
    ['a chunk longer than its size', '2\r\nhiho\r\n0\r\n\r\n', 'hi'],
    ['a chunk size above 2^64', '2\r\nhi\r\nfffffffffffffffffff\r\n', 'hi'],
    ['a negative chunk size', '-2\r\nhi\r\n', ''],
    ['a chunk size after a space', ' 2\r\nhi\r\n', ''],
    ['an extension of 100 kB', `2;${'x'.repeat(100_000)}\r\nhi\r\n`, ''],
  ])('%s', async (_name, chunks, kept) => {
    const [capture] = await capturesOf(app, 1, async () => {
      const head = `POST ${hook.path}/chunks HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`
      const [status, ...more] = await statuses(head + chunks)
      expect([400, 413]).toContain(status)
      expect(more).toEqual([])
    })
    expect(capture).toMatchObject({ completeness: 'partial', body: Buffer.from(kept) })
    expect(capture?.incident).toMatch(/Not valid HTTP|too large/)
    // Catches a list that shows no response where 400 was sent.
    expect([400, 413]).toContain(capture?.status)
    await stillWorks()
  })

  test('a body in an unknown transfer coding gets 400 and is stored as partial', async () => {
    const [capture] = await capturesOf(app, 1, async () => {
      const head = `POST ${hook.path} HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nabc`
      expect(await statuses(head)).toEqual([400])
    })
    expect(capture).toMatchObject({ completeness: 'partial', status: 400 })
  })

  test.each<[string, 'end' | 'destroy' | 'resetAndDestroy', string]>([
    ['ended', 'end', 'closed'],
    ['closed', 'destroy', 'closed'],
    ['reset', 'resetAndDestroy', 'reset'],
  ])(
    'a delivery whose sender %s the connection is partial and has the announced length',
    async (_n, how, verb) => {
      const [capture] = await capturesOf(app, 1, async () => {
        await using connection = await openRaw(hook.port)
        connection.write(
          `POST ${hook.path} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n`,
        )
        // The receiver has confirmed the head, so the failure happens in the body.
        expect((await connection.answer())?.status).toBe(100)
        await new Promise<void>((resolve) => {
          connection.socket.write('beginning', () => resolve())
        })
        connection.socket[how]()
        await connection.closed
      })
      expect(capture).toMatchObject({ completeness: 'partial', bodyBytes: 1000 })
      // A sender that closed only its own half can still get the 400.
      expect(how === 'end' ? [null, 400] : [null]).toContain(capture?.status)
      expect(capture?.incident).toMatch(new RegExp(`sender (${verb}|reset|closed) the connection`))
      // A reset may discard bytes in transfer, but no other bytes may appear.
      expect('beginning'.startsWith(capture?.body.toString() ?? '?')).toBe(true)
      await stillWorks()
    },
  )

  test('a half-closed connection with a whole request still gets its response', async () => {
    await using connection = await openRaw(hook.port)
    connection.socket.end(`POST ${hook.path} HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi`)
    expect((await connection.answer())?.status).toBe(200)
    expect(await connection.answer()).toBeNull()
  })
})

describe('several requests on one connection', () => {
  const request = (below: string, body = 'hi') =>
    `POST ${hook.path}${below} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  test('pipelined requests are stored once each and get their responses in order', async () => {
    const targets = Array.from({ length: 50 }, (_, index) => `/${index}`)
    const captures = await capturesOf(app, 50, async () => {
      // The 404 for a wrong token shows which response belongs to which request.
      const raw = targets.map((below) => request(below)).join('')
      const answered = await statuses(`${raw}GET / HTTP/1.1\r\n\r\n`)
      expect(answered).toEqual([...targets.map(() => 200), 404])
    })
    expect(captures.map((capture) => capture.subpath)).toEqual(targets)
  })

  test('whole requests get their responses before malformed bytes after them are refused', async () => {
    const captures = await capturesOf(app, 3, async () => {
      const raw = request('/1') + request('/2') + request('/3')
      expect(await statuses(`${raw}\0\0\0\r\n\r\n`)).toEqual([200, 200, 200, 400])
    })
    expect(captures.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('a delivery ends at its Content-Length, and excess bytes are refused', async () => {
    const [capture] = await capturesOf(app, 1, async () => {
      const raw = `POST ${hook.path} HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi there`
      expect(await statuses(raw)).toEqual([200, 400])
    })
    expect(capture).toMatchObject({ status: 200, body: Buffer.from('hi') })
  })

  test('a line break after the body, as old clients send, is ignored', async () => {
    const [first, second] = await capturesOf(app, 2, async () => {
      await using connection = await openRaw(hook.port)
      connection.write(`${request('/1')}\r\n${request('/2')}`)
      expect((await connection.answer())?.status).toBe(200)
      expect((await connection.answer())?.status).toBe(200)
    })
    expect([first?.subpath, second?.subpath]).toEqual(['/1', '/2'])
  })
})

test('Expect: 100-continue gets 100, and another expectation does not prevent the capture', async () => {
  await using connection = await openRaw(hook.port)
  connection.write(
    `POST ${hook.path} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  )
  expect((await connection.answer())?.status).toBe(100)
  connection.write('hi')
  expect((await connection.answer())?.status).toBe(200)

  const [capture] = await capturesOf(app, 1, async () => {
    const head = `POST ${hook.path} HTTP/1.1\r\nExpect: the-impossible\r\nContent-Length: 2\r\n\r\n`
    expect((await sendRaw(hook.port, head, 'hi')).status).toBe(200)
  })
  expect(capture?.body.toString()).toBe('hi')
})

test('hostile JSON is captured like any other body, and the next delivery is classified', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const bodies = [
    deep,
    '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
    `{"event_type":"account_tx","lt":${'9'.repeat(100_000)}}`,
    `{"event_type":"account_tx","account_id":${deep},"lt":{},"tx_hash":[]}`,
    '{"__proto__":{"event_type":"account_tx"},"constructor":1,"toString":null}',
    '{"event_type":"account_tx"',
    '{"event_type":"\\ud800","lt":1e400}',
    `{"event_type":"${'x'.repeat(500_000)}"}`,
    '\0\xff{}',
    'null',
    '',
  ]
  const captures = await capturesOf(app, bodies.length, async () => {
    for (const body of bodies) {
      const head = `POST ${hook.path} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`
      expect((await sendRaw(hook.port, head, body)).status).toBe(200)
    }
  })
  expect(captures.map((capture) => capture.body.toString('latin1'))).toEqual(bodies)
  const event = '{"event_type":"account_tx","account_id":"0:1","lt":9007199254740993,"tx_hash":"a"}'
  await app.post(event)
  const [row] = await app.classified()
  expect(row).toMatchObject({ kind: 'account_tx', lt: '9007199254740993' })
})

test('1,000 idle connections do not delay a delivery', async () => {
  const idle = await Promise.all(Array.from({ length: 1_000 }, () => openRaw(hook.port)))
  try {
    // Some connections send nothing, others begin a request and stop.
    for (const connection of idle.slice(500)) connection.write(`POST ${hook.path} HTTP/1.1\r\nX: `)
    await stillWorks()
    await capturesOf(app, 20, async () => {
      const posts = Array.from({ length: 20 }, () => app.post('{}'))
      expect(await Promise.all(posts)).toEqual(posts.map(() => 200))
    })
  } finally {
    await Promise.all(idle.map((connection) => connection[Symbol.asyncDispose]()))
  }
})

test('a TLS handshake at the HTTP port is listed as refused, with advice', async () => {
  // The text is the beginning of a ClientHello: handshake record, TLS 1.0 for compatibility,
  // length, ClientHello.
  await statuses('\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03')
  expect((await app.request('receiver.refusals')).latest[0]).toMatchObject({
    status: 400,
    reason: expect.stringMatching(/TLS \(https\).*forward to http:/) as string,
  })
})

test('refused requests are counted and listed with time, reason, peer and first bytes, without secrets', async () => {
  const { total: before } = await app.request('receiver.refusals')
  const secret = 'c4n4ry-0123456789'
  await statuses(`POST ${hook.path}?q=\xfc HTTP/1.1\r\nAuthorization: Bearer ${secret}\r\n\r\n`)
  await statuses(`BREW ${hook.path} HTTP/1.1\r\n\r\n`)
  await statuses(`POST ${hook.path} HTTP/1.1\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)
  const wrong = `POST /hook/${'0'.repeat(32)} HTTP/1.1\r\nX-Api-Key: ${secret}\r\nConnection: close\r\n\r\n`
  expect(await statuses(wrong)).toEqual([404])
  const { total: after, latest } = await app.request('receiver.refusals')
  expect(after - before).toBe(4)
  expect(latest.slice(0, 4).map(({ status, reason }) => [status, reason])).toEqual([
    [404, 'The path is not that of the receiver URL'],
    [431, 'Request Header Fields Too Large'],
    [400, 'Bad Request'],
    [400, 'Bad Request'],
  ])
  expect(latest[0]).toMatchObject({ peer: '127.0.0.1', at: expect.any(Number) as number })
  expect(latest[0]?.start).toMatch(/^POST \/hook\/\*\*\* HTTP\/1\.1\nX-Api-Key: \*\*\*\*6789/)
  expect(latest[2]?.start).toBe('BREW /hook/*** HTTP/1.1\n\n')
  // Node’s parser rejects raw bytes in a path, so the list of refused requests shows them.
  expect(latest[3]?.start).toContain('POST /hook/***?q=\\xfc HTTP/1.1')
  expect(JSON.stringify(latest)).not.toContain(hook.token)
  expect(JSON.stringify(latest)).not.toContain(secret)
  // A delivery that broke off in its body is captured, so it is not in this list.
  await capturesOf(app, 1, () =>
    statuses(`POST ${hook.path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
  )
  expect((await app.request('receiver.refusals')).total).toBe(after)
})

test('the last hundred refused requests are listed', async () => {
  const raw = `GET /wrong HTTP/1.1\r\nConnection: close\r\n\r\n`
  for (let count = 0; count < 110; count += 1) await statuses(raw)
  expect((await app.request('receiver.refusals')).latest).toHaveLength(100)
})
