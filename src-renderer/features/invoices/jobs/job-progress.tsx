import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import { formatNumber } from '../../../ui/format.ts'
import { JobCounts } from '../../../components/jobs/job-counts.tsx'
import { countSettled, titleOf } from './job-words.ts'
import styles from '../../../components/jobs/job-strip.module.css'

export function JobProgress({ job }: { job: InvoiceJob }) {
  const { total, failed, unclear } = job
  return (
    <JobCounts title={titleOf(job)} job={job} done={countSettled(job)} {...{ total, failed }}>
      {unclear > 0 && <span className={styles['warn']}>{formatNumber(unclear)} unclear</span>}
    </JobCounts>
  )
}
