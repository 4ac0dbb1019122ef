import type { SandboxChain, SandboxSnapshot } from '../../../src-preload/contract/sandbox.ts'
import { request, reload } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { formatNumber, fromMs } from '../../ui/format.ts'
import { Row, Section, Stack } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Table, column } from '../../ui/table.tsx'
import { TextField } from '../../ui/form.tsx'
import {
  type ButtonAction,
  ActionForm,
  RunResult,
  useActionForm,
  useButtonAction,
} from './action-form.tsx'

export function SnapshotsTab({ snapshots }: { snapshots: SandboxChain['snapshots'] }) {
  const form = useActionForm(
    { name: '' },
    async ({ name }, report) => {
      const taken = await request('sandbox.snapshot', name === '' ? {} : { name })
      report(`Snapshot “${taken.name}” created`)
    },
    { clears: true },
  )
  return (
    <>
      <ActionForm
        title="Create a snapshot"
        detail="A snapshot contains both networks with their webhooks, delivery queues and invoices."
        form={form}
        action="Create snapshot"
      >
        <TextField
          label="Name"
          placeholder="Leave empty for a generated name"
          {...form.field('name')}
        />
      </ActionForm>
      <Snapshots snapshots={snapshots} />
      <Reset />
    </>
  )
}

function Snapshots({ snapshots }: { snapshots: readonly SandboxSnapshot[] }) {
  const action = useButtonAction()
  return (
    <Section
      title="Snapshots"
      detail={
        snapshots.length === 0
          ? 'No snapshots yet. Create a snapshot before a test and revert to it afterwards.'
          : undefined
      }
    >
      <Stack>
        {snapshots.length > 0 && (
          <Table<SandboxSnapshot>
            label="Snapshots"
            rows={snapshots}
            keyOf={({ name }) => name}
            columns={[
              column('Name', { grow: 1, width: 100 }, ({ name }) => name),
              column('Block height', { look: 'number' }, ({ seqno }) => formatNumber(seqno)),
              column('Created', { look: 'dim' }, ({ createdAt }) => (
                <Moment at={fromMs(createdAt)} />
              )),
              column('Actions', { hideName: true }, (snapshot) => (
                <Row gap="xs" justify="end">
                  <Button
                    kind="quiet"
                    busy={action.busy}
                    aria-label={`Revert to ${snapshot.name}…`}
                    onClick={() => void revert(snapshot, action)}
                  >
                    Revert…
                  </Button>
                  <Button
                    kind="quiet"
                    icon="trash"
                    busy={action.busy}
                    aria-label={`Delete the snapshot ${snapshot.name}…`}
                    onClick={() => void remove(snapshot, action)}
                  />
                </Row>
              )),
            ]}
          />
        )}
        <RunResult {...action} />
      </Stack>
    </Section>
  )
}

async function revert({ name, seqno }: SandboxSnapshot, action: ButtonAction): Promise<void> {
  const yes = await confirm({
    title: `Revert the sandbox to the snapshot “${name}”?`,
    detail: `Both networks return to block height ${formatNumber(seqno)}, with the webhooks, delivery queues and invoices of that moment. Captures in the Inspector stay.`,
    action: 'Revert',
    destructive: true,
  })
  if (!yes) return
  action.start(async () => {
    await request('sandbox.revert', { name })
    reload('sandbox.invoicesApp')
    return `The sandbox was reverted to “${name}”`
  })
}

async function remove({ name }: SandboxSnapshot, action: ButtonAction): Promise<void> {
  const yes = await confirm({
    title: `Delete the snapshot “${name}”?`,
    detail: 'You can no longer revert to this snapshot. The sandbox itself does not change.',
    action: 'Delete',
    destructive: true,
  })
  if (!yes) return
  action.start(async () => {
    await request('sandbox.deleteSnapshot', { name })
    return `Snapshot “${name}” deleted`
  })
}

function Reset() {
  const action = useButtonAction()
  const reset = async () => {
    const yes = await confirm({
      title: 'Reset the sandbox?',
      detail:
        'Both chains start again at their first block. Transactions, webhooks, delivery queues and invoices are permanently deleted. Keys, wallet addresses and the captures in the Inspector stay.',
      action: 'Reset the sandbox',
      destructive: true,
    })
    if (!yes) return
    action.start(async () => {
      await request('sandbox.reset')
      reload('sandbox.invoicesApp')
      return 'The sandbox was reset'
    })
  }
  return (
    <Section
      title="Reset"
      detail="Both chains start again at their first block. Keys and wallet addresses stay the same."
    >
      <Stack>
        <Row>
          <Button kind="danger" busy={action.busy} onClick={() => void reset()}>
            {action.busy ? 'Resetting…' : 'Reset the sandbox…'}
          </Button>
        </Row>
        <RunResult {...action} />
      </Stack>
    </Section>
  )
}
