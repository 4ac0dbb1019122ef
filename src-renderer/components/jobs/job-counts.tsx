import type { ReactNode } from 'react'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { formatNumber } from '../../ui/format.ts'
import { Progress } from '../../ui/progress.tsx'
import { printDone, printPace } from './job-state.ts'
import styles from './job-strip.module.css'

/** How far it has come, at what rate, and what went wrong. */
export function JobCounts({
  title,
  job,
  done,
  total,
  failed,
  children,
}: {
  title: string
  job: {
    readonly state: JobState
    readonly rate: number | null
    readonly secondsLeft: number | null
  }
  done: number
  total: number
  failed: number
  children?: ReactNode
}) {
  return (
    <span className={styles['counts']}>
      <Progress label={`Progress of ${title}`} done={done} of={total} />
      <span>{printDone(done, total)}</span>
      {failed > 0 && <span className={styles['bad']}>{formatNumber(failed)} failed</span>}
      {children}
      <span className={styles['pace']}>{printPace(job)}</span>
    </span>
  )
}
