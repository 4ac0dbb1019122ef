import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { exchangeCodes } from '../../../../src-preload/domain/error-codes.ts'
import { base64Lines, quote, readableText } from './literal.ts'
import type { SnippetRequest } from './request.ts'

/** Written by fetch itself, or refused by it (https://fetch.spec.whatwg.org/#forbidden-request-header). */
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

/**
 * An ES module for Node and browsers. The body goes out as bytes: a string would be given a
 * Content-Type of its own.
 * @throws AppError EXCHANGE_CANNOT_SEND for what fetch refuses
 */
export function fetchSnippet(request: SnippetRequest): string {
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
    ...bodyLines(body),
    `const response = await fetch(${quote(url)}, {`,
    ...options,
    '})',
    'console.log(response.status, await response.text())',
    '',
  ].join('\n')
}

function checkMethod({ method, body }: SnippetRequest): void {
  const upper = method.toUpperCase()
  const isBodiless = upper === 'GET' || upper === 'HEAD'
  const problem =
    isBodiless && body.byteLength > 0
      ? `fetch sends no body with ${upper}`
      : ['CONNECT', 'TRACE', 'TRACK'].includes(upper)
        ? `fetch does not send ${upper}`
        : null
  if (problem === null) return
  throw new AppError(exchangeCodes.cannotSend, `${problem}: copy it as curl or as Python.`)
}

function bodyLines(body: Uint8Array): string[] {
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

/** Where what is sent is not what was received, that is said. */
function remarks({ headers }: SnippetRequest, left: readonly string[], url: string): string[] {
  const said: string[] = []
  if (left.length > 0) said.push(`fetch sets itself: ${[...new Set(left)].join(', ')}.`)
  const names = headers.map(([name]) => name.toLowerCase())
  if (new Set(names).size < names.length) said.push('fetch joins headers of one name with commas.')
  if (URL.parse(url)?.href !== url) {
    said.push('fetch normalises this address; curl and Python send it as received.')
  }
  return said
}
