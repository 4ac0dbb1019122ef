import type { SnippetLanguage } from '../../../src-preload/contract/capture-files.ts'
import { toBase64, exactText } from './exported.ts'
import { type CurlRequest, checkSize, curlCommands } from '../curl.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureFileCodes } from '../../../src-preload/domain/error-codes.ts'

/** @throws AppError CAPTURE_TOO_LARGE, EXCHANGE_CANNOT_SEND */
export function formatSnippet(request: CurlRequest, language: SnippetLanguage): string {
  checkSize(request)
  return formats[language](request)
}

const formats = { ...curlCommands, fetch: fetchSnippet, python: pythonSnippet }

/** Headers that fetch sets itself or refuses (https://fetch.spec.whatwg.org/#forbidden-request-header). */
const ofFetch = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The body is sent as bytes, because fetch adds a Content-Type to a string. @throws AppError */
function fetchSnippet(request: CurlRequest): string {
  const { method, headers, body } = request
  checkMethod(request)
  const left = headers.filter(([name]) => ofFetch.has(name.toLowerCase())).map(([name]) => name)
  const sent = headers.filter(([name]) => !ofFetch.has(name.toLowerCase()))
  const [beforeHash = ''] = request.target.split('#')
  const url = request.origin + beforeHash
  const options = [
    `  method: ${quote(method)},`,
    '  headers: [',
    ...sent.map(([name, value]) => `    [${quote(name)}, ${quote(value)}],`),
    '  ],',
    ...(body.byteLength > 0 ? ['  body,'] : []),
    "  redirect: 'manual',",
  ]
  return [
    ...remarks(request, left, url).map((remark) => `// ${remark}`),
    ...fetchBody(body),
    `const response = await fetch(${quote(url)}, {`,
    ...options,
    '})',
    'console.log(response.status, await response.text())',
    '',
  ].join('\n')
}

function checkMethod({ method, body }: CurlRequest): void {
  const upper = method.toUpperCase()
  const isBodiless = upper === 'GET' || upper === 'HEAD'
  const problem =
    isBodiless && body.byteLength > 0
      ? `fetch sends no body with ${upper}`
      : ['CONNECT', 'TRACE', 'TRACK'].includes(upper)
        ? `fetch does not send ${upper}`
        : null
  if (problem === null) return
  throw new AppError(captureFileCodes.cannotSend, `${problem}: copy the request as curl or Python.`)
}

function fetchBody(body: Uint8Array): string[] {
  if (body.byteLength === 0) return []
  const text = readableText(body)
  if (text !== null) return [`const body = new TextEncoder().encode(${quote(text)})`]
  return [
    'const base64 = `',
    ...base64Lines(body),
    '`',
    "const body = Uint8Array.from(atob(base64.replace(/\\s/g, '')), (byte) => byte.charCodeAt(0))",
  ]
}

function remarks({ headers }: CurlRequest, left: readonly string[], url: string): string[] {
  const said: string[] = []
  if (left.length > 0)
    said.push(`fetch sets these headers itself: ${[...new Set(left)].join(', ')}.`)
  const names = headers.map(([name]) => name.toLowerCase())
  if (new Set(names).size < names.length) said.push('fetch joins headers of the same name.')
  if (URL.parse(url)?.href !== url) {
    said.push('fetch normalizes this URL; curl and Python send it unchanged.')
  }
  return said
}

/** Python's `http.client`, unlike `urllib.request`, keeps order, case and duplicates of headers. */
function pythonSnippet(request: CurlRequest): string {
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
    ...pythonBody(body),
    'headers = [',
    ...sent,
    ']',
    '',
    `connection = http.client.${kind}(${quote(url.hostname)}, ${url.port || (kind === 'HTTPConnection' ? '80' : '443')})`,
    ...(httpVersion === '1.0'
      ? ['connection._http_vsn, connection._http_vsn_str = 10, "HTTP/1.0"']
      : []),
    // By default Python sends ASCII only; a target's characters are bytes.
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

function pythonBody(body: Uint8Array): string[] {
  if (body.byteLength === 0) return ['body = b""']
  const text = readableText(body)
  if (text !== null) return [`body = ${pythonText(text)}.encode("utf-8")`]
  return ['body = base64.b64decode("""', ...base64Lines(body), '""")']
}

/** Python reads an escaped surrogate pair as two characters that UTF-8 cannot encode. */
function pythonText(text: string): string {
  return quote(text).replace(
    /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/g,
    (whole: string, high: string, low: string, at: number, all: string) => {
      if (isEscapedAt(all, at)) return whole
      const point = ((Number.parseInt(high, 16) - 0xd800) << 10) + Number.parseInt(low, 16) - 0xdc00
      return `\\U${(point + 0x10000).toString(16).padStart(8, '0')}`
    },
  )
}

function isEscapedAt(text: string, at: number): boolean {
  let before = at
  while (before > 0 && text[before - 1] === '\\') before -= 1
  return (at - before) % 2 === 1
}

/** JSON's escapes are valid in both languages. Plain ASCII survives every editor and encoding. */
function quote(text: string): string {
  const quoted = JSON.stringify(text)
  let ascii = ''
  let from = 0
  for (let at = 0; at < quoted.length; at += 1) {
    const code = quoted.charCodeAt(at)
    if (code < 0x7f) continue
    // Replacing with a function would take ten times as long.
    ascii += `${quoted.slice(from, at)}\\u${code.toString(16).padStart(4, '0')}`
    from = at + 1
  }
  return ascii + quoted.slice(from)
}

function readableText(body: Uint8Array): string | null {
  const text = exactText(body)
  return text === null || /[^\t\n\r\x20-\x7e\u00a0-\uffff]/.test(text) ? null : text
}

function base64Lines(body: Uint8Array): string[] {
  return toBase64(body).match(/.{1,100}/g) ?? []
}
