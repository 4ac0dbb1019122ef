import type { LedgerSchedule } from '../../../../src-preload/contract/ledger.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt, request, reload, useData } from '../../../app/bridge.ts'
import { readWhole, useForm } from '../../../app/use-form.ts'
import { printSpan } from '../../../components/time-span.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog, TextField } from '../../../ui/form.tsx'
import {
  formatCount,
  formatDay,
  formatExact,
  formatMinute,
  formatUtc,
  fromMs,
} from '../../../ui/format.ts'
import { Row, Section, Moment, useNow } from '../../../ui/layout.tsx'
import { announce } from '../../../ui/toast.tsx'
import { useOpener } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { parseLateness } from './new-check.ts'

/** Scheduled checks; each continues where the one before ended. */
export function Schedule({ webhook: { network, id } }: { webhook: Webhook }) {
  const { isOpen, setOpen, button } = useOpener()
  const remove = async () => {
    const done = await attempt('Could not remove the schedule', () =>
      request('ledger.removeSchedule', { network, webhook: id }),
    )
    if (done === undefined) return
    announce('Schedule removed')
    reload('ledger.schedules')
  }
  return (
    <Section title="Schedule">
      <Loaded query={useData('ledger.schedules', { network })} of="the schedule" rows={1}>
        {(schedules) => {
          const schedule = schedules.find(({ webhook }) => webhook === id) ?? null
          return (
            <Row wrap>
              {schedule === null ? 'No checks are scheduled.' : <Planned schedule={schedule} />}
              <Button ref={button} onClick={() => setOpen(true)}>
                {schedule === null ? 'Schedule checks…' : 'Change…'}
              </Button>
              {schedule !== null && <Button onClick={() => void remove()}>Remove</Button>}
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

function Planned({ schedule }: { schedule: LedgerSchedule }) {
  const { everyHours, lateAfterMs, checkedTo, nextAt } = schedule
  return (
    <span>
      Every {everyHours === 1 ? 'hour' : formatCount(everyHours, 'hour')}, all accounts, late after{' '}
      {printSpan(lateAfterMs)}.
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

/** A moment in the future, in microseconds. */
function Coming({ at }: { at: number }) {
  const now = useNow()
  return (
    <time dateTime={formatUtc(at)} title={formatExact(at)}>
      {formatDay(at, now) === formatDay(now, now) ? '' : `${formatDay(at, now)} `}
      {formatMinute(at)}
    </time>
  )
}

function ScheduleDialog({
  network,
  webhook,
  schedule,
  onClose,
}: {
  network: string
  webhook: string
  schedule: LedgerSchedule | null
  onClose: () => void
}) {
  const form = useForm(
    {
      everyHours: String(schedule?.everyHours ?? 6),
      lateAfterMs: printSpan(schedule?.lateAfterMs ?? 60_000),
    },
    async (values) => {
      const everyHours = readWhole(values.everyHours)
      const lateAfterMs = parseLateness(values.lateAfterMs)
      if (everyHours === null || everyHours < 1 || everyHours > 168) {
        return { everyHours: 'Enter 1 to 168 hours.' }
      }
      if (typeof lateAfterMs === 'string') return { lateAfterMs }
      await request('ledger.setSchedule', { network, webhook, everyHours, lateAfterMs })
      announce('Schedule saved')
      reload('ledger.schedules')
      onClose()
      return undefined
    },
  )
  return (
    <FormDialog title="Schedule checks" action="Save" form={form} onClose={onClose}>
      <TextField
        label="Every"
        suffix="hours"
        inputMode="numeric"
        autoFocus
        {...form.field('everyHours')}
      />
      <TextField
        label="Late after"
        hint="Time from the block to the delivery."
        {...form.field('lateAfterMs')}
      />
    </FormDialog>
  )
}
