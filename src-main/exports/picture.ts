/**
 * Verifies a picture completely before it is stored, because pdfkit detects damage only while
 * writing, and then ends the process.
 */
import { crc32, inflateSync } from 'node:zlib'
import { AppError, reportCodes } from '../../src-preload/domain/app-error.ts'

type Picture = {
  readonly type: 'image/png' | 'image/jpeg'
  readonly width: number
  readonly height: number
}

const maxPictureBytes = 512 * 1024
const [minSide, maxSide] = [16, 4000]

/** @throws AppError REPORT_LOGO_INVALID */
export function readPicture(bytes: Buffer): Picture {
  if (bytes.length > maxPictureBytes) {
    const size = Math.ceil(bytes.length / 1024).toLocaleString('en')
    throw invalid(`The logo has ${size} KiB, but at most 512 KiB are allowed. Save it smaller.`)
  }
  const picture = readPng(bytes) ?? readJpeg(bytes)
  if (picture === null) {
    throw invalid('The file is neither a PNG nor a JPEG picture. Choose another file.')
  }
  const { width, height } = picture
  if (Math.min(width, height) < minSide || Math.max(width, height) > maxSide) {
    const limits = `Each side must have ${minSide} to ${maxSide} pixels.`
    throw invalid(`The logo has ${width} × ${height} pixels. ${limits}`)
  }
  return picture
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The number of values per pixel by color type: gray, RGB, palette, gray with alpha, RGB with alpha. */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** The possible numbers of bits per value by color type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

function readPng(bytes: Buffer): Picture | null {
  if (!bytes.subarray(0, signature.length).equals(signature)) return null
  const chunks = new Map<string, Buffer[]>()
  for (let at = signature.length; !chunks.has('IEND');) {
    const length = at + 12 > bytes.length ? Infinity : bytes.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > bytes.length) throw invalid('The logo is cut off. Save or copy it again.')
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw damaged()
    const name = bytes.toString('latin1', at + 4, at + 8)
    const others = chunks.get(name)
    if (others === undefined) chunks.set(name, [bytes.subarray(at + 8, end)])
    else others.push(bytes.subarray(at + 8, end))
    at = end + 4
  }
  const header = chunks.get('IHDR')?.[0]
  if (header?.length !== 13) throw damaged()
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, color = 0, , , interlacing] = header.subarray(8)
  const values = channels[color]
  const isDepth = depths[color]?.includes(depth) === true
  if (values === undefined || !isDepth || (color === 3 && !chunks.has('PLTE'))) throw damaged()
  if (interlacing !== 0) {
    throw invalid('The logo is an interlaced PNG. Save it without interlacing.')
  }
  const picture: Picture = { type: 'image/png', width, height }
  // A few kilobytes could unpack to gigabytes, so the dimensions are limited first.
  if (Math.max(width, height) > maxSide) return picture
  const rowBytes = 1 + Math.ceil((width * values * depth) / 8)
  const expected = rowBytes * height
  let unpacked: Buffer
  try {
    const data = Buffer.concat(chunks.get('IDAT') ?? [])
    unpacked = inflateSync(data, { maxOutputLength: expected + 1 })
  } catch {
    throw damaged()
  }
  if (unpacked.length !== expected) throw damaged()
  for (let row = 0; row < expected; row += rowBytes) {
    if ((unpacked[row] ?? 0) > maxFilter) throw damaged()
  }
  return picture
}

/** The number of the last of the five PNG row filters. */
const maxFilter = 4

/** Markers of baseline, extended and progressive JPEG, which a PDF can contain. */
const frames = new Set([0xc0, 0xc1, 0xc2])
const startOfScan = 0xda

function readJpeg(bytes: Buffer): Picture | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null
  let picture: Picture | null = null
  for (let at = 2; ;) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || at + 4 > bytes.length) throw damaged()
    if (marker === 0xff) {
      at += 1
      continue
    }
    const length = bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at + 4, at + 2 + length)
    if (frames.has(marker) && segment.length >= 6) {
      if (![1, 3, 4].includes(segment[5] ?? 0) || segment[0] !== 8) throw damaged()
      const [height, width] = [segment.readUInt16BE(1), segment.readUInt16BE(3)]
      picture = { type: 'image/jpeg', width, height }
    }
    at += 2 + length
    if (marker !== startOfScan) continue
    if (picture === null) throw damaged()
    if (bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') < at) {
      throw invalid('The logo is cut off. Save or copy it again.')
    }
    return picture
  }
}

const damaged = (): AppError =>
  invalid('The logo is damaged or of an unusual kind. Save it again as PNG or JPEG.')

const invalid = (message: string): AppError => new AppError(reportCodes.logoInvalid, message)
