/**
 * Changes the text of a query by the parts that the main process has parsed. The text around a part
 * stays unchanged.
 */
import type { QueryPart } from '../../../src-preload/contract/capture-query.ts'

type Place = { readonly from: number; readonly to: number }

/** Joins texts without spaces at the ends, and with one space in place of a removed part. */
const joined = (before: string, after: string): string =>
  `${before.trimEnd()} ${after.trimStart()}`.trim()

/**
 * The position of a part in a text that has changed since it was parsed; null if the part was removed.
 * @param before the text that was parsed
 */
export function positionNow({ from, to }: Place, before: string, text: string): Place | null {
  const part = before.slice(from, to)
  const places = positionsOf(part, text)
  const at = places[Math.min(positionsOf(part, before).indexOf(from), places.length - 1)]
  return at === undefined ? null : { from: at, to: at + part.length }
}

function positionsOf(part: string, text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const around = text.charAt(at - 1) + text.charAt(at + part.length)
    if (around.trim() === '') places.push(at)
  }
  return places
}

export const withoutPart = (text: string, { from, to }: Place): string =>
  joined(text.slice(0, from), text.slice(to))

/** Negates a part, or removes its negation. */
export function negate(text: string, { from, to, negated }: Place & { negated: boolean }): string {
  const written = text.slice(from, to)
  const next = negated ? written.replace(/^-/, '') : `-${written}`
  return text.slice(0, from) + next + text.slice(to)
}

/** Applies a suggestion and places the caret after it. */
export function applySuggestion(
  text: string,
  { from, to }: Place,
  choice: string,
): { readonly text: string; readonly caret: number } {
  const after = text.slice(to)
  // A field is followed by its value, a whole term by a space.
  const ending = /[:.<>=\s]$/.test(choice) || after.startsWith(' ') ? '' : ' '
  const before = text.slice(0, from) + choice + ending
  return { text: before + after, caret: before.length }
}

/** Replaces all terms of a field by this one; null removes them. */
export function withTerm(
  text: string,
  parts: readonly QueryPart[],
  field: string,
  value: string | null,
): string {
  const rest = parts
    .filter((part) => part.field?.toLowerCase() === field)
    .toSorted((a, b) => b.from - a.from)
    .reduce(withoutPart, text.trim() === '' ? '' : text)
  return value === null ? rest.trim() : joined(rest, `${field}:${value}`)
}
