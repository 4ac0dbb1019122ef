import { formatNumber } from '../../format.ts'
import { useResource, valueOf } from '../../resource.ts'
import { emptyQuery, printRoute } from '../../route.ts'
import { captureCounts } from '../capture-counts.ts'
import { figures } from './chart-data.ts'
import styles from './overview.module.css'

const list = printRoute({ page: 'inspector', captureId: null, query: emptyQuery })

export function Figures() {
  const counts = valueOf(useResource(captureCounts))
  const recent = useResource(figures)
  const some = valueOf(recent)
  const problem = recent.status === 'failed' ? recent.error.message : null
  const refused = some?.refusedLastDay ?? 0
  return (
    <div className={styles['figures']}>
      <Figure
        name="Captures"
        value={counts?.total}
        more={counts === null ? '' : `${formatNumber(counts.pinned)} pinned`}
      />
      <Figure name="Unread" value={counts?.unread} more="since the list was last read" />
      <Figure
        name="Last hour"
        value={some?.lastHour}
        more={problem ?? `${formatNumber(some?.lastDay ?? 0)} in the last 24 h`}
      />
      <Figure
        name="Refused"
        value={some?.refusedLastDay}
        more={problem ?? 'answered other than 2xx, last 24 h'}
        bad={refused > 0}
      />
    </div>
  )
}

function Figure({
  name,
  value,
  more,
  bad = false,
}: {
  name: string
  value: number | undefined
  more: string
  bad?: boolean
}) {
  return (
    <a href={list} className={styles['figure']}>
      <span className={styles['name']}>{name}</span>
      <span className={`${styles['value'] ?? ''} ${bad ? (styles['bad'] ?? '') : ''}`}>
        {value === undefined ? '–' : formatNumber(value)}
      </span>
      <span className={styles['more']}>{more}</span>
    </a>
  )
}
