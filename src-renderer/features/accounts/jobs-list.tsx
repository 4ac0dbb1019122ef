import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { accountsHome } from '../../chain-route.ts'
import { formatNumber, fromMs } from '../../format.ts'
import { useResource } from '../../resource.ts'
import { navigate } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import { JobMenu, PauseButton } from './job-menu.tsx'
import { printPace } from '../jobs/job-state.ts'
import { JobRow, JobsTable } from '../jobs/jobs-table.tsx'
import list from '../jobs/jobs-table.module.css'
import { countDone, printProgress, titleOf } from './job-words.ts'
import { lookups } from './lookups.ts'
import { NetworkTag } from '../network-tag.tsx'
import { Progress } from '../progress.tsx'
import styles from './jobs-list.module.css'

/** The lookups there are, whichever network they are of. */
export function JobsList() {
  const state = useResource(lookups)
  switch (state.status) {
    case 'idle':
    case 'loading':
      return <Skeleton rows={6} label="Loading lookups" />
    case 'failed':
      return (
        <FailedState
          what="The lookups could not be listed"
          why={state.error.message}
          onRetry={() => void lookups.reload()}
        />
      )
    case 'ready':
      return state.value.length === 0 ? <FirstLookup /> : <Jobs jobs={state.value} />
  }
}

function FirstLookup() {
  return (
    <EmptyState
      title="Look up many accounts at once"
      detail="Paste or drop a list of addresses in any form: status, balance, wallet and last activity of each, to sort, filter and export. Looked up again later, it shows what has changed."
    >
      <Button kind="main" icon="plus" onClick={() => navigate({ ...accountsHome, view: 'new' })}>
        New lookup <Kbd>n</Kbd>
      </Button>
    </EmptyState>
  )
}

const head = [
  { name: 'Name' },
  { name: 'Network', className: styles['network'] },
  { name: 'State', className: styles['state'] },
  { name: 'Accounts', className: styles['progress'] },
  { name: 'Not looked up', number: true, className: styles['left'] },
  { name: 'Begun', className: styles['begun'] },
  { name: 'Actions', hideName: true, className: styles['buttons'] },
]

function Jobs({ jobs }: { jobs: readonly LookupJob[] }) {
  return (
    <JobsTable
      jobs={jobs}
      head={head}
      className={styles['table']}
      keys={{ group: 'Accounts', thing: 'lookup' }}
    >
      {(job) => <Lookup key={job.id} job={job} />}
    </JobsTable>
  )
}

function Lookup({ job }: { job: LookupJob }) {
  const { counts, state, comparedTo } = job
  const left = counts.duplicate + counts.wrongNetwork + counts.invalid
  return (
    <JobRow
      job={job}
      title={titleOf(job)}
      route={{ ...accountsHome, view: 'job', id: job.id }}
      note={
        comparedTo !== null && (
          <span className={list['note']} title="It tells what has changed since an earlier one.">
            looked up again
          </span>
        )
      }
      beforeState={
        <td>
          <NetworkTag id={job.network} />
        </td>
      }
      createdAt={fromMs(job.createdAt)}
      actions={
        <>
          <PauseButton job={job} />
          <JobMenu job={job} />
        </>
      }
    >
      <td className={styles['progress']}>
        <span className={styles['counts']}>
          {printProgress(job)}
          {job.failed > 0 && <span className={list['bad']}>{formatNumber(job.failed)} failed</span>}
          <span className={text['faint']}>{printPace(job)}</span>
        </span>
        {state !== 'done' && (
          <Progress label={`Progress of ${titleOf(job)}`} done={countDone(job)} of={counts.valid} />
        )}
      </td>
      <td className={classes(table['number'], text['dim'])}>{left > 0 && formatNumber(left)}</td>
    </JobRow>
  )
}
