/** Tests pictures of assets: strangers choose their links, so a link may lead to a hostile server. */
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createGuard } from '../../../src-main/delivery/sender/guard.ts'
import { createHttpSender } from '../../../src-main/delivery/sender/sender.ts'
import { createPictures } from '../../../src-main/explorer/assets/pictures.ts'
import { makePng } from '../../fixtures/png.ts'
import { selfSigned } from '../../fixtures/self-signed.ts'

const host = 'pictures.example'
let respond: RequestListener
let asked: string[]
let port = 0
const server = createServer(selfSigned, (request, response) => {
  asked.push(request.url ?? '')
  respond(request, response)
})
const signal = new AbortController().signal
const noPlaces = () => ({ ports: [], publicUrls: [] })

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ;({ port } = server.address() as AddressInfo)
})

beforeEach(() => {
  asked = []
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The other names lead to this computer. 8.8.8.8 is public and never gets a connection. */
const addressesOf: Record<string, readonly string[]> = {
  'inside.example': ['10.0.0.1'],
  'mixed.example': ['8.8.8.8', '10.0.0.1'],
  'mixed-local.example': ['8.8.8.8', '127.0.0.1'],
  'mixed-mapped.example': ['8.8.8.8', '::ffff:127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mapped-private.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a00:1'],
}

/** Loads pictures as the app does, except that `pictures.example` is the server of this test. */
async function load(path: string, limitMs = 10_000) {
  const strict = createGuard({
    own: noPlaces,
    isConfirmed: () => true,
    isPublicOnly: true,
    resolve: (name) => Promise.resolve(addressesOf[name] ?? ['127.0.0.1']),
  })
  const lenient = createGuard({
    own: noPlaces,
    isConfirmed: () => false,
    resolve: () => Promise.resolve(['127.0.0.1']),
  })
  const senders = { strict: createHttpSender(strict), lenient: createHttpSender(lenient) }
  const get: Parameters<typeof createPictures>[0] = (url, options) => {
    const sender = senders[new URL(url).hostname === host ? 'lenient' : 'strict']
    return sender.send({ method: 'GET', headers: [], body: Buffer.alloc(0) }, url, {
      ...options,
      keepHost: false,
      subpath: null,
      extraHeaders: [],
    })
  }
  try {
    const link = path.startsWith('/') ? `https://${host}:${port}${path}` : path
    return await createPictures(get, Date.now, limitMs)(link, signal)
  } finally {
    await Promise.all(Object.values(senders).map((sender) => sender.close()))
  }
}

const send = (body: Buffer | string, type = 'image/png') => {
  respond = (_request, response) => response.writeHead(200, { 'content-type': type }).end(body)
}

const jpeg = Buffer.from('ffd8ffe000040000ffc0000b08000a001401011100', 'hex')
const gif = Buffer.from('47494638396114000a00', 'hex')
const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x13\0\0\x09\0\0', 'latin1')

test.each([
  ['image/png', makePng(20, 10)],
  ['image/jpeg', jpeg],
  ['image/gif', gif],
  ['image/webp', webp],
])(
  'the type %s is recognized by its first bytes, whatever the server declares',
  async (type, bytes) => {
    send(bytes, 'text/html')
    expect(await load('/picture')).toEqual({
      type,
      bytes: bytes.length,
      width: 20,
      height: 10,
      dataUrl: `data:${type};base64,${bytes.toString('base64')}`,
    })
  },
)

test.each([
  ['a script', '<script>alert(1)</script>'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['an SVG behind the beginning of a PNG', `\x89PNG<svg onload="alert(1)"/>`],
  ['an empty body', ''],
])('%s declared as a PNG is refused', async (_what, body) => {
  send(body)
  await expect(load('/picture')).rejects.toMatchObject({
    code: 'PICTURE_REFUSED',
    message: expect.stringContaining('did not send a PNG') as string,
  })
})

test('a small file that decompresses to gigabytes of pixels is refused', async () => {
  send(makePng(1, 1, { width: 60_000, height: 60_000 }))
  await expect(load('/picture')).rejects.toThrow('60000 × 60000 pixels')
})

/** Makes a GIF with a screen and frames, each with 1 byte of data. */
function makeGif(
  screen: readonly number[],
  frames: readonly (readonly number[])[],
  colors = false,
) {
  const word = (value: number) => [value & 0xff, value >> 8]
  const table = (size: number) => new Array<number>(colors ? size : 0).fill(0x2c)
  return Buffer.from([
    ...Buffer.from('GIF89a'),
    ...[...screen.flatMap(word), colors ? 0x81 : 0, 0, 0, ...table(12)],
    // A comment that contains a frame separator.
    ...[0x21, 0xfe, 3, 0x2c, 0x2c, 0x2c, 0],
    ...frames.flatMap((frame) => [
      ...[0x2c, ...frame.flatMap(word), colors ? 0x80 : 0, ...table(6)],
      ...[2, 1, 0, 0],
    ]),
    0x3b,
  ])
}

function chunk(name: string, data: readonly number[], isLittle = false): Buffer {
  const size = Buffer.alloc(4)
  size[isLittle ? 'writeUInt32LE' : 'writeUInt32BE'](data.length)
  const kind = Buffer.from(name)
  const crc = isLittle ? Buffer.alloc(data.length % 2) : Buffer.alloc(4)
  return Buffer.concat([...(isLittle ? [kind, size] : [size, kind]), Buffer.from(data), crc])
}
const long = (value: number) => [
  value >> 24,
  (value >> 16) & 0xff,
  (value >> 8) & 0xff,
  value & 0xff,
]
const three = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16]

function makeApng(width: number, height: number, frames: number, frameWidth = width) {
  const frame = chunk('fcTL', [
    ...long(0),
    ...long(frameWidth),
    ...long(height),
    ...long(0),
    ...long(0),
  ])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', [...long(width), ...long(height), 8, 6, 0, 0, 0]),
    ...new Array<Buffer>(frames).fill(frame),
  ])
}

function makeWebp(width: number, height: number, frames: number, frameWidth = width) {
  const frame = [...three(0), ...three(0), ...three(frameWidth - 1), ...three(height - 1)]
  return Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WEBP'),
    chunk('VP8X', [2, 0, 0, 0, ...three(width - 1), ...three(height - 1)], true),
    ...new Array<Buffer>(frames).fill(chunk('ANMF', [...frame, 0, 0, 0, 0, 0], true)),
  ])
}

test.each([
  ['a GIF whose frame is larger than its screen', makeGif([1, 1], [[0, 0, 16_000, 16_000]])],
  [
    'a GIF whose second frame is larger',
    makeGif(
      [1, 1],
      [
        [0, 0, 1, 1],
        [0, 0, 16_000, 16_000],
      ],
    ),
  ],
  [
    'a GIF with color tables',
    makeGif(
      [1, 1],
      [
        [0, 0, 1, 1],
        [0, 0, 16_000, 16_000],
      ],
      true,
    ),
  ],
  ['a GIF whose frame is moved far', makeGif([1, 1], [[60_000, 60_000, 1, 1]])],
  ['a GIF of many frames', makeGif([1, 1], new Array(1001).fill([0, 0, 1, 1]) as number[][])],
  [
    'a GIF of 11 large frames',
    makeGif([6000, 6200], new Array(11).fill([0, 0, 1, 1]) as number[][]),
  ],
  ['an APNG of many frames', makeApng(1, 1, 1001)],
  ['an APNG of 11 large frames', makeApng(6000, 6200, 11, 1)],
  ['an APNG whose frame is larger', makeApng(1, 16_000, 1, 16_000)],
  ['a WebP of many frames', makeWebp(1, 1, 1001)],
  ['a WebP of 11 large frames', makeWebp(6000, 6200, 11, 1)],
  ['a WebP whose frame is larger', makeWebp(1, 16_000, 1, 16_000)],
])('%s is refused because of its pixels', async (_what, bytes) => {
  send(bytes)
  await expect(load('/picture')).rejects.toThrow('which are too many')
})

test.each([
  ['GIF', makeGif([6000, 6200], new Array(10).fill([0, 0, 6000, 6200]) as number[][])],
  ['GIF with color tables', makeGif([6000, 6200], [[0, 0, 6000, 6200]], true)],
  ['APNG', makeApng(6000, 6200, 10)],
  ['WebP', makeWebp(6000, 6200, 10)],
])('an animated %s up to the limit is shown with its size', async (_what, bytes) => {
  send(bytes)
  expect(await load('/picture')).toMatchObject({ width: 6000, height: 6200 })
})

test.each([
  ['that states its size', { 'content-length': 1024 ** 3 }],
  ['in chunks, without a stated size', {}],
])('a body of 1 GB %s is not read to its end', async (_what, headers) => {
  let written = 0
  const mebibyte = Buffer.alloc(1024 * 1024, 1)
  respond = (_request, response) => {
    response.writeHead(200, headers)
    const write = () => {
      while (!response.destroyed && written < 1024) {
        written += 1
        if (!response.write(mebibyte)) {
          response.once('drain', write)
          return
        }
      }
    }
    write()
  }
  await expect(load('/picture')).rejects.toThrow('is larger than 5 MiB')
  expect(written).toBeLessThan(100)
})

test.each([
  ['https://127.0.0.1:1/x.png', /leads to this computer/],
  ['https://[::1]/x.png', /leads to this computer/],
  ['https://localhost/x.png', /leads to this computer/],
  ['https://another.example/x.png', /leads to this computer/],
  ['https://inside.example/x.png', /10\.0\.0\.1, which is a private address/],
  ['https://[::ffff:127.0.0.1]/x.png', /leads to this computer/],
  ['https://[::ffff:10.0.0.1]/x.png', /private address/],
  ['https://2130706433/x.png', /leads to this computer/],
  ['https://0x7f.1/x.png', /leads to this computer/],
  ['https://0.0.0.0/x.png', /0\.0\.0\.0 is /],
  ['https://mapped.example/x.png', /leads to this computer/],
  ['https://mapped-private.example/x.png', /private address/],
  ['https://mixed.example/x.png', /10\.0\.0\.1, which is a private address/],
  ['https://mixed-local.example/x.png', /to this computer and to other computers/],
  ['https://mixed-mapped.example/x.png', /to this computer and to other computers/],
  ['https://nat64.example/x.png', /Tondesk sends nothing there/],
  ['https://169.254.169.254/latest/meta-data', /metadata service/],
  ['http://pictures.example/x.png', /does not begin with https/],
  ['file:///etc/passwd', /does not begin with https/],
  ['data:image/png;base64,AAAA', /does not begin with https/],
  ['ipfs://bafy/x.png', /does not begin with https/],
  ['no link', /does not begin with https/],
  ['https://user:secret@pictures.example/x.png', /contains a user name/],
])('%s is loaded neither as a link nor as the target of a redirect', async (link, why) => {
  await expect(load(link)).rejects.toThrow(why)
  if (link === 'no link') return
  respond = (_request, response) => response.writeHead(302, { location: link }).end()
  await expect(load('/picture')).rejects.toThrow(why)
  expect(asked).toEqual(['/picture'])
})

test('up to three redirects are followed', async () => {
  const bytes = makePng(20, 10)
  respond = ({ url }, response) => {
    if (url === '/end') response.end(bytes)
    else response.writeHead(301, { location: url === '/one' ? '/two' : '/end' }).end()
  }
  expect(await load('/one')).toMatchObject({ type: 'image/png' })
  expect(asked).toEqual(['/one', '/two', '/end'])
  respond = (_request, response) => response.writeHead(307, { location: '/again' }).end()
  await expect(load('/again')).rejects.toThrow('redirects more than three times')
})

test('the load of a picture from a slow or silent server ends at the time limit', async () => {
  respond = () => undefined
  await expect(load('/never', 200)).rejects.toThrow(/within 0\.2 seconds/)
  respond = (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 20)
    response.once('close', () => clearInterval(timer))
  }
  await expect(load('/drip', 200)).rejects.toThrow(/within 0\.2 seconds/)
  respond = (_request, response) => response.writeHead(404).end('gone')
  await expect(load('/gone')).rejects.toThrow('responded with 404')
})
