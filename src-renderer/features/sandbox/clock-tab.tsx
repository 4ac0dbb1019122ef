import type { SandboxClock } from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { readSpan } from '../../components/time-span.ts'
import { Button, Choices } from '../../ui/button.tsx'
import { formatCount, formatExact, fromMs } from '../../ui/format.ts'
import { Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { TextField } from '../../ui/form.tsx'
import { ActionForm, RunResult, useActionForm, useButtonAction } from './action-form.tsx'

const modes = [
  { value: 'real', label: 'Real' },
  { value: 'virtual', label: 'Virtual' },
] as const

export function ClockTab({ clock }: { clock: SandboxClock }) {
  const action = useButtonAction()
  const setMode = (mode: SandboxClock['mode']) =>
    action.start(async () => {
      const set = await request('sandbox.setClock', { mode })
      return set.mode === 'real'
        ? 'The clock follows real time'
        : 'The clock stands still until you advance it'
    })
  return (
    <>
      <Section
        title="Clock"
        detail="A virtual clock stands still until you advance it. Blocks, delivery retries and the expiry of invoices follow the clock, so you can test a day of retries in seconds."
      >
        <Stack>
          <Row wrap gap="l">
            <Choices label="Clock" value={clock.mode} onChange={setMode} options={modes} />
            {clock.mode === 'virtual' && (
              <Text mono title={formatExact(fromMs(clock.now))}>
                {formatWhole(clock.now)}
              </Text>
            )}
          </Row>
          <RunResult {...action} />
        </Stack>
      </Section>
      {clock.mode === 'virtual' && <Advance />}
    </>
  )
}

type Target = { byMs: number } | { toNext: true }

const strides: readonly { label: string; target: Target }[] = [
  { label: '1 min', target: { byMs: 60_000 } },
  { label: '1 h', target: { byMs: 3_600_000 } },
  { label: '1 day', target: { byMs: 86_400_000 } },
  { label: 'To the next due event', target: { toNext: true } },
]

function Advance() {
  const action = useButtonAction()
  const cancel = useButtonAction()
  const advance = (target: Target) =>
    action.start(async () => {
      const { now, stops } = await request('sandbox.advance', target)
      const passed =
        stops === 0 ? 'nothing was due' : `${formatCount(stops, 'due event')} processed`
      return `The clock shows ${formatWhole(now)}; ${passed}`
    })
  const form = useActionForm({ byMs: '15 min' }, (values) => {
    const byMs = readSpan(values.byMs)
    const isTime = byMs !== null && byMs > 0
    if (isTime) advance({ byMs })
    return Promise.resolve(isTime ? undefined : { byMs: 'Enter a time, such as 90 s or 2 h.' })
  })
  return (
    <ActionForm
      title="Advance the clock"
      detail="The clock stops whenever something is due, and waits for the deliveries of that moment."
      form={{ ...form, busy: action.busy, problem: action.problem, result: action.result }}
      action={action.busy ? 'Advancing…' : 'Advance'}
      beside={
        action.busy && (
          <Button
            onClick={() =>
              cancel.start(async () => {
                await request('sandbox.cancelAdvance')
                return 'Stopped'
              })
            }
          >
            Stop advancing
          </Button>
        )
      }
    >
      <Row wrap>
        {strides.map(({ label, target }) => (
          <Button key={label} busy={action.busy} onClick={() => advance(target)}>
            {label}
          </Button>
        ))}
      </Row>
      <TextField label="By" short {...form.field('byMs')} />
    </ActionForm>
  )
}

/** Day, time to the millisecond, and offset. */
function formatWhole(ms: number): string {
  const [local = ''] = formatExact(fromMs(ms)).split('\n')
  return local.replace(/(\.\d{3})\d{3}/, '$1')
}
