import { useState } from 'react'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { decimalsOf, formatAmount } from '../../../../src-preload/domain/amount.ts'
import { attempt, request } from '../../../app/bridge.ts'
import { invoicesOf } from '../../../app/invoices-route.ts'
import { printRoute } from '../../../app/route.ts'
import { useForm } from '../../../app/use-form.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/dialog.tsx'
import { Note, Row, Stack } from '../../../ui/layout.tsx'
import { TextField } from '../../../ui/form.tsx'
import { InvoiceAmount } from '../../../components/invoices/invoice-parts.tsx'

type Decision = Input<'invoiceIssue.resolve'>['as']

/**
 * The gateway received a request, and no response told whether it created the invoice. Tondesk searches
 * for the invoice and never requests it again by itself; the user decides what the search cannot.
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
  const { index, amount, currency, description, message } = item
  const [busy, setBusy] = useState(false)
  const resolve = (as: Decision) => request('invoiceIssue.resolve', { id: job.id, index, as })
  const form = useForm({ invoice: '' }, async ({ invoice }) => {
    if (invoice.trim() === '') return { invoice: 'Enter the id of the invoice.' }
    onChanged(await resolve({ invoice: invoice.trim() }))
    return undefined
  })
  const decide = async (as: Decision) => {
    setBusy(true)
    const changed = await attempt('Could not settle the invoice', () => resolve(as))
    setBusy(false)
    if (changed !== undefined) onChanged(changed)
  }
  const requestAgain = async () => {
    const yes = await confirm({
      title: 'Request this invoice again?',
      detail:
        'If the gateway carried out the first request, there will be two invoices. Check the list first.',
      action: 'Request again',
      destructive: true,
    })
    if (yes) await decide({ again: true })
  }
  const exact = formatAmount(BigInt(amount), decimalsOf[currency])
  const sameAmount = invoicesOf({ currencies: [currency], amountFrom: exact, amountTo: exact })
  return (
    <Stack as="section" aria-label={`Unclear: no. ${index + 1}`}>
      <p>
        Tondesk requested an invoice of <InvoiceAmount units={amount} currency={currency} />
        {description !== '' && ` (${description})`}, and the gateway’s response was lost. Tondesk
        searches the gateway’s list for it: a second request could create a second invoice.
      </p>
      {message !== null && <Note tone="warn">{message}</Note>}
      <form
        aria-label="Link an invoice"
        onSubmit={(event) => {
          event.preventDefault()
          form.submit()
        }}
      >
        <TextField
          label="Created as invoice"
          mono
          maxLength={100}
          placeholder="60ffb0a1"
          {...form.field('invoice')}
          error={form.errors['invoice'] ?? form.problem ?? undefined}
          suffix={
            <Button type="submit" busy={form.busy}>
              Link this invoice
            </Button>
          }
        />
      </form>
      <Row wrap>
        <a href={printRoute({ ...sameAmount, network: job.network })}>Invoices of this amount</a>
        <Row last>
          <Button onClick={() => void decide({ left: true })} busy={busy}>
            Skip it
          </Button>
          <Button kind="danger" onClick={() => void requestAgain()} busy={busy}>
            Request again…
          </Button>
        </Row>
      </Row>
    </Stack>
  )
}
