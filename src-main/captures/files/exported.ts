import { parseDateTime } from '../../../src-preload/domain/time-span.ts'
import type { ExplanationFacts } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { AppContext } from '../../app/context.ts'
import type { StoredCaptureDetail } from '../store/captures.ts'
import type { Facts } from '../store/index/facts.ts'
import type { CaptureExportOrder } from './orders.ts'

export type Exported = Omit<StoredCaptureDetail, 'tokenId'> &
  Omit<Facts, 'id' | 'kind' | 'summary'> & {
    readonly kind: Facts['kind'] | null
    readonly body: Uint8Array
    readonly network: NetworkId | null
    readonly meaning: ExplanationFacts | null
  }

export type LabelsOf = AppContext['labelsOf']

export type Printing = Pick<CaptureExportOrder, 'appVersion' | 'at' | 'subject'> & {
  readonly isRevealed: boolean
  readonly hasPseudonyms: boolean
}

/** Null unless all bytes are valid UTF-8, because other bytes would be lost in a text. */
export function exactText(bytes: Uint8Array): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  return Buffer.from(text, 'utf8').equals(buffer) ? text : null
}

export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** ISO 8601 in UTC with microseconds, the precision of captures. */
export function formatMoment(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000)
  const rest = microseconds - ms * 1000
  return new Date(ms).toISOString().replace('Z', `${rest.toString().padStart(3, '0')}Z`)
}

const iso = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/i

/** Null unless the text is a time in the years 1970 to 2200. */
export function readMoment(text: string): number | null {
  const match = iso.exec(text.trim())
  if (match === null) return null
  const [, day = '', seconds = '', fraction = '', zone = 'Z'] = match
  const ms = parseDateTime(day, seconds, zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (ms === null) return null
  const at = ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  return isMoment(at) ? at : null
}

const latest = Date.UTC(2200, 0, 1) * 1000

export function isMoment(microseconds: unknown): microseconds is number {
  const at = microseconds as number
  return Number.isInteger(at) && at >= 0 && at < latest
}

/** Splits bytes into rows of 16, in hex and as ASCII. */
export const hexRows = (bytes: Uint8Array): { at: number; hex: string; text: string }[] =>
  Array.from({ length: Math.ceil(bytes.byteLength / 16) }, (_, index) => {
    const at = index * 16
    const row = Buffer.from(bytes.subarray(at, at + 16))
    const hex = row.toString('hex').replace(/(..)(?=.)/g, '$1 ')
    return { at, hex: hex.padEnd(47), text: row.toString('latin1').replace(/[^\x20-\x7e]/g, '.') }
  })
