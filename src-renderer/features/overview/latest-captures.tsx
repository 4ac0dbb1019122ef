import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import { formatBytes, formatDuration } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { useResource } from '../../app/resource.ts'
import { captureHref, emptyQuery, printRoute } from '../../app/route.ts'
import { classes } from '../../ui/classes.ts'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tag } from '../../ui/tag.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import { useAccountName } from '../../components/chain/account-link.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { latestCaptures } from './chart-data.ts'
import styles from './overview.module.css'

export function LatestCaptures() {
  const state = useResource(latestCaptures)
  return (
    <section className={styles['latest']} aria-label="Latest captures">
      <div className={styles['latestHead']}>
        <h2>Latest captures</h2>
        <span className={styles['end']}>
          <a href={printRoute({ page: 'inspector', captureId: null, query: emptyQuery })}>
            All captures
          </a>
        </span>
      </div>
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={6} />}
      {state.status === 'failed' && (
        <FailedState
          what="The latest captures could not be read"
          why={state.error.message}
          onRetry={() => void latestCaptures.reload()}
        />
      )}
      {state.status === 'ready' && <Rows rows={state.value.rows} />}
    </section>
  )
}

function Rows({ rows }: { rows: readonly CaptureRow[] }) {
  return (
    <table className={classes(table['table'], styles['rows'])}>
      <thead>
        <tr>
          <th scope="col" className={styles['narrow']}>
            Time
          </th>
          <th scope="col" className={styles['wide']}>
            Event
          </th>
          <th scope="col" className={styles['wide']}>
            Account
          </th>
          <th scope="col">Content</th>
          <th scope="col" className={classes(table['number'], styles['narrow'])}>
            Size
          </th>
          <th scope="col" className={classes(table['number'], styles['narrow'])}>
            Took
          </th>
          <th scope="col" className={styles['narrow']}>
            Answer
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className={styles['row']}>
            <td className={text['dim']}>
              <Moment at={row.receivedAt} />
            </td>
            <td>
              <a href={captureHref(row.id)} className={styles['rowLink']}>
                {row.kind ?? row.method}
              </a>
            </td>
            <td className={text['mono']} title={row.account ?? undefined}>
              <Account row={row} />
            </td>
            <td className={classes(text['dim'], text['cut'])} title={row.summary}>
              {row.summary}
            </td>
            <td className={table['number']}>{formatBytes(row.bodyBytes)}</td>
            <td className={table['number']}>{formatDuration(row.durationUs)}</td>
            <td>
              <Answer status={row.status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Account({ row }: { row: CaptureRow }) {
  return <UntrustedText text={useAccountName(row) ?? ''} />
}

function Answer({ status }: { status: number | null }) {
  if (status === null) return <Tag tone="warn">no answer</Tag>
  const tone = status < 300 ? 'ok' : status < 500 ? 'warn' : 'bad'
  return <Tag tone={tone}>{status}</Tag>
}
