/**
 * Loads pictures of assets at the user's request. Third parties choose the links and their content,
 * so host, time, size and type are limited, and the window gets only the bytes.
 */
import type { Picture } from '../../../src-preload/contract/asset.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../../src-preload/domain/error-codes.ts'

/** Sends one request to a public host, follows no redirect and stops soon after `keepBytes`. */
export type PictureRequest = (
  url: string,
  options: { readonly timeoutMs: number; readonly keepBytes: number; readonly signal: AbortSignal },
) => Promise<{
  /** Null if no response began. */
  readonly status: number | null
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  readonly bodyBytes: number
  readonly problem: string | null
}>

const MiB = 1024 * 1024
const maxBytes = 5 * MiB
const maxRedirects = 3
/** The limit exists because a small file can unpack to gigabytes of pixels. */
const maxPixels = 40_000_000
/** Limits of an animation's pixels and frames, because each frame is drawn in full size. */
const maxAnimatedPixels = 400_000_000
const maxFrames = 1000

/** @param limitMs the limit for all requests of a picture together */
export function createPictures(get: PictureRequest, now: () => number, limitMs = 15_000) {
  /** @throws AppError PICTURE_REFUSED; the signal's reason when it was aborted */
  return async function load(link: string, signal: AbortSignal): Promise<Picture> {
    const endsAt = now() + limitMs
    let url = requireHttps(link, null)
    for (let redirects = 0; ; redirects += 1) {
      const { href, host } = url
      // The time limit is rounded up to 0.1 s, because messages state it.
      const timeoutMs = Math.max(1, Math.ceil((endsAt - now()) / 100) * 100)
      const response = await get(href, { timeoutMs, keepBytes: maxBytes, signal })
      signal.throwIfAborted()
      const { status, body, bodyBytes, problem } = response
      if (bodyBytes > maxBytes) throw refused(`The picture of ${host} is larger than 5 MiB.`)
      if (problem !== null || status === null) {
        throw refused(problem ?? `${host} did not respond.`)
      }
      const location = headerOf(response.headers, 'location')
      if (status >= 300 && status < 400 && location !== null) {
        if (redirects === maxRedirects) throw refused(`${host} redirects more than three times.`)
        url = requireHttps(location, url)
        continue
      }
      if (status !== 200) throw refused(`${host} responded with ${status} instead of the picture.`)
      return readPicture(Buffer.from(body), host)
    }
  }
}

function requireHttps(link: string, base: URL | null): URL {
  const url = URL.parse(link, base?.href)
  const shown = link.slice(0, 200)
  if (url?.protocol !== 'https:') {
    const from =
      base === null ? 'The link of the picture' : `${base.host} redirects to ${shown}, which`
    throw refused(`${from} does not begin with https://, so Tondesk does not open it.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The link of the picture contains a user name, so Tondesk does not open it.')
  }
  return url
}

function headerOf(
  headers: readonly (readonly [name: string, value: string])[],
  wanted: string,
): string | null {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null
}

/**
 * The type is determined by the first bytes, not by the server's header. SVG is refused because it
 * can contain scripts.
 */
function readPicture(bytes: Buffer, host: string): Picture {
  const known = kinds.find(({ isKind }) => isKind(bytes))
  if (known === undefined) {
    throw refused(
      `${host} did not send a PNG, JPEG, GIF or WebP picture. Tondesk shows no other types.`,
    )
  }
  const { width, height, frames } = measure(known.sides(bytes))
  if (width * height === 0) throw refused(`The picture of ${host} is damaged.`)
  if (width * height > maxPixels) {
    throw refused(`The picture of ${host} has ${width} × ${height} pixels, which are too many.`)
  }
  if (frames > maxFrames || width * height * frames > maxAnimatedPixels) {
    throw refused(
      `The picture of ${host} has ${frames > maxFrames ? `more than ${maxFrames}` : frames} frames of ${width} × ${height} pixels, which are too many.`,
    )
  }
  const dataUrl = `data:${known.type};base64,${bytes.toString('base64')}`
  return { dataUrl, type: known.type, bytes: bytes.length, width, height }
}

type Sides = readonly [width: number, height: number]

const unknownSides: Sides = [0, 0]

/** Browsers allocate the larger size of the picture and its frames. */
function measure(sides: Iterable<Sides>) {
  let [width, height, frames] = [0, 0, -1]
  try {
    for (const [sideways, down] of sides) {
      width = Math.max(width, sideways)
      height = Math.max(height, down)
      frames += 1
      if (frames > maxFrames) break
    }
  } catch (error) {
    // A RangeError means that the bytes end within the picture.
    if (!(error instanceof RangeError)) throw error
  }
  return { width, height, frames }
}

const kinds: readonly {
  readonly type: Picture['type']
  readonly isKind: (bytes: Buffer) => boolean
  /** Yields the size of the picture, and then the size of each frame of an animation. */
  readonly sides: (bytes: Buffer) => Iterable<Sides>
}[] = [
  {
    type: 'image/png',
    isKind: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n',
    sides: sidesOfPng,
  },
  {
    type: 'image/jpeg',
    isKind: (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff',
    *sides(bytes) {
      yield sidesOfJpeg(bytes)
    },
  },
  {
    type: 'image/gif',
    isKind: (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)),
    sides: sidesOfGif,
  },
  {
    type: 'image/webp',
    isKind: (bytes) => /^RIFF.{4}WEBPVP8[ LX]$/s.test(bytes.toString('latin1', 0, 16)),
    sides: sidesOfWebp,
  },
]

function* sidesOfPng(bytes: Buffer): Generator<Sides> {
  for (let at = 8; ; at += 12 + bytes.readUInt32BE(at)) {
    const kind = bytes.toString('latin1', at + 4, at + 8)
    if (kind === 'IHDR') yield [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)]
    // The size of an APNG frame follows its number.
    if (kind === 'fcTL') yield [bytes.readUInt32BE(at + 12), bytes.readUInt32BE(at + 16)]
  }
}

function* sidesOfGif(bytes: Buffer): Generator<Sides> {
  yield [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  const colors = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))
  const skipBlocks = (from: number) => {
    let at = from
    while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at)
    return at + 1
  }
  let at = 13 + colors(bytes.readUInt8(10))
  for (;;) {
    const separator = bytes.readUInt8(at)
    if (separator === 0x3b) return
    if (separator === 0x21) at = skipBlocks(at + 2)
    else if (separator === 0x2c) {
      const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)]
      yield [left + bytes.readUInt16LE(at + 5), top + bytes.readUInt16LE(at + 7)]
      at = skipBlocks(at + 11 + colors(bytes.readUInt8(at + 9)))
    } else at += 1
  }
}

/** The size is in the first start-of-frame marker: C0 to CF without C4, C8 and CC. */
function sidesOfJpeg(bytes: Buffer): Sides {
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) return unknownSides
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
}

function* sidesOfWebp(bytes: Buffer): Generator<Sides> {
  for (let at = 12; ;) {
    const size = bytes.readUInt32LE(at + 4)
    switch (bytes.toString('latin1', at, at + 4)) {
      case 'VP8X':
        yield [1 + bytes.readUIntLE(at + 12, 3), 1 + bytes.readUIntLE(at + 15, 3)]
        break
      case 'ANMF': {
        const [left, top] = [2 * bytes.readUIntLE(at + 8, 3), 2 * bytes.readUIntLE(at + 11, 3)]
        yield [left + 1 + bytes.readUIntLE(at + 14, 3), top + 1 + bytes.readUIntLE(at + 17, 3)]
        break
      }
      case 'VP8L': {
        const packed = bytes.readUInt32LE(at + 9)
        yield [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)]
        break
      }
      case 'VP8 ':
        yield [bytes.readUInt16LE(at + 14) & 0x3fff, bytes.readUInt16LE(at + 16) & 0x3fff]
    }
    at += 8 + size + (size % 2)
  }
}

const refused = (message: string): AppError => new AppError(chainCodes.pictureRefused, message)
