/** Tests why a transaction failed, in the words that all views share. */
import { describe, expect, test } from 'vitest'
import {
  describeActionExit,
  describeBounce,
  describeSkip,
  exitCodeOf,
  failureOf,
  isBounced,
} from '../../../src-main/chain/failure.ts'
import { transactionResponse } from '../../../src-main/gateway/query-responses.ts'
import { accountOf, rawTransaction } from '../../fixtures/raw-transaction.ts'

const sent = { from: accountOf('a1'), to: accountOf('b2') }
const compute = { success: true, skipped: false, exit_code: 0, gas_used: 1, vm_steps: 1 }
const action = {
  success: true,
  result_code: 0,
  total_actions: 1,
  skipped_actions: 0,
  fwd_fees: 0,
  total_fees: 0,
}

function answerOf(over: object) {
  const raw = rawTransaction({ account: accountOf('b2'), lt: 5n, in: sent })
  return transactionResponse.parse({
    ...raw,
    compute_phase: compute,
    action_phase: action,
    ...over,
  })
}
const failed = (over: object = {}) => ({ ...compute, success: false, exit_code: 4321, ...over })

test.each<[failure: string | null, over: object]>([
  [null, {}],
  [null, { compute_phase: { ...compute, exit_code: 1 } }],
  ['exit code 4321', { success: false, compute_phase: failed() }],
  [
    'exit code 65535: the contract does not know this opcode',
    { success: false, compute_phase: failed({ exit_code: 0xffff }) },
  ],
  [
    'exit code 4321: closed',
    { success: false, compute_phase: failed({ exit_code_description: 'closed' }) },
  ],
  [
    'exit code 7777',
    { success: false, action_phase: { ...action, success: false, result_code: 7777 } },
  ],
  // The contract committed and then failed, so the service counts the transaction as failed.
  ['exit code 4321', { success: false, compute_phase: { ...compute, exit_code: 4321 } }],
  // Without a failure, the same code is the contract's own.
  [null, { success: true, compute_phase: { ...compute, exit_code: 4321 } }],
  [
    'the attached code does not belong to this address',
    { success: false, compute_phase: { skipped: true, skip_reason: 'cskip_bad_state' } },
  ],
  // The value arrived and stays at the account.
  [null, { success: false, compute_phase: { skipped: true, skip_reason: 'cskip_no_state' } }],
  [
    'there is no contract at this address',
    {
      success: false,
      compute_phase: { skipped: true, skip_reason: 'cskip_no_state' },
      bounce_phase: 'TrPhaseBounceOk',
    },
  ],
  // A gateway may report a bounce without the phase that caused it.
  [
    'it was returned',
    { success: false, compute_phase: null, action_phase: null, bounce_phase: 'TrPhaseBounceOk' },
  ],
  ['no reason given', { success: false, compute_phase: null, action_phase: null }],
])('the failure is %j', (failure, over) => {
  expect(failureOf(answerOf(over))).toBe(failure)
})

test('the exit code is that of the phase that failed', () => {
  const refused = { ...action, success: false, result_code: 37 }
  expect(exitCodeOf(answerOf({}))).toBe(0)
  expect(exitCodeOf(answerOf({ action_phase: refused }))).toBe(37)
  expect(exitCodeOf(answerOf({ compute_phase: failed(), action_phase: refused }))).toBe(4321)
  expect(exitCodeOf(answerOf({ compute_phase: null, action_phase: null }))).toBeNull()
})

test('only a bounce that succeeded returned the value', () => {
  const phases = ['TrPhaseBounceOk', 'TrPhaseBounceNofunds', 'TrPhaseBounceNegfunds', undefined]
  expect(phases.map((bounce_phase) => isBounced(answerOf({ bounce_phase })))).toEqual([
    ...[true, false, false, false],
  ])
})

test.each([
  [37, null, 'not enough coins'],
  [36, 'the gateway says more', 'invalid Destination address'],
  [7777, 'Something NEW', 'something NEW'],
  [7777, 'NEW words', 'NEW words'],
  [7777, 'a Word later', 'a Word later'],
  [7777, ' two\u0000\n lines\u202e ', 'two lines'],
  [7777, ' \u0000 ', null],
  [7777, null, null],
  [7777, 'x'.repeat(120), 'x'.repeat(120)],
  [7777, 'x'.repeat(121), `${'x'.repeat(120)}…`],
])(
  'a result code of actions is described by its standard words or by the gateway’s: %j %j',
  (code, described, words) => {
    expect(describeActionExit(code, described)).toBe(words)
  },
)

test('a phase of a bounce has its sentence, and an unknown one its name', () => {
  expect(describeBounce('TrPhaseBounceNegfunds')).toContain('no value remained')
  expect(describeBounce('TrPhaseBounceNew')).toBe('TrPhaseBounceNew')
  expect([describeSkip('cskip_new'), describeSkip(null)]).toEqual(['cskip_new', 'no reason given'])
})

test('a computation without an exit code failed without a reason', () => {
  const noCode = { success: false, compute_phase: failed({ exit_code: null }) }
  expect(failureOf(answerOf(noCode))).toBe('no reason given')
  const committed = (code: number) => ({
    success: false,
    compute_phase: { ...compute, exit_code: code },
  })
  expect([0, 1].map((code) => failureOf(answerOf(committed(code))))).toEqual([
    ...['no reason given', 'no reason given'],
  ])
  const skipped = { success: false, compute_phase: { skipped: true } }
  expect(failureOf(answerOf(skipped))).toBe('no reason given')
})

describe('a message that ran out of gas', () => {
  const answer = answerOf({ success: false, compute_phase: failed({ exit_code: -14 }) })
  const withMessage = (over: object) =>
    ({ ...answer, in_msg: { ...answer.in_msg, ...over } }) as typeof answer
  const stranger = {
    op_code: '0x12345678',
    destination: { address: accountOf('b2'), is_wallet: false },
  }

  test.each<[isPlain: boolean, over: object]>([
    [true, { op_code: null }],
    [true, { ...stranger, op_code: '0x00000000' }],
    [true, { ...stranger, op_code: '0x2167da4b' }],
    [true, { ...stranger, destination: { address: accountOf('b2'), is_wallet: true } }],
    [false, stranger],
    [false, { ...stranger, destination: null }],
    [false, { op_code: null, msg_type: 'ext_in_msg' }],
  ])('is no failure if it only transfers value: %j', (isPlain, over) => {
    const failure = isPlain ? null : 'exit code -14: out of gas'
    expect(failureOf(withMessage(over))).toBe(failure)
  })

  test('failed if there is no message, or if it was returned', () => {
    const failure = 'exit code -14: out of gas'
    expect(failureOf({ ...answer, in_msg: null })).toBe(failure)
    expect(failureOf({ ...withMessage({ op_code: null }), bounce_phase: 'TrPhaseBounceOk' })).toBe(
      failure,
    )
  })
})
