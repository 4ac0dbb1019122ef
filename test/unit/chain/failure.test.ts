/** Tests why a transaction failed, in the words that all views share. */
import { expect, test } from 'vitest'
import { exitCodeOf, failureOf, isReturned } from '../../../src-main/chain/failure.ts'
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
  expect(phases.map((bounce_phase) => isReturned(answerOf({ bounce_phase })))).toEqual([
    ...[true, false, false, false],
  ])
})
