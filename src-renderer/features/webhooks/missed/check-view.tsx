import { useState } from 'react'
import type { MissedCheck } from '../../../../src-preload/contract/missed-events.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useData, useDataOf } from '../../../app/bridge.ts'
import { captureHref, navigate } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import {
  leftToRebuild,
  maxLookedThrough,
  rebuildMissing,
} from '../../../components/missed-events.ts'
import { OneJob, useJobs } from '../../../components/jobs/job-kind.tsx'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { count } from '../../../components/charts/series.ts'
import { tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { Hint, Note, Pane, Row, Tag } from '../../../ui/layout.tsx'
import { useNow } from '../../../ui/time.tsx'
import { ActionButton, Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { formatCount, formatDay, formatExact, formatMinute, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Table, column } from '../../../ui/table.tsx'
import { checkJobs, describeCounts, verdictPoints, verdictSeries } from './checks.ts'
import { EventList, events } from './events.tsx'

/** Shows one check, which the address names by its number. */
export function CheckView({ webhook, id }: { webhook: Webhook; id: number }) {
  const query = useJobs('missedEvents', webhook.network)
  const checks = query.data?.filter((each) => each.webhook === webhook.id)
  const leave = () => navigate(webhookRoute(webhook, 'missed'))
  const group = 'Missed events'
  useShortcuts([{ keys: ['Escape'], label: 'Back to all checks', group, run: leave }])
  return (
    <OneJob query={{ ...query, data: checks }} id={id} thing="check" onAll={leave}>
      {(check) => <Check check={check} onLeave={leave} />}
    </OneJob>
  )
}

function Check({ check, onLeave }: { check: MissedCheck; onLeave: () => void }) {
  const [rebuilt, setRebuilt] = useState<Output<'missedEvents.rebuild'> | null>(null)
  return (
    <Pane roomy>
      <checkJobs.Head
        job={check}
        back={{ label: 'All checks', run: onLeave }}
        level="h3"
        about={
          <>
            , blocks of <SpanText from={check.from} to={check.to} />
          </>
        }
      >
        {check.unread > 0 && <UnreadAccounts check={check} />}
        {check.counts.missing > 0 && <RebuildButton check={check} onRebuilt={setRebuilt} />}
      </checkJobs.Head>
      {rebuilt !== null && <Rebuilt result={rebuilt} />}
      <checkJobs.Standing job={check} />
      {check.events > 0 && <Picture check={check} />}
      <EventList check={check} onLeave={onLeave} />
    </Pane>
  )
}

/** Shows a period to the minute, and the exact times in a tooltip. Times are in milliseconds. */
export function SpanText({ from, to }: { from: number; to: number }) {
  const now = useNow()
  const [first, last] = [fromMs(from), fromMs(to)]
  const days = [formatDay(first, now), formatDay(last, now)]
  const end = days[0] === days[1] ? formatMinute(last) : `${days[1] ?? ''} ${formatMinute(last)}`
  return (
    <span title={`${formatExact(first)}\nto\n${formatExact(last)}`}>
      {days[0]} {formatMinute(first)} to {end}
    </span>
  )
}

function Picture({ check: { id, counts, events: found } }: { check: MissedCheck }) {
  const now = useNow()
  return (
    <Loaded query={useData('missedEvents.histogram', { id, steps: 60 })} of="the chart" rows={4}>
      {(histogram) => {
        const points = verdictPoints(histogram)
        const step = fromMs(histogram.milliseconds)
        return (
          <TimeChartPanel
            low
            title="Events"
            unit="by block time"
            name={`Events by block time: ${describeCounts({ counts, events: found })}`}
            kind="bars"
            points={points}
            series={verdictSeries(counts)}
            axis={timeAxis(
              points.map(({ startsAt }) => startsAt),
              { step, between: tickStepOf(step * points.length), now },
            )}
            measure={count}
          />
        )
      }}
    </Loaded>
  )
}

/** The button that stores missing events as captures, if some are not stored yet. */
function RebuildButton({
  check: { id, state, counts },
  onRebuilt,
}: {
  check: MissedCheck
  onRebuilt: (result: Output<'missedEvents.rebuild'>) => void
}) {
  const { missing } = counts
  const { data: page } = useDataOf(
    'missedEvents.events',
    state === 'running'
      ? null
      : { id, filter: { verdict: 'missing' }, offset: 0, limit: maxLookedThrough },
  )
  /** The number of missing events at the time when all of them were rebuilt. */
  const [done, setDone] = useState<number | null>(null)
  const left = done === missing ? 0 : ((page && leftToRebuild(page)) ?? missing)
  if (left === 0) return <Tag tone="ok">all {formatCount(missing, 'missing event')} rebuilt</Tag>

  const rebuild = async () => {
    const result = await rebuildMissing(id, left)
    if (result === undefined) return
    setDone(missing)
    onRebuilt(result)
    events.refresh()
  }
  return (
    <ActionButton kind="main" icon="inspector" action={rebuild}>
      Rebuild {formatCount(left, 'missing event')}…
    </ActionButton>
  )
}

/** Shows the result of a rebuild, with a link to its captures. */
function Rebuilt({ result: { rebuilt, captures } }: { result: Output<'missedEvents.rebuild'> }) {
  const [first] = captures
  return (
    <Note tone="ok">
      <Row role="status">
        {rebuilt === 0
          ? 'All missing events had already been rebuilt.'
          : `${formatCount(rebuilt, 'event')} rebuilt as captures.`}
        {first !== undefined && <a href={captureHref(first)}>Open the first rebuilt capture</a>}
      </Row>
    </Note>
  )
}

function UnreadAccounts({ check }: { check: MissedCheck }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="warning" onClick={() => setOpen(true)}>
        {formatCount(check.unread, 'account')} not checked
      </Button>
      {isOpen && (
        <Dialog
          open
          onClose={() => setOpen(false)}
          wide
          title={`${formatCount(check.unread, 'account')} could not be checked`}
          detail="Tondesk could not load the transactions of these accounts. To try again, resume this check or start a new check."
          buttons={<Button onClick={() => setOpen(false)}>Close</Button>}
        >
          <Unread id={check.id} />
        </Dialog>
      )}
    </>
  )
}

const maxListed = 500

type UnreadAccount = Output<'missedEvents.accounts'>['accounts'][number]

function Unread({ id }: { id: number }) {
  const query = useData('missedEvents.accounts', {
    id,
    only: 'unread',
    offset: 0,
    limit: maxListed,
  })
  return (
    <Loaded query={query} of="the accounts">
      {({ accounts, total }) => (
        <>
          <Table<UnreadAccount>
            boxed
            label="Accounts that could not be checked"
            rows={accounts}
            keyOf={({ account }) => account}
            columns={[
              column('Account', {}, ({ account, label }) => (
                <AccountLink account={{ address: account, label }} />
              )),
              column('Reason', { wraps: true }, ({ problem }) => problem ?? 'Unknown'),
            ]}
          />
          {total > accounts.length && (
            <Hint>and {formatCount(total - accounts.length, 'more account')}</Hint>
          )}
        </>
      )}
    </Loaded>
  )
}
