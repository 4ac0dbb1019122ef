import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { on, request } from '../../../app/bridge.ts'
import { type Resource, createResource } from '../../../app/resource.ts'
import { announce } from '../../../ui/live-region.tsx'
import { withoutScheme } from '../webhook-words.ts'

const lists = new Map<NetworkId, Resource<WebhookMove[]>>()

/** The moves of a network's webhooks, newest first; kept current by events. */
export function movesOf(network: NetworkId): Resource<WebhookMove[]> {
  const list = lists.get(network) ?? createResource(() => request('move.list', { network }))
  lists.set(network, list)
  return list
}

/** Takes a newer state of one, from an answer or an event. */
export function takeMove(move: WebhookMove): void {
  const list = movesOf(move.network)
  const state = list.store.getState()
  if (state.status !== 'ready') return
  const before = state.value.find(({ id }) => id === move.id)
  if (before !== undefined) tell(before, move)
  list.set(
    before === undefined
      ? [move, ...state.value]
      : state.value.map((each) => (each.id === move.id ? move : each)),
  )
}

function tell(before: WebhookMove, { state, problem, to }: WebhookMove): void {
  const where = withoutScheme(to.endpoint)
  if (state === 'done' && before.state !== 'done') announce(`The webhook has moved to ${where}`)
  if (state === 'rolled-back' && before.state !== state) announce('The move is rolled back')
  if (problem !== null && before.problem === null) announce(`The move waits: ${problem}`)
}

export function startMoves(): () => void {
  return on('move.changed', ({ move }) => {
    if (lists.has(move.network)) takeMove(move)
  })
}

export const isOver = ({ state }: WebhookMove) => state === 'done' || state === 'rolled-back'

/** The one under way that a webhook has a part in, at either end. */
export function currentMove(moves: readonly WebhookMove[], webhook: string): WebhookMove | null {
  return (
    moves.find((move) => !isOver(move) && (move.from.id === webhook || move.to.id === webhook)) ??
    null
  )
}

/** Where a webhook that is gone has moved to. */
export function movedTo(moves: readonly WebhookMove[], webhook: string): WebhookMove | null {
  return moves.find(({ state, from }) => state === 'done' && from.id === webhook) ?? null
}
