import { readMoment } from '../moments.ts'
import {
  type Fields,
  type ReadRecord,
  RecordProblem,
  bytesOf,
  fieldsOf,
  readRecord,
} from './read-record.ts'

/** What stands before the path where a request went to another server: as long as a receiver's own. */
const elsewhere = `/hook/${'0'.repeat(32)}`
const ownPath = /^\/hook\/[0-9a-f*]{32}(?=$|[/?])/i

/**
 * An entry of any program's HAR; of ours exactly what was exported, by its `_tondesk`.
 * @throws RecordProblem
 */
export function readHarEntry(value: unknown): ReadRecord {
  const entry = fieldsOf(value)
  const request = fieldsOf(entry?.['request'])
  if (entry === null || request === null) throw new RecordProblem('it has no request')
  const response = fieldsOf(entry['response']) ?? {}
  const own = fieldsOf(entry['_tondesk'])
  const headers = request['headers']
  if (!Array.isArray(headers)) throw new RecordProblem('it has no headers')
  const pairs = headers.map((header: unknown): [unknown, unknown] => {
    const { name, value: text } = fieldsOf(header) ?? {}
    return [name, text]
  })
  const shared = {
    method: request['method'],
    httpVersion: request['httpVersion'],
    body: bodyOf(request),
  }
  if (own !== null) {
    return readRecord({
      ...shared,
      headers: pairs,
      receivedAt: own['receivedAt'],
      durationUs: own['durationUs'],
      target: own['target'],
      bodyBytes: own['bodyBytes'],
      status: own['status'],
      completeness: own['completeness'],
      incident: own['incident'],
      token: own['token'],
      remoteAddress: own['remoteAddress'],
      pinned: own['pinned'],
      note: own['note'],
    })
  }
  const url = urlOf(request['url'])
  const { startedDateTime, time } = entry
  return readRecord({
    ...shared,
    headers: withHost(pairs, url),
    receivedAt: typeof startedDateTime === 'string' ? readMoment(startedDateTime) : null,
    durationUs: typeof time === 'number' ? time * 1000 : 0,
    target: targetOf(url, request['url'] as string),
    bodyBytes: null,
    status: response['status'],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    // Of the client, HAR says nothing: `serverIPAddress` is the other side.
    remoteAddress: '',
    pinned: false,
    note: entry['comment'],
  })
}

function urlOf(value: unknown): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RecordProblem('its address is none of HTTP')
  }
  return url
}

/** As written, not as a URL is normalised: the path is part of what was received. */
function targetOf(url: URL, text: string): string {
  const path = /^https?:\/\/[^/?#]*([^#]*)/i.exec(text)?.[1] ?? url.pathname
  const rooted = path.startsWith('/') ? path : `/${path}`
  return ownPath.test(rooted) ? rooted : elsewhere + rooted
}

/** HTTP/2 and 3 tell the host in a pseudo-header, which is not kept. */
function withHost(headers: [unknown, unknown][], url: URL): [unknown, unknown][] {
  const has = (name: string) =>
    headers.some(([key]) => typeof key === 'string' && key.toLowerCase() === name)
  return has(':authority') && !has('host') ? [['Host', url.host], ...headers] : headers
}

function bodyOf(request: Fields): Uint8Array {
  const data = fieldsOf(request['postData'])
  if (data === null) return new Uint8Array(0)
  const { text, encoding, params } = data
  if (typeof text === 'string') {
    if (encoding === 'base64') return bytesOf(text)
    return Buffer.from(text, 'utf8')
  }
  if (!Array.isArray(params)) return new Uint8Array(0)
  const form = new URLSearchParams()
  for (const each of params as unknown[]) {
    const { name, value } = fieldsOf(each) ?? {}
    if (typeof name === 'string') form.append(name, typeof value === 'string' ? value : '')
  }
  return Buffer.from(form.toString())
}
