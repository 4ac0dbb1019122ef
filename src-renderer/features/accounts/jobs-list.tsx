import { useRef } from 'react'
import type { LookupJob } from '../../../src-preload/contract/index.ts'
import { accountsHome } from '../../chain-route.ts'
import { formatNumber, fromMs } from '../../format.ts'
import { Moment } from '../../moment.tsx'
import { useResource } from '../../resource.ts'
import { navigate, printRoute } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import table from '../../ui/table.module.css'
import { Tag } from '../../ui/tag.tsx'
import text from '../../ui/text.module.css'
import { JobMenu, PauseButton } from './job-menu.tsx'
import { printPace, stateTones, stateWords } from '../jobs/job-state.ts'
import list from '../jobs/jobs-table.module.css'
import { countDone, printProgress, titleOf } from './job-words.ts'
import { lookups } from './lookups.ts'
import { useLinkKeys } from '../list/use-link-keys.ts'
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
  const body = useRef<HTMLTableSectionElement>(null)
  useLinkKeys(body, { group: 'Accounts', thing: 'lookup' })
  return (
    <table className={classes(table['table'], table['sticky'], list['table'], styles['table'])}>
      <TableHead cells={head} />
      <tbody ref={body}>
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </tbody>
    </table>
  )
}

function JobRow({ job }: { job: LookupJob }) {
  const { counts, state, problem, createdAt, comparedTo } = job
  const left = counts.duplicate + counts.wrongNetwork + counts.invalid
  return (
    <tr className={list['row']}>
      <td className={list['name']}>
        <a
          data-walk
          className={list['link']}
          href={printRoute({ ...accountsHome, view: 'job', id: job.id })}
        >
          {titleOf(job)}
        </a>
        {comparedTo !== null && (
          <span className={list['note']} title="It tells what has changed since an earlier one.">
            looked up again
          </span>
        )}
        {problem !== null && (
          <p className={classes(list['problem'], state === 'failed' && list['bad'])}>{problem}</p>
        )}
      </td>
      <td>
        <NetworkTag id={job.network} />
      </td>
      <td>
        <Tag tone={stateTones[state]}>{stateWords[state]}</Tag>
      </td>
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
      <td className={text['dim']}>
        <Moment at={fromMs(createdAt)} />
      </td>
      <td className={list['actionsCell']}>
        <span className={list['actions']}>
          <PauseButton job={job} />
          <JobMenu job={job} />
        </span>
      </td>
    </tr>
  )
}
