/**
 * Stands between the gateway and the handler: records each delivery with the handler's response, and loses, holds,
 * repeats or cuts deliveries on the way.
 */
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readJson } from '../../../src-preload/domain/read-json.ts'
import { type Reply, exchange } from './http.ts'
import type { Steps } from './scenario.ts'

type RelayMode = NonNullable<Steps['fault']['deliveries']>

export type RelayedDelivery = {
  readonly number: number
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly mode: RelayMode
  /** Responses of the handler: none for a delivery that was not forwarded. */
  readonly replies: Reply[]
  forwards: number
}

const maxBodyBytes = 1_000_000
const hopHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']

export async function createRelay(target: string) {
  let mode: RelayMode = 'pass'
  let deliveries: RelayedDelivery[] = []
  let held: RelayedDelivery[] = []
  let last = 0
  const open = new AbortController()

  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    // On a connection that was used before, the gateway would repeat a cut delivery at once.
    response.setHeader('Connection', 'close')
    void relay(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const delivery = record(request, body)
    if (mode === 'hold') held.push(delivery)
    if (mode === 'lose' || mode === 'hold') {
      response.writeHead(200).end()
      return
    }
    if (mode === 'refuse') {
      response.writeHead(500).end()
      return
    }
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const copies = delivery.mode === 'twice' ? 2 : 1
    const replies = await Promise.all(
      Array.from({ length: copies }, () => forward(delivery, gone.signal)),
    )
    const [reply] = replies
    if (delivery.mode === 'cut' || reply?.status === null || reply === undefined) {
      request.socket.destroy()
      return
    }
    response.writeHead(reply.status, { 'Content-Type': 'text/plain' }).end(reply.body)
  }

  function record(request: IncomingMessage, body: string): RelayedDelivery {
    const sent = Object.entries(request.headers).filter(([name]) => !hopHeaders.includes(name))
    const parsed = readJson(body) as { event_type?: unknown } | null | undefined
    const type = typeof parsed?.event_type === 'string' ? parsed.event_type : 'invoice'
    const headers = Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))
    last += 1
    const delivery = { number: last, type, headers, body, mode, replies: [], forwards: 0 }
    deliveries.push(delivery)
    return delivery
  }

  /** Sends a delivery to the handler, also a second time. */
  async function forward(delivery: RelayedDelivery, signal?: AbortSignal): Promise<Reply> {
    delivery.forwards += 1
    const { headers, body } = delivery
    const signals = signal === undefined ? open.signal : AbortSignal.any([open.signal, signal])
    const reply = await exchange(target, { method: 'POST', headers, body, signal: signals })
    delivery.replies.push(reply)
    return reply
  }

  return {
    url: `http://127.0.0.1:${port}`,
    forward,
    setMode: (next: RelayMode) => void (mode = next),
    deliveries: (): readonly RelayedDelivery[] => deliveries,
    /** The number of deliveries whose forwarding has begun. */
    forwarded: () => deliveries.reduce((sum, { forwards }) => sum + forwards, 0),
    takeHeld: () => held.splice(0),
    /** Begins the records of another scenario. */
    clear(): void {
      mode = 'pass'
      deliveries = []
      held = []
    },
    close(): void {
      open.abort()
      server.close()
      server.closeAllConnections()
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).byteLength
    if (bytes > maxBodyBytes) throw new RangeError('the delivery is too large')
  }
  return Buffer.concat(chunks).toString()
}
