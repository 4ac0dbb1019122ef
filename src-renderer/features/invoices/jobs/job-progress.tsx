import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import { formatNumber } from '../../../format.ts'
import { JobCounts } from '../../jobs/job-counts.tsx'
import { countSettled, titleOf } from './job-words.ts'
import styles from '../../jobs/job-strip.module.css'

export function JobProgress({ job }: { job: InvoiceJob }) {
  const { total, failed, unclear } = job
  return (
    <JobCounts title={titleOf(job)} job={job} done={countSettled(job)} {...{ total, failed }}>
      {unclear > 0 && <span className={styles['warn']}>{formatNumber(unclear)} unclear</span>}
    </JobCounts>
  )
}
