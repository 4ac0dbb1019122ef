import { useEffect, useState } from 'react'
import type { LedgerSchedule } from '../../../../src-preload/contract/ledger.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, request, toAppError } from '../../../app/bridge.ts'
import { readWhole } from '../../../app/form-values.ts'
import {
  formatCount,
  formatDay,
  formatExact,
  formatMinute,
  formatUtc,
  fromMs,
} from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { printSpan } from '../../../components/time-span.ts'
import { Button } from '../../../ui/button.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { announce } from '../../../ui/live-region.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useAnswer } from '../../../app/use-answer.ts'
import { useOpener } from '../../../ui/use-opener.ts'
import { readLateness } from './new-check.ts'
import styles from './missed.module.css'

/** Checks that begin by themselves, each from where the one before ended. */
export function Schedule({ webhook: { network, id } }: { webhook: Webhook }) {
  const { state, resource } = useAnswer('ledger.schedules', { network })
  useEffect(() => on('ledger.changed', () => void resource.reload()), [resource])
  const schedule =
    state.status === 'ready' ? (state.value.find(({ webhook }) => webhook === id) ?? null) : null
  const { isOpen, setOpen, button } = useOpener()
  const remove = async () => {
    const done = await attempt('Could not remove the schedule', () =>
      request('ledger.removeSchedule', { network, webhook: id }),
    )
    if (done === undefined) return
    announce('The schedule is removed')
    await resource.reload()
  }
  return (
    <section className={pane['section']} aria-label="Schedule">
      <h3>Schedule</h3>
      {state.status === 'failed' && (
        <FailedState
          what="The schedules could not be read"
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )}
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={1} label="Loading the schedule" />
      )}
      {state.status === 'ready' && isOpen && (
        <ScheduleForm
          network={network}
          id={id}
          schedule={schedule}
          onDone={() => {
            setOpen(false)
            void resource.reload()
          }}
          onCancel={() => setOpen(false)}
        />
      )}
      {state.status === 'ready' && !isOpen && (
        <div className={styles['line']}>
          {schedule === null ? 'No check begins by itself.' : <Planned schedule={schedule} />}
          <Button ref={button} onClick={() => setOpen(true)}>
            {schedule === null ? 'Check by a schedule…' : 'Change…'}
          </Button>
          {schedule !== null && <Button onClick={() => void remove()}>Remove</Button>}
        </div>
      )}
    </section>
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
          Checked to <Moment at={fromMs(checkedTo)} />.
        </>
      )}
      {nextAt !== null && (
        <>
          {' '}
          Next at <Coming at={fromMs(nextAt)} />.
        </>
      )}
    </span>
  )
}

/** A moment that is still to come, in microseconds. */
function Coming({ at }: { at: number }) {
  const now = useNow()
  return (
    <time dateTime={formatUtc(at)} title={formatExact(at)}>
      {formatDay(at, now) === formatDay(now, now) ? '' : `${formatDay(at, now)} `}
      {formatMinute(at)}
    </time>
  )
}

function ScheduleForm({
  network,
  id,
  schedule,
  onDone,
  onCancel,
}: {
  network: string
  id: string
  schedule: LedgerSchedule | null
  onDone: () => void
  onCancel: () => void
}) {
  const [hours, setHours] = useState(String(schedule?.everyHours ?? 6))
  const [late, setLate] = useState(printSpan(schedule?.lateAfterMs ?? 60_000))
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const everyHours = readWhole(hours)
  const lateAfterMs = readLateness(late)
  const isHours = everyHours !== null && everyHours >= 1 && everyHours <= 168
  const save = async () => {
    if (busy || !isHours || typeof lateAfterMs === 'string') return
    setBusy(true)
    try {
      await request('ledger.setSchedule', { network, webhook: id, everyHours, lateAfterMs })
      announce('The schedule is kept')
      onDone()
    } catch (error) {
      setProblem(toAppError(error).message)
      setBusy(false)
    }
  }
  return (
    <form
      className={styles['times']}
      aria-label="Schedule"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <TextField
        label="Every"
        suffix="hours"
        inputMode="numeric"
        autoFocus
        value={hours}
        error={isHours ? undefined : 'From 1 to 168 hours.'}
        onChange={setHours}
      />
      <TextField
        label="Late after"
        value={late}
        error={typeof lateAfterMs === 'string' ? lateAfterMs : undefined}
        onChange={setLate}
      />
      <div className={styles['buttons']}>
        <Button type="submit" kind="main" busy={busy}>
          Keep
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {problem !== null && (
        <p className={styles['bad']} role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
