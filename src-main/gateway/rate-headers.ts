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
