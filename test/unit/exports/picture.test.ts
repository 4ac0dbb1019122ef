/**
 * Tests logos of reports. A picture that passes this check but that pdfkit cannot write would end
 * the export's process, with a message about memory.
 */
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readPicture } from '../../../src-main/exports/picture.ts'
import { makePng } from '../../fixtures/png.ts'

/** Makes the smallest JPEG: a frame, a scan and an end. */
function makeJpeg(width: number, height: number, end = [0xff, 0xd9]): Buffer {
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]
  const scan = [1, 1, 0, 0, 63, 0]
  return Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xc0, 0, frame.length + 2, ...frame],
    ...[0xff, 0xda, 0, scan.length + 2, ...scan, 1, 2, 3, ...end],
  ])
}

test('the size of a PNG and of a JPEG is read', () => {
  expect(readPicture(makePng(120, 40))).toEqual({ type: 'image/png', width: 120, height: 40 })
  expect(readPicture(makeJpeg(300, 200))).toEqual({ type: 'image/jpeg', width: 300, height: 200 })
})

describe('a refused logo', () => {
  const png = makePng(64, 64)
  const flipped = Buffer.from(png)
  flipped[30] = (flipped[30] ?? 0) ^ 1
  test.each<[what: string, bytes: Buffer, why: RegExp]>([
    ['a text file', Buffer.from('logo'), /neither a PNG nor a JPEG/],
    ['an empty file', Buffer.alloc(0), /neither a PNG nor a JPEG/],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), /neither a PNG nor a JPEG/],
    ['a large file', Buffer.alloc(600 * 1024), /600 KiB.*512 KiB/],
    ['a wide picture', makePng(4001, 20), /4001 × 20 pixels.*16 to 4000/],
    ['a tiny picture', makePng(1, 1), /1 × 1 pixels/],
    ['a PNG without its end', png.subarray(0, png.length - 20), /cut off/],
    ['a PNG with a flipped bit', flipped, /damaged/],
    [
      'a PNG with more pixels than its header states',
      makePng(4000, 3000, { width: 16, height: 16 }),
      /damaged/,
    ],
    [
      'a PNG with fewer pixels than its header states',
      makePng(16, 16, { width: 900, height: 900 }),
      /damaged/,
    ],
    ['a JPEG without its end', makeJpeg(64, 64, []), /cut off/],
    ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xd9]), /damaged/],
    ['the beginning of a JPEG', Buffer.from([0xff, 0xd8, 0xff]), /damaged/],
  ])('%s is refused as a logo, and the error names the reason', (_what, bytes, why) => {
    expect(() => readPicture(bytes)).toThrow(why)
  })
})

test.each([
  ['an unknown filter', {}, 5, /damaged/],
  ['a bit depth that its colour type does not allow', { depth: 3 }, 0, /damaged/],
])('a PNG with %s is refused', (_what, header, filter, why) => {
  expect(() => readPicture(makePng(32, 32, header, filter))).toThrow(why)
  expect(readPicture(makePng(32, 32, {}, 4)).width).toBe(32)
})

test('a PNG of 43,000 chunks is parsed in one pass', () => {
  const [start, end] = [makePng(32, 32).subarray(0, 33), makePng(32, 32).subarray(33)]
  const empty = Buffer.alloc(12)
  empty.write('teXt', 4)
  empty.writeUInt32BE(crc32('teXt'), 8)
  // Creating a new list for each chunk would take minutes.
  const chunks = Array.from({ length: 43_000 }, () => empty)
  expect(readPicture(Buffer.concat([start, ...chunks, end])).width).toBe(32)
})
