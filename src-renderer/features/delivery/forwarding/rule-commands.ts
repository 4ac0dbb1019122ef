import type { ForwardDelivery, ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { sayRemoval, titleOf } from './rule-words.ts'
import { forwardRules, forwardingHome, takeRule } from './rules.ts'

export async function setEnabled(rule: ForwardRule, enabled: boolean): Promise<void> {
  const next = await attempt(`Could not turn it ${enabled ? 'on' : 'off'}`, () =>
    request('forwardRule.setEnabled', { id: rule.id, enabled }),
  )
  if (next === undefined) return
  takeRule(next)
  announce(`${titleOf(next)} is ${enabled ? 'on' : 'off'}`)
}

export async function retryNow(rule: ForwardRule): Promise<void> {
  const next = await attempt('Could not try again', () =>
    request('forwardRule.retryNow', { id: rule.id }),
  )
  if (next === undefined) return
  takeRule(next)
  announce('What waits is tried now')
}

export async function removeRule(rule: ForwardRule): Promise<void> {
  const yes = await confirm({
    title: `Remove “${titleOf(rule)}”?`,
    detail: sayRemoval(rule),
    action: 'Remove the rule',
    destructive: true,
  })
  if (!yes) return
  const gone = await attempt('Could not remove the rule', () =>
    request('forwardRule.remove', { id: rule.id }),
  )
  if (gone === undefined) return
  const { route } = useRoute.getState()
  if (route.page === 'workbench' && route.view === 'forwarding' && route.rule === rule.id) {
    navigate(forwardingHome)
  }
  await forwardRules.reload()
  showToast({
    title: `“${titleOf(rule)}” removed`,
    ...(gone.waiting > 0 && {
      detail: `${formatCount(gone.waiting, 'delivery', 'deliveries')} dropped.`,
    }),
  })
}

/** One that was dropped or delivered goes once more; one that waits is tried now. */
export async function retryDelivery({
  deliveryId,
  state,
}: ForwardDelivery): Promise<ForwardDelivery | undefined> {
  if (state === 'delivered') {
    const yes = await confirm({
      title: 'Send it again?',
      detail:
        'The target has taken it already. It gets the same delivery once more, with the same X-Tondesk-Delivery.',
      action: 'Send again',
    })
    if (!yes) return undefined
  }
  const next = await attempt('Could not try it again', () =>
    request('forward.retry', { deliveryId }),
  )
  if (next !== undefined) announce('It is tried again')
  return next
}

export async function dropDelivery({
  deliveryId,
  capture,
  target,
}: ForwardDelivery): Promise<ForwardDelivery | undefined> {
  const yes = await confirm({
    title: `Drop the delivery of capture ${capture}?`,
    detail: `${target} does not get it, and what waits behind it for the same account goes on. The capture stays, and the delivery can be tried again.`,
    action: 'Drop it',
    destructive: true,
  })
  if (!yes) return undefined
  const next = await attempt('Could not drop it', () => request('forward.drop', { deliveryId }))
  if (next !== undefined) announce('The delivery is dropped')
  return next
}
