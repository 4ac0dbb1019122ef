import { useState } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { formatCount, formatExact, fromMs } from '../../ui/format.ts'
import { readSpan } from '../../components/time-span.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/chip.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ActionForm, ActionResult } from './action-form.tsx'
import { useAction } from './use-action.ts'
import styles from './forms.module.css'

const modes = [
  { value: 'real', label: 'Real' },
  { value: 'virtual', label: 'Virtual' },
] as const

export function ClockTab({ chain: { clock } }: { chain: SandboxChain }) {
  const action = useAction()
  return (
    <div className={styles['tab']}>
      <div className={styles['part']}>
        <div className={styles['head']}>
          <h2 className={styles['title']}>Clock</h2>
          <p className={styles['detail']}>
            A virtual clock stands still until it is moved. Blocks, retries of deliveries and the
            ends of invoices go by it, so a day of retries is over in a moment.
          </p>
        </div>
        <div className={styles['line']}>
          <Choices
            label="Clock"
            value={clock.mode}
            onChange={(mode) =>
              void action.run(async () => {
                const set = await request('sandbox.setClock', { mode })
                return set.mode === 'real'
                  ? 'The clock is the real one'
                  : 'The clock stands still until it is moved'
              })
            }
            options={modes}
          />
        </div>
        {clock.mode === 'virtual' && (
          <p className={styles['snippet']} title={formatExact(fromMs(clock.now))}>
            {formatWhole(clock.now)}
          </p>
        )}
        <ActionResult action={action} />
      </div>
      {clock.mode === 'virtual' && <Advance />}
    </div>
  )
}

const strides = [
  { label: '1 min', ms: 60_000 },
  { label: '1 h', ms: 3_600_000 },
  { label: '1 day', ms: 86_400_000 },
] as const

function Advance() {
  const action = useAction()
  const cancel = useAction()
  const [span, setSpan] = useState('15 min')

  const move = (to: { byMs: number } | { toNext: true }) =>
    action.run(async () => {
      const { now, stops } = await request('sandbox.advance', to)
      const when = formatWhole(now)
      const halts =
        stops === 0 ? 'nothing was due on the way' : `${formatCount(stops, 'stop')} on the way`
      return `It is ${when} now; ${halts}`
    })

  return (
    <ActionForm
      title="Move it forward"
      detail="It stops at each moment at which something is due and waits for its deliveries."
      action={action}
      label="Move"
      busyLabel="Moving…"
      onSubmit={() => {
        const byMs = readSpan(span)
        if (byMs === null || byMs === 0)
          action.refuse({ byMs: 'Type a time, such as 90 s or 2 h.' })
        else void move({ byMs })
      }}
    >
      <div className={styles['line']}>
        {strides.map(({ label, ms }) => (
          <Button key={label} busy={action.busy} onClick={() => void move({ byMs: ms })}>
            {label}
          </Button>
        ))}
        <Button busy={action.busy} onClick={() => void move({ toNext: true })}>
          To the next due
        </Button>
        {action.busy && <Button onClick={() => void cancel.run(stopMoving)}>Stop moving</Button>}
      </div>
      <TextField label="By" value={span} onChange={setSpan} error={action.errors['byMs']} />
    </ActionForm>
  )
}

async function stopMoving(): Promise<string> {
  await request('sandbox.cancelAdvance')
  return 'Stopped'
}

/** Day, time to the millisecond and offset. */
function formatWhole(ms: number): string {
  const [local = ''] = formatExact(fromMs(ms)).split('\n')
  return local.replace(/(\.\d{3})\d{3}/, '$1')
}
