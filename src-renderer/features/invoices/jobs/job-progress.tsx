import type { InvoiceJob } from '../../../../src-preload/contract/index.ts'
import { formatNumber } from '../../../format.ts'
import { printDone, printPace } from '../../jobs/job-state.ts'
import { Progress } from '../../progress.tsx'
import { countSettled, titleOf } from './job-words.ts'
import styles from '../../jobs/job-strip.module.css'

/** How far a job has come, at what rate, and what went wrong. */
export function JobProgress({ job }: { job: InvoiceJob }) {
  return (
    <span className={styles['counts']}>
      <Progress label={`Progress of ${titleOf(job)}`} done={countSettled(job)} of={job.total} />
      <span>{printDone(countSettled(job), job.total)}</span>
      {job.failed > 0 && <span className={styles['bad']}>{formatNumber(job.failed)} failed</span>}
      {job.unclear > 0 && (
        <span className={styles['warn']}>{formatNumber(job.unclear)} unclear</span>
      )}
      <span className={styles['pace']}>{printPace(job)}</span>
    </span>
  )
}
