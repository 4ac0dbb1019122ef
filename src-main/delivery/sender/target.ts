/** Where something is sent: the URL used exactly as given, and what may be appended to it. Pure. */
import { isIP } from 'node:net'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import { targetUrl } from '../../../src-preload/contract/target.ts'

export type Target = {
  /** Normalised by the URL standard. */
  readonly url: string
  readonly isTls: boolean
  /** A name in lower case without a final dot, or an address without brackets. */
  readonly hostname: string
  /** True where `hostname` is an address. */
  readonly isAddress: boolean
  readonly port: number
  /** `hostname:port`, by which a person confirms it. */
  readonly host: string
  /** Scheme, host and port: what connections are shared by. */
  readonly origin: string
  readonly path: string
  /** With its `?`, or empty. */
  readonly query: string
}

/** @throws AppError TARGET_REFUSED for what is no http or https URL, or carries a user */
export function readTarget(text: string): Target {
  const parsed = targetUrl.safeParse(text)
  const url = parsed.success ? URL.parse(parsed.data) : null
  if (url === null || url.hostname === '') {
    throw new AppError(
      targetCodes.refused,
      `${text.slice(0, 200)} is no URL that can be sent to. Give one such as http://localhost:3000/webhook.`,
    )
  }
  const isTls = url.protocol === 'https:'
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  const isAddress = isIP(bare) !== 0
  // One dot ends a name that is not to be searched in a local domain; two are no name.
  const hostname = isAddress ? bare : bare.replace(/\.$/, '')
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  return {
    url: url.href,
    isTls,
    hostname,
    isAddress,
    port,
    host: hostAndPort(hostname, port),
    origin: url.origin,
    path: url.pathname,
    query: url.search,
  }
}

export function hostAndPort(hostname: string, port: number): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
}

/**
 * The request target: the URL’s own path and query, and below it what is to be appended.
 * @param subpath path and query as captured, empty or beginning with `/` or `?`; null appends nothing
 * @returns null where it would not stay below the target’s path whatever the other side makes of it
 */
export function requestPath(target: Target, subpath: string | null): string | null {
  if (subpath === null || subpath === '') return target.path + target.query
  const mark = subpath.indexOf('?')
  const path = mark === -1 ? subpath : subpath.slice(0, mark)
  const query = mark === -1 ? '' : subpath.slice(mark + 1)
  // What is no printable byte ends a line or a request; `#` and `\` are read as other things.

  if (/[^\x21-\x7e\x80-\xff]|#/.test(subpath)) return null
  if (path !== '' && !staysBelow(path)) return null
  const queries = [target.query.slice(1), query].filter((each) => each !== '')
  return (
    (path === '' ? target.path : target.path.replace(/\/$/, '') + path) +
    (queries.length > 0 ? `?${queries.join('&')}` : '')
  )
}

/** Servers and their frameworks decode more than once, and not all by the same rules. */
const decodings = 4

function staysBelow(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//')) return false
  let text = path
  for (let round = 0; round <= decodings; round += 1) {
    if (!hasPlainSegments(text)) return false
    const next = decodeOnce(text)
    if (next === text) return true
    text = next
  }
  // Encoded again and again: nobody means well by it.
  return false
}

/** False for what climbs, in whatever way a server may read it. */
function hasPlainSegments(path: string): boolean {
  // No UTF-8, but the “overlong” spelling of an ASCII character, such as the dot.
  if (/[\xc0\xc1]/.test(path)) return false
  const text = Buffer.from(path, 'latin1').toString('utf8').normalize('NFKC')

  if (/[\x00-\x1f\x7f\\]/.test(text)) return false
  return text.split('/').every((segment) => {
    // Some servers cut parameters (`..;a=b`), blanks and final dots off before they resolve it.
    const plain = segment.split(';')[0]?.trim() ?? ''
    return !/^\.+$/.test(plain)
  })
}

/** Percent-escapes as bytes, one round of them; `%u002e` as IIS reads it. */
function decodeOnce(text: string): string {
  return text
    .replace(/%u00([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}
