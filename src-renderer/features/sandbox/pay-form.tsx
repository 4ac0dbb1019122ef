import { useState } from 'react'
import type { PayHow, SandboxChain, SandboxInvoice } from '../../../src-preload/contract/sandbox.ts'
import { formatAmount, readAmount } from '../../components/amount.ts'
import { request } from '../../app/bridge.ts'
import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAct } from './act-state.ts'
import { ActionForm } from './action-form.tsx'
import { AmountField, WalletField } from './fields.tsx'
import { InvoiceForm } from './invoice-form.tsx'
import { invoices } from './sandbox-data.ts'
import { useAction } from './use-action.ts'
import styles from './forms.module.css'

const ways: readonly { value: PayHow; label: string }[] = [
  { value: 'exact', label: 'exactly' },
  { value: 'under', label: 'too little' },
  { value: 'rest', label: 'the rest' },
  { value: 'over', label: 'too much' },
  { value: 'late', label: 'late, after it has ended' },
  { value: 'twice', label: 'twice' },
  { value: 'wrong-asset', label: 'in the other currency' },
  { value: 'no-comment', label: 'without its comment' },
]

/** Invoices belong to the main network. */
export function PayForm({ chain }: { chain: SandboxChain }) {
  const state = useResource(invoices)
  if (chain.network === 'testnet') {
    return <p className={styles['detail']}>Invoices are paid on the main network only.</p>
  }
  if (!chain.access.canCreate) {
    return (
      <p className={styles['detail']}>
        Access to invoices is not granted. The tab Invoices walks through its steps.
      </p>
    )
  }
  if (state.status === 'idle' || state.status === 'loading') return <Skeleton rows={4} />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The invoices could not be listed"
        why={state.error.message}
        onRetry={() => void invoices.reload()}
      />
    )
  }
  return (
    <>
      {state.value.length === 0 ? (
        <p className={styles['detail']}>There is no invoice yet. Create one to pay it.</p>
      ) : (
        <Pay chain={chain} list={sortInvoices(state.value)} />
      )}
      <InvoiceForm />
    </>
  )
}

/** Those that wait to be paid first. */
function sortInvoices(list: readonly SandboxInvoice[]): SandboxInvoice[] {
  const rank = ({ status }: SandboxInvoice) => (status === 'pending' ? 0 : 1)
  return list.toSorted((a, b) => rank(a) - rank(b) || b.createdAt - a.createdAt)
}

function Pay({ chain, list }: { chain: SandboxChain; list: readonly SandboxInvoice[] }) {
  const action = useAction()
  const from = useAct((state) => state.from)
  const [chosen, setChosen] = useState<string | null>(null)
  const [how, setHow] = useState<PayHow>('exact')
  const [amount, setAmount] = useState('')
  const invoice = list.find(({ id }) => id === chosen) ?? list[0]
  if (invoice === undefined) return null
  const takesAmount = how === 'under' || how === 'over'

  const submit = async () => {
    const units = amount === '' ? null : readAmount(amount, invoice.currency)
    if (takesAmount && amount !== '' && units === null) {
      action.refuse({ amount: 'Type an amount, or leave it to the sandbox.' })
      return
    }
    await action.run(async () => {
      const { invoice: after, ...outcome } = await request('sandbox.pay', {
        id: invoice.id,
        how,
        from,
        ...(takesAmount && units !== null && { amount: units }),
      })
      return { text: `Invoice ${after.id} is ${after.status}${tellOver(after)}`, outcome }
    })
    void invoices.reload()
  }

  return (
    <ActionForm
      title="Pay an invoice"
      action={action}
      label="Pay"
      busyLabel="Paying…"
      onSubmit={() => void submit()}
      beside={
        <Button icon="refresh" onClick={() => void invoices.reload()}>
          Look again
        </Button>
      }
    >
      <div className={styles['field']}>
        <span className={styles['label']}>Invoice</span>
        <Select
          label="Invoice"
          value={invoice.id}
          onChange={setChosen}
          options={list.map((each) => ({ value: each.id, label: labelOf(each) }))}
        />
      </div>
      <div className={styles['field']}>
        <span className={styles['label']}>How</span>
        <Select label="How" value={how} onChange={setHow} options={ways} />
      </div>
      {takesAmount && (
        <AmountField
          amount={amount}
          currency={invoice.currency}
          onAmount={setAmount}
          hint="Left empty, the sandbox chooses."
          error={action.errors['amount']}
        />
      )}
      <WalletField
        label="Paid by"
        value={from}
        onChange={(next) => useAct.setState({ from: next })}
        wallets={chain.wallets}
      />
      {how === 'late' && chain.clock.mode === 'real' && invoice.status === 'pending' && (
        <p className={styles['detail']}>
          With a real clock an invoice can be paid late only once it has ended. A virtual clock is
          moved past its end.
        </p>
      )}
    </ActionForm>
  )
}

function tellOver({ overpayment, currency }: SandboxInvoice): string {
  return overpayment === null || /^0*$/.test(overpayment)
    ? ''
    : `, overpaid by ${formatAmount(overpayment, currency)} ${currency}`
}

function labelOf({ id, amount, currency, status, description }: SandboxInvoice): string {
  const what = description === '' ? '' : ` · ${description.slice(0, 40)}`
  return `${id} · ${formatAmount(amount, currency)} ${currency} · ${status}${what}`
}
