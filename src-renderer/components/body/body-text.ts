import type { BodyView, LoadedBody } from '../../features/captures/inspector-state.ts'
import { decodeUtf8 } from './bytes.ts'

type BodyText = {
  readonly text: string
  /** Offset of the first byte that is not UTF-8; null when all is. */
  readonly invalidAt: number | null
  /** What suits this body when nobody has chosen. */
  readonly suits: BodyView
}

/** A tree above this size would take long to build; Text and Hex show all of it. */
export const largestTree = 4_194_304

export function readBody(body: LoadedBody): BodyText {
  const { text, invalidAt } = decodeUtf8(body.bytes, body.bytes.length < body.totalBytes)
  return { text, invalidAt, suits: suited(text, invalidAt, body) }
}

function suited(text: string, invalidAt: number | null, body: LoadedBody): BodyView {
  if (invalidAt !== null) return 'hex'
  const looksJson = /^\ufeff?\s*[{[]/.test(text)
  return looksJson && body.totalBytes <= largestTree ? 'tree' : 'text'
}

/** A name for the file a body is saved as: never one the sender could choose. */
export function bodyFileName(id: number, contentType: string | null, suits: BodyView): string {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const ending =
    type.endsWith('json') || suits === 'tree' ? 'json' : suits === 'text' ? 'txt' : 'bin'
  return `capture-${id}.${ending}`
}
