import { expect, test } from 'vitest'
import { responseConflicts } from '../../../src-main/delivery/conflicts.ts'
import { isRuleDue } from '../../../src-main/delivery/response-rules/response-overrides.ts'

test('a response rule with a share of n % applies to exactly n of 100 deliveries, evenly spread, from the first on', () => {
  for (let percent = 1; percent < 100; percent += 1) {
    const turns = (from: number) =>
      Array.from({ length: 100 }, (_, index) => from + index).filter((seen) =>
        isRuleDue({ sharePercent: percent, seen }),
      )
    expect(turns(0)).toHaveLength(percent)
    // The result is the same if the count continues after a restart.
    expect(turns(1_000_037)).toHaveLength(percent)
    expect(turns(0)[0]).toBe(0)
    const gaps = turns(0).map((turn, index, all) => turn - (all[index - 1] ?? turn))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(Math.ceil(100 / percent))
  }
})

const rule = (filter: string, more: object = {}) => ({
  filter,
  next: null,
  sharePercent: null,
  enabled: true,
  ...more,
})

test.each([
  ['a rule for all deliveries above any rule', rule(''), 'event:account_tx', true],
  ['an equal filter', rule('event:account_tx'), 'EVENT:account_tx', true],
  ['fewer terms', rule('event:account_tx'), 'account:EQ1 event:account_tx', true],
  ['more alternatives', rule('event:account_tx,opcode_msg'), 'event:account_tx', true],
  ['fewer alternatives', rule('event:account_tx'), 'event:account_tx,opcode_msg', false],
  ['fewer exceptions', rule('-event:invoice'), '-event:invoice,mempool_msg', true],
  ['more exceptions', rule('-event:invoice,mempool_msg'), '-event:invoice', false],
  ['a negated filter', rule('-event:invoice'), 'event:invoice', false],
  ['another field', rule('account:EQ1'), 'body:EQ1', false],
  ['a limit to the next deliveries', rule('', { next: 3 }), '', false],
  ['a share', rule('', { sharePercent: 50 }), '', false],
  ['a disabled rule', rule('', { enabled: false }), '', false],
] as const)(
  'a rule that an earlier rule makes ineffective is reported: %s',
  (_name, before, filter, isBlocked) => {
    const told = responseConflicts(rule(filter), [rule('event:nothing'), before])
    expect(told).toEqual(
      isBlocked
        ? ['Rule 2 matches all of these deliveries first, so this rule has no effect.']
        : [],
    )
  },
)
