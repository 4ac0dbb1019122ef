/** Moves of webhooks to other endpoints: their steps in words, and the actions that each step allows. */
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import type { MoveStep, WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { attempt, request, patch, useData, watch } from '../../../app/bridge.ts'
import { mergeJobs } from '../../../components/jobs/job-kind.tsx'
import { confirmOn } from '../../../components/network-tag.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { announce } from '../../../ui/toast.tsx'
import { withoutScheme } from '../../../components/webhook.tsx'

/** The moves of a network's webhooks, newest first. */
export function useMoves(network: NetworkId): readonly WebhookMove[] {
  const { data = [] } = useData('move.list', { network })
  return data
}

export function takeMove(move: WebhookMove): void {
  patch('move.list', { network: move.network }, (known) => mergeJobs(known, [move]))
}

watch('move.list', (now, before) => {
  for (const move of now) {
    const former = before.find(({ id }) => id === move.id)
    if (former !== undefined && former !== move) announceChange(former, move)
  }
})

function announceChange(before: WebhookMove, { state, problem, to }: WebhookMove): void {
  if (state === 'done' && before.state !== 'done') {
    announce(`The webhook has moved to ${withoutScheme(to.endpoint)}`)
  }
  if (state === 'rolled-back' && before.state !== state) announce('The move was rolled back')
  if (problem !== null && before.problem === null) announce(`The move is waiting: ${problem}`)
}

export const isOver = ({ state }: WebhookMove) => state === 'done' || state === 'rolled-back'

/** The move in progress that a webhook is part of, at either end. */
export function currentMove(moves: readonly WebhookMove[], webhook: string): WebhookMove | null {
  return (
    moves.find((move) => !isOver(move) && (move.from.id === webhook || move.to.id === webhook)) ??
    null
  )
}

/** The move that a deleted webhook ended with. */
export function movedTo(moves: readonly WebhookMove[], webhook: string): WebhookMove | null {
  return moves.find(({ state, from }) => state === 'done' && from.id === webhook) ?? null
}

/** In their order. */
export const steps = ['create', 'copy', 'compare', 'drain', 'switch', 'delete'] as const
export type Step = (typeof steps)[number]

export const stepLabels: Record<Step, { readonly name: string; readonly detail: string }> = {
  create: {
    name: 'Create the new webhook',
    detail: 'It gets its own token, which this receiver accepts at once.',
  },
  copy: {
    name: 'Copy the subscriptions',
    detail: 'Accounts, opcodes, mempool and new contracts. From now on both webhooks deliver.',
  },
  compare: {
    name: 'Compare both webhooks',
    detail: 'Every subscription of the old webhook must exist at the new one.',
  },
  drain: {
    name: 'Wait for pending deliveries of the old webhook',
    detail: 'No event is lost between the two.',
  },
  switch: {
    name: 'Switch over',
    detail: 'The data stored here about the old webhook is assigned to the new one.',
  },
  delete: { name: 'Delete the old webhook', detail: 'Its subscriptions are deleted with it.' },
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

/** Its progress in a few words. */
export function describeProgress(move: WebhookMove): string {
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
      ? 'no pending delivery is known; an attempt in progress may take a few seconds'
      : `${formatCount(undelivered, 'account')} with an undelivered event`
  }
  return step === 'done' ? 'done' : stepLabels[step].name.toLowerCase()
}

/** Until the deletion of the old webhook begins. */
export function canRollBack({ state, step }: WebhookMove): boolean {
  return (state === 'running' || state === 'paused') && step !== 'delete' && step !== 'done'
}

/** Deletes the old webhook despite undelivered events: offered once something holds the move up. */
export function canFinish({ state, step, to, problem, undelivered }: WebhookMove): boolean {
  const isBefore = step !== 'delete' && step !== 'done' && to.id !== null
  const isHeldUp = problem !== null || undelivered > 0
  return (state === 'running' || state === 'paused') && isBefore && isHeldUp
}

/** It has stopped until the user continues it. */
export function canResume({ state, problem }: WebhookMove): boolean {
  return state === 'paused' || (state === 'rolling-back' && problem !== null)
}

async function act(
  failure: string,
  route: 'move.resume' | 'move.rollBack' | 'move.finish',
  { id }: WebhookMove,
): Promise<void> {
  const next = await attempt(failure, () => request(route, { id }))
  if (next !== undefined) takeMove(next)
}

export function resumeMove(move: WebhookMove): Promise<void> {
  return act('Could not resume the move', 'move.resume', move)
}

export async function rollBackMove(move: WebhookMove, network: Network): Promise<void> {
  const yes = await confirmOn(network, {
    title: 'Roll back the move?',
    detail: `The new webhook ${move.to.endpoint} is deleted with its subscriptions. ${move.from.endpoint} stays unchanged and continues to deliver.`,
    action: 'Roll back',
    destructive: true,
  })
  if (yes) await act('Could not roll back the move', 'move.rollBack', move)
}

export async function finishMove(move: WebhookMove, network: Network): Promise<void> {
  const { from, undelivered } = move
  const pending =
    undelivered === 0
      ? `${from.endpoint} may have undelivered events.`
      : `${formatCount(undelivered, 'account')} of ${from.endpoint} ${undelivered === 1 ? 'has' : 'have'} undelivered events.`
  const yes = await confirmOn(network, {
    title: 'Delete the old webhook despite undelivered events?',
    detail: `${pending} The gateway does not deliver them after the webhook is deleted. The Missed tab of the new webhook can find these events, and rebuild those of accounts.`,
    action: 'Delete anyway',
    destructive: true,
  })
  if (yes) await act('Could not finish the move', 'move.finish', move)
}
