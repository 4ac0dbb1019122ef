import zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { transactionEvent } from '../../fixtures/bodies.ts'
import { capturesOf } from '../../fixtures/hook.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app[Symbol.asyncDispose]())

async function post(body: Buffer, encoding: string) {
  const [capture] = await capturesOf(app, 1, async () => {
    expect(await app.post(body, { headers: { 'content-encoding': encoding } })).toBe(200)
  })
  if (capture === undefined) throw new Error('not captured')
  const decoded = await app.request('capture.body', { id: capture.id, form: 'decoded' })
  return { capture, decoded, text: Buffer.from(decoded.base64, 'base64').toString() }
}

const event = transactionEvent({ lt: '9007199254740993' })

test.each([
  ['gzip', zlib.gzipSync(event)],
  ['x-gzip', zlib.gzipSync(event)],
  ['GZIP', zlib.gzipSync(event)],
  ['deflate', zlib.deflateSync(event)],
  ['deflate', zlib.deflateRawSync(event)],
  ['br', zlib.brotliCompressSync(event)],
  ['zstd', zlib.zstdCompressSync(event)],
  ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(event))],
  ['identity', Buffer.from(event)],
])('a body in %s is stored raw, shown decoded and classified', async (encoding, body) => {
  const { capture, decoded, text } = await post(body, encoding)
  // Catches a decoder before the store, which would lose the raw bytes.
  expect(capture.body.equals(body)).toBe(true)
  expect(capture).toMatchObject({ bodyBytes: body.length, encoding })
  expect(text).toBe(event)
  expect(decoded).toMatchObject({ totalBytes: event.length, decodeProblem: null })
  const [row] = await app.classified()
  expect(row).toMatchObject({ id: capture.id, kind: 'account_tx', lt: '9007199254740993' })
})

test.each([
  ['gzip', Buffer.from('{"not":"gzip"}'), /Not valid gzip/],
  ['br', Buffer.from([0xff, 0xff, 0xff]), /Not valid br/],
  ['snappy', Buffer.from('abc'), /Unknown encoding snappy/],
  ['__proto__', Buffer.from('abc'), /Unknown encoding __proto__/],
  ['gzip, gzip, gzip, gzip', Buffer.from('abc'), /more than three times/],
])(
  'a body that is invalid %s is shown as received, with the reason',
  async (encoding, body, reason) => {
    const { capture, decoded, text } = await post(body, encoding)
    expect(capture.body.equals(body)).toBe(true)
    expect(text).toBe(body.toString())
    expect(decoded.decodeProblem).toMatch(reason)
  },
)

test('a compression bomb is stored in its few bytes, and gets 200 like any other delivery', async () => {
  // The size is above the limit for decoded bodies, but only a few kilobytes in transfer.
  const zeros = Buffer.alloc(65 * 1024 * 1024)
  const bomb = zlib.gzipSync(zlib.brotliCompressSync(zeros, brotliFast), { level: 1 })
  const { capture, decoded } = await post(bomb, 'br, gzip')
  expect(bomb.length).toBeLessThan(10_000)
  expect(capture.body.equals(bomb)).toBe(true)
  expect(decoded.decodeProblem).toMatch(/more than 64 MiB/)
  // Catches memory filled by decompression: one layer may be decoded, but not all.
  expect(decoded.totalBytes).toBeLessThan(100_000)
  const rows = await app.classified()
  expect(rows[0]).toMatchObject({ id: capture.id, kind: 'unknown' })
})

const brotliFast = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }
