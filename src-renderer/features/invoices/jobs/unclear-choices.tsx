import { useState } from 'react'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import { decimalsOf, formatAmount } from '../../../../src-preload/domain/amount.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { invoicesOf } from '../../../app/invoices-route.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import styles from './jobs.module.css'

type Choice = Input<'invoiceIssue.resolve'>['as']

/**
 * The gateway was asked, and no answer told whether it made the invoice. Tondesk looks for it and never
 * asks again by itself; what it cannot tell, a person says.
 */
export function UnclearChoices({
  job,
  item,
  onChanged,
}: {
  job: InvoiceJob
  item: InvoiceJobItem
  onChanged: (item: InvoiceJobItem) => void
}) {
  const [id, setId] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const say = async (as: Choice) => {
    setBusy(true)
    setProblem(null)
    try {
      onChanged(await request('invoiceIssue.resolve', { id: job.id, index: item.index, as }))
    } catch (error) {
      setProblem(toAppError(error).message)
    } finally {
      setBusy(false)
    }
  }

  const again = async () => {
    const yes = await confirm({
      title: 'Ask for this invoice again?',
      detail:
        'If the gateway has carried out the first request after all, there will be two of it. Look at its list first.',
      action: 'Ask again',
      destructive: true,
    })
    if (yes) await say({ again: true })
  }

  const wanted = invoicesOf({
    currencies: [item.currency],
    amountFrom: formatAmount(BigInt(item.amount), decimalsOf[item.currency]),
    amountTo: formatAmount(BigInt(item.amount), decimalsOf[item.currency]),
  })

  return (
    <section className={styles['unclear']} aria-label={`Unclear: no. ${item.index + 1}`}>
      <p>
        The gateway was asked for <InvoiceAmount units={item.amount} currency={item.currency} />
        {item.description !== '' && ` (${item.description})`}, and its answer did not come. Tondesk
        looks for the invoice in the gateway’s list instead of asking again, for that could make a
        second one.
      </p>
      {item.message !== null && <p className={styles['found']}>{item.message}</p>}
      <form
        className={styles['itIs']}
        aria-label="It was created"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && id.trim() !== '') void say({ invoice: id.trim() })
        }}
      >
        <TextField
          label="It was created, as invoice"
          mono
          maxLength={100}
          placeholder="60ffb0a1"
          value={id}
          onChange={setId}
          error={problem ?? undefined}
          suffix={
            <Button type="submit" disabled={id.trim() === ''} busy={busy}>
              It is this one
            </Button>
          }
        />
      </form>
      <div className={styles['line']}>
        <a href={printRoute({ ...wanted, network: job.network })}>Invoices of this amount</a>
        <span className={styles['end']} />
        <Button onClick={() => void say({ left: true })} busy={busy}>
          Leave it
        </Button>
        <Button kind="danger" onClick={() => void again()} busy={busy}>
          Ask again…
        </Button>
      </div>
    </section>
  )
}
