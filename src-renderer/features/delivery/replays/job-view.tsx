import { useEffect, useMemo, useState } from 'react'
import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { attempt } from '../../../app/attempt.ts'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { stateWords } from '../../../components/jobs/job-state.ts'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { useLookAgain } from '../../../components/list/use-look-again.ts'
import { JobMenu, MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { sayCounts, sayOrder, titleOf, toneOf } from './job-words.ts'
import { SendingRow } from './sending-row.tsx'
import { type SendingList, createSendingList } from './sendings.ts'
import strip from '../../../components/jobs/job-strip.module.css'
import styles from './replays.module.css'

/** One replay and what each of its requests was answered. */
export function JobView({ job, onLeave }: { job: ReplayJob; onLeave: () => void }) {
  const [shown, setShown] = useState<'all' | 'failed'>('all')
  useShortcuts([{ keys: ['Escape'], label: 'Back to Replays', group: 'Replay', run: onLeave }])
  const ordered = sayOrder(job)
  return (
    <section className={pane['pane']} aria-label={titleOf(job)}>
      <div>
        <div className={pane['head']}>
          <Button kind="quiet" icon="left" onClick={onLeave}>
            Replays
          </Button>
          <h2 className={pane['title']}>
            <UntrustedText text={titleOf(job)} />
          </h2>
          <Tag tone={toneOf(job)}>{stateWords[job.state]}</Tag>
          <span className={classes(text['dim'], text['small'], text['cut'])}>
            begun <Moment at={job.createdAt} />
            {ordered !== null && `, ${ordered}`}
          </span>
          <span className={styles['end']}>
            <MainAction job={job} />
            <JobMenu job={job} />
          </span>
        </div>
        <Standing job={job} />
        <div className={styles['filter']}>
          <ChoiceChips<'all' | 'failed'>
            label="Requests shown"
            value={shown}
            choices={[
              { value: 'all', label: 'All', count: job.sent },
              { value: 'failed', label: 'Failed', count: job.failed, tone: 'bad' },
            ]}
            onChange={setShown}
          />
        </div>
      </div>
      <Sendings key={shown} job={job} onlyFailed={shown === 'failed'} />
    </section>
  )
}

function Standing({ job }: { job: ReplayJob }) {
  const isOver = job.state === 'done' || job.state === 'cancelled'
  return (
    <div className={styles['standing']}>
      {isOver ? <p>{sayCounts(job)}</p> : <JobProgress job={job} />}
      {job.problem !== null && (
        <p className={strip['problem']} role="status">
          {job.problem}
        </p>
      )}
      {job.remarks.map((remark) => (
        <p key={remark} className={styles['remark']}>
          {remark}
        </p>
      ))}
    </div>
  )
}

const head = [
  { name: 'No.', number: true, className: styles['no'] },
  { name: 'Capture', className: styles['capture'] },
  { name: 'Answer' },
  { name: 'Sent', className: styles['begun'] },
]

function Sendings({ job, onlyFailed }: { job: ReplayJob; onlyFailed: boolean }) {
  const list = useMemo(() => createSendingList(job.id, onlyFailed), [job.id, onlyFailed])
  const state = list.store()
  const [open, setOpen] = useState<string | null>(null)
  useEffect(() => void list.loadMore(), [list])
  useLookAgain(`${job.sent} ${job.state}`, list.follow)
  if (state.status === 'loading') return <Skeleton rows={6} label="Loading the requests" />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The requests could not be listed"
        why={state.error.message}
        onRetry={() => void list.loadMore()}
      />
    )
  }
  if (state.rows.length === 0) {
    return (
      <EmptyState
        title={onlyFailed ? 'None has failed' : 'Nothing was sent yet'}
        detail={onlyFailed ? 'Each was answered 2xx.' : 'Requests stand here as they are answered.'}
      />
    )
  }
  return (
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Requests">
      <table className={classes(table['table'], table['sticky'], styles['sendings'])}>
        <TableHead cells={head} />
        <tbody>
          {state.rows.map((sending) => (
            <SendingRow
              key={sending.replayId}
              sending={sending}
              isOpen={sending.replayId === open}
              onOpen={(next) => setOpen(next ? sending.replayId : null)}
            />
          ))}
        </tbody>
      </table>
      <More list={list} shown={state.rows.length} hasMore={state.nextAfter !== null} />
    </div>
  )
}

function More({ list, shown, hasMore }: { list: SendingList; shown: number; hasMore: boolean }) {
  const isLoading = list.store((state) => state.status === 'ready' && state.isLoading)
  return (
    <p className={styles['foot']}>
      {formatCount(shown, 'request')} shown
      {hasMore && (
        <Button
          busy={isLoading}
          onClick={() => void attempt('Could not load more', () => list.loadMore())}
        >
          Load more
        </Button>
      )}
    </p>
  )
}
