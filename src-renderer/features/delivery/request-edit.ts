/** A request that the user edits before it is replayed. */
import type { Input, Output } from '../../../src-preload/contract/routes.ts'
import type { Parsed } from '../../app/use-form.ts'
import { bytesFromBase64, decodeUtf8 } from '../../components/body/bytes.ts'
import { readJsonTree } from '../../components/body/json-tree.ts'

type ReplayEdit = NonNullable<Input<'replay.start'>['edit']>

export type Draft = Output<'replay.draft'>

/** The values of the editor. Each header has a key of its own, because headers are added and removed. */
export type RequestEdit = {
  readonly method: string
  readonly subpath: string
  readonly headers: readonly {
    readonly key: number
    readonly name: string
    readonly value: string
  }[]
  readonly body: BodyEdit
}

export type BodyEdit = {
  readonly as: 'text' | 'base64'
  readonly text: string
  /**
   * True if the JSON was compact. It is formatted for editing and made compact again before it is
   * sent, so that only the user's edits differ.
   */
  readonly isCompact: boolean
}

/** The edited request and its original. Secrets in both are masked until the user shows them. */
export type Editing = {
  readonly edit: RequestEdit
  readonly draft: Draft
  readonly isRevealed: boolean
}

export const editOf = (draft: Draft): RequestEdit => ({
  method: draft.method,
  subpath: draft.subpath,
  headers: draft.headers.map(([name, value], key) => ({ key, name, value })),
  body: bodyOf(draft.body, draft.isText),
})

/** The characters of a token by RFC 9110. */
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/

/** Returns the request to send, or a problem for each field; `headers.2` is the header with the key 2. */
export function parseEdit({ method, subpath, headers, body }: RequestEdit): Parsed<ReplayEdit> {
  const errors: Record<string, string> = {}
  if (!/^[A-Z]{1,20}$/.test(method.trim())) errors['method'] = 'Enter a method such as POST.'
  for (const { key, name, value } of headers) {
    if (name.trim() === '' && value.trim() === '') continue
    if (!headerName.test(name.trim())) errors[`headers.${key}`] = 'Enter a name such as X-Order.'
    else if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      errors[`headers.${key}`] = 'Enter a value in one line, without control characters.'
    }
  }
  const sent = parseBody(body)
  if (sent.body === null) errors['body'] = sent.problem
  if (sent.body === null || Object.keys(errors).length > 0) return { input: null, errors }
  return {
    input: {
      method: method.trim(),
      subpath,
      headers: headers
        .filter(({ name }) => name.trim() !== '')
        .map(({ name, value }): [string, string] => [name.trim(), value]),
      body: sent.body,
      bodyAs: sent.bodyAs,
    },
    errors: null,
  }
}

/** Shows the secrets in an edited request and keeps what the user has changed. */
export const revealSecrets = (edit: RequestEdit, masked: Draft, whole: Draft): RequestEdit => ({
  ...edit,
  subpath: edit.subpath === masked.subpath ? whole.subpath : edit.subpath,
  headers: edit.headers.map((header) => {
    const before = masked.headers[header.key]
    const real = whole.headers[header.key]?.[1]
    const isUntouched =
      before !== undefined && before[0] === header.name && before[1] === header.value
    return isUntouched && real !== undefined ? { ...header, value: real } : header
  }),
})

/** Returns a text body as text, with JSON formatted, and any other body as base64. */
export function bodyOf(base64: string, isText: boolean): BodyEdit {
  if (!isText) return { as: 'base64', text: wrap(base64), isCompact: false }
  const { text } = decodeUtf8(bytesFromBase64(base64))
  const formatted = compactJson(text) === text ? formatJson(text) : null
  return formatted === null
    ? { as: 'text', text, isCompact: false }
    : { as: 'text', text: formatted, isCompact: true }
}

type ParsedBody =
  | { readonly body: string; readonly bodyAs: 'text' | 'bytes'; readonly problem: null }
  | { readonly body: null; readonly problem: string }

export function parseBody({ as, text, isCompact }: BodyEdit): ParsedBody {
  if (as === 'base64') {
    const base64 = text.replaceAll(/\s/g, '')
    const isValid = /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0
    return isValid
      ? { body: base64, bodyAs: 'bytes', problem: null }
      : {
          body: null,
          problem: 'Not valid base64: use letters, digits, + and /, in groups of four.',
        }
  }
  const sent = (isCompact ? compactJson(text) : null) ?? text
  return { body: base64FromText(sent), bodyAs: 'text', problem: null }
}

/** Returns the same bytes for the other kind of editing; null if they are not text. */
export function convertBody(edit: BodyEdit): BodyEdit | null {
  const sent = parseBody(edit)
  if (sent.body === null) return null
  if (edit.as === 'text') return { as: 'base64', text: wrap(sent.body), isCompact: false }
  const { invalidAt } = decodeUtf8(bytesFromBase64(sent.body))
  return invalidAt === null ? bodyOf(sent.body, true) : null
}

/** Returns a warning if the text looks like JSON but is not valid JSON; otherwise null. */
export function bodyWarning({ as, text }: BodyEdit): string | null {
  const looksLikeJson = as === 'text' && /^\ufeff?\s*[{[]/.test(text) && text.length <= maxLength
  const problem = looksLikeJson ? readJsonTree(text).problem : null
  if (problem === null) return null
  const { line, column, message } = problem
  return `Not valid JSON in line ${line}, column ${column}: ${message} The body is sent as it is.`
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

const wrap = (base64: string): string => base64.replaceAll(/(.{76})(?=.)/g, '$1\n')

/** Matches one token of JSON: a string, a punctuation mark, or a number or word. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** The maximum number of characters. Formatting a longer text at each key press would delay typing. */
const maxLength = 2_000_000

const isJson = (text: string): boolean =>
  /^\s*[{[]/.test(text) && text.length <= maxLength && readJsonTree(text).problem === null

/**
 * Formats JSON with one member per line. No value is converted: numbers keep their digits, strings their
 * escapes, and objects their order and their duplicate keys. @returns null if the text is not JSON
 */
export function formatJson(text: string): string | null {
  if (!isJson(text)) return null
  const parts: string[] = []
  let depth = 0
  let before = ''
  for (const [each] of text.matchAll(token)) {
    const closes = each === '}' || each === ']'
    if (closes) depth -= 1
    const isEmpty = closes && (before === '{' || before === '[')
    const breaks = (before === '{' || before === '[' || before === ',' || closes) && !isEmpty
    if (breaks && before !== '') parts.push(`\n${'  '.repeat(depth)}`)
    parts.push(each === ':' ? ': ' : each)
    if (each === '{' || each === '[') depth += 1
    before = each
  }
  return parts.join('')
}

/** Removes the spaces between tokens. @returns null if the text is not JSON */
export function compactJson(text: string): string | null {
  if (!isJson(text)) return null
  return Array.from(text.matchAll(token), ([each]) => each).join('')
}
