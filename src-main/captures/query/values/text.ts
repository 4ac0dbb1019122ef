import { type Pattern, plain } from '../pattern.ts'
import type { Piece } from '../parts.ts'
import type { Test } from '../value-test.ts'
import { wordsOf } from '../words.ts'
import type { ReadValue } from './read-value.ts'

export type Choice = {
  readonly value: string
  readonly hint: string
  /** What else is understood. */
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

export function is(value: string): Test {
  return { is: 'text', pattern: plain(value) }
}

/** The value itself, `*` for anything. */
export const readText: ReadValue = (piece) => {
  if (piece.lead !== '') return 'It has no order: give the text itself, with * for anything.'
  return [{ is: 'text', pattern: patternOf(piece) }]
}

/** One of a few. */
export function readChoice(choices: readonly Choice[]): ReadValue {
  return (piece) => {
    const wanted = piece.text.toLowerCase()
    const found = choices.find(
      ({ value, also }) => value === wanted || also?.includes(wanted) === true,
    )
    if (piece.lead === '' && found !== undefined) return [is(found.value)]
    return `One of: ${choices.map(({ value }) => value).join(', ')}.`
  }
}

/**
 * Whole words next to each other; `*` at the end also finds what begins so. With `*` elsewhere it is
 * looked for inside words, which takes a slow scan.
 */
export const readWords: ReadValue = (piece) => {
  if (piece.lead !== '') return 'Words have no order: give those that it is to hold.'
  if (piece.text === '*') return [{ is: 'some' }]
  const pieces = piece.cut
  const starts = pieces.length === 2 && pieces[1] === ''
  if (pieces.length > 1 && !starts) {
    const inside = pieces.filter((text) => text !== '')
    const [text] = inside
    if (text === undefined || inside.length > 1) return 'One * at each end, none in between.'
    return [{ is: 'inside', text: text.toLowerCase() }]
  }
  const phrase = pieces[0] ?? ''
  if (wordsOf(phrase).length === 0) return 'Give words; contains:"…" finds other characters.'
  return [{ is: 'words', phrase, prefix: starts && /[\p{L}\p{N}]$/u.test(phrase) }]
}

export const readInside: ReadValue = (piece) =>
  piece.text === '' ? 'Give what to look for.' : [{ is: 'inside', text: piece.text.toLowerCase() }]
