/** Why a transaction came to nothing, in words that fit into a sentence. */
import type { TransactionAnswer } from '../gateway/query-answers.ts'
import { describeActionResult, describeExitCode } from '../ton/exit-codes.ts'

/** Where the service's own words would leave a reader guessing. */
const plainer: ReadonlyMap<string, string> = new Map([
  ['Insufficient Gram', 'not enough TON'],
  ['Out of gas error', 'out of gas'],
])

/** Most contracts answer an opcode they do not know with it. */
const unknownOpcode = 0xffff

/** Of the compute phase; null for a code with a meaning of the contract's own. */
export function computeWords(code: number): string | null {
  if (code === unknownOpcode) return 'the contract does not know this opcode'
  return toWords(describeExitCode(code))
}

/** Of the action phase. */
export function actionWords(code: number): string | null {
  return toWords(describeActionResult(code))
}

const skipReasons: ReadonlyMap<string, string> = new Map([
  ['cskip_no_state', 'there is no contract at this address'],
  ['cskip_bad_state', 'the code that came along is not of this address'],
  ['cskip_no_gas', 'too little TON came along to pay for any computation'],
  ['cskip_suspended', 'the account is suspended'],
])

/** Why no code was run. */
export function skipWords(reason: string | null | undefined): string {
  if (!reason) return 'no reason given'
  return skipReasons.get(reason) ?? reason
}

const bounces: ReadonlyMap<string, string> = new Map([
  ['TrPhaseBounceOk', 'What was left of the value went back to the sender.'],
  [
    'TrPhaseBounceNofunds',
    'It was to go back to the sender, but what was left did not pay for the way.',
  ],
  ['TrPhaseBounceNegfunds', 'It was to go back to the sender, but nothing was left of it.'],
])

export function bounceWords(type: string): string {
  return bounces.get(type) ?? type
}

/** The exit code that tells most: of the phase that failed, else of the computation. */
export function exitCodeOf({ compute_phase, action_phase }: TransactionAnswer): number | null {
  const computed = compute_phase?.exit_code ?? null
  const isComputed = compute_phase?.success !== false
  return isComputed && action_phase?.success === false ? action_phase.result_code : computed
}

/** Null when nothing went wrong. */
export function failureOf(transaction: TransactionAnswer): string | null {
  const { compute_phase: compute, action_phase: action, bounce_phase: bounce } = transaction
  if (compute?.skipped === true) {
    // Value that was not to come back has arrived, whether or not any code has looked at it.
    const hasArrived =
      !bounce && ['cskip_no_state', 'cskip_no_gas'].includes(compute.skip_reason ?? '')
    return hasArrived ? null : skipWords(compute.skip_reason)
  }
  if (compute?.success === false) {
    const code = compute.exit_code ?? null
    return withCode(code, code === null ? null : computeWords(code))
  }
  if (action?.success === false)
    return withCode(action.result_code, actionWords(action.result_code))
  if (bounce) return 'it was sent back'
  return transaction.success ? null : 'no reason given'
}

/** What came in went back to its sender. */
export function isReturned({ bounce_phase }: TransactionAnswer): boolean {
  return bounce_phase === 'TrPhaseBounceOk'
}

function withCode(code: number | null, words: string | null): string {
  if (code === null) return words ?? 'no reason given'
  return words === null ? `exit code ${code}` : `exit code ${code}: ${words}`
}

function toWords(described: string | null): string | null {
  if (described === null) return null
  return plainer.get(described) ?? described.charAt(0).toLowerCase() + described.slice(1)
}
