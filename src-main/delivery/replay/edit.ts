import type { Output } from '../../../src-preload/contract/routes.ts'
import type { ReplayEdit } from '../../../src-preload/contract/replay.ts'
import { replayCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { EditedRequest } from '../store/replay-jobs.ts'
import { type Headers, headerValue } from '../../captures/decode-body.ts'
import { maskHeader, maskTarget } from '../../../src-preload/domain/mask.ts'
import { toBase64, exactText } from '../../captures/files/exported.ts'
import { compareExactly } from './compare.ts'
import { type Sendable, headersToSend } from './request.ts'

type MaskedParts = Pick<EditedRequest, 'subpath' | 'headers'>

type Secret = { readonly masked: string; readonly value: string }

function unmask(edit: MaskedParts, original: MaskedParts) {
  const secretHeaders = maskedHeaders(original.headers)
  const secretParameters = maskedParameters(original.subpath)
  const masks = [...secretHeaders, ...secretParameters].flatMap(
    ({ masked }) => maskOfSecret.exec(masked)?.[0] ?? [],
  )
  const headers = edit.headers.map(([name, value]): [string, string] => {
    return [name, unmaskText(value, `${name.toLowerCase()}: ${value}`, secretHeaders)]
  })
  const [path, parameters] = split(edit.subpath)
  const unmasked = parameters?.map((each) => unmaskText(each, each, secretParameters))
  const subpath = unmasked === undefined ? path : `${path}?${unmasked.join('&')}`
  const known = new Set(original.headers.map(([, value]) => value))
  const holdsMask = (text: string) => masks.some((mask) => text.includes(mask))
  const header = headers.find(([, value]) => !known.has(value) && holdsMask(value))
  const isPathMasked = subpath !== original.subpath && holdsMask(subpath)
  const place = header === undefined ? null : `the header ${header[0]}`
  return { headers, subpath, left: place ?? (isPathMasked ? 'the path' : null) }
}

/** Replaces masks by the secrets in their order, because two secrets may have the same mask. */
function unmaskText(text: string, masked: string, secrets: Secret[]): string {
  const at = secrets.findIndex((each) => each.masked === masked)
  return at === -1 ? text : (secrets.splice(at, 1)[0]?.value ?? text)
}

const maskedHeaders = (headers: Headers): Secret[] =>
  headers.flatMap(([name, value]) => {
    const masked = maskHeader([name, value])[1]
    return masked === value ? [] : [{ masked: `${name.toLowerCase()}: ${masked}`, value }]
  })

function split(subpath: string): [path: string, parameters: string[] | null] {
  const mark = subpath.indexOf('?')
  if (mark === -1) return [subpath, null]
  return [subpath.slice(0, mark), subpath.slice(mark + 1).split('&')]
}

function maskedParameters(subpath: string): Secret[] {
  const [, original] = split(subpath)
  const [, masked] = split(maskTarget(subpath))
  return (original ?? []).flatMap((value, index) => {
    const shown = masked?.[index] ?? value
    return shown === value ? [] : [{ masked: shown, value }]
  })
}

const maskOfSecret = /\*{4}[^\s&#]{0,4}/

/** A larger body is replayed unchanged, because displaying it would freeze the window. */
const maxEditedBytes = 4 * 1024 * 1024

/** @throws AppError REPLAY_BAD_EDIT for a body that is too large to edit */
export function draftOf(capture: Sendable, reveal: boolean): Output<'replay.draft'> {
  if (capture.body.byteLength > maxEditedBytes) {
    throw bad('The body has more than 4 MiB, which is too large to edit. Replay it unchanged.')
  }
  const headers = capture.headers.map(([name, value]): [string, string] =>
    reveal ? [name, value] : maskHeader([name, value]),
  )
  const subpath = reveal ? capture.subpath : maskTarget(capture.subpath)
  const problem = textProblem(capture.body, capture.headers)
  return {
    method: capture.method,
    subpath,
    headers,
    body: toBase64(capture.body),
    bodyAs: problem === null ? 'text' : 'bytes',
    isText: problem === null,
    textProblem: problem,
    masked:
      subpath !== capture.subpath ||
      headers.some(([, value], index) => value !== capture.headers[index]?.[1]),
  }
}

export type ReadEdit = {
  readonly request: EditedRequest
  readonly body: Uint8Array
  readonly warnings: readonly string[]
}

export function readEdit(edit: ReplayEdit, capture: Sendable): ReadEdit {
  const body = readBytes(edit.body)
  const { subpath, headers: unmasked, left } = unmask(edit, capture)
  if (left !== null) {
    throw bad(
      `A masked value (****) in ${left} was changed. Reveal the draft, or enter the complete value.`,
    )
  }
  checkSubpath(subpath)
  for (const [name, value] of unmasked) checkHeader(name, value)
  if (edit.method === 'CONNECT') throw bad('CONNECT opens a tunnel. Choose another method.')
  const headers = headersToSend(unmasked)
  const isSameBody = Buffer.compare(body, capture.body) === 0
  if (edit.bodyAs === 'text' && !isSameBody) {
    const problem = textProblem(body, headers) ?? textProblem(capture.body, [])
    if (problem !== null) throw bad(problem)
  }
  const request = { method: edit.method, subpath, headers, body }
  if (capture.unpacked === null) return { request, body, warnings: [] }
  if (isSameBody && headerValue(headers, 'content-encoding') === capture.unpacked) {
    return { request: { ...request, body: capture.raw }, body, warnings: [] }
  }
  const plain = headers.filter(
    ([name, value]) => name.toLowerCase() !== 'content-encoding' || value !== capture.unpacked,
  )
  const warnings = [
    `The body was compressed (${capture.unpacked}): the edited body is sent uncompressed, without Content-Encoding.`,
  ]
  return { request: { ...request, headers: plain }, body, warnings }
}

function readBytes(text: string): Uint8Array {
  // `Buffer.from` ignores invalid characters.
  if (text.length % 4 !== 0 || /[^A-Za-z0-9+/=]|=[^=]|={3}/.test(text)) {
    throw bad('The body is not base64.')
  }
  return Buffer.from(text, 'base64')
}

function checkSubpath(subpath: string): void {
  if (/[^\x21-\xff]|\x7f/.test(subpath)) {
    throw bad(
      'The path contains a space, a control character or a letter beyond Latin-1. Percent-encode it, such as %20.',
    )
  }
  if (subpath !== '' && !/^[/?]/.test(subpath)) {
    throw bad('The path must begin with / or ?, or be empty.')
  }
}

function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw bad(`“${name.slice(0, 80)}” is not a valid header name.`)
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw bad(
      `The header ${name} contains a line break, a control character or a letter beyond Latin-1.`,
    )
  }
}

const bad = (message: string): AppError => new AppError(replayCodes.badEdit, message)

const utf8Names = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii', 'unicode-1-1-utf-8'])

function charsetOf(headers: Headers): string | null {
  const type = headerValue(headers, 'content-type') ?? ''
  const found = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type)
  const name = (found?.[1] ?? found?.[2] ?? '').trim().toLowerCase()
  return name === '' ? null : name
}

function textProblem(bytes: Uint8Array, headers: Headers): string | null {
  const wayOut = 'Edit it as bytes (hex or base64), or send it unchanged.'
  const charset = charsetOf(headers)
  if (charset !== null && !utf8Names.has(charset)) {
    return `Content-Type says that the body is ${charset.slice(0, 40)}, and text is edited as UTF-8: unedited parts would change. ${wayOut}`
  }
  return exactText(bytes) === null
    ? `The body is not valid UTF-8: editing it as text would lose the invalid bytes. ${wayOut}`
    : null
}

/**
 * Omits headers that each connection creates itself, and masks the capture's secrets on both sides.
 * @throws AppError REPLAY_BAD_EDIT
 */
export function diffEdit(edit: ReplayEdit, capture: Sendable): Output<'replay.diff'> {
  const { request, body } = readEdit(edit, capture)
  const known = new Map(
    capture.headers.map(([name, value]) => [value, maskHeader([name, value])[1]]),
  )
  const line = (method: string, subpath: string) => `${method} ${subpath === '' ? '/' : subpath}`
  const isSamePath = request.subpath === capture.subpath
  const subpath = isSamePath ? maskTarget(capture.subpath) : edit.subpath
  const left = [
    line(capture.method, maskTarget(capture.subpath)),
    ...capture.headers.map(([name, value]) => maskHeader([name, value]).join(': ')),
  ]
  const right = [
    line(request.method, subpath),
    ...request.headers.map(([name, value]) => `${name}: ${known.get(value) ?? value}`),
  ]
  const compared = compareExactly(
    { head: left, bytes: capture.body, cut: null },
    { head: right, bytes: body, cut: null },
  )
  return { head: compared.head, body: compared.body, isSame: compared.isSame }
}
