/**
 * The one way out to a gateway, real or sandbox: base URL, key, proxy, limits of time and size,
 * int64 kept, failures as one error. The key goes into a header to its own origin only: never into
 * an address, an error, a log or to where a redirect points.
 */
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, Agent, ProxyAgent } from 'undici'
import type { z } from 'zod'
import type { GatewayTraffic } from '../../src-preload/contract/traffic.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
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
} from './read-answer.ts'
import { type Priority, QueueClosed, PausedTooLong } from './request-queue.ts'
import {
  type Clock,
  type QueueOptions,
  type Queues,
  createQueues,
  systemClock,
} from './request-queues.ts'
import type { ProxyFor } from './proxy.ts'
import { type Headers, readRate } from './pace.ts'
import { type TroubleData, createTrouble } from './trouble.ts'

/** All connections of the app to gateways. Closing it ends requests under way. */
export type Http = AsyncDisposable & {
  client(options: ClientOptions): HttpClient
  /** Lanes and what went through them since the start; without keys, bodies and query values. */
  traffic(): GatewayTraffic
}

export type ClientOptions = {
  /** Who is asked, as a sentence begins: "The sandbox". */
  readonly name: string
  /** With or without a path; paths of calls go below it. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer …`; null sends none. */
  readonly key: string | null
  /** For a whole call with its tries, counted while it is under way: a wait in the lane is nobody's fault. */
  readonly timeoutMs?: number
  readonly limitBytes?: number
  /** Whose queue, pace and figures these requests share. Without one they go out at once. */
  readonly queue?: QueueOptions
}

export type Call<S extends z.ZodType> = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Begins with `/`. Parts that come from outside are encoded by the caller. */
  readonly path: string
  /** A list repeats its parameter, as OpenAPI's default style does. */
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>
  /** Sent as JSON, bigint as a number of all its digits. */
  readonly body?: unknown
  readonly answer: S
  /** For what is known to take longer. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** `interactive` (somebody waits, the default) goes ahead of `job`. */
  readonly priority?: Priority
  /** Whose it is: within a priority, those of different owners are sent in turn. */
  readonly owner?: string
  /**
   * It is about to leave this computer: with each try, after the wait in the lane. What it throws is
   * thrown instead of sending; an AppError as it is.
   */
  readonly onSend?: () => void
  /** True for a reading by POST: it may be sent again, as a GET may. */
  readonly isIdempotent?: boolean
}

export type HttpClient = {
  /**
   * Asks, and reads the answer by its schema; whole numbers beyond 2^53 come as bigint. What is
   * idempotent is tried again after 429 and after passing failures, all else is sent once. In a lane a
   * job outlasts any pause; somebody who waits is told of one that is longer than the call's limit.
   * @throws AppError with a code of gatewayCodes; the signal's reason when it was aborted
   */
  call<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>>
  /**
   * A stream of server-sent events. Ends when the other side ends it.
   * @throws AppError as `call` does; the signal's reason when it was aborted
   */
  events(path: string, signal: AbortSignal): AsyncIterable<ServerEvent>
}

export type HttpDeps = {
  /** Between two tries. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Goes directly when absent. */
  readonly proxyFor?: ProxyFor
  /** Why nothing is sent to an address that a name leads to, as it follows "is"; null where it may be. */
  readonly addressProblem?: (address: string) => string | null
  readonly clock?: Clock
  /** From 0 to 1, for jitter. */
  readonly random?: () => number
  /** At most once a second. */
  readonly onTraffic?: () => void
}

type Retry = { readonly tries: number; readonly firstMs: number; readonly maxMs: number }

/** As the service's own SDKs do by default (gateway-facts 1.0). */
const afterRateLimit: Retry = { tries: 5, firstMs: 300, maxMs: 3000 }
const afterFailure: Retry = { tries: 3, firstMs: 500, maxMs: 5000 }

const defaultTimeoutMs = 15_000
const defaultLimitBytes = 16 * 1024 * 1024
/** What an error's answer may say; the rest is not read. */
const errorLimitBytes = 64 * 1024
const connectMs = 5000
const connecting = {
  connect: { timeout: connectMs },
  // Three lanes of eight to one origin, and event streams, which hold theirs for long.
  connections: 32,
  // Longer than the slowest pace takes between two requests.
  keepAliveTimeout: 20_000,
}

export function createHttp(deps: HttpDeps = {}): Http {
  const { clock = systemClock, random = Math.random, onTraffic = () => undefined } = deps
  const lines = createLines(
    deps.proxyFor ?? (() => Promise.resolve(null)),
    deps.addressProblem ?? (() => null),
  )
  const queues = createQueues(clock, random, onTraffic)
  const wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, signal ? { signal } : {}))
  return {
    client: (options) => createClient({ lines, queues, clock, random, wait }, options),
    traffic: () => queues.read(),
    async [Symbol.asyncDispose]() {
      queues.close()
      await lines.close()
    },
  }
}

type Line = { readonly dispatcher: Dispatcher; readonly proxy: string | null }

/** Connections, direct and through proxies. */
function createLines(proxyFor: ProxyFor, addressProblem: NonNullable<HttpDeps['addressProblem']>) {
  const lookup = judgedLookup(addressProblem)
  const direct = new Agent({ ...connecting, connect: { ...connecting.connect, lookup } })
  const proxied = new Map<string, ProxyAgent>()
  return {
    /** `proxy` is the one on the way, as host and port: its name and password stay here. */
    async to(url: string): Promise<Line> {
      const proxy = await proxyFor(url)
      if (proxy === null) return { dispatcher: direct, proxy: null }
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

/** The system's look-up, of which no answer leads to where no gateway is: a name's owner decides on it. */
function judgedLookup(addressProblem: (address: string) => string | null): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found, family) => {
      if (error !== null) {
        // Without an answer there are no addresses, whatever the type of the callback says.
        callback(error, found, family)
        return
      }
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      for (const address of addresses) {
        const problem = addressProblem(address)
        if (problem === null) continue
        const message = `${hostname} leads to ${address}, which is ${problem}. Nothing is sent there: check the address of the network.`
        callback(new AppError(gatewayCodes.unreachable, message), found, family)
        return
      }
      callback(error, found, family)
    })
  }
}

type Parts = {
  readonly lines: ReturnType<typeof createLines>
  readonly queues: Queues
  readonly clock: Clock
  readonly random: () => number
  readonly wait: NonNullable<HttpDeps['wait']>
}

/** One try: what came of it, and what its head said. */
type Exchange<T> = {
  readonly status: number | null
  readonly headers: Headers
  readonly tookMs: number
  readonly result: { readonly data: T } | { readonly error: unknown }
}

function createClient(parts: Parts, options: ClientOptions): HttpClient {
  const { lines, clock } = parts
  const { name, key, timeoutMs = defaultTimeoutMs, limitBytes = defaultLimitBytes } = options
  const base = new URL(options.baseUrl)
  const queue = options.queue && parts.queues.open(options.queue, base.origin, key)
  const takesKeys = options.queue !== undefined && options.queue.network !== 'sandbox'
  const trouble = createTrouble({ name, origin: base.origin, key, takesKeys })

  const below = (path: string) => base.pathname.replace(/\/$/, '') + path

  function target({ path, query = {} }: Pick<Call<z.ZodType>, 'path' | 'query'>) {
    const search = new URLSearchParams()
    for (const [field, value] of Object.entries(query)) {
      if (value === undefined) continue
      for (const each of typeof value === 'object' ? value : [String(value)]) {
        search.append(field, each)
      }
    }
    const questions = search.size > 0 ? `?${search.toString()}` : ''
    return { origin: base.origin, path: below(path) + questions }
  }

  const headers = (more: Record<string, string> = {}) => ({
    accept: 'application/json',
    // Some content delivery networks refuse clients that do not name themselves (403, "error code: 1010").
    'user-agent': `Tondesk/${appVersion}`,
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...more,
  })

  async function exchange<S extends z.ZodType>(
    call: Call<S>,
    limitMs: number,
  ): Promise<Exchange<z.output<S>>> {
    const expiry = AbortSignal.timeout(Math.ceil(limitMs))
    const signal = call.signal ? AbortSignal.any([expiry, call.signal]) : expiry
    const began = clock.now()
    let status: number | null = null
    let answered: Headers = {}
    let proxy: string | null = null
    const end = (result: Exchange<z.output<S>>['result']) => ({
      status,
      headers: answered,
      tookMs: clock.now() - began,
      result,
    })
    try {
      const line = await unlessAborted(lines.to(base.origin), signal)
      proxy = line.proxy
      call.onSend?.()
      const response = await line.dispatcher.request({
        ...target(call),
        method: call.method ?? 'GET',
        headers: headers({
          'accept-encoding': acceptedEncodings,
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
        }),
        body: call.body === undefined ? null : formatJson(call.body),
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      status = response.statusCode
      answered = response.headers
      return end({ data: understand(call.answer, await readAnswer(response)) })
    } catch (error) {
      if (call.signal?.aborted === true) return end({ error: call.signal.reason as unknown })
      if (expiry.aborted) {
        return end({ error: trouble.timeout(call.timeoutMs ?? timeoutMs, error) })
      }
      if (isDamagedEncoding(error)) {
        return end({ error: trouble.unexpected('its compressed body is damaged') })
      }
      return end({ error: error instanceof AppError ? error : trouble.connection(error, proxy) })
    }
  }

  function understand<S extends z.ZodType>(answer: S, value: unknown): z.output<S> {
    const parsed = answer.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    throw trouble.unexpected(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }

  async function readAnswer({ statusCode, headers, body: encoded }: Dispatcher.ResponseData) {
    const encoding = headers['content-encoding']
    const body = decodeBody(encoded, encoding)
    if (body === null) throw trouble.unexpected(`encoded as ${String(encoding).slice(0, 60)}`)
    if (statusCode >= 200 && statusCode < 300) {
      const { text, isWhole } = await readText(body, limitBytes)
      if (!isWhole) throw trouble.tooLong(limitBytes)
      return readJson(text, statusCode, trouble)
    }
    const { text } = await readText(body, errorLimitBytes)
    const { location } = headers
    if (statusCode >= 300 && statusCode < 400) {
      throw trouble.redirect(statusCode, typeof location === 'string' ? location : undefined)
    }
    throw trouble.status(statusCode, text, readRate(headers, clock.unix()).retryAfterMs)
  }

  /** Through the lane, where there is one. */
  async function attempt<S extends z.ZodType>(
    call: Call<S>,
    tried: number,
    limitMs: number,
  ): Promise<Exchange<z.output<S>>> {
    if (queue === undefined) return await exchange(call, limitMs)
    const { priority = 'interactive', owner = '', signal } = call
    const backoffMs = priority === 'job' ? null : limitMs
    try {
      await queue.enter({ priority, owner, patienceMs: backoffMs, isRepeated: tried > 1, signal })
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
        error: isCalledOff ? 'called off' : 'error' in result ? messageOf(result.error) : null,
        isCalledOff,
      },
    )
    return exchanged
  }

  /** How long to wait before the next try; null when there is to be none. */
  function pauseAfter(error: unknown, tried: number, call: Call<z.ZodType>): number | null {
    if (!(error instanceof AppError)) return null
    const { status, isPassing, retryAfterMs = 0 } = (error.data ?? {}) as TroubleData
    const retry = status === 429 ? afterRateLimit : isPassing === true ? afterFailure : null
    if (retry === null) return null
    // The lane itself pauses; a job waits there for as long as it takes.
    if (status === 429 && queue !== undefined) {
      return call.priority === 'job' || tried < retry.tries ? 0 : null
    }
    if (tried >= retry.tries) return null
    const grown = retry.firstMs * 2 ** (tried - 1) * (0.5 + parts.random() / 2)
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
        // A refusal is an answer, and the wait for the next try is the lane's.
        if (status !== 429) leftMs -= tookMs
        const pause = isRepeatable && leftMs > 0 ? pauseAfter(result.error, tried, call) : null
        if (pause === null) throw result.error
        if (pause > 0) await pauseFor(pause, call.signal)
      }
    },
    async *events(path, signal) {
      let proxy: string | null = null
      try {
        const line = await unlessAborted(lines.to(base.origin), signal)
        proxy = line.proxy
        const response = await line.dispatcher.request({
          ...target({ path }),
          method: 'GET',
          headers: headers({ accept: 'text/event-stream' }),
          signal,
          headersTimeout: timeoutMs,
          bodyTimeout: 0,
        })
        if (response.statusCode === 200) yield* readEvents(response.body)
        else await readAnswer(response)
      } catch (error) {
        signal.throwIfAborted()
        throw error instanceof AppError ? error : trouble.connection(error, proxy)
      }
    },
  }
}

/** @throws the signal's reason, without waiting for the work any longer */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  // By the race as well, so that the work does not fail unheard.
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
