import { expect, test } from 'vitest'
import { responseConflicts } from '../../../src-main/delivery/conflicts.ts'

const rule = (filter: string, more: object = {}) => ({
  filter,
  next: null,
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
