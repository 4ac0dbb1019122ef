import { formatNumber } from '../../ui/format.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { queryHref } from '../../app/route.ts'
import { Figure, Figures as Row } from '../../ui/figure.tsx'
import { figures } from './chart-data.ts'

export function Figures() {
  const recent = useResource(figures)
  const some = valueOf(recent)
  const counts = some?.counts ?? null
  const problem = recent.status === 'failed' ? recent.error.message : null
  const refused = some?.refusedLastDay ?? 0
  // What was put here by hand is not counted.
  const received = (text: string) =>
    queryHref(`${text} ${(counts?.others ?? 0) > 0 ? 'origin:received' : ''}`.trim())
  return (
    <Row>
      <Figure
        name="Captures"
        href={received('')}
        value={print(counts?.total)}
        more={counts === null ? '' : `${formatNumber(counts.pinned)} pinned`}
      />
      <Figure
        name="Unread"
        href={queryHref('')}
        value={print(counts?.unread)}
        more="since the list was last read"
      />
      <Figure
        name="Last hour"
        href={received('received:>-1h')}
        value={print(some?.lastHour)}
        more={problem ?? `${formatNumber(some?.lastDay ?? 0)} in the last 24 h`}
      />
      <Figure
        name="Refused"
        href={received('received:>-24h -status:2xx')}
        value={print(some?.refusedLastDay)}
        more={problem ?? 'answered other than 2xx, last 24 h'}
        bad={refused > 0}
      />
    </Row>
  )
}

function print(count: number | undefined): string | undefined {
  return count === undefined ? undefined : formatNumber(count)
}
