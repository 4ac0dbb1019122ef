import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { accountsHome } from '../../app/chain-route.ts'
import { useData } from '../../app/queries.ts'
import { navigate } from '../../app/route.ts'
import { printPace } from '../../components/jobs/job-state.ts'
import { JobRow, JobsTable } from '../../components/jobs/jobs-table.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber, fromMs } from '../../ui/format.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { Row } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Progress } from '../../ui/progress.tsx'
import { Text } from '../../ui/text.tsx'
import { countDone, lookupJobs, lookupRoute, printProgress, titleOf } from './lookups.tsx'

/** The lookups of all networks. */
export function LookupList() {
  return (
    <Loaded query={useData('lookup.list')} of="the lookups">
      {(jobs) => (jobs.length === 0 ? <FirstLookup /> : <Lookups jobs={jobs} />)}
    </Loaded>
  )
}

function FirstLookup() {
  return (
    <EmptyState
      title="Look up many accounts at once"
      detail="Paste or drop a list of addresses in any form. Tondesk reads status, balance, wallet type and last activity of each account; sort, filter and export the results. Run the lookup again later to see what changed."
    >
      <Button kind="main" icon="plus" onClick={() => navigate({ ...accountsHome, view: 'new' })}>
        New lookup <Kbd>n</Kbd>
      </Button>
    </EmptyState>
  )
}

const head = [
  { name: 'Name' },
  { name: 'Network', width: 120 },
  { name: 'State', width: 100 },
  { name: 'Accounts', width: 280 },
  { name: 'Not looked up', number: true, width: 110 },
  { name: 'Started', width: 130 },
  { name: 'Actions', hideName: true, width: 150 },
]

function Lookups({ jobs }: { jobs: readonly LookupJob[] }) {
  return (
    <JobsTable jobs={jobs} head={head} keys={{ group: 'Accounts', thing: 'lookup' }}>
      {(job) => <Lookup key={job.id} job={job} />}
    </JobsTable>
  )
}

function Lookup({ job }: { job: LookupJob }) {
  const { counts, state, comparedTo, failed } = job
  const left = counts.duplicate + counts.wrongNetwork + counts.invalid
  return (
    <JobRow
      job={job}
      title={titleOf(job)}
      route={lookupRoute(job)}
      note={comparedTo !== null && 'compared with an earlier lookup'}
      beforeState={
        <td>
          <NetworkTag id={job.network} />
        </td>
      }
      createdAt={fromMs(job.createdAt)}
      actions={
        <>
          <lookupJobs.MainAction job={job} />
          <lookupJobs.JobMenu job={job} />
        </>
      }
    >
      <td>
        <Row gap="s">
          {printProgress(job)}
          {failed > 0 && <Text tone="bad">{formatNumber(failed)} failed</Text>}
          <Text tone="faint">{printPace(job)}</Text>
        </Row>
        {state !== 'done' && (
          <Progress label={`Progress of ${titleOf(job)}`} done={countDone(job)} of={counts.valid} />
        )}
      </td>
      <td>
        <Text as="div" number tone="dim">
          {left > 0 && formatNumber(left)}
        </Text>
      </td>
    </JobRow>
  )
}
