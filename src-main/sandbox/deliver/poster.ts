import { subscribe } from 'node:diagnostics_channel'
import { lookup } from 'node:dns'
import { STATUS_CODES } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import type { Dispatcher, buildConnector } from 'undici'
import type { TargetDescription } from './delivery-queue.ts'
import { addressKind } from '../../net/address.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/**
 * Sends deliveries. Threat model: an endpoint may hang, redirect, respond without end, not speak
 * HTTP, or be a name of another computer.
 */

/** Number of bytes of the response to a test event that are returned. */
const shownBytes = 4096

/** A small part of the response body is read, so that the connection can be reused. */
const bodyLimit = 64 * 1024
const bodyMs = 250

/** @param allowHost returns true for allowed hosts besides this computer */
export function createPoster(allowHost: (host: string) => boolean) {
  let client: ReturnType<typeof loadClient> | undefined

  /** Never rejects. `problem` is null if the delivery was acknowledged, else the reason. */
  async function exchange<T>(
    { url, bearer }: TargetDescription,
    { body, headers, timeoutMs, giveUp }: Posted,
    read: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<{ problem: string | null; response: T | null }> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const { request, agent, fresh } = await (client ??= loadClient(allowHost))
      const send = (dispatcher: Dispatcher) =>
        request(url, {
          dispatcher,
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'User-Agent': 'tondesk-sandbox',
            ...headers,
            ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
          },
          body,
          signal: giveUp === undefined ? timeout : AbortSignal.any([timeout, giveUp]),
        })
      const response = await send(agent).catch((error: unknown) => {
        // The endpoint closed an idle connection while the request was on its way.
        if (!causesOf(error).some((cause) => reuseErrors.has(cause))) throw error
        return send(fresh)
      })
      const { statusCode } = response
      const problem = statusCode === 200 ? null : `POST ${url}: ${describeStatus(statusCode)}`
      return { problem, response: await read(response) }
    } catch (error) {
      const isLate = timeout.aborted
      const why = isLate ? `timed out after ${timeoutMs / 1000} s` : describeError(error)
      return { problem: `POST ${url}: ${why}`, response: null }
    }
  }

  return {
    /** Never rejects. @returns null if acknowledged, else the reason */
    async post(
      target: TargetDescription,
      body: string,
      timeoutMs: number,
      giveUp: AbortSignal,
    ): Promise<string | null> {
      const posted = { body, headers: {}, timeoutMs, giveUp }
      return (await exchange(target, posted, (response) => discard(response.body))).problem
    },
    /** Makes one attempt and returns the beginning of the response. Never rejects. */
    async test(target: TargetDescription, posted: Posted) {
      const { problem, response } = await exchange(target, posted, readStart)
      const nothing = { status: null, headers: [], body: Buffer.alloc(0), isCut: false }
      return { ...(response ?? nothing), problem }
    },
    async close(): Promise<void> {
      const { agent, fresh } = (await client) ?? {}
      await Promise.all([agent?.destroy(), fresh?.destroy()])
    },
  }
}

/** undici is loaded for the first delivery, because it takes a quarter of the time of loading all modules. */
async function loadClient(allowHost: (host: string) => boolean) {
  const { Agent, buildConnector, request } = await import('undici')
  const options = {
    connect: connectAllowed(allowHost, buildConnector),
    allowH2: false,
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const agent = new Agent({ ...options, pipelining: 1 })
  // Without pipelining, undici opens a connection for each request.
  return { request, agent, fresh: new Agent({ ...options, pipelining: 0 }) }
}

const requestsOn = new WeakMap<Socket, number>()
/** Errors of connections that had already carried a request. */
const reuseErrors = new WeakSet<Error>()

subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: Socket }
  requestsOn.set(socket, (requestsOn.get(socket) ?? 0) + 1)
})

const watchReuse =
  (callback: buildConnector.Callback): buildConnector.Callback =>
  (...connected) => {
    const [, socket] = connected
    socket?.on('error', (error: Error) => {
      if ((requestsOn.get(socket) ?? 0) > 1) reuseErrors.add(error)
    })
    callback(...connected)
  }

type Posted = {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly giveUp?: AbortSignal
}

async function readStart({ statusCode, headers, body }: Dispatcher.ResponseData) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).byteLength
    if (bytes > shownBytes) break
  }
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  return {
    status: statusCode,
    headers: pairs,
    body: Buffer.concat(chunks).subarray(0, shownBytes),
    isCut: bytes > shownBytes,
  }
}

/** The status alone decides, so errors in the body are ignored. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  const timer = setTimeout(() => body.destroy(), bodyMs)
  try {
    await body.dump({ limit: bodyLimit })
  } catch {
    body.destroy()
  } finally {
    clearTimeout(timer)
  }
}

function describeStatus(status: number): string {
  const phrase = STATUS_CODES[status]
  const text = phrase === undefined ? String(status) : `${status} ${phrase}`
  return status >= 300 && status < 400 ? `${text} (redirects are not followed)` : text
}

const problems: Readonly<Record<string, string>> = lookupTable({
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before the answer',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'timed out while connecting',
  UND_ERR_CONNECT_TIMEOUT: 'timed out while connecting',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
})

function describeError(error: unknown): string {
  for (const cause of causesOf(error)) {
    if (cause instanceof HostNotAllowedError) return cause.message
    if (cause.name === 'HTTPParserError') return 'the answer is not HTTP'
    const text = problems[String(Reflect.get(cause, 'code'))]
    if (text !== undefined) return text
  }
  return error instanceof Error ? error.message : String(error)
}

function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 4) return []
  const inner = [
    ...(error instanceof AggregateError ? (error.errors as unknown[]) : []),
    error.cause,
  ]
  return [error, ...inner.flatMap((each) => causesOf(each, depth + 1))]
}

class HostNotAllowedError extends Error {}

/**
 * Connects only to this computer or to allowed hosts. The address of the connection is checked,
 * because a name may resolve to another address each time.
 */
function connectAllowed(
  allowHost: (host: string) => boolean,
  build: typeof buildConnector,
): buildConnector.connector {
  const options = { allowH2: false, timeout: 10_000, keepAlive: false }
  const anywhere = build(options)
  const here = build({ ...options, lookup: lookupLoopback })
  return (target, callback) => {
    const host = withoutBrackets(target.hostname).toLowerCase()
    const bare = { ...target, hostname: host }
    if (allowHost(host)) anywhere(bare, watchReuse(callback))
    else if (isLoopbackHost(host)) here(bare, watchReuse(callback))
    else {
      // The sandbox is offline, so it does no DNS lookup.
      callback(new HostNotAllowedError(notAllowed(host)), null)
    }
  }
}

/** Null if deliveries to the URL are allowed. */
export function whyUndeliverable(url: string, allowHost: (host: string) => boolean): string | null {
  const host = withoutBrackets(URL.parse(url)?.hostname ?? '').toLowerCase()
  return allowHost(host) || isLoopbackHost(host) ? null : notAllowed(host)
}

function notAllowed(host: string): string {
  return `${host} is not this computer, and is not among the hosts that this sandbox may deliver to`
}

const lookupLoopback: LookupFunction = (name, options, callback) => {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '')
      return
    }
    const own = addresses.filter(({ address }) => isLoopbackAddress(address))
    const [first] = own
    if (first === undefined) callback(new HostNotAllowedError(notAllowed(name)), '')
    else if (options.all === true) callback(null, own)
    else callback(null, first.address, first.family)
  })
}

const isLoopbackAddress = (address: string): boolean => addressKind(address).kind === 'loopback'

/** Names are checked again at the connection. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || isLoopbackAddress(host)

export const withoutBrackets = (host: string): string =>
  host.startsWith('[') ? host.slice(1, -1) : host
