import type { Network } from '../../../../src-preload/contract/network.ts'
import type { WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { confirmOn } from '../../../components/network-confirm.tsx'
import { takeMove } from './moves.ts'

export async function resumeMove({ id }: WebhookMove): Promise<void> {
  const next = await attempt('Could not go on with the move', () => request('move.resume', { id }))
  if (next !== undefined) takeMove(next)
}

export async function rollBackMove({ id, from, to }: WebhookMove, network: Network): Promise<void> {
  const yes = await confirmOn(network, {
    title: 'Roll the move back?',
    detail: `The new webhook, ${to.endpoint}, is deleted with what was copied to it. ${from.endpoint} stays as it is and goes on delivering.`,
    action: 'Roll back',
    destructive: true,
  })
  if (!yes) return
  const next = await attempt('Could not roll the move back', () => request('move.rollBack', { id }))
  if (next !== undefined) takeMove(next)
}

export async function finishMove(
  { id, from, undelivered }: WebhookMove,
  network: Network,
): Promise<void> {
  const yes = await confirmOn(network, {
    title: 'Delete the old webhook although events wait there?',
    detail: `${waiting(from.endpoint, undelivered)} Once the webhook is deleted the gateway never delivers them. The tab Missed of the new webhook can name such events, and rebuild those of accounts.`,
    action: 'Delete it anyway',
    destructive: true,
  })
  if (!yes) return
  const next = await attempt('Could not finish the move', () => request('move.finish', { id }))
  if (next !== undefined) takeMove(next)
}

function waiting(endpoint: string, undelivered: number): string {
  if (undelivered === 0) return `Events may wait at ${endpoint} that were not delivered yet.`
  const have = undelivered === 1 ? 'has' : 'have'
  return `${formatCount(undelivered, 'account')} of ${endpoint} ${have} events that were not delivered yet.`
}
