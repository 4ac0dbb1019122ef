/**
 * The rate is adapted as in TCP: additive increase while requests succeed at the full rate, multiplicative
 * decrease at a refusal (429), and a pause that doubles with each further refusal. Retry-After and rate
 * limit headers take precedence. Times are milliseconds of a monotonic clock.
 */
import { doubledPause } from '../../src-preload/domain/time-span.ts'
import type { RootTraffic } from '../../src-preload/contract/traffic.ts'

export type Pace = ReturnType<typeof createPace>

export type PacedResponse = {
  readonly sentAt: number
  /** `refused` means 429: the request was not processed. `failed` does not change the rate. */
  readonly outcome: 'good' | 'refused' | 'failed'
  readonly retryAfterMs: number | null
  readonly perSecond: number | null
}

type PaceStart = {
  readonly perSecond: number | null
  /** Without a key the documented rate is the maximum, so it is never exceeded. */
  readonly isKeyless: boolean
  readonly random: () => number
}

const decrease = 0.7
/** Growth per second as a share of the first rate; after a refusal, as a share of the refused rate. */
const initialGrowth = 0.1
const growthAfterRefusal = 0.01
const minPerSecond = 0.05
const maxPerSecond = 10_000
const firstPauseMs = 1000
const maxPauseMs = 30_000
const maxRetryAfterMs = 15 * 60_000
/** A timer that fires late by up to `slackMs` does not lower the rate. */
const slackMs = 10
const maxCatchUpMs = 100
const maxSentTimes = 1000

export function createPace({ perSecond: begin, isKeyless, random }: PaceStart) {
  let perSecond = begin
  let ceiling = isKeyless && begin !== null ? begin : maxPerSecond
  let learnedFrom: RootTraffic['limit']['learnedFrom'] =
    begin === null ? 'none' : isKeyless ? 'keyless' : 'plan'
  let nextAt = -Infinity
  let pausedUntil = -Infinity
  let refusedAt: number | null = null
  let refusals = 0
  let lastRefusal = -Infinity
  /**
   * True if the last request was sent as soon as the rate allowed; otherwise a success says nothing
   * about the rate.
   */
  let isPressed = false
  const lastSent: number[] = []

  const clamp = (value: number) => Math.min(Math.max(value, minPerSecond), maxPerSecond)

  function sent(now: number): void {
    const interval = perSecond === null ? 0 : 1000 / perSecond
    isPressed = now - nextAt < interval / 2
    const isBehind = interval < maxCatchUpMs && now - nextAt <= slackMs
    nextAt = (isBehind ? nextAt : now) + interval
    lastSent.push(now)
    if (lastSent.length > maxSentTimes) lastSent.shift()
  }

  function pauseUntil(moment: number): void {
    pausedUntil = Math.max(pausedUntil, moment)
  }

  function refuse({ sentAt, retryAfterMs }: PacedResponse, now: number): void {
    // Requests sent before the last refusal are refused for the same reason.
    if (sentAt >= lastRefusal) {
      // Further refusals only lengthen the pause, because the limit may be per minute.
      if (refusals === 0) {
        const inLastSecond = lastSent.filter((moment) => moment > sentAt - 1000).length
        refusedAt = perSecond ?? Math.max(1, inLastSecond)
        perSecond = clamp(refusedAt * decrease)
        learnedFrom = 'answers'
      }
      refusals += 1
      lastRefusal = now
      const grown = doubledPause(refusals, firstPauseMs, maxPauseMs)
      if (retryAfterMs === null) pauseUntil(now + grown * (0.5 + random() / 2))
    }
  }

  function grow(): void {
    if (perSecond === null || !isPressed) return
    const step = refusedAt === null ? initialGrowth * (begin ?? 1) : growthAfterRefusal * refusedAt
    // All responses within one second together raise the rate by one step.
    const grown = Math.min(ceiling, perSecond + step / perSecond)
    if (grown !== perSecond) learnedFrom = 'answers'
    // The estimated limit is dropped when the rate has doubled since the refusal.
    perSecond = begin === null && refusedAt !== null && grown > 2 * refusedAt ? null : clamp(grown)
    if (perSecond === null) learnedFrom = 'none'
  }

  return {
    readyAt: () => Math.max(nextAt, pausedUntil),
    sent,
    pauseUntil,
    answered(response: PacedResponse, now: number): void {
      if (response.retryAfterMs !== null) {
        pauseUntil(now + Math.min(maxRetryAfterMs, response.retryAfterMs))
      }
      if (response.perSecond !== null && clamp(response.perSecond) !== ceiling) {
        ceiling = clamp(response.perSecond)
        perSecond = ceiling
        learnedFrom = 'answers'
      }
      if (response.outcome === 'refused') refuse(response, now)
      else if (response.outcome === 'good' && response.sentAt >= lastRefusal) {
        refusals = 0
        grow()
      }
    },
    state: () => ({ perSecond, learnedFrom, pausedUntil }),
  }
}

/** Rate limits in a response's headers: Retry-After (RFC 9110), RateLimit (drafts), X-RateLimit. */

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Larger values are Unix times, smaller ones durations in seconds. */
const firstUnixSecond = 1_000_000_000

/** @param now Unix ms; used only if the response has no Date, because this computer's clock may be wrong */
export function readRate(headers: Headers, now: number) {
  const sentAt = Date.parse(headerOf(headers, 'date') ?? '')
  const serverNow = Number.isNaN(sentAt) ? now : sentAt
  const retryAfter = readRetryAfter(headerOf(headers, 'retry-after'), serverNow)
  return {
    retryAfterMs: retryAfter ?? untilReset(headers, serverNow),
    perSecond: readPolicy(headers),
  }
}

function readRetryAfter(text: string | undefined, serverNow: number): number | null {
  if (text === undefined) return null
  const ms = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - serverNow
  return ms > 0 ? ms : null
}

/** When no requests remain in the rate window, the next one waits for the next window. */
function untilReset(headers: Headers, serverNow: number): number | null {
  const limit = headerOf(headers, 'ratelimit')
  const remaining = readNumber(
    readField(limit, 'r', 'remaining') ??
      headerOf(headers, 'ratelimit-remaining') ??
      headerOf(headers, 'x-ratelimit-remaining'),
  )
  const reset = readNumber(
    readField(limit, 't', 'reset') ??
      headerOf(headers, 'ratelimit-reset') ??
      headerOf(headers, 'x-ratelimit-reset'),
  )
  if (remaining !== 0 || reset === null) return null
  const ms = reset > firstUnixSecond ? reset * 1000 - serverNow : reset * 1000
  return ms > 0 ? ms : null
}

/** Parses `"default";q=100;w=60` or `100;w=60`: a hundred per minute. The strictest policy counts. */
function readPolicy(headers: Headers): number | null {
  const rates = (headerOf(headers, 'ratelimit-policy') ?? '').split(',').flatMap((policy) => {
    const max = readNumber(readField(policy, 'q') ?? /^\s*(\d+)\s*;/.exec(policy)?.[1])
    const seconds = readNumber(readField(policy, 'w'))
    return max !== null && max > 0 && seconds !== null && seconds > 0 ? [max / seconds] : []
  })
  return rates.length > 0 ? Math.min(...rates) : null
}

const readField = (text: string | undefined, ...names: readonly string[]): string | undefined =>
  new RegExp(`(?:^|[;,\\s])(?:${names.join('|')})=(\\d+)`).exec(text ?? '')?.[1]

const readNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
