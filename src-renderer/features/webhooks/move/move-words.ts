import type { MoveStep, WebhookMove } from '../../../../src-preload/contract/index.ts'
import { formatCount, formatNumber } from '../../../format.ts'

/** In their order. */
export const steps = ['create', 'copy', 'compare', 'drain', 'switch', 'delete'] as const
export type Step = (typeof steps)[number]

export const stepWords: Record<Step, { readonly name: string; readonly detail: string }> = {
  create: {
    name: 'Create the new webhook',
    detail: 'With a token of its own, which this receiver checks by at once.',
  },
  copy: {
    name: 'Copy what it is subscribed to',
    detail: 'Accounts, opcodes, mempool and new contracts; from here on both deliver.',
  },
  compare: {
    name: 'Compare the two',
    detail: 'Each subscription of the old one has to be at the new one.',
  },
  drain: {
    name: 'Wait for what the old one has not delivered',
    detail: 'So that nothing is lost between the two.',
  },
  switch: {
    name: 'Switch over',
    detail: 'What is known here of the old one goes to the new one.',
  },
  delete: { name: 'Delete the old webhook', detail: 'With its subscriptions.' },
}

export type StepState = 'done' | 'now' | 'waits' | 'to-come'

export function stateOf(step: Step, move: WebhookMove): StepState {
  const at = indexOf(move.step)
  const own = steps.indexOf(step)
  if (move.state === 'done' || own < at) return 'done'
  if (own > at || move.state === 'rolled-back') return 'to-come'
  return move.state === 'running' ? 'now' : 'waits'
}

function indexOf(step: MoveStep): number {
  return step === 'done' ? steps.length : steps.indexOf(step)
}

/** How far it is, in a few words. */
export function progressWords(move: WebhookMove): string {
  const { state, step, copied, total, undelivered } = move
  if (state === 'rolling-back') return 'rolling back'
  if (state === 'rolled-back') return 'rolled back'
  if (step === 'copy') {
    return total === null
      ? `${formatCount(copied, 'account')} copied`
      : `${formatNumber(copied)} of ${formatCount(total, 'account')} copied`
  }
  if (step === 'drain')
    return `${formatCount(undelivered, 'account')} still with an undelivered event`
  return step === 'done' ? 'done' : stepWords[step].name.toLowerCase()
}

/** Until the old one is being deleted. */
export function canRollBack({ state, step }: WebhookMove): boolean {
  return (state === 'running' || state === 'paused') && step !== 'delete' && step !== 'done'
}

/** What keeps the old one is only what it has not delivered. */
export function canFinish({ state, step, undelivered }: WebhookMove): boolean {
  return (state === 'running' || state === 'paused') && step === 'drain' && undelivered > 0
}
