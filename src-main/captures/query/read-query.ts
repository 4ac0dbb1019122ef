import type { QueryProblem } from '../../../src-preload/contract/capture-query.ts'
import { captureQueryCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { type Field, type Known, fieldNamed } from './fields.ts'
import { type Part, cutParts } from './parts.ts'
import type { Query, Term } from './query.ts'
import type { Test } from './value-test.ts'
import { type Names, noNames } from './values/read-value.ts'
import { createFreeWords, joinShown } from './free-words.ts'
import { wordsOf } from './words.ts'

type ReadOptions = {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly names?: Names
  /** Fields known no sooner than these are refused; absent takes any. */
  readonly stage?: Exclude<Known, 'later'>
  /**
   * Read as a person types it: a last word of three letters or more also finds what begins with it,
   * and accounts are found by the beginnings of their names and addresses.
   */
  readonly typing?: boolean
}

/** Each term costs a look at each capture: nobody needs more of them. */
const maxTerms = 60
const maxAlternatives = 200
/** Each word of a phrase is looked up in all captures that have the others: no question needs more. */
const maxWords = 100
const maxPhraseWords = 30

/** What a text means, with all that is wrong with it. Takes time in proportion to its length. */
export function readQuery(text: string, options: ReadOptions): Query {
  const { parts, problems: broken } = cutParts(text)
  const problems: QueryProblem[] = [...broken]
  const terms: Term[] = []
  let alternatives = 0
  let words = 0
  const freeWord = createFreeWords(options)
  for (const [index, part] of joinShown(text, parts).entries()) {
    alternatives += part.pieces.length
    if (index === maxTerms || alternatives > maxAlternatives) {
      const message = `Too much at once: at most ${maxTerms} terms, with ${maxAlternatives} alternatives.`
      problems.push({ from: part.from, to: text.length, message })
      break
    }
    const term =
      part.field === null
        ? freeWord(part, part.to === text.length)
        : readTerm(part, problems, options)
    const longest = Math.max(0, ...(term?.tests ?? []).map(countWords))
    words += longest
    if (longest > maxPhraseWords || words > maxWords) {
      const message = `Too many words: at most ${maxWords}, and ${maxPhraseWords} next to each other.`
      problems.push({ from: part.from, to: part.to, message })
      break
    }
    if (term !== null) terms.push(term)
  }
  return { terms, problems }
}

function countWords(test: Test): number {
  return test.is === 'words' ? wordsOf(test.phrase).length : 0
}

/** @throws AppError QUERY_INVALID with the first problem */
export function requireQuery(text: string, options: ReadOptions): Query {
  const query = readQuery(text, options)
  const [problem] = query.problems
  if (problem === undefined) return query
  const place = text.slice(problem.from, problem.to).slice(0, 60)
  throw new AppError(
    captureQueryCodes.invalid,
    place === '' ? problem.message : `In the query at “${place}”: ${problem.message}`,
  )
}

function readTerm(part: Part, problems: QueryProblem[], options: ReadOptions): Term | null {
  const { from, to, valueFrom, negated } = part
  const problem = (message: string, at: { from: number; to: number }) => {
    problems.push({ from: at.from, to: at.to, message })
    return null
  }
  const nameFrom = negated ? from + 1 : from
  const place = { from: nameFrom, to: valueFrom }
  const [base = '', ...rest] = (part.field ?? '').split('.')
  const name = rest.join('.').toLowerCase()
  const field = fieldNamed(base)
  const isHeader = field?.names[0] === 'header'
  if (field === null || (name !== '' && !isHeader)) {
    const words = 'To look for the text itself, put it in quotes.'
    return problem(`There is no field “${part.field ?? ''}”. ${words}`, place)
  }
  if (isHeader && name === '') {
    return problem('Name the header: header.user-agent:curl*', place)
  }
  const early = tooEarly(field, options.stage)
  if (early !== null) return problem(early, place)
  const tests: Test[] = []
  for (const piece of part.pieces) {
    const read =
      piece.text === '' && !piece.quoted
        ? `What of it? For instance ${field.names[0]}${isHeader ? `.${name}` : ''}:${field.example}`
        : field.read(piece, {
            now: options.now,
            names: options.names ?? noNames,
            typing: options.typing === true,
          })
    if (typeof read === 'string') {
      problem(read, piece.from === piece.to ? { from: nameFrom, to } : piece)
    } else tests.push(...read)
  }
  return tests.length === 0 ? null : { from, to, negated, field, name, tests }
}

/** Why a rule cannot go by it; null where it can. */
function tooEarly(field: Field, stage: ReadOptions['stage']): string | null {
  const [name] = field.names
  if (stage === undefined || field.known === 'arrival') return null
  if (field.known === 'later') {
    return `A rule cannot go by ${name}: it is known only after the delivery has been dealt with.`
  }
  return stage === 'indexed'
    ? null
    : `A rule that decides on arrival cannot go by ${name}: it is known moments later.`
}
