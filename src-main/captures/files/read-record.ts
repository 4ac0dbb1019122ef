import { z } from 'zod'
import { bodyCompleteness, tokenVerdicts } from '../../../src-preload/domain/capture-values.ts'
import type { CaptureRecord } from '../store/capture-record.ts'
import type { PutDetail } from '../../threads/writer-messages.ts'
import { isMoment, readMoment } from './exported.ts'
import { jsonlVersion, lineFields } from './format-records.ts'

export type ReadRecord = { readonly record: CaptureRecord; readonly detail: PutDetail }

/** The message continues a remark such as "it has no method". */
export class RecordProblem extends Error {}

const maxHeaders = 2_000
const maxHeaderCharacters = 1024 * 1024
const longestTarget = 256 * 1024
/** Maximum number of bytes of a body, as in the receiver. */
const largestBody = 64 * 1024 * 1024
const longestNote = 10_000

const maxBodyBytes = 0xffff_ffff

const text = z.string().catch('')
const methodMissing = 'it has no method'
const recordSchema = z.object({
  method: z.string(methodMissing).regex(/^[\x21-\x7e]{1,100}$/, methodMissing),
  target: z.string('it has no URL').max(longestTarget, 'its URL is too long'),
  receivedAt: z.custom<number>(isMoment, 'it has no time of arrival'),
  durationUs: z.number().min(0).lt(1e15).transform(Math.round).nullable().catch(null),
  httpVersion: text.transform(versionOf),
  status: z.int().min(100).max(999).nullable().catch(null),
  bodyBytes: z.int().min(0).max(maxBodyBytes).catch(0),
  completeness: z.enum(bodyCompleteness).catch('complete'),
  incident: ascii(1000).transform((incident) => incident || null),
  token: z.enum(tokenVerdicts).catch('unchecked'),
  remoteAddress: ascii(64),
  pinned: z.boolean().catch(false),
  note: text.transform((note) => note.slice(0, longestNote)),
})

function ascii(max: number) {
  return text.transform((value) => value.replace(/[^\x20-\x7e]/g, '?').slice(0, max))
}

type Pairs = readonly (readonly [unknown, unknown])[]

function readRecord(fields: Fields, headers: Pairs, body: Uint8Array): ReadRecord {
  const { data, error } = recordSchema.safeParse(fields)
  if (data === undefined) throw new RecordProblem(error.issues[0]?.message)
  if (body.byteLength > largestBody) throw new RecordProblem('its body is too large')
  const { durationUs, pinned, note, ...rest } = data
  const isShort = data.completeness === 'complete' && body.byteLength < data.bodyBytes
  const completeness = !isShort
    ? data.completeness
    : body.byteLength === 0
      ? 'missing'
      : 'truncated'
  const reason =
    completeness === 'missing'
      ? 'The imported file does not contain the body.'
      : isShort
        ? 'The body in the imported file is shorter than its size.'
        : null
  return {
    record: {
      ...rest,
      completeness,
      incident: data.incident ?? reason,
      target: latin1(data.target, 'its address'),
      rawHeaders: headersOf(headers),
      tokenId: null,
      bodyBytes: Math.max(data.bodyBytes, body.byteLength),
      body,
    },
    detail: { durationUs, pinned, note },
  }
}

function headersOf(pairs: Pairs): string[] {
  if (pairs.length > maxHeaders) throw new RecordProblem('it has too many headers')
  const flat: string[] = []
  let size = 0
  for (const [index, [name, value]] of pairs.entries()) {
    if (typeof name !== 'string' || typeof value !== 'string') {
      const which =
        typeof name === 'string' && name !== '' ? ` ${name.slice(0, 40)}` : ` ${index + 1}`
      throw new RecordProblem(`its header${which} is not text`)
    }
    // Pseudo-headers of HTTP/2 and HTTP/3, which have no request line.
    if (/^:(?:method|path|scheme|authority|protocol)$/.test(name)) continue
    size += name.length + value.length
    if (size > maxHeaderCharacters) throw new RecordProblem('its headers are too long')
    flat.push(latin1(name, 'a header’s name'), latin1(value, `its header ${name.slice(0, 40)}`))
  }
  return flat
}

/** HTTP characters are bytes; text that a program decoded as UTF-8 becomes bytes again. */
function latin1(text: string, what: string): string {
  if (/[\0\r\n]/.test(text)) throw new RecordProblem(`${what} has a line break or NUL in it`)
  return /^[\0-\xff]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

function versionOf(text: string): string {
  const version = /^(?:HTTP\/)?(\d(?:\.\d)?)$/i.exec(text.trim())?.[1] ?? '1.1'
  return version === '2' || version === '3' ? `${version}.0` : version
}

/** @throws RecordProblem */
function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  const length = Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || bytes.length !== length) {
    throw new RecordProblem('its body is not base64')
  }
  return bytes
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

/** Parses a line of `format-records.ts`. @throws RecordProblem */
export function readJsonLine(value: unknown): ReadRecord {
  const fields = fieldsOf(value)
  if (fields === null) throw new RecordProblem('it is not an object')
  const { tondesk, headers, body } = fields
  if (tondesk === undefined) throw new RecordProblem('it is not a capture')
  if (tondesk !== jsonlVersion) {
    throw new RecordProblem('it is of a newer format than this version of Tondesk reads')
  }
  if (!Array.isArray(headers)) throw new RecordProblem('it has no headers')
  if (typeof body !== 'string') throw new RecordProblem('it has no body')
  const pairs = headers.map((pair: unknown): [unknown, unknown] =>
    Array.isArray(pair) && pair.length === 2 ? [pair[0], pair[1]] : [null, null],
  )
  const named = Object.fromEntries(lineFields.map(([name, key]) => [name, fields[key]]))
  return readRecord(named, pairs, bytesOf(body))
}

/** A prefix for requests to other servers, as long as a receiver's own path. */
const elsewhere = `/hook/${'0'.repeat(32)}`
const ownPath = /^\/hook\/[0-9a-f*]{32}(?=$|[/?])/i

/** Parses entries of any program; `_tondesk` restores Tondesk's own captures exactly. @throws RecordProblem */
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
  const { method, httpVersion } = request
  const body = bodyOf(request)
  if (own !== null) return readRecord({ ...own, method, httpVersion }, pairs, body)
  const url = urlOf(request['url'])
  // The client's address is unknown, because HAR's `serverIPAddress` is that of the server.
  const { startedDateTime, time, comment } = entry
  const record = {
    method,
    httpVersion,
    receivedAt: typeof startedDateTime === 'string' ? readMoment(startedDateTime) : null,
    durationUs: typeof time === 'number' ? time * 1000 : null,
    ...completenessOf(request, pairs, body),
    target: targetOf(url, request['url'] as string),
    status: response['status'],
    note: comment,
  }
  return readRecord(record, withHost(pairs, url), body)
}

function urlOf(value: unknown): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RecordProblem('its URL is not an HTTP URL')
  }
  return url
}

/** Returns the target without normalization, because the exact path belongs to the capture. */
function targetOf(url: URL, text: string): string {
  const path = /^https?:\/\/[^/?#]*([^#]*)/i.exec(text)?.[1] ?? url.pathname
  const rooted = path.startsWith('/') ? path : `/${path}`
  return ownPath.test(rooted) ? rooted : elsewhere + rooted
}

/** HTTP/2 and HTTP/3 send the host as a pseudo-header, which is replaced by a `Host` header. */
function withHost(headers: [unknown, unknown][], url: URL): [unknown, unknown][] {
  const has = (name: string) =>
    headers.some(([key]) => typeof key === 'string' && key.toLowerCase() === name)
  return has(':authority') && !has('host') ? [['Host', url.host], ...headers] : headers
}

/**
 * Determines whether a body is complete, because programs omit bodies (`_file`, only a size) or cut them.
 * The form fields in `params` are not the bytes of the body, so the stated size cannot be compared.
 */
function completenessOf(request: Fields, pairs: Pairs, body: Uint8Array) {
  const data = fieldsOf(request['postData'])
  const isText = typeof data?.['text'] === 'string'
  if (!isText && body.byteLength > 0) return {}
  const size = request['bodySize']
  const announced = pairs.find(
    ([name]) => typeof name === 'string' && name.toLowerCase() === 'content-length',
  )?.[1]
  const sizes = [size, body.byteLength === 0 ? Number(announced) : 0].filter(
    (one): one is number => Number.isSafeInteger(one) && (one as number) > 0,
  )
  const bodyBytes = Math.min(maxBodyBytes, Math.max(0, ...sizes))
  const isElsewhere = data !== null && ['_file', '_sha1'].some((name) => Object.hasOwn(data, name))
  const isLost = !isText && Array.isArray(data?.['params']) && data['params'].length > 0
  const isMissing = body.byteLength === 0 && (bodyBytes > 0 || isElsewhere || isLost)
  return { bodyBytes, ...(isMissing && { completeness: 'missing' }) }
}

function bodyOf(request: Fields): Uint8Array {
  const data = fieldsOf(request['postData'])
  if (data === null) return new Uint8Array(0)
  const { text, encoding, params } = data
  if (typeof text === 'string') {
    if (encoding === 'base64') return bytesOf(text)
    return Buffer.from(text, 'utf8')
  }
  // `params` lacks the boundaries and the files of a multipart form.
  const isForm = !/^multipart\//i.test(String(data['mimeType']))
  if (!Array.isArray(params) || !isForm) return new Uint8Array(0)
  const form = new URLSearchParams()
  for (const each of params as unknown[]) {
    const { name, value } = fieldsOf(each) ?? {}
    if (typeof name === 'string') form.append(name, typeof value === 'string' ? value : '')
  }
  return Buffer.from(form.toString())
}
