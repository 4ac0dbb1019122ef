import { STATUS_CODES } from 'node:http'
import { HostNotAllowedError } from './connect-allowed.ts'

/** Why an answer other than 200 is none. */
export function statusText(status: number): string {
  const phrase = STATUS_CODES[status]
  const said = phrase === undefined ? String(status) : `${status} ${phrase}`
  return status >= 300 && status < 400 ? `${said} (redirects are not followed)` : said
}

const known: Readonly<Record<string, string>> = {
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
}

/** What went wrong on the way, in a few words. */
export function errorText(error: unknown): string {
  for (const cause of causesOf(error)) {
    if (cause instanceof HostNotAllowedError) return cause.message
    if (cause.name === 'HTTPParserError') return 'the answer is not HTTP'
    const code: unknown = Reflect.get(cause, 'code')
    if (typeof code !== 'string') continue
    const text = known[code]
    if (text !== undefined) return text
  }
  return error instanceof Error ? error.message : String(error)
}

/** An error, what caused it, and of several attempts to connect each one. */
function* causesOf(error: unknown, depth = 0): Generator<Error> {
  if (!(error instanceof Error) || depth > 4) return
  yield error
  if (error instanceof AggregateError) {
    for (const one of error.errors) yield* causesOf(one, depth + 1)
  }
  yield* causesOf(error.cause, depth + 1)
}
