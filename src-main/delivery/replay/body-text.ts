import { type Headers, headerValue } from '../../captures/decode-body.ts'

const utf8Names = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii', 'unicode-1-1-utf-8'])

/** Of Content-Type, in lower case; null where it names none. */
function charsetOf(headers: Headers): string | null {
  const type = headerValue(headers, 'content-type') ?? ''
  const found = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type)
  const name = (found?.[1] ?? found?.[2] ?? '').trim().toLowerCase()
  return name === '' ? null : name
}

/** The bytes as text; null when they are no UTF-8. A byte order mark stays, so that nothing is lost. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Why these bytes cannot be edited as text, with the way out; null when they can. */
export function textProblem(bytes: Uint8Array, headers: Headers): string | null {
  const wayOut = 'Edit it as bytes (hex or base64), or send it unchanged.'
  const charset = charsetOf(headers)
  if (charset !== null && !utf8Names.has(charset)) {
    return `Content-Type says that the body is ${charset.slice(0, 40)}, and text is edited as UTF-8: what was not touched would change. ${wayOut}`
  }
  return utf8Text(bytes) === null
    ? `The body is not valid UTF-8: as text it would lose what could not be read. ${wayOut}`
    : null
}
