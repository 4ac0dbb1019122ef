import { useEffect } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import type { MissedEventSchedule } from '../../../../src-preload/contract/missed-events.ts'
import { useData, attempt, request, reload } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { useForm, parseInteger } from '../../../app/use-form.ts'
import { useJobs } from '../../../components/jobs/job-kind.tsx'
import { describeLineCounts } from '../../../components/address-list/line-labels.ts'
import { ListSource } from '../../../components/address-list/list-entry.tsx'
import { DropZone } from '../../../components/files/drop-zone.tsx'
import { formatTimeSpan } from '../../../components/time-span.ts'
import { Form, Field, TextField, FormDialog } from '../../../ui/form.tsx'
import { Hint, Note, Row, Section, Stack, Text } from '../../../ui/layout.tsx'
import { Moment, useNow } from '../../../ui/time.tsx'
import { Button, Choices } from '../../../ui/button.tsx'
import {
  formatCount,
  formatDay,
  formatExact,
  formatMinute,
  formatUtc,
  fromMs,
} from '../../../ui/format.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { announce } from '../../../ui/toast.tsx'
import { useOpener } from '../../../ui/dialog.tsx'
import {
  type CheckedAccounts,
  type NewCheck,
  spanChoices,
  checkJobs,
  checkRoute,
  checkedList,
  startCheck,
  useNewCheck,
  parseLateness,
} from './checks.ts'
import { CheckView, SpanText } from './check-view.tsx'
import { MissedHeadline } from './headline.tsx'

/** The tab of checks for missed events; `item` is the open check. */
export function MissedTab({ webhook, item }: { webhook: Webhook; item: string }) {
  if (item !== '') return <CheckView key={item} webhook={webhook} id={Number(item)} />
  return (
    <>
      {!webhook.isHere && (
        <Note tone="warn">
          This webhook delivers to another endpoint, so this receiver cannot see its deliveries.
          Every event counts as missing.
        </Note>
      )}
      <MissedHeadline webhook={webhook} />
      <Section
        title="Missed events"
        detail="For each account, a check compares the transactions on the chain, the deliveries that the gateway reports, and the captures of this receiver. An event is missing if it is on the chain but this receiver did not accept it. You can rebuild missing events as captures. A check covers account subscriptions only: from the chain, Tondesk cannot tell which events an opcode, new-contracts or mempool subscription should have delivered."
      >
        <CheckForm webhook={webhook} />
      </Section>
      <CheckList webhook={webhook} />
      <Schedule webhook={webhook} />
    </>
  )
}

function CheckForm({ webhook }: { webhook: Webhook }) {
  const { accounts, span, lateAfter } = useNewCheck()
  const form = useForm({ span, lateAfter }, async () => {
    const check = await startCheck(webhook)
    if ('errors' in check) return check.errors
    checkJobs.begun(check)
    navigate(checkRoute(check))
  })
  const change = (part: Partial<NewCheck>) => {
    useNewCheck.setState(part)
    form.change({})
  }
  return (
    <Form form={form} action="Check" label="New check" inline>
      <Field label="Accounts">
        <Choices<CheckedAccounts>
          label="Accounts"
          value={accounts}
          onChange={(next) => change({ accounts: next })}
          options={[
            { value: 'all', label: 'All', count: webhook.accounts ?? undefined },
            { value: 'failing', label: 'Failing', count: webhook.failing },
            { value: 'list', label: 'Accounts from a list…' },
          ]}
        />
      </Field>
      {accounts === 'list' && <AccountList webhook={webhook} />}
      <Field label="Block time">
        <Choices
          label="Block time"
          value={span.name}
          onChange={(name) => change({ span: { ...span, name } })}
          options={spanChoices}
        />
      </Field>
      {span.name === 'free' && (
        <Row wrap align="start" gap="l">
          <TextField
            label="From"
            type="datetime-local"
            value={span.from}
            error={form.errors['span']}
            onChange={(from) => change({ span: { ...span, from } })}
          />
          <TextField
            label="To (now if empty)"
            type="datetime-local"
            value={span.to}
            onChange={(to) => change({ span: { ...span, to } })}
          />
        </Row>
      )}
      <TextField
        label="Maximum delivery delay"
        hint="A delivery that takes longer counts as late. The time starts with the block of the transaction."
        value={lateAfter}
        error={form.errors['lateAfter']}
        onChange={(next) => change({ lateAfter: next })}
      />
    </Form>
  )
}

function AccountList({ webhook }: { webhook: Webhook }) {
  const { draft, problem } = checkedList.store()
  const { feed } = checkedList
  useEffect(() => feed.useNetwork(webhook.network), [feed, webhook.network])
  return (
    <DropZone hint="Drop the file to read its addresses" onFile={feed.openFile}>
      <Stack>
        <ListSource list={checkedList}>
          <Text size="s" tone={problem === null ? undefined : 'bad'} role="status">
            {problem?.message ?? (draft === null ? '' : describeLineCounts(draft.counts))}
          </Text>
        </ListSource>
      </Stack>
    </DropZone>
  )
}

function CheckList({ webhook: { id, network } }: { webhook: Webhook }) {
  return (
    <Section title="Checks">
      <Loaded query={useJobs('missedEvents', network)} of="the checks" rows={3}>
        {(all) => {
          const checks = all.filter(({ webhook }) => webhook === id)
          if (checks.length === 0) {
            return (
              <Hint>
                No checks yet. The results of each check stay here until you remove the check.
              </Hint>
            )
          }
          return (
            <checkJobs.JobTable
              jobs={checks}
              of="Checks"
              group="Missed events"
              columns={[{ name: 'Block time', cell: (check) => <SpanText {...check} /> }]}
            />
          )
        }}
      </Loaded>
    </Section>
  )
}

/** The settings of scheduled checks. Each check continues at the end of the previous one. */
function Schedule({ webhook: { network, id } }: { webhook: Webhook }) {
  const { isOpen, setOpen, button } = useOpener()
  const remove = async () => {
    const done = await attempt('Could not remove the schedule', () =>
      request('missedEvents.removeSchedule', { network, webhook: id }),
    )
    if (done === undefined) return
    announce('Schedule removed')
    reload('missedEvents.schedules')
  }
  return (
    <Section title="Schedule">
      <Loaded query={useData('missedEvents.schedules', { network })} of="the schedule" rows={1}>
        {(schedules) => {
          const schedule = schedules.find(({ webhook }) => webhook === id) ?? null
          return (
            <Row wrap>
              {schedule === null ? 'No checks are scheduled.' : <Planned schedule={schedule} />}
              <Button ref={button} onClick={() => setOpen(true)}>
                {schedule === null ? 'Schedule checks…' : 'Change schedule…'}
              </Button>
              {schedule !== null && <Button onClick={() => void remove()}>Remove schedule</Button>}
              {isOpen && (
                <ScheduleDialog
                  network={network}
                  webhook={id}
                  schedule={schedule}
                  onClose={() => setOpen(false)}
                />
              )}
            </Row>
          )
        }}
      </Loaded>
    </Section>
  )
}

function Planned({ schedule }: { schedule: MissedEventSchedule }) {
  const { everyHours, lateAfterMs, checkedTo, nextAt } = schedule
  return (
    <span>
      All accounts are checked every {everyHours === 1 ? 'hour' : formatCount(everyHours, 'hour')}.
      A delivery is late if it arrives more than {formatTimeSpan(lateAfterMs)} after its block.
      {checkedTo !== null && (
        <>
          {' '}
          Checked until <Moment at={fromMs(checkedTo)} />.
        </>
      )}
      {nextAt !== null && (
        <>
          {' '}
          Next check at <Coming at={fromMs(nextAt)} />.
        </>
      )}
    </span>
  )
}

/** Shows a time in the future, given in microseconds. */
function Coming({ at }: { at: number }) {
  const now = useNow()
  return (
    <time dateTime={formatUtc(at)} title={formatExact(at)}>
      {formatDay(at, now) === formatDay(now, now) ? '' : `${formatDay(at, now)} `}
      {formatMinute(at)}
    </time>
  )
}

type ScheduleDialogProps = {
  network: string
  webhook: string
  schedule: MissedEventSchedule | null
  onClose: () => void
}

function ScheduleDialog({ network, webhook, schedule, onClose }: ScheduleDialogProps) {
  const form = useForm(
    {
      everyHours: String(schedule?.everyHours ?? 6),
      lateAfterMs: formatTimeSpan(schedule?.lateAfterMs ?? 60_000),
    },
    async (values) => {
      const everyHours = parseInteger(values.everyHours)
      const lateAfterMs = parseLateness(values.lateAfterMs)
      if (everyHours === null || everyHours < 1 || everyHours > 168) {
        return { everyHours: 'Enter a whole number of hours from 1 to 168.' }
      }
      if (typeof lateAfterMs === 'string') return { lateAfterMs }
      await request('missedEvents.setSchedule', { network, webhook, everyHours, lateAfterMs })
      announce('Schedule saved')
      reload('missedEvents.schedules')
      onClose()
    },
  )
  return (
    <FormDialog title="Schedule checks" action="Save" form={form} onClose={onClose}>
      <TextField
        label="Check every"
        suffix="hours"
        inputMode="numeric"
        autoFocus
        {...form.field('everyHours')}
      />
      <TextField
        label="Maximum delivery delay"
        hint="A delivery that takes longer counts as late. The time starts with the block of the transaction."
        {...form.field('lateAfterMs')}
      />
    </FormDialog>
  )
}
