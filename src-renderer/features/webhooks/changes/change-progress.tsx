import type { Change } from '../../../../src-preload/contract/subscription.ts'
import { JobCounts } from '../../../components/jobs/job-counts.tsx'
import { countSettled, titleOf } from './change-words.ts'

export function ChangeProgress({ change }: { change: Change }) {
  const { total, failed } = change.counts
  return (
    <JobCounts
      title={titleOf(change)}
      job={change}
      done={countSettled(change)}
      {...{ total, failed }}
    />
  )
}
