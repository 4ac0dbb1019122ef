import { compoundText, fieldOfTest, headerLines, subjectTarget } from './fields.ts'
import { matchesPattern } from './pattern.ts'
import type { Query, Term } from './query.ts'
import type { Test } from './value-test.ts'
import type { Subject } from './subject.ts'
import { symbolOf, unitsWithin } from './values/amount.ts'
import { compoundsOf, hasPhrase, wordLine, wordsOf } from './words.ts'

/** What a query means: whether a capture is what it asks for. The index only finds the same faster. */
export type Matcher = (subject: Subject) => boolean

/** Prepared once, asked often. */
export function createMatcher({ terms }: Pick<Query, 'terms'>): Matcher {
  const checks = terms.map((term) => ({ cost: costOf(term), matches: termMatcher(term) }))
  // What is cheap to tell first: most deliveries need no look at their bodies.
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
      return wordsMatcher(field.text, test)
    case 'text':
      return (subject) => field.values(subject, name).some((value) => matchesValue(test, value))
    case 'key':
      return (subject) => field.values(subject).some((value) => matchesValue(test, value))
    case 'number':
      return (subject) => {
        const value = field.value(subject)
        return test.is === 'range' && value !== null && isWithin(test, BigInt(value))
      }
    case 'amount':
      return (subject) => {
        const amount = field.value(subject)
        if (test.is !== 'amount' || amount === null) return false
        return (
          symbolOf(amount.asset.symbol) === test.symbol &&
          isWithin(unitsWithin(test, amount.asset.decimals), BigInt(amount.units))
        )
      }
  }
}

/** One of the values that captures share, as text; numbers among them in decimal. */
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

type Range = { readonly low: bigint | null; readonly high: bigint | null }

function isWithin({ low, high }: Range, value: bigint): boolean {
  return (low === null || value >= low) && (high === null || value <= high)
}

function wordsMatcher(text: (of: Subject) => string, test: Test): Matcher {
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

/** ASCII text is compared byte by byte, which costs a fraction of decoding UTF-8 and misses nothing. */
function insideMatcher(test: Test): Matcher {
  if (test.is !== 'inside') return () => false
  const { text } = test
  const encoding = /^[\x20-\x7e]*$/.test(text) ? 'latin1' : 'utf8'
  return (subject) => {
    const { buffer, byteOffset, byteLength } = subject.body
    return (
      subjectTarget(subject).toLowerCase().includes(text) ||
      headerLines(subject).toLowerCase().includes(text) ||
      Buffer.from(buffer, byteOffset, byteLength).toString(encoding).toLowerCase().includes(text)
    )
  }
}
