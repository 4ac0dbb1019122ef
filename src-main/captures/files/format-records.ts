/** Exports that can be imported again: HAR and JSON Lines. */
import { STATUS_CODES } from 'node:http'
import type { TextFormat } from '../../exports/table.ts'
import { headerValue } from '../decode-body.ts'
import { type Exported, type Printing, toBase64, exactText, formatMoment } from './exported.ts'

/** HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), one entry per line. */
export function harFormat({
  appVersion,
  isRevealed,
  hasPseudonyms,
}: Printing): TextFormat<Exported> {
  const creator = { name: 'Tondesk', version: appVersion }
  const _tondesk = { format: 1, masked: !isRevealed, pseudonyms: hasPseudonyms }
  const head = JSON.stringify({ version: '1.2', creator, pages: [], _tondesk })
  return {
    begin: `{"log":${head.slice(0, -1)},"entries":[`,
    row: (capture, index) => `${index === 0 ? '\n' : ',\n'}${JSON.stringify(entryOf(capture))}`,
    end: () => '\n]}}\n',
  }
}

function entryOf(capture: Exported): object {
  const { method, headers, body, status } = capture
  const httpVersion = `HTTP/${capture.httpVersion}`
  const time = capture.durationUs === null ? -1 : capture.durationUs / 1000
  const url = urlOf(capture)
  const unknown = { headersSize: -1, bodySize: -1 }
  return {
    startedDateTime: formatMoment(capture.receivedAt),
    time,
    request: {
      method,
      url,
      httpVersion,
      cookies: cookiesOf(capture),
      headers: headers.map(([name, value]) => ({ name, value })),
      queryString: queryOf(capture.target),
      ...(body.byteLength === 0 ? {} : { postData: postDataOf(capture) }),
      headersSize: -1,
      bodySize: capture.completeness === 'missing' ? capture.bodyBytes : body.byteLength,
    },
    response: {
      status: status ?? 0,
      statusText: STATUS_CODES[status ?? 0] ?? '',
      httpVersion,
      cookies: [],
      headers: [],
      redirectURL: '',
      content: { size: 0, mimeType: 'x-unknown' },
      ...unknown,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _tondesk: Object.fromEntries(ownFields.map((name) => [name, capture[name]])),
  }
}

function postDataOf({ body, headers }: Exported): object {
  const mimeType = headerValue(headers, 'content-type') ?? 'application/octet-stream'
  const text = exactText(body)
  return text === null ? { mimeType, text: toBase64(body), encoding: 'base64' } : { mimeType, text }
}

function urlOf({ headers, target }: Exported): string {
  const isSecure = headerValue(headers, 'x-forwarded-proto')?.toLowerCase() === 'https'
  const host = headerValue(headers, 'host') ?? 'localhost'
  const path = target.startsWith('/') ? target : `/${target}`
  const url = `${isSecure ? 'https' : 'http'}://${host}${path}`
  if (URL.canParse(url)) return url
  return `http://localhost${encodeURI(path)}`
}

function queryOf(target: string): { name: string; value: string }[] {
  const at = target.indexOf('?')
  if (at === -1) return []
  return target
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      return { name, value: rest.join('=') }
    })
}

const cookiesOf = ({ headers }: Exported): { name: string; value: string }[] =>
  headers
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(/; */))
    .filter((pair) => pair.includes('='))
    .map((pair) => ({
      name: pair.slice(0, pair.indexOf('=')),
      value: pair.slice(pair.indexOf('=') + 1),
    }))

export const jsonlVersion = 1

/**
 * Times are microseconds since the epoch, `headers` are pairs whose characters are bytes (Latin-1), `body`
 * is base64. Imports derive `kind` to `meaning` again.
 */
export function lineOf(capture: Exported): object {
  const line: Record<string, unknown> = { tondesk: jsonlVersion }
  for (const [name, key] of lineFields) {
    line[key] = name === 'body' ? toBase64(capture.body) : capture[name]
    if (name === 'receivedAt') line['received_at_iso'] = formatMoment(capture.receivedAt)
  }
  return line
}

/** The fields in the order of a line. */
const fields = [
  'id',
  'origin',
  'receivedAt',
  'durationUs',
  'status',
  'method',
  'target',
  'httpVersion',
  'headers',
  'body',
  'bodyBytes',
  'completeness',
  'incident',
  'token',
  'remoteAddress',
  'pinned',
  'note',
  'kind',
  'account',
  'lt',
  'txHash',
  'duplicateOf',
  'outOfOrder',
  'network',
  'meaning',
] as const

export const lineFields = fields.map((name) => {
  const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return [name, key] as const
})

/** The other fields have their own place in HAR. */
const ownFields = fields.filter(
  (name) => !['method', 'httpVersion', 'headers', 'body'].includes(name),
)
