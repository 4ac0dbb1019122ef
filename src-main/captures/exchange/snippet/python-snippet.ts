import { base64Lines, quote, readableText } from './literal.ts'
import type { SnippetRequest } from './request.ts'

/**
 * For Python 3 with its standard library alone. `http.client` keeps the order, the case and the
 * duplicates of headers, which `urllib.request` and `requests` do not.
 */
export function pythonSnippet(request: SnippetRequest): string {
  const { method, origin, target, httpVersion, headers, body } = request
  const url = new URL(origin)
  const isChunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')
  const kind = url.protocol === 'https:' ? 'HTTPSConnection' : 'HTTPConnection'
  const names = headers.map(([name]) => name.toLowerCase())
  const sent = headers.map(([name, value]) => {
    const isLength = name.toLowerCase() === 'content-length'
    return `    (${quote(name)}, ${isLength ? 'str(len(body))' : quote(value)}),`
  })
  if (body.byteLength > 0 && !isChunked && !names.includes('content-length')) {
    sent.push('    ("Content-Length", str(len(body))),')
  }
  return [
    ...(readableText(body) === null ? ['import base64'] : []),
    'import http.client',
    '',
    ...bodyLines(body),
    'headers = [',
    ...sent,
    ']',
    '',
    `connection = http.client.${kind}(${quote(url.hostname)}, ${url.port || (kind === 'HTTPConnection' ? '80' : '443')})`,
    ...(httpVersion === '1.0'
      ? ['connection._http_vsn, connection._http_vsn_str = 10, "HTTP/1.0"']
      : []),
    // Python sends ASCII alone unless it is told otherwise; a target's characters are bytes.
    ...(/^[\x21-\x7e]*$/.test(target)
      ? []
      : [
          'connection._validate_path = lambda path: None',
          'connection._encode_request = lambda line: line.encode("latin-1")',
        ]),
    `connection.putrequest(${quote(method)}, ${quote(target)}, skip_host=True, skip_accept_encoding=True)`,
    'for name, value in headers:',
    '    connection.putheader(name, value)',
    isChunked
      ? 'connection.endheaders([body], encode_chunked=True)'
      : 'connection.endheaders(body or None)',
    'response = connection.getresponse()',
    'print(response.status, response.read().decode("utf-8", "replace"))',
    '',
  ].join('\n')
}

function bodyLines(body: Uint8Array): string[] {
  if (body.byteLength === 0) return ['body = b""']
  const text = readableText(body)
  if (text !== null) return [`body = ${pythonText(text)}.encode("utf-8")`]
  return ['body = base64.b64decode("""', ...base64Lines(body), '""")']
}

/** Python reads a surrogate pair of escapes as two characters, which UTF-8 has no bytes for. */
function pythonText(text: string): string {
  const escaped = quote(text).replace(
    /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/g,
    (whole: string, high: string, low: string, at: number, all: string) => {
      if (isEscapedAt(all, at)) return whole
      const point = ((Number.parseInt(high, 16) - 0xd800) << 10) + Number.parseInt(low, 16) - 0xdc00
      return `\\U${(point + 0x10000).toString(16).padStart(8, '0')}`
    },
  )
  return escaped
}

/** True where the backslash found is itself escaped: `\\ud83d` typed as text. */
function isEscapedAt(text: string, at: number): boolean {
  let before = at
  while (before > 0 && text[before - 1] === '\\') before -= 1
  return (at - before) % 2 === 1
}
