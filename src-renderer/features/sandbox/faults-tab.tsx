import { useState } from 'react'
import type {
  SandboxChain,
  SandboxFault,
  SandboxRoot,
} from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { formatCount } from '../../ui/format.ts'
import { readWhole } from '../../app/form-values.ts'
import { printSpan, readSpan } from '../../components/time-span.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ActionForm } from './action-form.tsx'
import { useAction } from './use-action.ts'
import styles from './forms.module.css'

const roots: readonly { value: SandboxRoot; label: string }[] = [
  { value: 'query', label: 'Query API' },
  { value: 'webhooks', label: 'Webhooks API' },
  { value: 'testnet-query', label: 'Query API, test network' },
  { value: 'testnet-webhooks', label: 'Webhooks API, test network' },
  { value: 'invoices', label: 'Invoices API' },
]

type Kind = SandboxFault['kind']

const kinds: readonly { value: Kind; label: string }[] = [
  { value: 'delay', label: 'answers late' },
  { value: 'status', label: 'answers with a status' },
  { value: 'reset', label: 'breaks off the connection' },
  { value: 'rate-limit', label: 'limits the rate (429)' },
]

export function FaultsTab({ chain: { faults } }: { chain: SandboxChain }) {
  const action = useAction()
  const [root, setRoot] = useState<SandboxRoot>('query')
  const [kind, setKind] = useState<Kind>('status')
  const [value, setValue] = useState<Record<Kind, string>>({
    delay: '2 s',
    status: '503',
    reset: '',
    'rate-limit': '1',
  })
  const [share, setShare] = useState('100')

  const set = (next: readonly SandboxFault[]) =>
    action.run(async () => {
      const { faults: after } = await request('sandbox.setFaults', { faults: [...next] })
      return after.length === 0
        ? 'Every root answers as it should'
        : `${formatCount(after.length, 'fault')} in place`
    })

  const add = () => {
    const part = readWhole(share)
    const fault = readFault(root, kind, value[kind])
    if (fault === null || part === null || part > 100 || part === 0) {
      action.refuse({
        ...(fault === null && { value: problemOf[kind] }),
        ...((part === null || part > 100 || part === 0) && { share: 'From 1 to 100.' }),
      })
      return
    }
    void set([...faults, { ...fault, share: part / 100 }])
  }

  return (
    <div className={styles['tab']}>
      {faults.length > 0 && (
        <div className={styles['part']}>
          <h2 className={styles['title']}>In place</h2>
          <ul className={styles['list']}>
            {faults.map((fault, index) => (
              <li key={index}>
                <span className={styles['grow']}>{describe(fault)}</span>
                <IconButton
                  icon="trash"
                  label={`Remove: ${describe(fault)}`}
                  busy={action.busy}
                  onClick={() => void set(faults.filter((_, at) => at !== index))}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      <ActionForm
        title="Add a fault"
        detail="What your backend must live with: the real service is slow, away or strict at times. This page is not affected, for its control API has no faults; the steps of the Overview are."
        action={action}
        label="Add"
        busyLabel="Setting…"
        onSubmit={add}
        beside={
          faults.length > 0 && (
            <Button busy={action.busy} onClick={() => void set([])}>
              Remove all
            </Button>
          )
        }
      >
        <div className={styles['field']}>
          <span className={styles['label']}>Where</span>
          <Select label="Where" value={root} onChange={setRoot} options={roots} />
        </div>
        <div className={styles['field']}>
          <span className={styles['label']}>What</span>
          <Select label="What" value={kind} onChange={setKind} options={kinds} />
        </div>
        <div className={styles['pair']}>
          {kind !== 'reset' && (
            <TextField
              label={fieldOf[kind]}
              value={value[kind]}
              onChange={(next) => setValue({ ...value, [kind]: next })}
              error={action.errors['value']}
            />
          )}
          <TextField
            label="Of all requests, %"
            inputMode="numeric"
            value={share}
            onChange={setShare}
            error={action.errors['share']}
          />
        </div>
      </ActionForm>
    </div>
  )
}

const fieldOf: Record<Exclude<Kind, 'reset'>, string> = {
  delay: 'Late by',
  status: 'Status',
  'rate-limit': 'Requests a second',
}

const problemOf: Record<Kind, string> = {
  delay: 'Type a time, such as 2 s.',
  status: 'Type a status from 400 to 599.',
  reset: '',
  'rate-limit': 'Type a number, such as 1 or 0.25.',
}

function readFault(root: SandboxRoot, kind: Kind, text: string): SandboxFault | null {
  switch (kind) {
    case 'delay': {
      const delayMs = readSpan(text)
      return delayMs === null ? null : { root, kind, delayMs }
    }
    case 'status': {
      const status = readWhole(text)
      return status === null || status < 400 || status > 599 ? null : { root, kind, status }
    }
    case 'reset':
      return { root, kind }
    case 'rate-limit': {
      const perSecond = /^\d{1,4}(\.\d{1,4})?$/.test(text.trim()) ? Number(text) : 0
      return perSecond > 0 ? { root, kind, perSecond } : null
    }
  }
}

function describe(fault: SandboxFault): string {
  const where = roots.find(({ value }) => value === fault.root)?.label ?? fault.root
  const share = fault.share === undefined || fault.share === 1 ? '' : `, ${fault.share * 100} %`
  return `${where} ${whatOf(fault)}${share}`
}

function whatOf(fault: SandboxFault): string {
  switch (fault.kind) {
    case 'delay':
      return `answers ${printSpan(fault.delayMs ?? 0)} late`
    case 'status':
      return `answers ${fault.status ?? 500}`
    case 'reset':
      return 'breaks off the connection'
    case 'rate-limit':
      return `takes ${fault.perSecond ?? 1} a second, else 429`
  }
}
