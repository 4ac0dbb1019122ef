import { useState } from 'react'
import type { ReplayJob, ReplaySending } from '../../../src-preload/contract/replay.ts'
import { usePages } from '../../app/bridge.ts'
import { captureHref, navigate } from '../../app/route.ts'
import { SentTwice } from '../../components/delivery/capture-forwards.tsx'
import {
  formatSequence,
  openReplay,
  replayJobs,
  replayTitle,
} from '../../components/delivery/replays.tsx'
import { OneJob, useJobs } from '../../components/jobs/job-kind.tsx'
import { ResponseContent, ResponseLine } from '../../components/delivery/target-response.tsx'
import { Choices, Button } from '../../ui/button.tsx'
import { Hint, Pane, Row, Section, Small, Stack } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { EmptyState, Loaded, MoreButton } from '../../ui/loaded.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { type TableColumn, Table, column } from '../../ui/table.tsx'

/** Shows one replay with its responses. */
export function ReplayView({ id }: { id: number }) {
  return (
    <OneJob query={useJobs('replay')} id={id} thing="replay" onAll={leave}>
      {(job) => <ReplayDetail job={job} />}
    </OneJob>
  )
}

const leave = () => navigate({ page: 'jobs' })

/** The list of replays on the page of jobs. */
export function Replays() {
  return (
    <Section
      level={2}
      title="Replays"
      detail="A replay sends stored captures to your server again, as received or edited. To start a replay, select captures in the Inspector and press r."
      end={
        <Button icon="play" onClick={() => openReplay({ kind: 'since', at: 0 })}>
          Replay recent captures…
        </Button>
      }
    >
      <Loaded query={useJobs('replay')} of="the replays">
        {(jobs) => jobs.length > 0 && <replayJobs.JobTable jobs={jobs} of="Replays" />}
      </Loaded>
    </Section>
  )
}

function ReplayDetail({ job }: { job: ReplayJob }) {
  const [shown, setShown] = useState<'all' | 'failed'>('all')
  useShortcuts([{ keys: ['Escape'], label: 'Back to the jobs', group: 'Replay', run: leave }])
  const sequence = formatSequence(job)
  return (
    <Pane role="region" aria-label={replayTitle(job)}>
      <replayJobs.Head
        job={job}
        back={{ label: 'Jobs', run: leave }}
        about={sequence !== null && `, ${sequence}`}
      />
      <replayJobs.Standing job={job}>
        {job.remarks.map((remark) => (
          <Hint key={remark}>{remark}</Hint>
        ))}
      </replayJobs.Standing>
      <Row pad="m" line="below">
        <Choices<'all' | 'failed'>
          label="Requests to show"
          value={shown}
          options={[
            { value: 'all', label: 'All', count: job.sent },
            { value: 'failed', label: 'Failed', count: job.failed, tone: 'bad' },
          ]}
          onChange={setShown}
        />
      </Row>
      <Requests key={shown} job={job} onlyFailed={shown === 'failed'} />
    </Pane>
  )
}

const pageSize = 100

function Requests({ job: { id }, onlyFailed }: { job: ReplayJob; onlyFailed: boolean }) {
  const query = usePages<'replay.sendings', number>(
    'replay.sendings',
    (after) => ({ id, onlyFailed, after: after ?? -1, limit: pageSize }),
    ({ nextAfter }) => nextAfter,
  )
  return (
    <Loaded query={query} of="the requests">
      {({ pages }) => {
        const rows = pages.flatMap(({ sendings }) => sendings)
        if (rows.length === 0) {
          return onlyFailed ? (
            <EmptyState title="No failed requests" detail="Every response was 2xx." />
          ) : (
            <EmptyState
              title="No requests sent yet"
              detail="Requests appear here once they are sent."
            />
          )
        }
        return (
          <Stack scroll tabIndex={0} role="region" aria-label="Requests">
            <Table
              label="Requests"
              columns={columns}
              rows={rows}
              keyOf={({ replayId }) => replayId}
              fold={{
                name: ({ index }) => `Response to request ${formatNumber(index + 1)}`,
                content: (sending) => <Sent sending={sending} />,
              }}
            />
            <Row pad="m">
              <Small>{formatCount(rows.length, 'request')} shown</Small>
              <MoreButton query={query}>Load more requests</MoreButton>
            </Row>
          </Stack>
        )
      }}
    </Loaded>
  )
}

const columns: readonly TableColumn<ReplaySending>[] = [
  column('No.', { width: 90 }, ({ index }) => formatNumber(index + 1)),
  column('Capture', { width: 90 }, ({ capture }) => <a href={captureHref(capture)}>{capture}</a>),
  column('Response', { wraps: true }, ({ answer, again }) => (
    <Row wrap>
      <ResponseLine response={answer} />
      {again && <SentTwice />}
    </Row>
  )),
  column('Sent', { width: 112, look: 'dim' }, ({ at }) => <Moment at={at} />),
]

function Sent({ sending: { answer, capture, target } }: { sending: ReplaySending }) {
  return (
    <Stack>
      <ResponseContent response={answer} />
      <div>
        <Button
          icon="play"
          onClick={() => openReplay({ kind: 'captures', ids: [capture] }, { target })}
        >
          Replay capture {capture}…
        </Button>
      </div>
    </Stack>
  )
}
