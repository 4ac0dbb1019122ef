import type { Message, TransactionDescription } from '@ton/core'
import type { ExecutedTransaction } from '../chain/chain.ts'

/** Neither its code nor its actions failed. One whose code did not run at all is a success, as on the service. */
export function isSuccess(description: TransactionDescription): boolean {
  const compute = 'computePhase' in description ? description.computePhase : null
  const action = 'actionPhase' in description ? description.actionPhase : null
  return (compute?.type !== 'vm' || compute.success) && (action?.success ?? true)
}

/** What came in is on its way back. */
export function isBouncing({ transaction }: ExecutedTransaction): boolean {
  const { description } = transaction
  return description.type === 'generic' && description.bouncePhase?.type === 'ok'
}

/** Its account had no code to run. */
export function isWithoutState({ transaction }: ExecutedTransaction): boolean {
  const { description } = transaction
  if (!('computePhase' in description)) return false
  const { computePhase } = description
  return computePhase.type === 'skipped' && computePhase.reason === 'no-state'
}

/** What the transaction took from its account: fees of its own and of the messages it sent. */
export function feesOf({ transaction }: ExecutedTransaction): bigint {
  const { description, totalFees } = transaction
  const action = 'actionPhase' in description ? description.actionPhase : null
  const bounce = 'bouncePhase' in description ? description.bouncePhase : null
  const forwarded = (action?.totalFwdFees ?? 0n) - (action?.totalActionFees ?? 0n)
  return totalFees.coins + forwarded + (bounce?.type === 'ok' ? bounce.forwardFees : 0n)
}

/** What its account was given. */
export function creditOf({ transaction }: ExecutedTransaction): bigint {
  const { description } = transaction
  const credit = 'creditPhase' in description ? description.creditPhase : null
  return credit?.credit.coins ?? 0n
}

export function sentBy({ transaction }: ExecutedTransaction): Message[] {
  return transaction.outMessages.values()
}
