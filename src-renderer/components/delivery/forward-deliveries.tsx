/** Forwarded deliveries: their states and attempts, and the actions on one. */
import type { ForwardDelivery } from '../../../src-preload/contract/forward.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { confirmAndRun, attempt, request, reload } from '../../app/bridge.ts'
import type { DeliveryRoute } from '../../app/delivery-route.ts'
import { type Tone, Hint, Fold, Stack } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { formatDuration } from '../../ui/format.ts'
import { ResponseContent, ResponseLine } from './target-response.tsx'

export const forwardingHome: DeliveryRoute = { page: 'delivery', view: 'forwarding', rule: null }

export const ruleRoute = (rule: number): DeliveryRoute => ({
  page: 'delivery',
  view: 'forwarding',
  rule,
})

/** Shortens a target to `localhost:3000/hook`, for narrow places. */
export function shortTarget(url: string): string {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '')
}

export const deliveryTones: Readonly<Record<ForwardDelivery['state'], Tone>> = {
  waiting: 'warn',
  sending: 'plain',
  delivered: 'ok',
  dropped: 'bad',
}

/** Formats `Next attempt in 12 s.` Times are in microseconds. */
export function describeNextAttempt(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1e6)
  return seconds < 1 ? 'Next attempt now.' : `Next attempt in ${formatDuration(seconds * 1e6)}.`
}

/** Describes why a delivery is not sent yet or was dropped, and its next attempt; empty if neither applies. */
export function useDeliveryState({ why, state, nextTryAt }: ForwardDelivery): string {
  const now = useNow()
  const isNext = state === 'waiting' && nextTryAt !== null
  return [why, isNext && describeNextAttempt(nextTryAt, now)].filter(Boolean).join(' ')
}

/** Sends a dropped or delivered delivery again; a waiting one is sent now. */
export async function retryDelivery({ deliveryId, state }: ForwardDelivery): Promise<void> {
  if (state === 'delivered') {
    const yes = await confirm({
      title: 'Send this delivery again?',
      detail:
        'The target has already accepted it. It receives the same request once more, with the same X-Tondesk-Delivery header.',
      action: 'Send again',
    })
    if (!yes) return
  }
  const next = await attempt('Could not retry the delivery', () =>
    request('forward.retry', { deliveryId }),
  )
  if (next !== undefined) take(next, 'The delivery is sent again')
}

export async function dropDelivery({
  deliveryId,
  capture,
  target,
}: ForwardDelivery): Promise<void> {
  const next = await confirmAndRun({
    title: `Drop the delivery of capture ${capture}?`,
    detail: `Tondesk stops sending this delivery to ${target} and continues with later deliveries for the same account. The capture is kept, so you can retry the delivery later.`,
    action: 'Drop delivery',
    failure: 'Could not drop the delivery',
    run: () => request('forward.drop', { deliveryId }),
  })
  if (next !== undefined) take(next, 'Delivery dropped')
}

function take({ capture }: ForwardDelivery, said: string): void {
  reload('forward.ofCapture', { id: capture })
  reload('forward.list')
  announce(said)
}

export type AttemptedDelivery = Output<'forward.ofCapture'>[number]

/** Lists attempts with their responses, newest first. */
export function Attempts({ delivery }: { delivery: AttemptedDelivery }) {
  const { tries } = delivery
  const standing = useDeliveryState(delivery)
  return (
    <Stack gap="xs">
      {standing !== '' && <Hint>{standing}</Hint>}
      {tries.map(({ at, answer }) => (
        <Fold
          key={at}
          boxed
          summary={
            <>
              <ResponseLine response={answer} /> <Moment at={at} />
            </>
          }
        >
          <ResponseContent response={answer} />
        </Fold>
      ))}
      {tries.length === 0 && standing === '' && <Hint>Not sent yet.</Hint>}
    </Stack>
  )
}
