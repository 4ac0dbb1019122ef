import type { ReplayJob } from '../../../src-preload/contract/index.ts'
import { formatNumber } from '../../format.ts'
import { printDone, printPace } from '../jobs/job-state.ts'
import { Progress } from '../progress.tsx'
import { titleOf } from './job-words.ts'
import styles from '../jobs/job-strip.module.css'

/** How far it has come, at what rate, and what went wrong. */
export function JobProgress({ job }: { job: ReplayJob }) {
  return (
    <span className={styles['counts']}>
      <Progress label={`Progress of ${titleOf(job)}`} done={job.sent} of={job.total} />
      <span>{printDone(job.sent, job.total)}</span>
      {job.failed > 0 && <span className={styles['bad']}>{formatNumber(job.failed)} failed</span>}
      <span className={styles['pace']}>{printPace(job)}</span>
    </span>
  )
}
