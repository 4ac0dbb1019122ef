/** Captures as code, as files, and out of files: everything of `exchange.*`. */
import type {
  CaptureExport,
  CaptureImport,
  SnippetLanguage,
} from '../../../src-preload/contract/exchange.ts'
import type { Handlers, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Captures } from '../store/captures.ts'
import { maskHeader, maskTarget } from '../mask.ts'
import { type ExportsDeps, createExports } from './export/exports.ts'
import { type ImportsDeps, createImports } from './import/imports.ts'
import { fetchSnippet } from './snippet/fetch-snippet.ts'
import type { SnippetRequest } from './snippet/request.ts'
import { base64Lines, quote, readableText } from './snippet/literal.ts'

/** A captured request as a program that sends it again. */

const largestBody = 16 * 1024 * 1024

/** @throws AppError CAPTURE_TOO_LARGE, EXCHANGE_CANNOT_SEND */
function formatSnippet(request: SnippetRequest, language: SnippetLanguage): string {
  if (request.body.byteLength > largestBody) {
    throw new AppError(
      captureCodes.tooLarge,
      'The request is too large for a program to be pasted. Save the body and send the file.',
    )
  }
  switch (language) {
    case 'fetch':
      return fetchSnippet(request)
    case 'python':
      return pythonSnippet(request)
  }
}

type ExchangeDeps = Omit<ExportsDeps, 'onChanged'> &
  Omit<ImportsDeps, 'onChanged'> & {
    readonly captures: Pick<Captures, 'get' | 'body'>
    /** Path and query below the receiver's own. */
    readonly subpathOf: (target: string) => string
    /** Where a capture is to be sent again: the receiver's URL now. */
    readonly receiverUrl: () => string
    readonly onExports: (exports: readonly CaptureExport[]) => void
    readonly onImport: (state: CaptureImport) => void
  }

type ExchangeHandlers = Pick<Handlers, Extract<keyof Handlers, `exchange.${string}`>>

export function createExchange(deps: ExchangeDeps) {
  const exports = createExports({ ...deps, onChanged: deps.onExports })
  const imports = createImports({ ...deps, onChanged: deps.onImport })

  function snippet({ id, language, reveal }: Parsed<'exchange.snippet'>) {
    const capture = deps.captures.get(id)
    if (capture === null) {
      throw new AppError(captureCodes.notFound, `Capture ${id} is not there any more.`)
    }
    const receiver = new URL(deps.receiverUrl())
    const subpath = deps.subpathOf(capture.target)
    const headers = reveal ? capture.headers : capture.headers.map(maskHeader)
    const below = reveal ? subpath : maskTarget(subpath)
    const masked =
      below !== subpath || headers.some(([, value], at) => value !== capture.headers[at]?.[1])
    const text = formatSnippet(
      {
        method: capture.method,
        origin: receiver.origin,
        // The receiver's path as it is now: the one it was sent to may have been rotated away.
        target: receiver.pathname + below,
        httpVersion: capture.httpVersion,
        headers,
        body: deps.captures.body(id) ?? new Uint8Array(0),
      },
      language,
    )
    return { text, masked }
  }

  const handlers: ExchangeHandlers = {
    ...exports.handlers,
    ...imports.handlers,
    'exchange.snippet': snippet,
  }
  return {
    handlers,
    start: () => imports.start(),
    async stop(): Promise<void> {
      await Promise.all([exports.stop(), imports.stop()])
    },
  }
}

/**
 * For Python 3 with its standard library alone. `http.client` keeps the order, the case and the
 * duplicates of headers, which `urllib.request` and `requests` do not.
 */
function pythonSnippet(request: SnippetRequest): string {
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
