/** Sends deliveries in tests: by `fetch`, or byte for byte over a socket. */
import { connect, createServer } from 'node:net'

export async function postDelivery(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<number> {
  const response = await fetch(url, { method: 'POST', body, headers })
  await response.arrayBuffer()
  return response.status
}

/** Returns an account event as the gateway delivers it. */
export function accountEvent(lt: number, account = '0:' + 'ab'.repeat(32)): string {
  return JSON.stringify({
    event_type: 'account_tx',
    account_id: account,
    lt,
    tx_hash: lt.toString(16).padStart(64, '0'),
  })
}

/** Sends many deliveries over keep-alive connections; resolves with the number that got 200. */
export async function postMany(url: string, count: number, connections = 16): Promise<number> {
  let next = 0
  let accepted = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) {
        next += 1
        if ((await postDelivery(url, accountEvent(40_000_000_000_000 + next))) === 200)
          accepted += 1
      }
    }),
  )
  return accepted
}

/** Sends a request whose every byte the test sets; resolves with the status line. */
export function sendRaw(
  url: string,
  headers: readonly (readonly [string, string])[],
  body: Buffer,
): Promise<string> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const all: (readonly [string, string])[] = [
    ['Host', host],
    ...headers,
    ['Content-Length', String(body.length)],
    ['Connection', 'close'],
  ]
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => (answer += text))
    socket.on('close', () => resolve(answer.split('\r\n', 1)[0] ?? ''))
    socket.on('error', reject)
    socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${head}\r\n`, 'latin1')
    socket.write(body)
  })
}

export type RawRequest = {
  readonly line: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** A second receiver that stores its requests exactly, for comparisons. */
export async function listenRaw(): Promise<
  { readonly origin: string; readonly received: Promise<RawRequest> } & AsyncDisposable
> {
  const received = Promise.withResolvers<RawRequest>()
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      const request = parse(bytes)
      if (request === null) return
      received.resolve(request)
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port.')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    received: received.promise,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Null until the request is complete. */
function parse(bytes: Buffer): RawRequest | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = lines.map((text): [string, string] => {
    const colon = text.indexOf(':')
    return [text.slice(0, colon), text.slice(colon + 1).replace(/^ /, '')]
  })
  const length = Number(headers.find(([name]) => /^content-length$/i.test(name))?.[1] ?? 0)
  const body = bytes.subarray(end + 4)
  return body.length < length ? null : { line, headers, body }
}
