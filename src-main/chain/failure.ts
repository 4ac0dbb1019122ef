import { lookupTable } from '../../src-preload/domain/lookup-table.ts'
import type { TransactionResponse } from '../gateway/query-responses.ts'
import catalogue from '../ton/catalogue.json' with { type: 'json' }
import { describeActionResult, describeExitCode } from '../ton/exit-codes.ts'
import { opcodes, readOpcode } from '../ton/opcodes.ts'

const clearerDescriptions: ReadonlyMap<string, string> = new Map([
  ['Insufficient Gram', 'not enough coins'],
  ['Out of gas error', 'out of gas'],
])

const unknownOpcode = 0xffff
const noReason = 'no reason given'

/** @param described the gateway's own description, because the gateway knows the codes of many contracts */
export function describeExitOf(code: number, described: string | null | undefined): string | null {
  const words = toClause(describeExitCode(code)) ?? toClause(cleanDescription(described))
  return words ?? (code === unknownOpcode ? 'the contract does not know this opcode' : null)
}

export function describeActionExit(
  code: number,
  described: string | null | undefined,
): string | null {
  return toClause(describeActionResult(code)) ?? toClause(cleanDescription(described))
}

const maxDescription = 120

/** Removes control characters, because the gateway's text becomes part of a sentence. */
function cleanDescription(described: string | null | undefined): string | null {
  const text = (described ?? '').replace(/[\p{C}\s]+/gu, ' ').trim()
  if (text === '') return null
  return text.length > maxDescription ? `${text.slice(0, maxDescription)}…` : text
}

const skipReasons = lookupTable(catalogue.skipReasons)
const bounces = lookupTable(catalogue.bounces)

export const describeSkip = (reason: string | null | undefined): string =>
  reason ? (skipReasons[reason] ?? reason) : noReason

export const describeBounce = (type: string): string => bounces[type] ?? type

export function exitCodeOf({ compute_phase, action_phase }: TransactionResponse): number | null {
  const computed = compute_phase?.exit_code ?? null
  const isComputed = compute_phase?.success !== false
  return isComputed && action_phase?.success === false ? action_phase.result_code : computed
}

const outOfGas = -14

/**
 * Describes a failure in the same words for every view; null if nothing failed. A transfer whose
 * value arrives and stays does not count as failed, even if no code could run on it.
 */
export function failureOf(transaction: TransactionResponse): string | null {
  const { compute_phase: compute, action_phase: action, bounce_phase: bounce } = transaction
  if (compute?.skipped === true) {
    const hasArrived =
      !bounce && ['cskip_no_state', 'cskip_no_gas'].includes(compute.skip_reason ?? '')
    return hasArrived ? null : describeSkip(compute.skip_reason)
  }
  const code = compute?.exit_code ?? null
  if (compute?.success === false) {
    if (code === outOfGas && !bounce && isPlainTransfer(transaction)) return null
    return withCode(
      code,
      code === null ? null : describeExitOf(code, compute.exit_code_description),
    )
  }
  if (action?.success === false) {
    const { result_code: result, result_code_description: described } = action
    return withCode(result, describeActionExit(result, described))
  }
  // A contract may commit and then fail: its actions take effect, but the service counts the
  // transaction as failed.
  const hasCommittedError = !transaction.success && code !== null && code !== 0 && code !== 1
  if (hasCommittedError) return withCode(code, describeExitOf(code, compute?.exit_code_description))
  if (bounce) return 'it was returned'
  return transaction.success ? null : noReason
}

/** Wallets ignore messages of other contracts. */
function isPlainTransfer({ in_msg: incoming }: TransactionResponse): boolean {
  if (incoming?.msg_type !== 'int_msg') return false
  const opcode = incoming.op_code ? readOpcode(incoming.op_code) : null
  return (
    opcode === null ||
    opcode === opcodes.textComment ||
    opcode === opcodes.encryptedTextComment ||
    incoming.destination?.is_wallet === true
  )
}

export const isBounced = ({ bounce_phase }: TransactionResponse): boolean =>
  bounce_phase === 'TrPhaseBounceOk'

function withCode(code: number | null, words: string | null): string {
  if (code === null) return words ?? noReason
  return words === null ? `exit code ${code}` : `exit code ${code}: ${words}`
}

function toClause(described: string | null): string | null {
  if (described === null) return null
  const isSentenceCase = /^\p{Lu}\p{Ll}/u.test(described)
  const words = isSentenceCase ? described.charAt(0).toLowerCase() + described.slice(1) : described
  return clearerDescriptions.get(described) ?? words
}
