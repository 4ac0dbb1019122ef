/**
 * Sends requests to targets: exact bytes, one exchange, no redirects. Targets are not trusted, so
 * the time, headers and body of a response are limited.
 */
import type { Socket } from 'node:net'
import { Pool, type Dispatcher, buildConnector } from 'undici'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import { headerPairs } from '../../captures/store/capture-record.ts'
import type { EditedRequest } from '../store/replay-jobs.ts'
import type { AttemptDetail, SendOptions } from '../targets/target-kind.ts'
import type { Guard } from './guard.ts'
import { type HeaderPairs, sentHeaders } from './request-headers.ts'
import { type Target, readTarget, requestPath } from './target.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

const connectMs = 10_000

/**
 * Connects to an address that the guard has checked. Undici gets the address instead of the name,
 * so that no second lookup can change it.
 */
function createConnector(guard: Guard, target: Target): buildConnector.connector {
  const settings = { timeout: connectMs, allowH2: false }
  const strict = buildConnector(settings)
  // Certificates are not verified on this computer, because development servers have self-signed ones.
  const lenient = buildConnector({ ...settings, rejectUnauthorized: false })

  async function open(options: buildConnector.Options): Promise<Socket> {
    const { kind, addresses } = await guard.addresses(target)
    const connect = kind === 'loopback' ? lenient : strict
    let last: Error | null = null
    for (const address of addresses) {
      try {
        const socket = await connectTo(connect, {
          ...options,
          hostname: address,
          host: address,
          // An IP address is no valid server name (RFC 6066).
          servername: target.isAddress ? '' : target.hostname,
        })
        try {
          guard.verify(target, kind, socket.remoteAddress)
          return socket
        } catch (error) {
          socket.destroy()
          throw error
        }
      } catch (error) {
        last = error instanceof Error ? error : new Error(String(error))
      }
    }
    throw last ?? new Error('Could not connect to any address of the target.')
  }

  return (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

function connectTo(
  connect: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // For plain HTTP undici would resolve a server name, so none is passed.
    const { servername, ...plain } = options
    const named = options.protocol === 'https:' && servername ? { ...plain, servername } : plain
    connect(named, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

/**
 * `invalid`: the request can never be sent in this form. `excess`: headers or body are over the
 * limit. `aborted`: our signal aborted the request.
 */
type SendFailure =
  | 'aborted'
  | 'broken'
  | 'excess'
  | 'invalid'
  | 'refused'
  | 'timeout'
  | 'unconfirmed'
  | 'unreachable'
  | 'unresolved'

/** The status is null if no response began; a response that broke off has its status and a failure. */
export type TargetResponse = AttemptDetail & { readonly failure: SendFailure | null }

const defaultKeepBytes = 64 * 1024
/** Reading stops at this size and closes the connection. */
const readBytes = 8 * 1024 * 1024
const headerBytes = 32 * 1024
/** Maximum number of interim responses (1xx) to one request. */
const maxInterim = 20
/** Maximum number of connections and pending requests per target. */
const connections = 320
const nothing = new Uint8Array(0)
const outsidePath = 'Not sent: the request’s path would leave the target’s path.'
const connectProblem = 'Not sent: CONNECT requests open a tunnel.'

export function createHttpSender(guard: Guard) {
  const targets = new Map<string, Target>()
  const pools = new Map<string, Pool>()

  function targetOf(text: string): Target {
    const known = targets.get(text)
    if (known !== undefined) return known
    const target = readTarget(text)
    // The limit saves memory; only a few targets are in use at a time.
    if (targets.size > 1000) targets.clear()
    targets.set(text, target)
    return target
  }

  function poolOf(target: Target): Pool {
    const known = pools.get(target.origin)
    if (known !== undefined) return known
    const pool = new Pool(target.origin, {
      connect: createConnector(guard, target),
      connections,
      pipelining: 1,
      maxHeaderSize: headerBytes,
      // `timeoutMs` limits the whole exchange instead.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    pools.set(target.origin, pool)
    return pool
  }

  return {
    /** Never rejects: errors are part of the result. */
    async send(
      request: Omit<EditedRequest, 'subpath'> & { readonly change?: string | null },
      url: string,
      options: SendOptions,
    ): Promise<TargetResponse> {
      const at = Math.round((performance.timeOrigin + performance.now()) * 1000)
      let target: Target
      try {
        target = targetOf(url)
        guard.admit(target)
      } catch (error) {
        return { ...unsent(at), ...explain(error, url) }
      }
      const { change = null } = request
      if (change !== null) return { ...unsent(at), failure: 'invalid', problem: change }
      const path = requestPath(target, options.subpath)
      if (path === null) return { ...unsent(at), failure: 'invalid', problem: outsidePath }
      if (request.method === 'CONNECT') {
        return { ...unsent(at), failure: 'invalid', problem: connectProblem }
      }
      const exchange = {
        method: request.method,
        path,
        headers: sentHeaders(request.headers, options.keepHost, options.extraHeaders),
        body: request.body.byteLength === 0 ? null : request.body,
        // Without this, undici would use the `Host` header as the certificate's name.
        ...(target.isTls && { servername: target.hostname }),
      }
      return dispatch(poolOf(target), exchange, { ...options, at, target })
    },
    /** Closes connections, so that the guard checks each target again. */
    guardChanged(): void {
      for (const pool of pools.values()) void pool.close().catch(() => undefined)
      pools.clear()
    },
    async close(): Promise<void> {
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map((pool) => pool.destroy()))
    },
  }
}

/** Sends one request without the headers of a forwarded request, over its own connection. */
export async function sendOnce(
  guard: Guard,
  request: Omit<EditedRequest, 'subpath'>,
  url: string,
  options: Pick<SendOptions, 'timeoutMs' | 'keepBytes' | 'signal'>,
): Promise<TargetResponse> {
  const sender = createHttpSender(guard)
  try {
    const plain = { keepHost: false, subpath: null, extraHeaders: [] }
    return await sender.send(request, url, { ...options, ...plain })
  } finally {
    await sender.close()
  }
}

function unsent(at: number) {
  const size = { durationUs: 0, bodyBytes: 0, isCut: false }
  return { at, status: null, headers: [], body: nothing, ...size }
}

type Exchange = Omit<SendOptions, 'subpath' | 'keepHost' | 'extraHeaders'> & {
  readonly at: number
  readonly target: Target
}

class Ended extends Error {
  readonly failure: SendFailure
  constructor(failure: SendFailure, message: string) {
    super(message)
    this.failure = failure
  }
}

function dispatch(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { at, target, timeoutMs, keepBytes = defaultKeepBytes, signal }: Exchange,
): Promise<TargetResponse> {
  return new Promise((resolve) => {
    const queuedAt = performance.now()
    let startedAt = queuedAt
    let controller: Dispatcher.DispatchController | null = null
    let isOver = false
    let status: number | null = null
    let headers: HeaderPairs = []
    let interim = 0
    let bodyBytes = 0
    let keptBytes = 0
    const kept: Buffer[] = []

    function end(failure: SendFailure | null, problem: string | null): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      const [only, ...more] = kept
      resolve({
        at,
        status,
        durationUs: Math.max(0, Math.round((performance.now() - startedAt) * 1000)),
        headers,
        body: only === undefined ? nothing : more.length === 0 ? only : Buffer.concat(kept),
        bodyBytes,
        isCut: keptBytes < bodyBytes || (failure !== null && status !== null),
        failure,
        problem,
      })
    }

    /** A request that still waits for a connection must not be sent later. */
    function stop(reason: Ended): void {
      end(reason.failure, reason.message)
      controller?.abort(reason)
    }
    const onAbort = () => stop(new Ended('aborted', 'Stopped.'))
    const timer = setTimeout(() => {
      const how = status === null ? 'No response' : 'The response did not end'
      stop(new Ended('timeout', `${how} within ${seconds(timeoutMs)}.`))
    }, timeoutMs)
    if (signal?.aborted === true) {
      onAbort()
      return
    }
    signal?.addEventListener('abort', onAbort)

    pool.dispatch(request, {
      onRequestStart(begun) {
        controller = begun
        if (isOver) begun.abort(new Ended('aborted', 'The request was dropped before sending.'))
        startedAt = performance.now()
      },
      onResponseStart(begun, code) {
        if (code < 200) {
          interim += 1
          if (interim > maxInterim) {
            stop(new Ended('excess', 'The target sent too many interim responses (1xx).'))
          }
          return
        }
        status = code
        headers = pairs(begun.rawHeaders)
      },
      onResponseData(_begun, chunk) {
        bodyBytes += chunk.byteLength
        if (keptBytes < keepBytes) {
          // The bytes are copied, because the chunk shares the parser's larger buffer.
          const part = Buffer.from(chunk.subarray(0, keepBytes - keptBytes))
          keptBytes += part.byteLength
          kept.push(part)
        }
        if (bodyBytes > readBytes) {
          const limit = `${readBytes / 1_048_576} MiB`
          stop(new Ended('excess', `The response is longer than ${limit}; the rest was not read.`))
        }
      },
      onResponseEnd: () => end(null, null),
      onResponseError(_begun, error) {
        const { failure, problem } = explain(error, target.url)
        end(failure, problem)
      },
    })
  })
}

function pairs(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPairs {
  if (!Array.isArray(raw)) return []
  return headerPairs(raw.map((each) => (typeof each === 'string' ? each : each.toString('latin1'))))
}

const seconds = (ms: number) => (ms === 1000 ? 'a second' : `${ms / 1000} seconds`)

const failureOfCode: Readonly<Record<string, SendFailure>> = lookupTable({
  [targetCodes.refused]: 'refused',
  [targetCodes.unconfirmed]: 'unconfirmed',
  [targetCodes.unresolved]: 'unresolved',
  UND_ERR_INVALID_ARG: 'invalid',
  UND_ERR_NOT_SUPPORTED: 'invalid',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'invalid',
  UND_ERR_HEADERS_OVERFLOW: 'excess',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'unreachable',
})

function explain(error: unknown, url: string): { failure: SendFailure; problem: string } {
  if (error instanceof Ended) return { failure: error.failure, problem: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = messageOf(error)
  const failure = failureOfCode[code] ?? 'broken'
  if (error instanceof AppError) return { failure, problem: error.message }
  const host = URL.parse(url)?.host ?? url
  if (failure === 'unreachable') return { failure, problem: unreachable(code, host) }
  if (failure === 'invalid') {
    return { failure, problem: `The request cannot be sent unchanged (${reason}).` }
  }
  if (failure === 'excess') {
    return { failure, problem: `The response headers are larger than ${headerBytes / 1024} KiB.` }
  }
  return { failure: 'broken', problem: broken(code, reason, host) }
}

function unreachable(code: string, host: string): string {
  if (code === 'ECONNREFUSED') return `Nothing listens on ${host}. Start the target.`
  return `${host} cannot be reached (${code === 'UND_ERR_CONNECT_TIMEOUT' ? 'timeout' : code}).`
}

function broken(code: string, reason: string, host: string): string {
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${host} closed the connection.`
  if (code === 'UND_ERR_SOCKET')
    return `${host} closed the connection before it responded (${reason}).`
  if (/CERT|TLS|SSL|SELF_SIGNED/i.test(code)) return `${host} has no valid certificate (${code}).`
  return `${host} did not respond with HTTP (${code === '' ? reason : code}).`
}
