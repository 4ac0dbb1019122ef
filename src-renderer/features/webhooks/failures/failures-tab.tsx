import { useLayoutEffect, useRef } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useRoute } from '../../../app/route.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { ExplanationView } from './explanation-view.tsx'
import { Statistics } from './statistics.tsx'

/** What failed, since when and how often; of one account, why. */
export function FailuresTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const range = useRoute(({ route }): HistoryRange =>
    route.page === 'webhooks' && route.view === 'webhook' ? route.range : '24h',
  )
  const area = useRef<HTMLDivElement>(null)
  // Another account is read from its beginning, however far the one before was scrolled.
  useLayoutEffect(() => {
    if (item !== '') area.current?.scrollIntoView({ block: 'start' })
  }, [item])
  return (
    <div ref={area}>
      {item === '' ? (
        <Statistics webhook={webhook} range={range} />
      ) : (
        <ExplanationView webhook={webhook} account={item} range={range} />
      )}
    </div>
  )
}
