import type { MoveStep, WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'

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
  return move.state === 'running' && move.problem === null ? 'now' : 'waits'
}

function indexOf(step: MoveStep): number {
  return step === 'done' ? steps.length : steps.indexOf(step)
}

/** How far it is, in a few words. */
export function progressWords(move: WebhookMove): string {
  const { state, step, problem, copied, total, undelivered } = move
  if (state === 'rolling-back') return 'rolling back'
  if (state === 'rolled-back') return 'rolled back'
  if (step === 'copy') {
    return total === null
      ? `${formatCount(copied, 'account')} copied`
      : `${formatNumber(copied)} of ${formatCount(total, 'account')} copied`
  }
  if (step === 'drain' && (problem === null || undelivered > 0)) {
    return undelivered === 0
      ? 'nothing is known to wait there; an attempt under way may take some seconds'
      : `${formatCount(undelivered, 'account')} with an event that is not delivered yet`
  }
  return step === 'done' ? 'done' : stepWords[step].name.toLowerCase()
}

/** Until the old one is being deleted. */
export function canRollBack({ state, step }: WebhookMove): boolean {
  return (state === 'running' || state === 'paused') && step !== 'delete' && step !== 'done'
}

/** The old one is deleted whatever waits there: offered once something keeps it. */
export function canFinish({ state, step, to, problem, undelivered }: WebhookMove): boolean {
  const isBefore = step !== 'delete' && step !== 'done' && to.id !== null
  const isKept = problem !== null || undelivered > 0
  return (state === 'running' || state === 'paused') && isBefore && isKept
}

/** It has stopped until a person wants it to go on. */
export function canResume({ state, problem }: WebhookMove): boolean {
  return state === 'paused' || (state === 'rolling-back' && problem !== null)
}
