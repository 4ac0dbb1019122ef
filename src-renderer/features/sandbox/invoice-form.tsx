import { useState } from 'react'
import { readAmount } from '../../components/amount.ts'
import type { Currency } from '../../../src-preload/domain/amount.ts'
import { request } from '../../app/bridge.ts'
import { readSpan } from '../../components/time-span.ts'
import { TextField } from '../../ui/text-field.tsx'
import { ActionForm } from './action-form.tsx'
import { amountProblem, AmountField } from './fields.tsx'
import { invoices } from './sandbox-data.ts'
import { useAction } from './use-action.ts'
import styles from './forms.module.css'

/** One to pay. Through the invoices API, as one's own backend does it. */
export function InvoiceForm() {
  const action = useAction()
  const [amount, setAmount] = useState('1')
  const [currency, setCurrency] = useState<Currency>('TON')
  const [life, setLife] = useState('15 min')
  const [description, setDescription] = useState('')

  const submit = async () => {
    const units = readAmount(amount, currency)
    const lifeMs = readSpan(life)
    if (units === null || lifeMs === null) {
      action.refuse({
        ...(units === null && { amount: amountProblem }),
        ...(lifeMs === null && { lifeTimeSeconds: 'Type a time, such as 15 min.' }),
      })
      return
    }
    await action.run(async () => {
      const made = await request('sandbox.createInvoice', {
        amount: units,
        currency,
        lifeTimeSeconds: Math.max(1, Math.round(lifeMs / 1000)),
        description,
      })
      await invoices.reload()
      return `Invoice ${made.id} is ${made.status}`
    })
  }

  return (
    <ActionForm
      title="Create an invoice"
      action={action}
      label="Create"
      busyLabel="Creating…"
      onSubmit={() => void submit()}
    >
      <AmountField
        amount={amount}
        currency={currency}
        onAmount={setAmount}
        onCurrency={setCurrency}
        error={action.errors['amount']}
      />
      <div className={styles['pair']}>
        <TextField
          label="Lives for"
          value={life}
          onChange={setLife}
          error={action.errors['lifeTimeSeconds']}
        />
        <TextField
          label="Description"
          placeholder="order-4711"
          value={description}
          onChange={setDescription}
          error={action.errors['description']}
        />
      </div>
    </ActionForm>
  )
}
