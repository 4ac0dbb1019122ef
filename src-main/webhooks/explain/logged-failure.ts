/** What went wrong with an attempt, as far as the gateway's own words tell. Pure. */

export type LoggedFailure =
  /** The endpoint answered. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no-host' }
  | { readonly kind: 'unreachable' }
  /** The sandbox delivers to this computer and to allowed hosts only. */
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'broken-off' }
  | { readonly kind: 'tls' }
  /** In words that are not known here. */
  | { readonly kind: 'unknown' }

/** The real gateway's words are not documented: Go's, Node's and the sandbox's are known, loosely. */
const words: readonly (readonly [RegExp, Exclude<LoggedFailure['kind'], 'status'>])[] = [
  [/is not this computer/i, 'not-allowed'],
  [/certificate|x509|\btls\b|\bssl\b|handshake/i, 'tls'],
  [/refused/i, 'refused'],
  [/no such host|host not found|ENOTFOUND|EAI_AGAIN|name resolution|\bdns\b/i, 'no-host'],
  [/unreachable|no route|EHOSTUNREACH|ENETUNREACH/i, 'unreachable'],
  [/timed? ?out|deadline exceeded|ETIMEDOUT/i, 'timed-out'],
  [/reset|closed before|broken pipe|\bEOF\b|hang up|ECONNRESET|not HTTP/i, 'broken-off'],
]

/** @param message as the gateway logged it */
export function readLoggedFailure(message: string): LoggedFailure {
  // An address holds digits and words of its own.
  const told = message.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, ' ')
  const status = statusIn(told)
  if (status !== null) return { kind: 'status', status }
  const known = words.find(([pattern]) => pattern.test(told))
  return { kind: known?.[1] ?? 'unknown' }
}

function statusIn(text: string): number | null {
  const named = /\b(?:status|code|http|answered|responded)\D{0,20}?\b([1-5]\d\d)\b/i.exec(text)?.[1]
  // Not a length of time, an address or a port.
  const bare = /(?<![.:\d])\b([1-5]\d\d)\b(?!\s*(?:ms|s|sec|seconds|m)\b|[.:]\d)/.exec(text)?.[1]
  const status = named ?? bare
  return status === undefined ? null : Number(status)
}
