/**
 * The HTTP client for all gateways. The key is sent only in a header to its own origin: never in a URL, an
 * error or a log, and never to a redirect's target.
 */
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, Agent, ProxyAgent } from 'undici'
import type { z } from 'zod'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { doubledPause } from '../../src-preload/domain/time-span.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import { formatJson } from '../ton/lossless-json.ts'
import { appVersion } from '../app/version.ts'
import {
  readEvents,
  type ServerEvent,
  acceptedEncodings,
  decodeBody,
  isDamagedEncoding,
  readJson,
  readText,
} from './read-response.ts'
import { type Priority, QueueClosed, PausedTooLong } from './request-queue.ts'
import {
  type Clock,
  type QueueOptions,
  type Queues,
  createQueues,
  systemClock,
} from './request-queues.ts'
import type { FindProxy } from './proxy.ts'
import { type Headers, readRate } from './pace.ts'
import { type Trouble, type TroubleData, createTrouble } from './trouble.ts'

export type Http = ReturnType<typeof createHttp>

export type ClientOptions = {
  readonly name: string
  /** The URL may contain a path; the paths of calls are appended to it. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer …`; null sends none. */
  readonly key: string | null
  /** Time limit of a call with its retries, without the wait in the queue. */
  readonly timeoutMs?: number
  readonly limitBytes?: number
  readonly queue?: QueueOptions
}

export type Call<S extends z.ZodType> = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** An array repeats its parameter, as OpenAPI's default style does. */
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>
  /** Sent as JSON, bigint as a number of all its digits. */
  readonly body?: unknown
  readonly answer: S
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** `interactive` (a user waits, the default) is sent before `job`. */
  readonly priority?: Priority
  /** Within a priority, requests of different owners take turns. */
  readonly owner?: string
  /** Called before each attempt, after the wait in the queue. An error that it throws prevents the request. */
  readonly onSend?: () => void
  /** Called with the rate limit that the headers of a response state, in requests per second; null for none. */
  readonly onRate?: (perSecond: number | null) => void
  /** True for a POST that only reads: it may be repeated like a GET. */
  readonly isIdempotent?: boolean
}

export type HttpClient = {
  /**
   * Integers beyond 2^53 become bigint. Idempotent requests are repeated after 429 and temporary failures,
   * others are sent once. In a queue a job waits through any pause; an interactive request fails if the
   * pause exceeds its time limit.
   * @throws AppError with a code of gatewayCodes; the signal's reason when it was aborted
   */
  call<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>>
  /** @throws AppError as `call` does; the signal's reason when it was aborted */
  events(path: string, signal: AbortSignal): AsyncIterable<ServerEvent>
}

/** Replaces the names in braces by encoded values. */
export const pathTo = (template: string, ...values: readonly string[]): string =>
  values.reduce((path, value) => path.replace(/\{\w+\}/, encodeURIComponent(value)), template)

export type HttpDeps = {
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
  readonly proxyFor?: FindProxy
  /** Why an address must not be contacted, as it follows "is"; null if it may be. */
  readonly addressProblem?: (address: string) => string | null
  readonly clock?: Clock
  readonly random?: () => number
  readonly onTraffic?: () => void
  /** Called for a response that contains a field `gram…`. */
  readonly onGram?: (network: NetworkId) => void
}

type Retry = { readonly tries: number; readonly firstMs: number; readonly maxMs: number }

/** The service's own SDKs use the same values by default (gateway-facts 1.0). */
const afterRateLimit: Retry = { tries: 5, firstMs: 300, maxMs: 3000 }
const afterFailure: Retry = { tries: 3, firstMs: 500, maxMs: 5000 }

const defaultTimeoutMs = 15_000
const defaultLimitBytes = 16 * 1024 * 1024
/** At most this much of an error's body is read. */
const errorLimitBytes = 64 * 1024
const connectMs = 5000
/** Results are reused, because where only the proxy resolves names a lookup could take seconds. */
const judgedForMs = 60_000
const connecting = {
  connect: { timeout: connectMs },
  // The limit covers three queues of eight connections to one origin, and event streams.
  connections: 32,
  // The time is longer than the pause between two requests at the lowest rate.
  keepAliveTimeout: 20_000,
}

export function createHttp(deps: HttpDeps = {}) {
  const { clock = systemClock, random = Math.random } = deps
  const { onTraffic = () => undefined, onGram = () => undefined } = deps
  const lines = createLines(
    deps.proxyFor ?? (() => Promise.resolve(null)),
    deps.addressProblem ?? (() => null),
  )
  const queues = createQueues(clock, random, onTraffic)
  const wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, signal ? { signal } : {}))
  return {
    client: (options: ClientOptions): HttpClient =>
      createClient({ lines, queues, clock, random, wait, onGram }, options),
    traffic: () => queues.read(),
    async [Symbol.asyncDispose](): Promise<void> {
      queues.close()
      await lines.close()
    },
  }
}

type Line = { readonly dispatcher: Dispatcher; readonly proxy: string | null }

function createLines(proxyFor: FindProxy, addressProblem: NonNullable<HttpDeps['addressProblem']>) {
  const lookup = checkedLookup(addressProblem)
  const direct = new Agent({ ...connecting, connect: { ...connecting.connect, lookup } })
  const proxied = new Map<string, ProxyAgent>()
  const judgedAt = new Map<string, number>()
  /** A proxy resolves names itself, so they are checked here first. Some names only the proxy can resolve. */
  async function judge(hostname: string): Promise<void> {
    const before = judgedAt.get(hostname)
    if (before !== undefined && performance.now() - before < judgedForMs) return
    await new Promise<void>((resolve, reject) => {
      lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }, (error) =>
        error instanceof AppError ? reject(error) : resolve(),
      )
    })
    judgedAt.set(hostname, performance.now())
  }
  return {
    /** `proxy` is the proxy's host and port, without its name and password. */
    async to(url: string): Promise<Line> {
      const proxy = await proxyFor(url)
      if (proxy === null) return { dispatcher: direct, proxy: null }
      await judge(new URL(url).hostname)
      const dispatcher =
        proxied.get(proxy) ??
        new ProxyAgent({ ...connecting, connectTimeout: connectMs, uri: proxy, proxyTunnel: true })
      proxied.set(proxy, dispatcher)
      return { dispatcher, proxy: new URL(proxy).host }
    },
    async close(): Promise<void> {
      await Promise.all([direct, ...proxied.values()].map((agent) => agent.destroy()))
    },
  }
}

/**
 * Wraps the system's DNS lookup and omits forbidden addresses, because the name's owner chooses the
 * addresses.
 */
function checkedLookup(addressProblem: (address: string) => string | null): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found, family) => {
      if (error !== null) {
        // A failed lookup passes no addresses, whatever the callback's type says.
        callback(error, found, family)
        return
      }
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      for (const address of addresses) {
        const problem = addressProblem(address)
        if (problem === null) continue
        const message = `${hostname} resolves to ${address}, which is ${problem}. Tondesk sends nothing there. Check the network’s URL.`
        callback(new AppError(gatewayCodes.unreachable, message), found, family)
        return
      }
      callback(error, found, family)
    })
  }
}

type Parts = Required<Pick<HttpDeps, 'clock' | 'random' | 'wait' | 'onGram'>> & {
  readonly lines: ReturnType<typeof createLines>
  readonly queues: Queues
}

type Exchange<T> = {
  readonly status: number | null
  readonly headers: Headers
  readonly tookMs: number
  readonly result: { readonly data: T } | { readonly error: unknown }
}

function createClient(parts: Parts, options: ClientOptions): HttpClient {
  const { clock } = parts
  const { name, key, timeoutMs = defaultTimeoutMs } = options
  const { origin } = new URL(options.baseUrl)
  const queue = options.queue && parts.queues.open(options.queue, origin, key)
  const takesKeys = options.queue !== undefined && options.queue.network !== 'sandbox'
  const trouble = createTrouble({ name, origin, key, takesKeys })
  const { below, exchange, events } = createConnection(parts, options, trouble)

  async function attempt<S extends z.ZodType>(
    call: Call<S>,
    tried: number,
    limitMs: number,
  ): Promise<Exchange<z.output<S>>> {
    if (queue === undefined) return await exchange(call, limitMs)
    const { priority = 'interactive', owner = '', signal } = call
    const patienceMs = priority === 'job' ? null : limitMs
    try {
      await queue.enter({ priority, owner, patienceMs, isRepeated: tried > 1, signal })
    } catch (error) {
      if (error instanceof PausedTooLong) throw trouble.paused(error.leftMs)
      throw error instanceof QueueClosed ? trouble.connection(error, null) : error
    }
    const at = clock.unix()
    const sentAt = clock.now()
    const exchanged = await exchange(call, limitMs)
    const { status, result } = exchanged
    const isCalledOff = 'error' in result && signal?.aborted === true
    queue.leave(
      priority,
      {
        sentAt,
        outcome: status === 429 ? 'refused' : status !== null && status < 500 ? 'good' : 'failed',
        ...readRate(exchanged.headers, clock.unix()),
      },
      {
        at,
        method: call.method ?? 'GET',
        path: below(call.path),
        status,
        milliseconds: Math.round(exchanged.tookMs),
        tried,
        error: isCalledOff ? 'cancelled' : 'error' in result ? messageOf(result.error) : null,
        isCalledOff,
      },
    )
    return exchanged
  }

  function pauseAfter(error: unknown, tried: number, isJob: boolean): number | null {
    if (!(error instanceof AppError)) return null
    const { status, isPassing, retryAfterMs = 0 } = (error.data ?? {}) as TroubleData
    const retry = status === 429 ? afterRateLimit : isPassing === true ? afterFailure : null
    if (retry === null) return null
    // The queue itself pauses, and a job waits there.
    if (status === 429 && queue !== undefined) return isJob || tried < retry.tries ? 0 : null
    if (tried >= retry.tries) return null
    const grown = doubledPause(tried, retry.firstMs, retry.maxMs) * (0.5 + parts.random() / 2)
    return Math.min(retry.maxMs, Math.max(grown, retryAfterMs))
  }

  /** @throws the signal's reason, which the timer would hide in an error of its own */
  async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await parts.wait(ms, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }

  return {
    async call(call) {
      const isRepeatable = call.isIdempotent ?? (call.method ?? 'GET') === 'GET'
      let leftMs = call.timeoutMs ?? timeoutMs
      for (let tried = 1; ; tried += 1) {
        const { status, result, tookMs } = await attempt(call, tried, leftMs)
        if ('data' in result) return result.data
        // After 429 the queue itself delays the next attempt.
        if (status !== 429) leftMs -= tookMs
        const mayRepeat = isRepeatable && leftMs > 0
        const pause = mayRepeat ? pauseAfter(result.error, tried, call.priority === 'job') : null
        if (pause === null) throw result.error
        if (pause > 0) await pauseFor(pause, call.signal)
      }
    },
    events,
  }
}

/** Sends single requests to the gateway, and reads their responses. */
function createConnection(parts: Parts, options: ClientOptions, trouble: Trouble) {
  const { lines, clock, onGram } = parts
  const { baseUrl, key, queue } = options
  const { timeoutMs = defaultTimeoutMs, limitBytes = defaultLimitBytes } = options
  const base = new URL(baseUrl)
  const below = (path: string) => base.pathname.replace(/\/$/, '') + path

  const requestOf = (call: RequestParts, headers: Readonly<Record<string, string>>) => ({
    origin: base.origin,
    path: below(call.path) + searchOf(call.query),
    method: call.method ?? 'GET',
    headers: { ...headersOf(key), ...headers },
  })

  /** @param lateMs the time limit, if the request exceeded it */
  function failureOf(error: unknown, proxy: string | null, lateMs: number | null): AppError {
    if (lateMs !== null) return trouble.timeout(lateMs, error)
    if (error instanceof AppError) return error
    return isDamagedEncoding(error)
      ? trouble.unexpected('its compressed body is damaged')
      : trouble.connection(error, proxy)
  }

  function parseResponse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    const place = issue?.path.join('.') ?? ''
    if (place === '' && value === null) throw trouble.unexpected('null instead of data')
    throw trouble.unexpected(
      place === '' ? 'not of the documented form' : `${place}: ${issue?.message ?? ''}`,
    )
  }

  async function exchange<S extends z.ZodType>(
    call: Call<S>,
    limitMs: number,
  ): Promise<Exchange<z.output<S>>> {
    const expiry = AbortSignal.timeout(Math.ceil(limitMs))
    const signal = call.signal ? AbortSignal.any([expiry, call.signal]) : expiry
    const began = clock.now()
    let response: Dispatcher.ResponseData | null = null
    let proxy: string | null = null
    const end = (result: Exchange<z.output<S>>['result']) => ({
      status: response?.statusCode ?? null,
      headers: response?.headers ?? {},
      tookMs: clock.now() - began,
      result,
    })
    try {
      const line = await unlessAborted(lines.to(base.origin), signal)
      proxy = line.proxy
      call.onSend?.()
      response = await line.dispatcher.request({
        ...requestOf(call, {
          'accept-encoding': acceptedEncodings,
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
        }),
        body: call.body === undefined ? null : formatJson(call.body),
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      call.onRate?.(readRate(response.headers, clock.unix()).perSecond)
      return end({ data: parseResponse(call.answer, await readResponse(response)) })
    } catch (error) {
      if (call.signal?.aborted === true) return end({ error: call.signal.reason as unknown })
      const lateMs = expiry.aborted ? (call.timeoutMs ?? timeoutMs) : null
      return end({ error: failureOf(error, proxy, lateMs) })
    }
  }

  async function readResponse({ statusCode, headers, body: encoded }: Dispatcher.ResponseData) {
    const encoding = headers['content-encoding']
    const body = decodeBody(encoded, encoding)
    if (body === null) throw trouble.unexpected(`encoded as ${String(encoding).slice(0, 60)}`)
    if (statusCode >= 200 && statusCode < 300) {
      const { text, isWhole, encoding: problem } = await readText(body, limitBytes)
      if (!isWhole) throw trouble.tooLong(limitBytes)
      if (problem !== null) throw trouble.unexpected(problem)
      if (queue && /"gram(_[a-z]+)?":/.test(text)) onGram(queue.network)
      return readJson(text, statusCode, trouble)
    }
    const { text } = await readText(body, errorLimitBytes)
    if (statusCode >= 300 && statusCode < 400) {
      throw trouble.redirect(statusCode, [headers['location']].flat()[0])
    }
    throw trouble.status(statusCode, text, readRate(headers, clock.unix()).retryAfterMs)
  }

  async function* events(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
    let proxy: string | null = null
    try {
      const line = await unlessAborted(lines.to(base.origin), signal)
      proxy = line.proxy
      const response = await line.dispatcher.request({
        ...requestOf({ path }, { accept: 'text/event-stream' }),
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: 0,
      })
      if (response.statusCode === 200) yield* readEvents(response.body)
      else await readResponse(response)
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof AppError ? error : trouble.connection(error, proxy)
    }
  }

  return { below, exchange, events }
}

type RequestParts = Pick<Call<z.ZodType>, 'path' | 'query' | 'method'>

const headersOf = (key: string | null) => ({
  accept: 'application/json',
  // Some content delivery networks refuse requests without User-Agent (403, "error code: 1010").
  'user-agent': `Tondesk/${appVersion}`,
  ...(key !== null && { authorization: `Bearer ${key}` }),
})

function searchOf(query: Call<z.ZodType>['query'] = {}): string {
  const search = new URLSearchParams()
  for (const [field, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const each of typeof value === 'object' ? value : [String(value)]) {
      search.append(field, each)
    }
  }
  return search.size > 0 ? `?${search.toString()}` : ''
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  // The race also handles an error that the work throws later.
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
