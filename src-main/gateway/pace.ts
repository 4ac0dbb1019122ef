/**
 * How fast a lane may send. Arithmetic only: whoever asks brings the moment, in milliseconds of a
 * clock that never goes back.
 *
 * The pace is found as TCP finds a line's: additive increase while requests are answered at the
 * full pace, multiplicative decrease at a refusal (429), and a pause that doubles while refusals
 * follow one another. What the gateway itself says (Retry-After, rate limit headers) goes first.
 */
import type { RootTraffic } from '../../src-preload/contract/traffic.ts'

export type Pace = {
  /** Nothing may be sent before this moment. */
  readyAt(): number
  sent(now: number): void
  answered(answer: PacedAnswer, now: number): void
  /** Longer pauses win. */
  pauseUntil(moment: number): void
  state(): PaceState
}

export type PaceState = {
  /** Null: no limit known. */
  readonly perSecond: number | null
  readonly learnedFrom: RootTraffic['limit']['learnedFrom']
  /** Past when there is no pause. */
  readonly pausedUntil: number
}

export type PacedAnswer = {
  readonly sentAt: number
  /** `refused`: 429, nothing was done. `failed` tells nothing about the pace. */
  readonly outcome: 'good' | 'refused' | 'failed'
  /** What it asked to wait for. */
  readonly retryAfterMs: number | null
  /** What it said the limit is. */
  readonly perSecond: number | null
}

type PaceStart = {
  /** Requests a second to begin with; null where no limit is known. */
  readonly perSecond: number | null
  /** Without a key the documented pace is the fastest there is: it is not probed. */
  readonly isKeyless: boolean
  /** From 0 to 1, for jitter. */
  readonly random: () => number
}

/** Part of the pace that is kept after a refusal. */
const decrease = 0.7
/** Growth each second, as part of the pace at the beginning, and of the refused one after a refusal. */
const boldGrowth = 0.1
const carefulGrowth = 0.01
const slowest = 0.05
const fastest = 10_000
const firstPauseMs = 1000
const longestPauseMs = 30_000
/** A server that asks for a day is asked again after this. */
const longestAskedMs = 15 * 60_000
/** A timer's delay of up to so much is made up for, where it would cost a good part of the pace. */
const slackMs = 10
const longestCaughtUpMs = 100
/** Requests a second that can be told apart, where a limit has to be guessed. */
const maxMeasured = 1000

export function createPace({ perSecond: begin, isKeyless, random }: PaceStart): Pace {
  let perSecond = begin
  let ceiling = isKeyless && begin !== null ? begin : fastest
  let learnedFrom: PaceState['learnedFrom'] =
    begin === null ? 'none' : isKeyless ? 'keyless' : 'plan'
  let nextAt = -Infinity
  let pausedUntil = -Infinity
  /** The pace at the last refusal. */
  let refusedAt: number | null = null
  let refusals = 0
  let lastRefusal = -Infinity
  /** Whether the last request went as soon as the pace allowed: else answers say nothing about it. */
  let isPressed = false
  const lastSent: number[] = []

  const clamp = (value: number) => Math.min(Math.max(value, slowest), fastest)

  function sent(now: number): void {
    const interval = perSecond === null ? 0 : 1000 / perSecond
    isPressed = now - nextAt < interval / 2
    const isBehind = interval < longestCaughtUpMs && now - nextAt <= slackMs
    nextAt = (isBehind ? nextAt : now) + interval
    lastSent.push(now)
    if (lastSent.length > maxMeasured) lastSent.shift()
  }

  function pauseUntil(moment: number): void {
    pausedUntil = Math.max(pausedUntil, moment)
  }

  function refuse({ sentAt, retryAfterMs }: PacedAnswer, now: number): void {
    // Those sent before the last refusal was known repeat it; they are no new word on the pace.
    if (sentAt >= lastRefusal) {
      // In a row of refusals it is the pause that grows: the limit may be one of minutes.
      if (refusals === 0) {
        const inLastSecond = lastSent.filter((moment) => moment > sentAt - 1000).length
        refusedAt = perSecond ?? Math.max(1, inLastSecond)
        perSecond = clamp(refusedAt * decrease)
        learnedFrom = 'answers'
      }
      refusals += 1
      lastRefusal = now
      const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** (refusals - 1))
      if (retryAfterMs === null) pauseUntil(now + grown * (0.5 + random() / 2))
    }
  }

  function grow(): void {
    if (perSecond === null || !isPressed) return
    const step = refusedAt === null ? boldGrowth * (begin ?? 1) : carefulGrowth * refusedAt
    // As many answers as the pace come in a second: together they add one step.
    const grown = Math.min(ceiling, perSecond + step / perSecond)
    if (grown !== perSecond) learnedFrom = 'answers'
    // Where none was known, a limit guessed from a refusal that is long gone is forgotten.
    perSecond = begin === null && refusedAt !== null && grown > 2 * refusedAt ? null : clamp(grown)
    if (perSecond === null) learnedFrom = 'none'
  }

  return {
    readyAt: () => Math.max(nextAt, pausedUntil),
    sent,
    pauseUntil,
    answered(answer, now) {
      if (answer.retryAfterMs !== null) {
        pauseUntil(now + Math.min(longestAskedMs, answer.retryAfterMs))
      }
      if (answer.perSecond !== null && clamp(answer.perSecond) !== ceiling) {
        ceiling = clamp(answer.perSecond)
        perSecond = ceiling
        learnedFrom = 'answers'
      }
      if (answer.outcome === 'refused') refuse(answer, now)
      else if (answer.outcome === 'good' && answer.sentAt >= lastRefusal) {
        refusals = 0
        grow()
      }
    },
    state: () => ({ perSecond, learnedFrom, pausedUntil }),
  }
}

/** What an answer's headers say of the rate: Retry-After (RFC 9110), RateLimit (drafts), X-RateLimit. */

export type Headers = Readonly<Record<string, string | string[] | undefined>>

type RateWords = {
  /** Asked to wait before the next request. */
  readonly retryAfterMs: number | null
  /** The limit, where a window is told with it. */
  readonly perSecond: number | null
}

/** Larger than any duration in seconds that makes sense, smaller than any moment. */
const firstUnixSecond = 1_000_000_000

/** `now` in Unix ms; moments are read by the answer's own Date, so that a wrong clock here does not matter. */
export function readRate(headers: Headers, now: number): RateWords {
  const sentAt = Date.parse(one(headers, 'date') ?? '')
  const serverNow = Number.isNaN(sentAt) ? now : sentAt
  const asked = readRetryAfter(one(headers, 'retry-after'), serverNow)
  return {
    retryAfterMs: asked ?? untilReset(headers, serverNow),
    perSecond: readPolicy(headers),
  }
}

function readRetryAfter(text: string | undefined, serverNow: number): number | null {
  if (text === undefined) return null
  const ms = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - serverNow
  return ms > 0 ? ms : null
}

/** With nothing left, the next request would be refused: it waits for the window to begin anew. */
function untilReset(headers: Headers, serverNow: number): number | null {
  const limit = one(headers, 'ratelimit')
  const remaining = readNumber(
    readField(limit, 'r', 'remaining') ??
      one(headers, 'ratelimit-remaining') ??
      one(headers, 'x-ratelimit-remaining'),
  )
  const reset = readNumber(
    readField(limit, 't', 'reset') ??
      one(headers, 'ratelimit-reset') ??
      one(headers, 'x-ratelimit-reset'),
  )
  if (remaining !== 0 || reset === null) return null
  const ms = reset > firstUnixSecond ? reset * 1000 - serverNow : reset * 1000
  return ms > 0 ? ms : null
}

/** `"default";q=100;w=60` or `100;w=60`: a hundred in a minute. The strictest of several. */
function readPolicy(headers: Headers): number | null {
  const rates = (one(headers, 'ratelimit-policy') ?? '').split(',').flatMap((policy) => {
    const max = readNumber(readField(policy, 'q') ?? /^\s*(\d+)\s*;/.exec(policy)?.[1])
    const seconds = readNumber(readField(policy, 'w'))
    return max !== null && max > 0 && seconds !== null && seconds > 0 ? [max / seconds] : []
  })
  return rates.length > 0 ? Math.min(...rates) : null
}

function readField(text: string | undefined, ...names: readonly string[]): string | undefined {
  return new RegExp(`(?:^|[;,\\s])(?:${names.join('|')})=(\\d+)`).exec(text ?? '')?.[1]
}

function readNumber(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null
}

function one(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
