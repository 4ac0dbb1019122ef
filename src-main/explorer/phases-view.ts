import type { Phases } from '../../src-preload/contract/chain.ts'
import type { TransactionAnswer } from '../gateway/query-answers.ts'
import { actionWords, bounceWords, computeWords, skipWords } from './exit-words.ts'

export function showPhases(transaction: TransactionAnswer): Phases {
  const { storage_phase: storage, credit_phase: credit, bounce_phase: bounce } = transaction
  return {
    storage: storage
      ? {
          collected: storage.fees_collected,
          due: storage.fees_due ?? null,
          statusChange: storage.status_change,
        }
      : null,
    credit: credit ? { collected: credit.fees_collected, credit: credit.credit } : null,
    compute: showCompute(transaction),
    action: showAction(transaction),
    bounce: bounce ? bounceWords(bounce) : null,
  }
}

function showCompute({ compute_phase: phase }: TransactionAnswer): Phases['compute'] {
  if (!phase) return null
  const exitCode = phase.exit_code ?? null
  return {
    skipped: phase.skipped ? skipWords(phase.skip_reason) : null,
    success: phase.success ?? null,
    gasFees: phase.gas_fees ?? null,
    gasUsed: phase.gas_used ?? null,
    steps: phase.vm_steps ?? null,
    exitCode,
    exitWords: exitCode === null ? null : computeWords(exitCode, phase.exit_code_description),
  }
}

function showAction({ action_phase: phase }: TransactionAnswer): Phases['action'] {
  if (!phase) return null
  return {
    success: phase.success,
    resultCode: phase.result_code,
    resultWords: actionWords(phase.result_code, phase.result_code_description),
    totalActions: phase.total_actions,
    skippedActions: phase.skipped_actions,
    forwardFees: phase.fwd_fees,
    totalFees: phase.total_fees,
  }
}
