/** What files claim of a capture, checked part by part before any of it is written. */
import type { Completeness } from '../../../../src-preload/contract/capture.ts'
import {
  type TokenVerdict,
  completenesses,
  tokenVerdicts,
} from '../../../../src-preload/domain/capture-words.ts'
import type { CaptureRecord } from '../../store/capture-record.ts'
import type { PutDetail } from '../../../threads/writer-messages.ts'
import { isMoment } from '../moments.ts'

export type ReadRecord = { readonly record: CaptureRecord; readonly detail: PutDetail }

/** Why a record is left out, as its remark goes on: "it has no method". */
export class RecordProblem extends Error {}

type Claim = {
  readonly receivedAt: unknown
  readonly durationUs: unknown
  readonly method: unknown
  readonly target: unknown
  readonly httpVersion: unknown
  readonly headers: readonly (readonly [unknown, unknown])[]
  readonly body: Uint8Array
  readonly bodyBytes: unknown
  readonly status: unknown
  readonly completeness: unknown
  readonly incident: unknown
  readonly token: unknown
  readonly remoteAddress: unknown
  readonly pinned: unknown
  readonly note: unknown
}

const maxHeaders = 2_000
const maxHeaderCharacters = 1024 * 1024
const longestTarget = 256 * 1024
/** Of a body; the receiver takes no more. */
const largestBody = 64 * 1024 * 1024
const longestNote = 10_000

/** @throws RecordProblem */
export function readRecord(claim: Claim): ReadRecord {
  const { method, target, httpVersion, receivedAt, body } = claim
  if (typeof method !== 'string' || !/^[\x21-\x7e]{1,100}$/.test(method)) {
    throw new RecordProblem('it has no method')
  }
  if (typeof target !== 'string') throw new RecordProblem('it has no address')
  if (target.length > longestTarget) throw new RecordProblem('its address is too long')
  if (!isMoment(receivedAt)) throw new RecordProblem('it does not tell when it arrived')
  if (body.byteLength > largestBody) throw new RecordProblem('its body is too large')
  const kept = completenessOf(claim.completeness)
  return {
    record: {
      receivedAt,
      method,
      target: latin1(target, 'its address'),
      httpVersion: typeof httpVersion === 'string' ? versionOf(httpVersion) : '1.1',
      remoteAddress: short(claim.remoteAddress, 64),
      rawHeaders: headersOf(claim.headers),
      completeness: kept,
      incident: short(claim.incident, 1000) || null,
      token: verdictOf(claim.token),
      tokenId: null,
      status: statusOf(claim.status),
      bodyBytes: sizeOf(claim.bodyBytes, body.byteLength),
      body,
    },
    detail: {
      durationUs: durationOf(claim.durationUs),
      pinned: claim.pinned === true,
      note: typeof claim.note === 'string' ? claim.note.slice(0, longestNote) : '',
    },
  }
}

function headersOf(pairs: Claim['headers']): string[] {
  if (pairs.length > maxHeaders) throw new RecordProblem('it has too many headers')
  const flat: string[] = []
  let size = 0
  for (const [name, value] of pairs) {
    if (typeof name !== 'string' || typeof value !== 'string') {
      throw new RecordProblem('a header of it is no text')
    }
    // Of HTTP/2 and 3, which have no request line.
    if (/^:(?:method|path|scheme|authority|protocol)$/.test(name)) continue
    size += name.length + value.length
    if (size > maxHeaderCharacters) throw new RecordProblem('its headers are too long')
    flat.push(latin1(name, 'a header’s name'), latin1(value, `its header ${name.slice(0, 40)}`))
  }
  return flat
}

/** HTTP's characters are bytes: what other programs have read as UTF-8 becomes bytes again. */
function latin1(text: string, what: string): string {
  if (/[\0\r\n]/.test(text)) throw new RecordProblem(`${what} has a line break or NUL in it`)
  return /^[\0-\xff]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** Printable ASCII of a claim that is for reading only. */
function short(value: unknown, max: number): string {
  return typeof value === 'string' ? value.replace(/[^\x20-\x7e]/g, '?').slice(0, max) : ''
}

function versionOf(text: string): string {
  const version = /^(?:HTTP\/)?(\d(?:\.\d)?)$/i.exec(text.trim())?.[1] ?? '1.1'
  return version === '2' || version === '3' ? `${version}.0` : version
}

function statusOf(value: unknown): number | null {
  const isStatus = Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 999
  return isStatus ? (value as number) : null
}

function sizeOf(value: unknown, least: number): number {
  const isSize =
    Number.isInteger(value) && (value as number) >= least && (value as number) < 2 ** 32
  return isSize ? (value as number) : least
}

function durationOf(value: unknown): number {
  const isDuration = typeof value === 'number' && value >= 0 && value < 1e15
  return isDuration ? Math.round(value) : 0
}

function completenessOf(value: unknown): Completeness {
  return completenesses.find((each) => each === value) ?? 'complete'
}

/** What was found when it arrived: elsewhere, as the rest of it. */
function verdictOf(value: unknown): TokenVerdict {
  return tokenVerdicts.find((each) => each === value) ?? 'unchecked'
}

/** @throws RecordProblem for what is not base64 throughout */
export function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  const length = Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || bytes.length !== length) {
    throw new RecordProblem('its body is no base64')
  }
  return bytes
}

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null
}
