import type { Change } from '../../../../src-preload/contract/index.ts'
import { formatNumber } from '../../../format.ts'
import { printDone, printPace } from '../../jobs/job-state.ts'
import { Progress } from '../../progress.tsx'
import { countSettled, titleOf } from './change-words.ts'
import styles from '../../jobs/job-strip.module.css'

/** How far a change has come, at what rate, and what went wrong. */
export function ChangeProgress({ change }: { change: Change }) {
  const { counts } = change
  return (
    <span className={styles['counts']}>
      <Progress
        label={`Progress of ${titleOf(change)}`}
        done={countSettled(change)}
        of={counts.total}
      />
      <span>{printDone(countSettled(change), counts.total)}</span>
      {counts.failed > 0 && (
        <span className={styles['bad']}>{formatNumber(counts.failed)} failed</span>
      )}
      <span className={styles['pace']}>{printPace(change)}</span>
    </span>
  )
}
