/**
 * The one way out to a gateway, real or sandbox: base URL, key, limits of time and size, int64 kept,
 * the errors of all three dialects as one. The key goes into a header only: never into an address,
 * an error or a log.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { Agent } from 'undici'
import type { z } from 'zod'
import type { GatewayRoot, NetworkId } from '../../src-preload/contract/index.ts'
import { AppError, gatewayCodes } from '../../src-preload/contract/index.ts'
import { parseJson, printJson } from '../ton/lossless-json.ts'
import { readEvents } from './event-stream.ts'
import type { ServerEvent } from './event-stream.ts'

/** All connections of the app to gateways. Closing it ends requests under way. */
export type Http = AsyncDisposable & {
  client(options: ClientOptions): HttpClient
}

export type ClientOptions = {
  /** Who is asked, as a sentence begins: "The sandbox". */
  readonly name: string
  /** With or without a path; paths of calls go below it. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer …`; null sends none. */
  readonly key: string | null
  readonly timeoutMs?: number
  readonly limitBytes?: number
  /** Whose queue, pace and figures these requests share. Without one they go out at once. */
  readonly lane?: Lane
}

/** Requests of one network's root share a pace (of the key, where they share that) and are counted together. */
export type Lane = {
  readonly network: NetworkId
  readonly root: GatewayRoot
  /** Requests a second to begin with; null where no limit is known. */
  readonly perSecond: number | null
}

export type Call<S extends z.ZodType> = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Begins with `/`. Parts that come from outside are encoded by the caller. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Sent as JSON, bigint as a number of all its digits. */
  readonly body?: unknown
  readonly answer: S
  /** For what is known to take longer. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** `interactive` (somebody waits, the default) goes ahead of `job`. */
  readonly priority?: 'interactive' | 'job'
  /** Whose it is: within a priority, those of different owners are sent in turn. */
  readonly owner?: string
  /** True for a reading by POST: it may be sent again, as a GET may. */
  readonly isIdempotent?: boolean
}

export type HttpClient = {
  /**
   * Asks, and reads the answer by its schema; whole numbers beyond 2^53 come as bigint. What is
   * idempotent is tried again after 429 and after passing failures, all else is sent once.
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
}

type Retry = { readonly tries: number; readonly firstMs: number; readonly mostMs: number }

/** As the service's own SDKs do by default (gateway-facts 1.0). */
const afterRateLimit: Retry = { tries: 5, firstMs: 300, mostMs: 3000 }
const afterFailure: Retry = { tries: 3, firstMs: 500, mostMs: 5000 }

const defaultTimeoutMs = 15_000
const defaultLimitBytes = 16 * 1024 * 1024
/** What an error's answer may say; the rest is not read. */
const errorLimitBytes = 64 * 1024

export function createHttp(deps: HttpDeps = {}): Http {
  const agent = new Agent({ connect: { timeout: 5000 } })
  const wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, signal ? { signal } : {}))
  return {
    client: (options) => createClient(agent, wait, options),
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

function createClient(
  agent: Agent,
  wait: NonNullable<HttpDeps['wait']>,
  options: ClientOptions,
): HttpClient {
  const { name, key, timeoutMs = defaultTimeoutMs, limitBytes = defaultLimitBytes } = options
  const base = new URL(options.baseUrl)

  function target({ path, query = {} }: Pick<Call<z.ZodType>, 'path' | 'query'>) {
    const search = new URLSearchParams()
    for (const [field, value] of Object.entries(query)) {
      if (value !== undefined) search.set(field, String(value))
    }
    const below = base.pathname.replace(/\/$/, '') + path
    return { origin: base.origin, path: search.size > 0 ? `${below}?${search.toString()}` : below }
  }

  const headers = (more: Record<string, string> = {}) => ({
    accept: 'application/json',
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...more,
  })

  const hide = (text: string) => (key === null ? text : text.replaceAll(key, '…'))
  const trouble = createTrouble(name, base.origin, hide)

  async function send<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>> {
    const limit = call.timeoutMs ?? timeoutMs
    const clock = AbortSignal.timeout(limit)
    const signal = call.signal ? AbortSignal.any([clock, call.signal]) : clock
    let response: Dispatcher.ResponseData
    let text: string
    try {
      response = await agent.request({
        ...target(call),
        method: call.method ?? 'GET',
        headers: headers(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        body: call.body === undefined ? null : printJson(call.body),
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const isGood = response.statusCode >= 200 && response.statusCode < 300
      text = await readText(response.body, isGood ? limitBytes : errorLimitBytes)
    } catch (error) {
      if (call.signal?.aborted === true) throw call.signal.reason
      if (clock.aborted) throw trouble.timeout(limit, error)
      throw error instanceof TooLong ? trouble.tooLong(error.limit) : trouble.connection(error)
    }
    const { statusCode } = response
    if (statusCode < 200 || statusCode >= 300) {
      throw trouble.status(statusCode, text, Number(response.headers['retry-after']))
    }
    const parsed = call.answer.safeParse(readJson(text, trouble))
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    throw trouble.unexpected(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }

  return {
    async call(call) {
      const isRepeatable = call.isIdempotent ?? (call.method ?? 'GET') === 'GET'
      for (let tried = 1; ; tried += 1) {
        try {
          return await send(call)
        } catch (error) {
          const pause = isRepeatable ? pauseAfter(error, tried) : null
          if (pause === null) throw error
          await wait(pause, call.signal)
        }
      }
    },
    async *events(path, signal) {
      let response: Dispatcher.ResponseData
      try {
        response = await agent.request({
          ...target({ path }),
          method: 'GET',
          headers: headers({ accept: 'text/event-stream' }),
          signal,
          headersTimeout: timeoutMs,
          bodyTimeout: 0,
        })
        if (response.statusCode !== 200) {
          const text = await readText(response.body, errorLimitBytes)
          throw trouble.status(response.statusCode, text, NaN)
        }
        yield* readEvents(response.body)
      } catch (error) {
        signal.throwIfAborted()
        throw error instanceof AppError ? error : trouble.connection(error)
      }
    },
  }
}

/** How long to wait before the next try; null when there is to be none. */
function pauseAfter(error: unknown, tried: number): number | null {
  if (!(error instanceof AppError)) return null
  const { status, isPassing, retryAfterMs } = (error.data ?? {}) as Partial<TroubleData>
  const retry = status === 429 ? afterRateLimit : isPassing === true ? afterFailure : null
  if (retry === null || tried >= retry.tries) return null
  const grown = retry.firstMs * 2 ** (tried - 1)
  return Math.min(retry.mostMs, Math.max(grown, retryAfterMs ?? 0))
}

type TroubleData = {
  readonly status?: number
  /** It may well be gone at the next try. */
  readonly isPassing?: boolean
  readonly retryAfterMs?: number
  /** The service's own number of the error, where it gave one. */
  readonly errorCode?: number
}

class TooLong extends Error {
  readonly limit: number
  constructor(limit: number) {
    super('too long')
    this.limit = limit
  }
}

async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop early destroys the body, and with it the connection.
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limit) throw new TooLong(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

type Trouble = ReturnType<typeof createTrouble>

function readJson(text: string, trouble: Trouble): unknown {
  // Some operations answer 200 with nothing at all.
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch {
    throw trouble.unexpected('not JSON')
  }
}

/** Every way it can fail, in sentences that name who failed. */
function createTrouble(name: string, origin: string, hide: (text: string) => string) {
  const make = (code: string, message: string, data: TroubleData, cause?: unknown) =>
    new AppError(code, hide(message), { data, cause })

  return {
    timeout: (ms: number, cause: unknown) =>
      make(gatewayCodes.timeout, `${name} did not answer within ${ms / 1000} s.`, {}, cause),
    tooLong: (limit: number) =>
      make(
        gatewayCodes.badAnswer,
        `${name} answered with more than ${Math.round(limit / 1024)} KiB; the rest was not read.`,
        {},
      ),
    unexpected: (what: string) =>
      make(gatewayCodes.badAnswer, `${name} answered in an unexpected way (${what}).`, {}),
    connection(cause: unknown) {
      const code = codeOf(cause)
      const why = connectionWords[code] ?? (cause instanceof Error ? cause.message : String(cause))
      const isPassing = code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'
      const message = `${name} cannot be reached at ${origin}: ${why}.`
      return make(gatewayCodes.unreachable, message, isPassing ? { isPassing } : {}, cause)
    },
    status(status: number, text: string, retryAfterSeconds: number) {
      const { said, errorCode } = readError(text)
      const data: TroubleData = {
        status,
        ...([500, 502, 503, 504].includes(status) && { isPassing: true }),
        ...(retryAfterSeconds > 0 && { retryAfterMs: retryAfterSeconds * 1000 }),
        ...(errorCode !== null && { errorCode }),
      }
      const [code, words] = statusWords(status)
      const message = said === null ? `${name} ${words}.` : `${name} ${words}: ${endSentence(said)}`
      return make(code, message, data)
    },
  }
}

const connectionWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was broken off',
  UND_ERR_SOCKET: 'the connection was broken off',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 5 s',
  UND_ERR_HEADERS_TIMEOUT: 'it took the request and said nothing',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name could not be looked up; is there a network?',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to it',
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function statusWords(status: number): [code: string, words: string] {
  switch (status) {
    case 401:
      return [gatewayCodes.keyRefused, 'does not accept the key (401)']
    case 403:
      return [gatewayCodes.forbidden, 'does not allow this (403)']
    case 404:
      return [gatewayCodes.notFound, 'does not know this (404)']
    case 406:
      return [gatewayCodes.notAccepted, 'did not take the message (406)']
    case 429:
      return [gatewayCodes.rateLimited, 'was asked too often (429)']
  }
  if (status >= 500) return [gatewayCodes.failed, `failed (${status})`]
  if (status >= 400) return [gatewayCodes.refused, `refused this (${status})`]
  return [gatewayCodes.badAnswer, `answered ${status}, which is not documented`]
}

const mostWords = 500

/**
 * What an error says, in whichever dialect: `{error}` of the query and webhooks APIs, `{Error}` of
 * the query API's framework, `{error, code}` of the console, `{message}` of older documents.
 */
function readError(text: string): { said: string | null; errorCode: number | null } {
  let body: unknown
  try {
    body = parseJson(text)
  } catch {
    // A proxy's page of HTML is no sentence.
    const plain = text.trim()
    return { said: plain === '' || plain.startsWith('<') ? null : cut(plain), errorCode: null }
  }
  if (typeof body !== 'object' || body === null) return { said: null, errorCode: null }
  const fields = body as Record<string, unknown>
  const said = [fields['error'], fields['Error'], fields['message']].find(
    (field): field is string => typeof field === 'string' && field.trim() !== '',
  )
  const code = fields['error_code'] ?? fields['code']
  return {
    said: said === undefined ? null : cut(said),
    errorCode: typeof code === 'number' ? code : null,
  }
}

function cut(text: string): string {
  return text.length > mostWords ? `${text.slice(0, mostWords)}…` : text
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
