import type { Piece } from '../split-query.ts'
import type { Range } from '../../store/index/index-plan.ts'
import { wordsOf } from '../words.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'

/**
 * A text in lower case, split at its wildcards: `['a', 'b']` is `a*b`. It is never a regular
 * expression, so no pattern is slow.
 */
type Pattern = readonly [string, ...string[]]

/** @returns the beginning if the pattern is only a prefix; null otherwise */
export const prefixOf = (pattern: Pattern): string | null =>
  pattern.length === 2 && pattern[1] === '' ? pattern[0] : null

export function matchesPattern(pattern: Pattern, value: string): boolean {
  const text = value.toLowerCase()
  const first = pattern[0]
  if (pattern.length === 1) return text === first
  const last = pattern.at(-1) ?? ''
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const piece of pattern.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

export type Test =
  /** Matches adjacent words; with `prefix` the last word may be a beginning. */
  | { readonly is: 'words'; readonly phrase: string; readonly prefix: boolean }
  /** Matches the beginning of words that are written together: `order4` stands for `order-4`. */
  | { readonly is: 'compound'; readonly beginning: string }
  /** Tests the texts of a field for a word without a field. */
  | { readonly is: 'field'; readonly field: string; readonly test: Test }
  /** Matches any value of a field that may be empty. */
  | { readonly is: 'some' }
  /** Matches these characters anywhere, even inside words; they are in lower case. */
  | { readonly is: 'inside'; readonly text: string }
  /** Matches the whole value, ignoring case. */
  | { readonly is: 'text'; readonly pattern: Pattern }
  | ({ readonly is: 'range' } & Range)
  /** Bounds have `boundDecimals` decimals. */
  | ({ readonly is: 'amount'; readonly symbol: string } & Range)

export type Names = {
  /** Raw addresses with this name on any network: a label or the name at the gateway. */
  readonly addresses: (name: string) => readonly string[]
  /** Raw addresses whose names contain these words; the last word may be a prefix. */
  readonly addressesLike: (text: string) => readonly string[]
  readonly networks: (name: string) => readonly NetworkId[]
  /** The opcodes of messages with this name in the user's dictionaries. */
  readonly opcodes: (name: string) => readonly number[]
  readonly webhooks: (label: string) => readonly string[]
}

export const noNames: Names = {
  addresses: () => [],
  addressesLike: () => [],
  networks: () => [],
  opcodes: () => [],
  webhooks: () => [],
}

type ReadContext = {
  /** The time in milliseconds since the epoch, for `today`. */
  readonly now: number
  readonly names: Names
  readonly typing: boolean
}

/** Returns alternative tests, or a sentence about the expected value. */
export type ReadValue = (piece: Piece, context: ReadContext) => readonly Test[] | string

export type Choice = {
  readonly value: string
  readonly hint: string
  readonly also?: readonly string[]
}

export const yesNo = (yes: string, no: string): readonly Choice[] => [
  { value: 'yes', hint: yes, also: ['true', '1'] },
  { value: 'no', hint: no, also: ['false', '0'] },
]

export function patternOf(piece: Piece): Pattern {
  const [first = '', ...rest] = piece.cut.map((text) => text.toLowerCase())
  return [first, ...rest]
}

export const equalsText = (value: string): Test => ({ is: 'text', pattern: [value.toLowerCase()] })

export const readText: ReadValue = (piece) => {
  if (piece.lead !== '')
    return 'Text cannot be compared with < or >. Enter the text, with * for any characters.'
  return [{ is: 'text', pattern: patternOf(piece) }]
}

export const readChoice =
  (choices: readonly Choice[]): ReadValue =>
  (piece) => {
    const wanted = piece.text.toLowerCase()
    const found = choices.find(
      ({ value, also }) => value === wanted || also?.includes(wanted) === true,
    )
    if (piece.lead === '' && found !== undefined) return [equalsText(found.value)]
    return `One of: ${choices.map(({ value }) => value).join(', ')}.`
  }

/**
 * Parses adjacent whole words; a `*` at the end makes the last word a prefix. A `*` elsewhere
 * searches inside words, which needs a slow scan.
 */
export const parsePhrase: ReadValue = (piece) => {
  if (piece.lead !== '') return 'Words cannot be compared with < or >. Enter the words to find.'
  if (piece.text === '*') return [{ is: 'some' }]
  const pieces = piece.cut
  const starts = pieces.length === 2 && pieces[1] === ''
  if (pieces.length > 1 && !starts) {
    const inside = pieces.filter((text) => text !== '')
    const [text] = inside
    if (text === undefined || inside.length > 1) return 'Use * at the start or the end only.'
    return [{ is: 'inside', text: text.toLowerCase() }]
  }
  const phrase = pieces[0] ?? ''
  if (wordsOf(phrase).length === 0) return 'Enter words, or use contains:"…" to find other text.'
  return [{ is: 'words', phrase, prefix: starts && /[\p{L}\p{N}]$/u.test(phrase) }]
}

export const readPattern: ReadValue = (piece) =>
  piece.text === '' ? 'Enter a text to find.' : [{ is: 'inside', text: piece.text.toLowerCase() }]
