import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeBody } from '../../../src-main/captures/decode-body.ts'

const limit = 8 * 1024 * 1024
const numbers = Array.from({ length: 300_000 }, (_, index) => `${(index * 7919) % 100_003} `)
const text = Buffer.from(numbers.join(''))

const codings = [
  ['gzip', zlib.gzipSync(text)],
  ['deflate', zlib.deflateSync(text)],
  ['deflate', zlib.deflateRawSync(text)],
  ['br', zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['zstd', zlib.zstdCompressSync(text)],
] as const

describe.each(codings)('the content coding %s', (coding, packed) => {
  test('a compressed body is decompressed completely', async () => {
    const { bytes, problem } = await decodeBody(packed, coding, limit)
    expect(text.equals(bytes)).toBe(true)
    expect(problem).toBeNull()
  })

  test('a truncated body is decompressed as far as possible and reported as truncated', async () => {
    const half = packed.subarray(0, Math.floor(packed.length * 0.75))
    const { bytes, problem } = await decodeBody(half, coding, limit)
    expect(problem).toMatch(/truncated/)
    expect(bytes.byteLength).toBeGreaterThan(0)
    expect(text.subarray(0, bytes.byteLength).equals(bytes)).toBe(true)
  })

  test('a body that decompresses beyond the limit is shown as received', async () => {
    const { bytes, problem } = await decodeBody(packed, coding, 1024 * 1024)
    expect(bytes).toBe(packed)
    expect(problem).toBe('Decompresses to more than 1 MiB; shown as received.')
  })

  test('a damaged body is reported without an exception', async () => {
    const damaged = Buffer.from(packed)
    damaged.fill(0xff, 20, 2000)
    const { problem } = await decodeBody(damaged, coding, limit)
    expect(problem).not.toBeNull()
  })
})

test('an empty body and a body without a content coding are returned unchanged', async () => {
  for (const encoding of ['gzip', 'br', 'zstd', 'unheard-of']) {
    expect((await decodeBody(Buffer.alloc(0), encoding, limit)).problem).toBeNull()
  }
  for (const encoding of [null, '', 'identity', ' , ,identity']) {
    const { bytes, problem } = await decodeBody(text, encoding, limit)
    expect(bytes).toBe(text)
    expect(problem).toBeNull()
  }
})

test('several content codings are decoded from the last to the first', async () => {
  const packed = zlib.gzipSync(zlib.deflateSync(zlib.brotliCompressSync('{"a":1}')))
  const { bytes } = await decodeBody(packed, 'br, deflate , GZIP', limit)
  expect(Buffer.from(bytes).toString()).toBe('{"a":1}')
})

test('a decompression bomb in several layers is stopped by the limit of each layer', async () => {
  const bomb = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(4 * limit)))
  const { bytes, problem } = await decodeBody(bomb, 'gzip, gzip', limit)
  expect(problem).toMatch(/more than 8 MiB/)
  expect(bytes.byteLength).toBeLessThan(limit)
})
