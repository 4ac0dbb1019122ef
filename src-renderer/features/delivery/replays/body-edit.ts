import { bytesFromBase64, decodeUtf8 } from '../../../components/body/bytes.ts'
import { compactJson, findJsonProblem, layOutJson } from './json-layout.ts'

/** A body while a person edits it. */
export type BodyEdit = {
  readonly as: 'text' | 'base64'
  readonly text: string
  /**
   * It came without spaces and is shown laid out: it goes out without them again, so that nothing
   * differs but what was edited.
   */
  readonly isCompact: boolean
}

/** What is sent: its bytes, and how they were edited. */
type SentBody =
  | { readonly body: string; readonly bodyAs: 'text' | 'bytes'; readonly problem: null }
  | { readonly body: null; readonly problem: string }

/** Text as text, JSON laid out; all else as base64. */
export function beginBody(base64: string, isText: boolean): BodyEdit {
  if (!isText) return { as: 'base64', text: wrap(base64), isCompact: false }
  const { text } = decodeUtf8(bytesFromBase64(base64))
  const laidOut = compactJson(text) === text ? layOutJson(text) : null
  return laidOut === null
    ? { as: 'text', text, isCompact: false }
    : { as: 'text', text: laidOut, isCompact: true }
}

export function readBody({ as, text, isCompact }: BodyEdit): SentBody {
  if (as === 'base64') {
    const base64 = text.replaceAll(/\s/g, '')
    const isSound = /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0
    return isSound
      ? { body: base64, bodyAs: 'bytes', problem: null }
      : { body: null, problem: 'This is no base64: letters, digits, + and /, in groups of four.' }
  }
  const sent = (isCompact ? compactJson(text) : null) ?? text
  return { body: base64FromText(sent), bodyAs: 'text', problem: null }
}

/** The other way to edit the same bytes. @returns null where they are no text */
export function turnBody(edit: BodyEdit): BodyEdit | null {
  const sent = readBody(edit)
  if (sent.body === null) return null
  if (edit.as === 'text') return { as: 'base64', text: wrap(sent.body), isCompact: false }
  const { invalidAt } = decodeUtf8(bytesFromBase64(sent.body))
  return invalidAt === null ? beginBody(sent.body, true) : null
}

/** What a person should know of it before it goes; null where there is nothing. */
export function warnOfBody({ as, text }: BodyEdit): string | null {
  const problem = as === 'text' ? findJsonProblem(text) : null
  return problem === null ? null : `${problem} It is sent as it stands.`
}

const bytesAtOnce = 32_768

export function base64FromText(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    binary += String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce))
  }
  return btoa(binary)
}

function wrap(base64: string): string {
  return base64.replaceAll(/(.{76})(?=.)/g, '$1\n')
}
