import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { type Hook, captured, hookOf, total } from '../fixtures/hook.ts'
import { openRaw, send, talk } from '../fixtures/raw-http.ts'

let app: TestApp
let hook: Hook
beforeAll(async () => {
  app = await startApp()
  hook = await hookOf(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const statuses = async (...parts: readonly string[]) =>
  (await talk(hook.port, ...parts)).map((answer) => answer.status)

/** A delivery sent afterwards: whatever was thrown at it, the receiver must still stand. */
async function stillWorks() {
  expect((await send(hook.port, `POST ${hook.path} HTTP/1.1\r\n\r\n`)).status).toBe(200)
}

describe('what is no HTTP request is refused at once and costs nothing', () => {
  const post = 'POST /PATH HTTP/1.1\r\n'
  test.each([
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['zeros', '\0'.repeat(64), 400],
    ['0xff', '\xff'.repeat(64), 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a version that is none', 'POST /PATH HTTP/9.9\r\n\r\n', 400],
    ['a method that is none', 'FETCH /PATH HTTP/1.1\r\n\r\n', 400],
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
    ['a length that is no number', `${post}Content-Length: five\r\n\r\nhello`, 400],
    ['a negative length', `${post}Content-Length: -5\r\n\r\nhello`, 400],
    ['a length past 2^64', `${post}Content-Length: 99999999999999999999999\r\n\r\n`, 400],
    ['two lengths', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
    ['a list of lengths', `${post}Content-Length: 5, 5\r\n\r\nhello`, 400],
    ['a header of 100 kB', `${post}X: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
    ['a target of 100 kB', `POST /PATH?${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 431],
    ['20,000 headers', `${post}${'X-Bomb: 1\r\n'.repeat(20_000)}\r\n`, 431],
  ])('%s', async (_name, raw, status) => {
    const before = await total(app)
    expect(await statuses(raw.replace('/PATH', hook.path))).toEqual([status])
    expect(await total(app)).toBe(before)
    await stillWorks()
  })

  test('a request smuggled by two lengths never becomes a request', async () => {
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

describe('a delivery that goes wrong midway is kept as far as it came', () => {
  test.each([
    ['a chunk size that is no number', '2\r\nhi\r\nzz\r\n', 'hi'],
    ['a chunk longer than its size', '2\r\nhiho\r\n0\r\n\r\n', 'hi'],
    ['a chunk size past 2^64', '2\r\nhi\r\nfffffffffffffffffff\r\n', 'hi'],
    ['a negative chunk size', '-2\r\nhi\r\n', ''],
    ['a chunk size after a space', ' 2\r\nhi\r\n', ''],
    ['an extension of 100 kB', `2;${'x'.repeat(100_000)}\r\nhi\r\n`, ''],
  ])('%s', async (_name, chunks, kept) => {
    const [capture] = await captured(app, 1, async () => {
      const head = `POST ${hook.path}/chunks HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`
      const [status, ...more] = await statuses(head + chunks)
      expect([400, 413]).toContain(status)
      expect(more).toEqual([])
    })
    expect(capture).toMatchObject({ completeness: 'partial', body: Buffer.from(kept) })
    expect(capture?.incident).toMatch(/Not valid HTTP|too large/)
    // Catches a list that says nobody answered where 400 was.
    expect([400, 413]).toContain(capture?.status)
    await stillWorks()
  })

  test('a transfer coding without an end', async () => {
    const [capture] = await captured(app, 1, async () => {
      const head = `POST ${hook.path} HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nabc`
      expect(await statuses(head)).toEqual([400])
    })
    expect(capture).toMatchObject({ completeness: 'partial', status: 400 })
  })

  test.each<[string, 'end' | 'destroy' | 'resetAndDestroy', string]>([
    ['ended', 'end', 'closed'],
    ['closed', 'destroy', 'closed'],
    ['reset', 'resetAndDestroy', 'reset'],
  ])('the sender %s the connection: partial, with the length announced', async (_n, how, verb) => {
    const [capture] = await captured(app, 1, async () => {
      await using connection = await openRaw(hook.port)
      connection.write(
        `POST ${hook.path} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n`,
      )
      // The receiver's word that it has the head: the rest goes wrong in the body for certain.
      expect((await connection.answer())?.status).toBe(100)
      await new Promise<void>((resolve) => {
        connection.socket.write('beginning', () => resolve())
      })
      connection.socket[how]()
      await connection.closed
    })
    expect(capture).toMatchObject({ completeness: 'partial', bodyBytes: 1000 })
    // One that only ended its half still listens, and may be told 400 before it is gone.
    expect(how === 'end' ? [null, 400] : [null]).toContain(capture?.status)
    expect(capture?.incident).toMatch(new RegExp(`sender (${verb}|reset|closed) the connection`))
    // A reset may overtake bytes that were on their way; nothing else may come in their place.
    expect('beginning'.startsWith(capture?.body.toString() ?? '?')).toBe(true)
    await stillWorks()
  })

  test('half-closed after a whole request: still answered', async () => {
    await using connection = await openRaw(hook.port)
    connection.socket.end(`POST ${hook.path} HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi`)
    expect((await connection.answer())?.status).toBe(200)
    expect(await connection.answer()).toBeNull()
  })
})

describe('several requests on one connection', () => {
  const request = (below: string, body = 'hi') =>
    `POST ${hook.path}${below} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  test('pipelined: each is kept once, and answered in order', async () => {
    const targets = Array.from({ length: 50 }, (_, index) => `/${index}`)
    const captures = await captured(app, 50, async () => {
      // A wrong token among them tells by its 404 which answer belongs to which request.
      const raw = targets.map((below) => request(below)).join('')
      const answered = await statuses(`${raw}GET / HTTP/1.1\r\n\r\n`)
      expect(answered).toEqual([...targets.map(() => 200), 404])
    })
    expect(captures.map((capture) => capture.subpath)).toEqual(targets)
  })

  test('nonsense after whole requests: they are answered before it is refused', async () => {
    const captures = await captured(app, 3, async () => {
      const raw = request('/1') + request('/2') + request('/3')
      expect(await statuses(`${raw}\0\0\0\r\n\r\n`)).toEqual([200, 200, 200, 400])
    })
    expect(captures.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('a body longer than its length: the delivery counts, the rest is refused', async () => {
    const [capture] = await captured(app, 1, async () => {
      const raw = `POST ${hook.path} HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi there`
      expect(await statuses(raw)).toEqual([200, 400])
    })
    expect(capture).toMatchObject({ status: 200, body: Buffer.from('hi') })
  })

  test('a line break after the body, as old clients send, is no nonsense', async () => {
    const [first, second] = await captured(app, 2, async () => {
      await using connection = await openRaw(hook.port)
      connection.write(`${request('/1')}\r\n${request('/2')}`)
      expect((await connection.answer())?.status).toBe(200)
      expect((await connection.answer())?.status).toBe(200)
    })
    expect([first?.subpath, second?.subpath]).toEqual(['/1', '/2'])
  })
})

test('Expect: 100-continue is granted; any other expectation does not cost the delivery', async () => {
  await using connection = await openRaw(hook.port)
  connection.write(
    `POST ${hook.path} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  )
  expect((await connection.answer())?.status).toBe(100)
  connection.write('hi')
  expect((await connection.answer())?.status).toBe(200)

  const [capture] = await captured(app, 1, async () => {
    const head = `POST ${hook.path} HTTP/1.1\r\nExpect: the-impossible\r\nContent-Length: 2\r\n\r\n`
    expect((await send(hook.port, head, 'hi')).status).toBe(200)
  })
  expect(capture?.body.toString()).toBe('hi')
})

test('hostile JSON is captured like any other body, and the next delivery is still understood', async () => {
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
  const captures = await captured(app, bodies.length, async () => {
    for (const body of bodies) {
      const head = `POST ${hook.path} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`
      expect((await send(hook.port, head, body)).status).toBe(200)
    }
  })
  expect(captures.map((capture) => capture.body.toString('latin1'))).toEqual(bodies)
  const event = '{"event_type":"account_tx","account_id":"0:1","lt":9007199254740993,"tx_hash":"a"}'
  await app.post(event)
  const [row] = await app.classified()
  expect(row).toMatchObject({ kind: 'account_tx', lt: '9007199254740993' })
})

test('1,000 idle connections do not keep a delivery waiting', async () => {
  const idle = await Promise.all(Array.from({ length: 1_000 }, () => openRaw(hook.port)))
  try {
    // Some say nothing, some begin and go no further.
    for (const connection of idle.slice(500)) connection.write(`POST ${hook.path} HTTP/1.1\r\nX: `)
    await stillWorks()
    await captured(app, 20, async () => {
      const posts = Array.from({ length: 20 }, () => app.post('{}'))
      expect(await Promise.all(posts)).toEqual(posts.map(() => 200))
    })
  } finally {
    await Promise.all(idle.map((connection) => connection[Symbol.asyncDispose]()))
  }
})

test('a TLS handshake at the plain port is refused with what to set', async () => {
  // The beginning of a ClientHello: handshake record, TLS 1.0 for compatibility, length, ClientHello.
  await statuses('\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03')
  expect((await app.request('receiver.refusals')).latest[0]).toMatchObject({
    status: 400,
    reason: expect.stringMatching(/TLS \(https\).*forward to http:/) as string,
  })
})

test('what is refused before capture is counted and shown: time, reason, peer, first bytes, no secret', async () => {
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
  // Raw bytes in a path cannot be taken by Node's parser: at least they can be seen.
  expect(latest[3]?.start).toContain('POST /hook/***?q=\\xfc HTTP/1.1')
  expect(JSON.stringify(latest)).not.toContain(hook.token)
  expect(JSON.stringify(latest)).not.toContain(secret)
  // One that broke off in its body is captured, so it is none of these.
  await captured(app, 1, () =>
    statuses(`POST ${hook.path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
  )
  expect((await app.request('receiver.refusals')).total).toBe(after)
})

test('of very many refused requests the last hundred are kept', async () => {
  const raw = `GET /wrong HTTP/1.1\r\nConnection: close\r\n\r\n`
  for (let count = 0; count < 110; count += 1) await statuses(raw)
  expect((await app.request('receiver.refusals')).latest).toHaveLength(100)
})
