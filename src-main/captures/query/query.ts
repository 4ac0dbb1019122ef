import type { QueryProblem } from '../../../src-preload/contract/capture-query.ts'
import {
  type Field,
  anyField,
  fieldNamed,
  compoundText,
  fieldOfTest,
  headerLines,
  searchedTarget,
} from './fields.ts'
import { type Test, matchesPattern } from './values/text.ts'
import type { SearchedCapture } from './searched-capture.ts'
import type { Range } from '../store/index/index-plan.ts'
import { symbolsOf, unitsWithin } from './values/chain.ts'
import { compoundsOf, hasPhrase, wordLine, wordsOf } from './words.ts'

export type Term = {
  /** Offsets into the text in UTF-16 units; `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly field: Field
  readonly name: string
  readonly negated: boolean
  /** One of these tests must match, or none if `negated`. */
  readonly tests: readonly Test[]
}

/** All terms must match. If there are problems, only the valid terms are included. */
export type Query = {
  readonly terms: readonly Term[]
  readonly problems: readonly QueryProblem[]
}

export type SentTerm = Omit<Term, 'field'> & { readonly field: string }

export const sendTerms = (terms: readonly Term[]): SentTerm[] =>
  terms.map((term) => ({ ...term, field: term.field.names[0] }))

export const receiveTerms = (terms: readonly SentTerm[]): Term[] =>
  terms.map((term) => ({ ...term, field: fieldNamed(term.field) ?? anyField }))

/** Defines which captures a query matches; the index only finds the same captures faster. */
export type Matcher = (subject: SearchedCapture) => boolean

export function createMatcher({ terms }: Pick<Query, 'terms'>): Matcher {
  const checks = terms.map((term) => ({ cost: costOf(term), matches: termMatcher(term) }))
  // Cheap tests come first, so that most bodies need no scan.
  checks.sort((a, b) => a.cost - b.cost)
  return (subject) => checks.every(({ matches }) => matches(subject))
}

function costOf({ field, tests }: Term): number {
  if (field.by === 'slow' || tests.some((test) => test.is === 'inside')) return 2
  return field.by === 'words' ? 1 : 0
}

function termMatcher({ field, name, negated, tests }: Term): Matcher {
  const matchers = tests.map((test) => testMatcher(field, name, test))
  return (subject) => matchers.some((matches) => matches(subject)) !== negated
}

function testMatcher(field: Term['field'], name: string, test: Test): Matcher {
  switch (field.by) {
    case 'slow':
      return insideMatcher(test)
    case 'words':
      return phraseMatcher((of) => field.value(of, ''), test)
    case 'text':
    case 'key':
      return (subject) => field.value(subject, name).some((value) => matchesValue(test, value))
    case 'number':
      return (subject) => {
        const value = field.value(subject, '')
        return test.is === 'range' && value !== null && isWithin(test, BigInt(value))
      }
    case 'amount':
      return (subject) => {
        const amount = field.value(subject, '')
        if (test.is !== 'amount' || amount === null) return false
        return (
          symbolsOf(amount.asset).includes(test.symbol) &&
          isWithin(unitsWithin(test, amount.asset.decimals), BigInt(amount.units))
        )
      }
  }
}

export function matchesValue(test: Test, value: string): boolean {
  switch (test.is) {
    case 'text':
      return matchesPattern(test.pattern, value)
    case 'range':
      return /^-?\d+$/.test(value) && isWithin(test, BigInt(value))
    case 'some':
      return value !== ''
    case 'inside':
      return value.toLowerCase().includes(test.text)
    case 'words':
    case 'compound':
    case 'field':
    case 'amount':
      return false
  }
}

const isWithin = ({ low, high }: Range, value: bigint): boolean =>
  (low === null || value >= low) && (high === null || value <= high)

function phraseMatcher(text: (of: SearchedCapture) => string, test: Test): Matcher {
  if (test.is === 'some') return (subject) => text(subject) !== ''
  if (test.is === 'inside') return (subject) => text(subject).toLowerCase().includes(test.text)
  if (test.is === 'field') return testMatcher(fieldOfTest(test.field), '', test.test)
  if (test.is === 'compound') {
    const { beginning } = test
    return (subject) =>
      compoundsOf(compoundText(subject))
        .values()
        .some((each) => each.startsWith(beginning))
  }
  if (test.is !== 'words') return () => false
  const words = wordsOf(test.phrase)
  return (subject) => hasPhrase(wordLine(text(subject)), words, test.prefix)
}

/** ASCII is compared as bytes, which costs a fraction of decoding UTF-8 and finds the same. */
function insideMatcher(test: Test): Matcher {
  if (test.is !== 'inside') return () => false
  const { text } = test
  const encoding = /^[\x20-\x7e]*$/.test(text) ? 'latin1' : 'utf8'
  return (subject) => {
    const { buffer, byteOffset, byteLength } = subject.body
    return (
      searchedTarget(subject).toLowerCase().includes(text) ||
      headerLines(subject).toLowerCase().includes(text) ||
      Buffer.from(buffer, byteOffset, byteLength).toString(encoding).toLowerCase().includes(text)
    )
  }
}
