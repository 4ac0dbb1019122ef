import { expect, test } from 'vitest'
import { matchExpression } from '../../src-main/store/capture-index/match.ts'

test.each([
  ['payment', '"payment"*'],
  ['payment ', '"payment"'],
  ['two words', '"two" "words"*'],
  ['pay* settled', '"pay*"* "settled"*'],
  ['order-42', '"order-42"'],
  ['tx_hash', '"tx_hash"*'],
  ['say "hi there"', '"say" """hi" "there"""'],
  ['a AND b', '"a" "AND" "b"'],
  ['wo\u0000rd', '"wo" "rd"'],
])('%j is looked for as %s: nothing a person types is syntax', (text, expression) => {
  expect(matchExpression(text)).toBe(expression)
})

test.each(['', '   ', '"', '*', '-', '()', '\u0000', '🙂'])(
  'with nothing to look for there is no query, which FTS5 would refuse: %j',
  (text) => {
    expect(matchExpression(text)).toBeNull()
  },
)

test('one and two letters are no beginning: they would match nearly everything', () => {
  expect(matchExpression('pa')).toBe('"pa"')
  expect(matchExpression('order-4')).toBe('"order-4"')
})
