import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import charts from '../../../components/charts/chart.module.css'
import { failuresHref } from './links.ts'
import { ranges } from './ranges.ts'

/** How far back one looks; it stays in the address. */
export function RangeLinks({
  webhook,
  account = '',
  range,
}: {
  webhook: Webhook
  account?: string
  range: HistoryRange
}) {
  return (
    <nav className={charts['ranges']} aria-label="Range">
      {ranges.map(({ name, label }) => (
        <a
          key={name}
          className={charts['range']}
          href={failuresHref(webhook, name, account)}
          aria-current={name === range ? 'true' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}
