/**
 * Sends one request to the receiver's public URL and measures each leg. It uses its own connection,
 * follows no redirect, and adds no data.
 */
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { type LookupFunction, type Socket, isIP } from 'node:net'
import { AppError } from '../../../src-preload/domain/app-error.ts'

type PublicRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

type Leg = 'resolve' | 'connect' | 'answer'

export type PublicReply = {
  readonly status: number | null
  readonly headers: NodeJS.Dict<string | string[]>
  /** The number of microseconds of the completed legs. */
  readonly took: { readonly [L in Leg]?: number }
  readonly address: string | null
  readonly proxy: string | null
  readonly failed: { readonly leg: Leg; readonly why: string } | null
  readonly totalUs: number
}

export type SendPublic = (request: PublicRequest) => Promise<PublicReply>

/** A gateway would not wait longer. */
const limitMs = 10_000

/**
 * @param proxyFor returns the system's proxy for a URL, or null
 * @param reach returns the addresses that may be connected to; none if a proxy resolves names
 */
export function createPublicSender(
  proxyFor: (url: string) => Promise<string | null>,
  reach: (url: string, isProxied: boolean) => Promise<readonly string[]>,
): SendPublic {
  return async (requested) => {
    const began = performance.now()
    const proxyUrl = await proxyFor(requested.url).catch(() => null)
    const proxy = proxyUrl === null ? null : (URL.parse(proxyUrl)?.host ?? '')
    try {
      const reply = await send(requested, proxyUrl, await reach(requested.url, proxyUrl !== null))
      return { ...reply, proxy, totalUs: since(began) }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const failed = { leg: 'resolve', why: error.message } as const
      const nothing = { status: null, headers: {}, took: {}, address: null }
      return { ...nothing, proxy, failed, totalUs: since(began) }
    }
  }
}

function send(
  { url, headers, body }: PublicRequest,
  proxy: string | null,
  addresses: readonly string[],
): Promise<Omit<PublicReply, 'proxy' | 'totalUs'>> {
  const took: { -readonly [L in Leg]?: number } = {}
  let leg: Leg = 'resolve'
  let legBegan = performance.now()
  let address: string | null = null
  const done = (ended: Leg, next: Leg) => {
    took[ended] = since(legBegan)
    legBegan = performance.now()
    leg = next
  }
  const isTls = url.startsWith('https:')
  // Node itself opens the proxy's tunnel.
  const way = proxy === null ? {} : { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }
  const agent = isTls ? new https.Agent(way) : new http.Agent(way)

  return new Promise((resolve) => {
    const finish = (status: number | null, answered: PublicReply['headers'], why?: string) => {
      request.destroy()
      agent.destroy()
      const failed = why === undefined ? null : { leg, why }
      resolve({ status, headers: answered, took, address, failed })
    }
    const signal = AbortSignal.timeout(limitMs)
    const options = {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': body.byteLength },
      signal,
      ...(addresses.length > 0 && { lookup: respondWith(addresses) }),
    }
    const request: ClientRequest = (isTls ? https : http).request(url, options)
    request.on('socket', (socket) =>
      watch(socket, isTls, proxy !== null, done, (at) => (address = at)),
    )
    request.on('response', (response: IncomingMessage) => {
      done('answer', 'answer')
      finish(response.statusCode ?? 0, response.headers)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const why = signal.aborted
        ? `No response within ${limitMs / 1000} seconds.`
        : explain(error, url)
      if (isNameProblem(error)) leg = 'resolve'
      finish(null, {}, why)
    })
    request.end(body)
  })
}

const since = (from: number) => Math.round((performance.now() - from) * 1000)

function watch(
  socket: Socket,
  isTls: boolean,
  isProxied: boolean,
  done: (ended: Leg, next: Leg) => void,
  onAddress: (address: string) => void,
): void {
  if (!socket.connecting) {
    // Through a proxy, the socket is already connected when it is assigned.
    done('connect', 'answer')
    return
  }
  socket.once('lookup', (error, address) => {
    if ((error as Error | null) !== null || isProxied) return
    onAddress(address)
    done('resolve', 'connect')
  })
  socket.once(isTls ? 'secureConnect' : 'connect', () => done('connect', 'answer'))
}

/** Returns a lookup with a fixed result, so that a second lookup cannot resolve to another address. */
function respondWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const [first] = found
    if (options.all === true) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
}

const isNameProblem = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ENOTFOUND' || code === 'EAI_AGAIN'

function explain(error: NodeJS.ErrnoException, url: string): string {
  const { host, hostname } = new URL(url)
  switch (error.code) {
    case 'ENOTFOUND':
      return `${hostname} was not found in DNS: the tunnel has ended, or the name is misspelled.`
    case 'EAI_AGAIN':
      return `${hostname} cannot be resolved. Check that this computer is online.`
    case 'ECONNREFUSED':
      return `${host} refuses connections.`
    case 'ECONNRESET':
      return 'The connection was reset.'
    case undefined:
    default:
      return `${error.message.replace(/\.$/, '')}.`
  }
}
