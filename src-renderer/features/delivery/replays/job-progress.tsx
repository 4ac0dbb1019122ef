import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { JobCounts } from '../../../components/jobs/job-counts.tsx'
import { titleOf } from './job-words.ts'

export function JobProgress({ job }: { job: ReplayJob }) {
  const { sent, total, failed } = job
  return <JobCounts title={titleOf(job)} job={job} done={sent} {...{ total, failed }} />
}
