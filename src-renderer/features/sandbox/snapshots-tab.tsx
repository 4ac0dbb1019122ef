import { useState } from 'react'
import type { SandboxChain, SandboxSnapshot } from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { formatNumber, fromMs } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ActionForm, ActionResult } from './action-form.tsx'
import { invoices, invoicesApp } from './sandbox-data.ts'
import { type Action, useAction } from './use-action.ts'
import styles from './forms.module.css'

export function SnapshotsTab({ chain: { snapshots } }: { chain: SandboxChain }) {
  const taking = useAction()
  const other = useAction()
  const [name, setName] = useState('')
  return (
    <div className={styles['tab']}>
      <ActionForm
        title="Take a snapshot"
        detail="Both networks, their webhooks, queues and invoices, as they are now."
        action={taking}
        label="Take"
        busyLabel="Taking…"
        onSubmit={() =>
          void taking.run(async () => {
            const taken = await request('sandbox.snapshot', name === '' ? {} : { name })
            setName('')
            return `Snapshot “${taken.name}” taken`
          })
        }
      >
        <TextField
          label="Name"
          placeholder="Chosen for you when left empty"
          value={name}
          onChange={setName}
          error={taking.errors['name']}
        />
      </ActionForm>
      <div className={styles['part']}>
        <h2 className={styles['title']}>Snapshots</h2>
        {snapshots.length === 0 ? (
          <p className={styles['detail']}>
            There is none yet. Take one before a test, and revert to it afterwards.
          </p>
        ) : (
          <ul className={styles['list']}>
            {snapshots.map((snapshot) => (
              <Row key={snapshot.name} snapshot={snapshot} action={other} />
            ))}
          </ul>
        )}
        <ActionResult action={other} />
      </div>
      <Reset />
    </div>
  )
}

function Row({ snapshot, action }: { snapshot: SandboxSnapshot; action: Action }) {
  const { name, seqno, createdAt } = snapshot
  return (
    <li>
      <span className={styles['grow']}>{name}</span>
      <span className={styles['detail']}>
        height {formatNumber(seqno)}, <Moment at={fromMs(createdAt)} />
      </span>
      <span className={styles['end']}>
        <Button
          kind="quiet"
          busy={action.busy}
          aria-label={`Revert to ${name}…`}
          onClick={() => void revert(snapshot, action)}
        >
          Revert…
        </Button>
        <Button
          kind="quiet"
          icon="trash"
          busy={action.busy}
          aria-label={`Delete the snapshot ${name}…`}
          onClick={() => void remove(snapshot, action)}
        />
      </span>
    </li>
  )
}

async function revert({ name, seqno }: SandboxSnapshot, action: Action): Promise<void> {
  const yes = await confirm({
    title: `Revert the sandbox to “${name}”?`,
    detail: `Everything since height ${formatNumber(seqno)} is undone: blocks, webhooks, queues and invoices of both networks. Captures in the Inspector stay.`,
    action: 'Revert',
    destructive: true,
  })
  if (!yes) return
  await action.run(async () => {
    await request('sandbox.revert', { name })
    lookAgain()
    return `The sandbox is as it was at “${name}”`
  })
}

async function remove({ name }: SandboxSnapshot, action: Action): Promise<void> {
  const yes = await confirm({
    title: `Delete the snapshot “${name}”?`,
    detail: 'The sandbox stays as it is now; there is no way back to the snapshot.',
    action: 'Delete',
    destructive: true,
  })
  if (!yes) return
  await action.run(async () => {
    await request('sandbox.deleteSnapshot', { name })
    return `Snapshot “${name}” deleted`
  })
}

function Reset() {
  const action = useAction()
  const reset = async () => {
    const yes = await confirm({
      title: 'Reset the sandbox?',
      detail:
        'Both chains go back to their first block. Transactions, webhooks, queues and invoices are gone for good; keys, addresses of wallets and the captures in the Inspector stay.',
      action: 'Reset the sandbox',
      destructive: true,
    })
    if (!yes) return
    await action.run(async () => {
      await request('sandbox.reset')
      lookAgain()
      return 'The sandbox is as new'
    })
  }
  return (
    <div className={styles['part']}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>Begin anew</h2>
        <p className={styles['detail']}>Back to the first block. Keys stay.</p>
      </div>
      <div className={styles['line']}>
        <Button kind="danger" busy={action.busy} onClick={() => void reset()}>
          {action.busy ? 'Resetting…' : 'Reset the sandbox…'}
        </Button>
      </div>
      <ActionResult action={action} />
    </div>
  )
}

function lookAgain(): void {
  void invoices.reload()
  void invoicesApp.reload()
}
