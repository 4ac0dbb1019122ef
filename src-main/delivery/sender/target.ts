import { isIP } from 'node:net'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import { targetUrl } from '../../../src-preload/contract/target.ts'

export type Target = Readonly<ReturnType<typeof readTarget>>

/**
 * @throws AppError TARGET_REFUSED for an invalid URL, another scheme than http or https, or a user
 * name in the URL
 */
export function readTarget(text: string) {
  const parsed = targetUrl.safeParse(text)
  const url = parsed.success ? URL.parse(parsed.data) : null
  if (url === null || url.hostname === '') {
    throw refusal(
      `${text.slice(0, 200)} is not a valid target. Enter a URL such as http://localhost:3000/webhook.`,
    )
  }
  const isTls = url.protocol === 'https:'
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  const isAddress = isIP(bare) !== 0
  // A single final dot makes a name absolute; two are invalid.
  const hostname = isAddress ? bare : bare.replace(/\.$/, '')
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  return {
    url: url.href,
    isTls,
    isAddress,
    port,
    /** A lower-case name without a final dot, or an address without brackets. */
    hostname,
    /** `hostname:port`, in the form that the user confirms. */
    host: hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`,
    origin: url.origin,
    path: url.pathname,
    query: url.search,
  }
}

export function refusal(message: string): AppError {
  return new AppError(targetCodes.refused, message)
}

/**
 * Returns the URL’s path and query followed by those of a capture.
 * @param subpath empty, or beginning with `/` or `?`; null appends nothing
 * @returns null if a server might resolve the result to a path outside the target’s
 */
export function requestPath(target: Target, subpath: string | null): string | null {
  if (subpath === null || subpath === '') return target.path + target.query
  const mark = subpath.indexOf('?')
  const path = mark === -1 ? subpath : subpath.slice(0, mark)
  const query = mark === -1 ? '' : subpath.slice(mark + 1)
  // Other bytes could end the line or the request; `#` begins a fragment.

  if (/[^\x21-\x7e\x80-\xff]|#/.test(subpath)) return null
  if (path !== '' && !staysBelow(path)) return null
  const queries = [target.query.slice(1), query].filter((each) => each !== '')
  return (
    (path === '' ? target.path : target.path.replace(/\/$/, '') + path) +
    (queries.length > 0 ? `?${queries.join('&')}` : '')
  )
}

/** Servers may decode a path several times, each by its own rules. */
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
  return false
}

function hasPlainSegments(path: string): boolean {
  // These bytes begin an overlong UTF-8 form of an ASCII character, such as the dot.
  if (/[\xc0\xc1]/.test(path)) return false
  const text = Buffer.from(path, 'latin1').toString('utf8').normalize('NFKC')

  if (/[\x00-\x1f\x7f\\]/.test(text)) return false
  return text.split('/').every((segment) => {
    // Some servers remove parameters (`..;a=b`), spaces and final dots before they resolve a path.
    const plain = segment.split(';')[0]?.trim() ?? ''
    return !/^\.+$/.test(plain)
  })
}

/** Decodes percent-escapes once, and `%u002e` as IIS does. */
function decodeOnce(text: string): string {
  return text
    .replace(/%u00([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}
