/** Tests that captures can be exported and imported again without losing or changing any detail. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CaptureExport } from '../../../src-preload/contract/capture-files.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { retentionBound } from '../../../src-main/captures/store/capture-deletion.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { createValues } from '../../../src-main/app/store/settings.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { harOf, importOf } from '../../fixtures/capture-files.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import {
  type Hook,
  type ReadBackCapture,
  capturesOf,
  hookOf,
  readCapture,
} from '../../fixtures/hook.ts'
import { sendRaw } from '../../fixtures/raw-http.ts'

const place = temporaryDirectory()
let app: TestApp
let hook: Hook
let originals: ReadBackCapture[]

const every = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
const secret = 'wh_5ecr3t5ecr3t5ecr3t'
const requests: readonly (readonly [string, readonly string[], Buffer])[] = [
  [
    'POST /?token=in-the-address',
    [
      'Host: hooks.example.org',
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
    ],
    Buffer.from(
      `{"event_type":"account_tx","account_id":"0:${'ab'.repeat(32)}",\n "lt": 9007199254740993,"tx_hash":"${'cd'.repeat(32)}"}`,
    ),
  ],
  [
    'POST /a/../b//c?d=%2F',
    ['Host: a', 'X-A: 1', 'x-a: 2', 'X-Empty:', 'X-L: caf\xe9 \xff'],
    every,
  ],
  [
    'PUT /',
    ['Host: a', 'Transfer-Encoding: chunked'],
    Buffer.from('{"a":1.50,"a":1e400,"é":"😀\\u0000"}'),
  ],
  ['GET /', ['Host: a', `Cookie: s=${secret}`], Buffer.alloc(0)],
]

beforeAll(async () => {
  app = await startApp()
  hook = await hookOf(app)
  originals = await capturesOf(app, requests.length, async () => {
    for (const [line, headers, body] of requests) {
      const [method = '', below = ''] = line.split(' ')
      const isChunked = headers.some((header) => header.startsWith('Transfer'))
      const length = isChunked || body.length === 0 ? [] : [`Content-Length: ${body.length}`]
      const lines = [...headers, ...length].map((header) => `${header}\r\n`).join('')
      const sent = isChunked ? [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [body]
      const head = `${method} ${hook.path}${below} HTTP/1.1\r\n${lines}\r\n`
      expect((await sendRaw(hook.port, head, ...sent)).status).toBe(200)
    }
  })
  await app.classified()
  const [first] = originals
  await app.request('capture.pin', { ids: [first?.id ?? 0], pinned: true })
  await app.request('capture.note', { id: first?.id ?? 0, note: 'look at this' })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  place[Symbol.dispose]()
})

async function exportOf(asked: Input<'captureExport.start'>): Promise<Buffer> {
  const { id } = await app.request('captureExport.start', asked)
  let done: CaptureExport | undefined
  await app.until(async () => {
    done = (await app.jobs('captureExport')).find((each) => each.id === id)
    return done?.state !== 'running'
  }, 'the export')
  if (done === undefined || done.file === null) throw new Error(done?.problem ?? 'no file')
  const parts: Buffer[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const piece: { base64: string; next: number | null } = await app.request('export.read', {
      id: done.file.id,
      offset,
    })
    parts.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.next
  }
  return Buffer.concat(parts)
}

const whole = (name: string, bytes: Buffer) => importOf(app, name, bytes)
const ids = () => originals.map(({ id }) => id)

const ofItsPlace = ['id', 'origin', 'duplicateOf', 'outOfOrder', 'meaning', 'network', 'forward']

/** Returns all fields of a capture except its id and its origin. */
function content(capture: ReadBackCapture): object {
  const all = Object.entries({ ...capture, body: capture.body.toString('latin1') })
  return Object.fromEntries(all.filter(([name]) => !ofItsPlace.includes(name)))
}

test.each(['har', 'jsonl'] as const)(
  'an exported %s file is imported with every byte, time, pin and note, and its captures do not count as deliveries',
  async (format) => {
    const subject = { kind: 'captures', ids: ids() } as const
    const file = await exportOf({ format, subject, reveal: true })
    const before = await app.request('capture.counts')
    const done = await whole(`x.${format}`, file)
    expect(done).toMatchObject({ state: 'done', format, imported: 4, skipped: 0, problem: null })
    await app.classified()
    const first = done.firstId ?? 0
    const again = await Promise.all(ids().map((_id, index) => readCapture(app, first + index)))
    const now = await Promise.all(ids().map((id) => readCapture(app, id)))
    expect(again.map(content)).toEqual(now.map(content))
    expect(again.map(({ origin }) => origin)).toEqual(Array(4).fill('imported'))
    const after = await app.request('capture.counts')
    expect({ total: after.total, unread: after.unread, others: after.others }).toEqual({
      total: before.total,
      unread: before.unread,
      others: before.others + 4,
    })
    // An export of the imported captures differs only by their origin: repeated round trips change
    // nothing.
    const second = await exportOf({
      format,
      subject: { kind: 'captures', ids: again.map(({ id }) => id) },
      reveal: true,
    })
    expect(second.length).toBeGreaterThan(file.length - 100)
    await app.request('capture.delete', { ids: again.map(({ id }) => id) })
  },
)

test('an export masks secrets unless revealed, pseudonyms replace all real values, and an empty selection is refused', async () => {
  const all = { kind: 'query', text: '' } as const
  const masked = (await exportOf({ format: 'html', subject: all })).toString()
  for (const hidden of [secret, hook.token, 'in-the-address']) expect(masked).not.toContain(hidden)
  const asked = { format: 'har', subject: all, pseudonyms: true, reveal: true } as const
  const made = (await exportOf(asked)).toString()
  const gone = [secret, hook.token, 'ab'.repeat(32), 'cd'.repeat(32), '9007199254740993']
  for (const real of [...gone, 'look at this']) expect(made).not.toContain(real)
  expect(made).toContain('fictive-address-')
  const nothing = { kind: 'query', text: 'nosuchword' } as const
  expect(await app.refusal('captureExport.start', { format: 'har', subject: nothing })).toBe(
    'EXCHANGE_NOTHING',
  )
})

test('an HTML export shows the label of an account, unless pseudonyms replace the addresses', async () => {
  const [id = 0] = ids()
  const address = `0:${'ab'.repeat(32)}`
  await app.request('explanation.setNetwork', { ids: [id], network: 'testnet' })
  await app.request('label.set', { network: 'testnet', address, name: 'Till 3', note: '' })
  const asked: Input<'captureExport.start'> = {
    format: 'html',
    subject: { kind: 'captures', ids: [id] },
  }
  expect((await exportOf(asked)).toString()).toContain(`Till 3 (${address})`)
  expect((await exportOf({ ...asked, pseudonyms: true })).toString()).not.toContain('Till 3')
  await app.request('explanation.setNetwork', { ids: [id], network: null })
})

test('damaged entries of an import are listed by position and omitted, and a file of another format is refused', async () => {
  const entry = (method: string) =>
    JSON.stringify({
      startedDateTime: '2026-01-01T00:00:00Z',
      request: { method, url: 'http://a/b', headers: [{ name: 'A', value: '1' }] },
      response: { status: 200 },
    })
  const har = `{"log":{"entries":[${entry('POST')},{"request":5},${'['.repeat(100_000)}${']'.repeat(100_000)},
    ${entry('NO\nMETHOD')},{"a":\0},${entry('GET')},{"request":{"meth`
  const done = await whole('damaged.har', Buffer.from(har))
  expect(done).toMatchObject({ state: 'done', imported: 2, skipped: 4 })
  expect(done.remarks).toEqual([
    'Entry 2: it has no request.',
    'Entry 3: it is nested too deeply.',
    'Entry 4: it has no method.',
    'Entry 5: it is not JSON.',
    'The file ends within entry 7, which was omitted.',
  ])
  await app.request('capture.delete', { ids: [done.firstId ?? 0, done.lastId ?? 0] })
  for (const [bad, why] of [
    ['', '“bad” is empty'],
    [' \n', '“bad” is empty'],
    ['PK\u0003\u0004', '“bad” is a ZIP archive'],
    ['{"log":{"entries":[]}}', 'its list of requests is empty or missing'],
    ['[]', 'its list of requests is empty or missing'],
  ] as const) {
    const state = await whole('bad', Buffer.from(bad))
    expect(state.state).toBe('failed')
    expect(state.problem).toContain(why)
  }
})

test('an import reads UTF-16, a bare list and a single entry; a capture without its body is neither replayed nor copied', async () => {
  const entry = `{"_initiator":{"type":"other"},"startedDateTime":"2026-01-01T00:00:00Z","time":-1,"request":
    {"method":"POST","url":"http://a/é","headers":[],"postData":{"text":"","_file":"b"},"bodySize":196}}`
  const har = `{"log":{"entries":[${entry}]}}`
  await using endpoint = await startEndpoint()
  const little = Buffer.from(`\ufeff${har}`, 'utf16le')
  for (const file of [
    ...[little, Buffer.from(little).swap16()],
    ...[Buffer.from(`\ufeff${har}`), Buffer.from(`[${entry}]`), Buffer.from(`${entry}\n`)],
  ]) {
    const done = await whole('requests', file)
    expect(done).toMatchObject({ state: 'done', imported: 1, skipped: 0 })
    const id = done.firstId ?? 0
    expect(await app.request('capture.get', { id, reveal: true })).toMatchObject({
      completeness: 'missing',
      bodyBytes: 196,
      durationUs: null,
      status: null,
      target: expect.stringMatching(/\/é$/) as string,
    })
    expect(await app.refusal('capture.snippet', { id, language: 'posix', reveal: false })).toBe(
      'EXCHANGE_CANNOT_SEND',
    )
    const order = { subject: { kind: 'captures' as const, ids: [id] }, target: endpoint.url }
    const { warnings } = await app.request('replay.preview', order)
    expect(warnings.join()).toContain('1 capture has no body')
    const { id: replay } = await app.request('replay.start', order)
    await app.until(async () => (await app.job('replay', replay)).state === 'done')
    expect(await app.job('replay', replay)).toMatchObject({
      delivered: 0,
      failed: 1,
    })
    expect(endpoint.received).toEqual([])
    for (const [text, found] of [
      ['complete:missing', 1],
      ['took:<9s origin:imported complete:missing', 0],
      ['took:>0ms complete:missing', 0],
    ] as const) {
      await app.until(async () => {
        const page = await app.request('capture.list', { query: { text }, limit: 10 })
        return page.notYetSearchable === 0 && page.rows.length === found
      })
    }
    await app.request('capture.delete', { ids: [id] })
  }
})

test('a body with too many values is exported unformatted', async () => {
  const body = `[${'[],'.repeat(110_000)}0]`
  expect(await app.post(body, { headers: { 'content-type': 'application/json' } })).toBe(200)
  const [row] = (await app.request('capture.list', {})).rows
  const page = await exportOf({
    subject: { kind: 'captures', ids: [row?.id ?? 0] },
    format: 'html',
  })
  expect(page.toString('utf8')).toContain('<pre>[[],[],[]')
  await app.request('capture.delete', { ids: [row?.id ?? 0] })
})

test('a cancelled import leaves no capture', async () => {
  const { total, others } = await app.request('capture.counts')
  const { id } = await app.request('captureImport.start', { name: 'y.har', bytes: 10_000_000 })
  let offset = 0
  for (const piece of harOf(3)) {
    await app.request('captureImport.append', { id, offset, base64: piece.toString('base64') })
    offset += piece.length
  }
  expect((await app.request('captureImport.cancel', { id })).state).toBe('cancelled')
  expect(await app.request('capture.counts')).toMatchObject({ total, others })
})

test('an import that a kill interrupted is removed at the next start, and imported old captures prune no others', async () => {
  const dataDirectory = join(place.path, 'killed')
  const file = await exportOf({ format: 'jsonl', subject: { kind: 'captures', ids: ids() } })
  const old = file.toString().replace(/"received_at":\d+/g, '"received_at":1600000000000000')
  {
    await using other = await startApp({ dataDirectory })
    expect(await other.post('{}')).toBe(200)
    const { id } = await other.request('captureImport.start', {
      name: 'x',
      bytes: Buffer.byteLength(old),
    })
    const base64 = Buffer.from(old).toString('base64')
    await other.request('captureImport.append', { id, offset: 0, base64 })
    const done = await other.request('captureImport.end', { id })
    expect(done).toMatchObject({ state: 'done', firstId: 2, lastId: 5 })
    const database = openDatabase(join(dataDirectory, 'tondesk.db'))
    const limits = { oldest: Date.now() * 1000 - 86_400_000_000, maxCount: 1e6, maxBytes: 1e12 }
    // An imported capture with an old date must not prune a delivery of today.
    expect(retentionBound(database, 5, 0, limits)).toBeNull()
    expect(retentionBound(database, 5, 0, { ...limits, maxCount: 4 })).toBe(1)
    const unfinished = { madeFrom: `import ${id}`, after: 1 }
    createValues(database).set('exchange.unfinished', unfinished)
    database.close()
  }
  await using again = await startApp({ dataDirectory, host: 'browser', startSandbox: false })
  await again.until(async () => (await again.request('capture.counts')).others === 0, 'taking back')
  expect(await again.request('capture.counts')).toMatchObject({ total: 1, unread: 1 })
})

const python = spawnSync('python3', ['--version']).status === 0

describe.each([
  ['fetch', 'node', 'again.mjs', true],
  ['python', 'python3', 'again.py', python],
] as const)('a program copied for %s', (language, program, name, isHere) => {
  test.skipIf(!isHere)('the program sends the same bytes again', async () => {
    const sources = await capturesOf(app, 3, async () => {
      for (const [line, headers, body] of requests.slice(0, 3)) {
        const [method = '', below = ''] = line.split(' ')
        const lines = [
          ...headers.filter((each) => !each.startsWith('Transfer')),
          `Content-Length: ${body.length}`,
        ]
        const head = `${method} ${hook.path}${below} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
        await sendRaw(hook.port, head, body)
      }
    })
    for (const source of sources) {
      const { text, masked } = await app.request('capture.snippet', {
        id: source.id,
        language,
        reveal: true,
      })
      expect(masked).toBe(false)
      const path = join(place.path, name)
      writeFileSync(path, text)
      const [again] = await capturesOf(app, 1, async () => {
        const child = spawn(program, [path], { cwd: place.path })
        let errors = ''
        child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
        const status = await new Promise((resolve) => child.on('close', resolve))
        expect(status, errors).toBe(0)
      })
      expect(again?.body.equals(source.body)).toBe(true)
      expect(again?.method).toBe(source.method)
      const sent = ({ headers }: ReadBackCapture) =>
        headers.filter(([header]) => /^(?:x-|content-type|authorization)/i.test(header))
      if (language === 'python') {
        expect(again?.headers).toEqual(source.headers)
        expect(again?.target).toBe(source.target)
      } else {
        const joined = sent(source).filter(([header]) => header !== 'x-a')
        expect(again && sent(again)).toEqual(
          joined.map(([header, value]) => [header, header === 'X-A' ? '1, 2' : value]),
        )
      }
      const hidden = await app.request('capture.snippet', { id: source.id, language })
      expect(hidden.text).not.toContain(secret)
    }
  })
})
