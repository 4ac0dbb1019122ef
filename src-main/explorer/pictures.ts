/**
 * Loads pictures of assets when the user asks for one. Strangers choose the links and what they lead to, so
 * host, time, size and type are limited, and the window gets the bytes only.
 */
import type { Picture } from '../../src-preload/contract/asset.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'

/** One exchange with a public host that follows no redirect, and ends soon after `keepBytes`. */
type Get = (
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
/** A small file can unpack to gigabytes of pixels. */
const maxPixels = 40_000_000

/** @param limitMs for all requests of a picture together */
export function createPictures(get: Get, now: () => number, limitMs = 15_000) {
  /** @throws AppError PICTURE_REFUSED; the signal's reason when it was aborted */
  return async function load(link: string, signal: AbortSignal): Promise<Picture> {
    const endsAt = now() + limitMs
    let url = requireHttps(link, null)
    for (let redirects = 0; ; redirects += 1) {
      const { href, host } = url
      // In steps of 0.1 s, because messages state it.
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

/** The type is that of the first bytes, whatever the server says. SVG can contain scripts, and is refused. */
function readPicture(bytes: Buffer, host: string): Picture {
  const known = kinds.find(({ isKind }) => isKind(bytes))
  if (known === undefined) {
    throw refused(
      `${host} did not send a PNG, JPEG, GIF or WebP picture. Tondesk shows no other types.`,
    )
  }
  const [width, height] = sidesOf(known.sides, bytes)
  if (width * height === 0) throw refused(`The picture of ${host} is damaged.`)
  if (width * height > maxPixels) {
    throw refused(`The picture of ${host} has ${width} × ${height} pixels, which are too many.`)
  }
  const dataUrl = `data:${known.type};base64,${bytes.toString('base64')}`
  return { dataUrl, type: known.type, bytes: bytes.length, width, height }
}

type Sides = readonly [width: number, height: number]

const unknownSides: Sides = [0, 0]

function sidesOf(read: (bytes: Buffer) => Sides, bytes: Buffer): Sides {
  try {
    return read(bytes)
  } catch {
    // The header ends before the sides.
    return unknownSides
  }
}

const kinds: readonly {
  readonly type: Picture['type']
  readonly isKind: (bytes: Buffer) => boolean
  readonly sides: (bytes: Buffer) => Sides
}[] = [
  {
    type: 'image/png',
    isKind: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n',
    sides: (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
  },
  {
    type: 'image/jpeg',
    isKind: (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff',
    sides: sidesOfJpeg,
  },
  {
    type: 'image/gif',
    isKind: (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)),
    sides: (bytes) => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)],
  },
  {
    type: 'image/webp',
    isKind: (bytes) => /^RIFF.{4}WEBPVP8[ LX]$/s.test(bytes.toString('latin1', 0, 16)),
    sides: sidesOfWebp,
  },
]

/** The first start of a frame: markers C0 to CF without C4, C8 and CC. */
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

function sidesOfWebp(bytes: Buffer): Sides {
  switch (bytes.toString('latin1', 15, 16)) {
    case 'X':
      return [1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3)]
    case 'L': {
      const packed = bytes.readUInt32LE(21)
      return [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)]
    }
    default:
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
  }
}

function refused(message: string): AppError {
  return new AppError(chainCodes.pictureRefused, message)
}
