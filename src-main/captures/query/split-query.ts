import type { QueryProblem } from '../../../src-preload/contract/capture-query.ts'

export type Piece = {
  readonly from: number
  readonly to: number
  readonly lead: string
  readonly text: string
  /** The parts of the text between wildcards; quoted asterisks do not count. */
  readonly cut: readonly string[]
  readonly quoted: boolean
}

/** A term or a word, split but not interpreted. */
export type Part = {
  readonly from: number
  readonly to: number
  readonly negated: boolean
  /** The field of the term, with a header's name after the dot; null for a word without a field. */
  readonly field: string | null
  readonly valueFrom: number
  readonly pieces: readonly Piece[]
}

type Cut = { readonly parts: readonly Part[]; readonly problems: readonly QueryProblem[] }

const field = /([a-z]\w*(?:\.[^\s:",*]*)?):/iy
const space = /[\s\0]/
const masterchain = /-\d+:[0-9a-f]{8}/iy
const comparison = /[<>]=?/y
/** The text after this limit is ignored. */
const maxCharacters = 2000

/** Splitting takes time linear in the length of the text. */
export function splitQuery(text: string): Cut {
  const parts: Part[] = []
  const problems: QueryProblem[] = []
  const end = Math.min(text.length, maxCharacters)
  if (text.length > end) {
    problems.push({ from: end, to: text.length, message: `A query has at most ${end} characters.` })
  }
  let at = 0
  while (at < end) {
    if (space.test(text.charAt(at))) at += 1
    else {
      const part = readPart(text, at, end, problems)
      parts.push(part)
      at = part.to
    }
  }
  return { parts, problems }
}

function readPart(text: string, from: number, end: number, problems: QueryProblem[]): Part {
  const after = text.charAt(from + 1)
  const negated =
    text.charAt(from) === '-' && after !== '' && !space.test(after) && !at(masterchain, text, from) // an address of the masterchain
  const start = negated ? from + 1 : from
  const name = at(field, text, start)?.[1] ?? null
  // `https://…` is a pasted URL, not a field.
  const isTerm = name !== null && !text.startsWith('//', start + name.length + 1)
  const valueFrom = isTerm ? start + name.length + 1 : start
  const pieces: Piece[] = []
  let next = valueFrom
  for (;;) {
    const piece = readPiece(text, next, end, isTerm, problems)
    pieces.push(piece)
    next = piece.to
    if (!isTerm || text.charAt(next) !== ',' || next >= end) break
    next += 1
  }
  return { from, to: next, negated, field: isTerm ? name : null, valueFrom, pieces }
}

function readPiece(
  text: string,
  from: number,
  end: number,
  isTerm: boolean,
  problems: QueryProblem[],
): Piece {
  const lead = isTerm ? (at(comparison, text, from)?.[0] ?? '') : ''
  const cut = ['']
  const add = (character: string) => cut.push((cut.pop() ?? '') + character)
  let next = from + lead.length
  let quoted = false
  const opensQuoted = text.charAt(next) === '"'
  while (next < end) {
    const character = text.charAt(next)
    if (space.test(character) || (isTerm && character === ',')) break
    // Quotes group only in terms, because pasted JSON among free words is full of them.
    if (character === '"' && (opensQuoted || isTerm)) {
      const closed = readQuoted(text, next, end, add)
      if (closed === null) {
        problems.push({ from: next, to: end, message: 'The closing quotation mark is missing.' })
        next = end
        break
      }
      quoted = true
      next = closed
    } else {
      if (character === '*') cut.push('')
      else add(character)
      next += 1
    }
  }
  return { from, to: next, lead, text: cut.join('*'), cut, quoted }
}

function readQuoted(
  text: string,
  from: number,
  end: number,
  add: (character: string) => void,
): number | null {
  for (let next = from + 1; next < end; next += 1) {
    const character = text.charAt(next)
    if (character === '"') return next + 1
    const escaped = text.charAt(next + 1)
    if (character === '\\' && (escaped === '"' || escaped === '\\') && next + 1 < end) {
      add(escaped)
      next += 1
    } else add(character)
  }
  return null
}

function at(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index
  return pattern.exec(text)
}
