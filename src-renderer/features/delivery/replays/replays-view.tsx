import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { formatCount } from '../../../ui/format.ts'
import { useResource } from '../../../app/resource.ts'
import { emptyQuery, navigate, useRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { isOver } from '../../../components/jobs/job-state.ts'
import { JobRow, JobsTable } from '../../../components/jobs/jobs-table.tsx'
import list from '../../../components/jobs/jobs-table.module.css'
import { JobMenu, MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { JobView } from './job-view.tsx'
import { sayCounts, sayOrder, titleOf, toneOf } from './job-words.ts'
import { openReplay } from './replay-dialog-state.ts'
import { replayRoute, replays, replaysHome } from './replays.ts'
import styles from './replays.module.css'

/** What was sent again, each time with what came back. */
export function ReplaysView() {
  const state = useResource(replays)
  const id = useRoute(({ route }) =>
    route.page === 'workbench' && route.view === 'replays' ? route.job : null,
  )
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The replays could not be listed"
        why={state.error.message}
        onRetry={() => void replays.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={6} label="Loading the replays" />
  if (id === null) return <Jobs jobs={state.value} />
  const open = state.value.find((job) => job.id === id)
  if (open !== undefined) {
    return <JobView key={open.id} job={open} onLeave={() => navigate(replaysHome)} />
  }
  return (
    <EmptyState title="There is no such replay" detail="It was removed, or never was here.">
      <Button onClick={() => navigate(replaysHome)}>Show all replays</Button>
    </EmptyState>
  )
}

const replaySince = () => openReplay({ kind: 'since', at: 0 })

const head = [
  { name: 'Replay' },
  { name: 'State', className: styles['state'] },
  { name: 'Requests', className: styles['progress'] },
  { name: 'Begun', className: styles['begun'] },
  { name: 'Actions', hideName: true, className: styles['actions'] },
]

function Jobs({ jobs }: { jobs: readonly ReplayJob[] }) {
  if (jobs.length === 0) {
    return (
      <EmptyState
        title="Nothing was replayed yet"
        detail="A capture can be sent again to the server you are working on: as it came or edited, once or a thousand times, at its own pace or faster, in order or shuffled on purpose. Press r on a capture or on several that are selected."
      >
        <Button
          kind="main"
          onClick={() => navigate({ page: 'inspector', captureId: null, query: emptyQuery })}
        >
          Choose a capture
        </Button>
        <Button onClick={replaySince}>Everything since…</Button>
      </EmptyState>
    )
  }
  return (
    <div className={pane['pane']}>
      <div className={pane['head']}>
        <h2 className={pane['title']}>{formatCount(jobs.length, 'replay')}</h2>
        <span className={styles['end']}>
          <Button icon="play" onClick={replaySince}>
            Everything since…
          </Button>
        </span>
      </div>
      {/* Scrollable, so it must be reachable by keyboard. */}
      <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Replays">
        <JobsTable
          jobs={jobs}
          head={head}
          className={styles['table']}
          keys={{ group: 'Replays', thing: 'replay' }}
        >
          {(job) => <Replay key={job.id} job={job} />}
        </JobsTable>
      </div>
    </div>
  )
}

function Replay({ job }: { job: ReplayJob }) {
  const ordered = sayOrder(job)
  return (
    <JobRow
      job={job}
      title={<UntrustedText text={titleOf(job)} />}
      route={replayRoute(job.id)}
      note={ordered !== null && <span className={list['note']}>{ordered}</span>}
      tone={toneOf(job)}
      createdAt={job.createdAt}
      actions={
        <>
          <MainAction job={job} />
          <JobMenu job={job} />
        </>
      }
    >
      <td>{isOver(job) ? sayCounts(job) : <JobProgress job={job} />}</td>
    </JobRow>
  )
}
