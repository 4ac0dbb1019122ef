import type { Webhook } from '../../../../src-preload/contract/index.ts'
import { useRoute } from '../../../route.ts'
import type { HistoryRange } from '../../../webhooks-route.ts'
import { ExplanationView } from './explanation-view.tsx'
import { Statistics } from './statistics.tsx'

/** What failed, since when and how often; of one account, why. */
export function FailuresTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const range = useRoute(({ route }): HistoryRange =>
    route.page === 'webhooks' && route.view === 'webhook' ? route.range : '24h',
  )
  if (item === '') return <Statistics webhook={webhook} range={range} />
  return <ExplanationView webhook={webhook} account={item} range={range} />
}
