import { type HttpBindings, getRequestListener } from '@hono/node-server'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dialect, plainDialect } from './http.ts'
import { sandboxCodes, SandboxError } from './errors.ts'
import { closeServer, listenOnce } from '../net/server.ts'

/**
 * The sandbox's one HTTP listener. Threat model: its port is open to every program of this computer
 * and, through a browser, to every web page. So it is bound to 127.0.0.1, Host must be exactly ours
 * (or another site's name could be made to lead here), only the query API allows pages of other
 * origins, each root but that one wants a key, and every request ends in bounded time and memory.
 */

export type ListenerRoot = {
  readonly name: string
  readonly prefix: string
  readonly paths?: readonly string[]
  readonly fetch: Fetch
  readonly dialect: Dialect
  /** The path of the route that serves a request, such as `/v2/accounts/{account_id}`; null for none. */
  readonly templateOf: (method: string, path: string) => string | null
}

export type Listener = Awaited<ReturnType<typeof createListener>>

const host = '127.0.0.1'
const notServed = 'this host name is not served'
const drainMs = 1500
const nearbyPorts = 50

/** @throws SandboxError SANDBOX_PORT_TAKEN */
export async function createListener(options: {
  readonly port: number
  readonly orNearby: boolean
  readonly roots: readonly ListenerRoot[]
  /** Called before the response. */
  readonly onRequest?: (
    request: IncomingMessage,
    response: ServerResponse,
    target: URL | null,
    root: ListenerRoot | undefined,
  ) => void
}) {
  let port = 0
  const roots = options.roots.map((root) => ({
    ...root,
    listen: getRequestListener(root.fetch as Parameters<typeof getRequestListener>[0], {
      overrideGlobalObjects: false,
    }),
  }))
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
    },
    (request, response) => {
      const target = targetOf(request)
      const root = target === null ? undefined : roots.find((each) => isServed(target, each))
      const dialect = root?.dialect ?? plainDialect
      options.onRequest?.(request, response, target, root)
      if (target === null) {
        void send(response, dialect(400, 'the request is not for this service'))
      } else if (!isOurHost(request, port)) {
        void send(response, dialect(403, notServed))
      } else if (root === undefined) {
        void send(response, dialect(404, 'no API of the sandbox has this path'))
      } else {
        request.url = `${target.pathname.slice(root.prefix.length) || '/'}${target.search}`
        void root.listen(request, response)
      }
    },
  )
  // Node removes its own error listener for CONNECT and upgrades.
  server.on('connection', (socket) => socket.on('error', () => undefined))
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  port = await listen(server, options)

  /** `close` stops accepting connections and finishes pending requests. */
  return { port, close: () => closeServer(server, drainMs) }
}

/** Resolves dots in the path, so that checks and handlers see the same path. */
function targetOf({ url = '' }: IncomingMessage): URL | null {
  return url.startsWith('/') ? URL.parse(`http://${host}${url}`) : null
}

const isServed = ({ pathname }: URL, { prefix, paths = [''] }: ListenerRoot): boolean =>
  paths.some((path) => {
    const base = `${prefix}${path}`
    return pathname === base || pathname.startsWith(`${base}/`)
  })

function isOurHost(request: IncomingMessage, port: number): boolean {
  const sent = request.headersDistinct['host'] ?? []
  const end = port === 80 ? '' : `:${port}`
  return sent.length === 1 && (sent[0] === `${host}${end}` || sent[0] === `localhost${end}`)
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  const body = await answer.text()
  response.writeHead(answer.status, {
    'Content-Type': answer.headers.get('content-type') ?? 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  })
  response.end(body)
}

async function listen(
  server: Server,
  { port: wanted, orNearby }: { port: number; orNearby: boolean },
): Promise<number> {
  const last = wanted === 0 || !orNearby ? wanted : Math.min(wanted + nearbyPorts, 65_535)
  for (let port = wanted; port <= last; port += 1) {
    const problem = await listenOnce(server, { host, port, exclusive: true })
    if (problem === null) return (server.address() as AddressInfo).port
    if (problem.code !== 'EADDRINUSE' && problem.code !== 'EACCES') throw problem
  }
  throw new SandboxError(
    sandboxCodes.portTaken,
    last === wanted
      ? `Port ${wanted} is taken. Choose another with --port, or 0 for any.`
      : `The ports ${wanted} to ${last} are all taken. Choose another with --port, or 0 for any.`,
  )
}

export type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>
