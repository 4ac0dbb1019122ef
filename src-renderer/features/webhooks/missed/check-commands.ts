import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { checksOf, takeCheck } from './checks.ts'

export async function cancelCheck({ id }: MissedCheck): Promise<void> {
  const check = await attempt('Could not stop the check', () => request('ledger.cancel', { id }))
  if (check === undefined) return
  takeCheck(check)
  announce('The check is stopped')
}

export async function resumeCheck({ id }: MissedCheck): Promise<void> {
  const check = await attempt('Could not go on with the check', () =>
    request('ledger.resume', { id }),
  )
  if (check === undefined) return
  takeCheck(check)
  announce('The check goes on')
}

export async function removeCheck(check: MissedCheck): Promise<void> {
  const { id, network, webhook, events } = check
  const yes = await confirm({
    title: `Remove check ${id}?`,
    detail: `Its findings about ${formatCount(events, 'event')} are deleted from this computer. Captures stay, those rebuilt by it too.`,
    action: 'Remove the check',
    destructive: true,
  })
  if (!yes) return
  const done = await attempt('Could not remove the check', () => request('ledger.remove', { id }))
  if (done === undefined) return
  void checksOf(network).reload()
  showToast({ title: `Check ${id} removed` })
  const { route } = useRoute.getState()
  if (route.page !== 'webhooks' || route.view !== 'webhook') return
  if (route.tab === 'missed' && route.item === String(id)) {
    navigate({ ...webhookRoute(webhook, 'missed'), network }, { replace: true })
  }
}

/** Puts what is missing into the inspector; `left` is how much that is. Resolves to undefined when it was not wanted or failed. */
export async function rebuildMissing(
  check: MissedCheck,
  left: number,
): Promise<Output<'ledger.rebuild'> | undefined> {
  const events = formatCount(left, 'missing event')
  const yes = await confirm({
    title: `Rebuild ${events} into the inspector?`,
    detail:
      'Each becomes a capture in exactly the form in which it would have been delivered, marked as rebuilt. It counts nowhere as received, and nothing is sent to anyone. Those rebuilt before are left as they are.',
    action: `Rebuild ${events}`,
  })
  if (!yes) return undefined
  return attempt('Could not rebuild the events', () =>
    request('ledger.rebuild', { id: check.id, events: { all: true } }),
  )
}
