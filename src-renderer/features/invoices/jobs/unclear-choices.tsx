import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { decimalsOf, formatAmount } from '../../../../src-preload/domain/amount.ts'
import { attempt, confirmAndRun, request } from '../../../app/bridge.ts'
import { invoicesOf } from '../../../app/invoices-route.ts'
import { routeHref } from '../../../app/route.ts'
import { InvoiceAmount } from '../../../components/invoices/invoice-cells.tsx'
import { ActionButton } from '../../../ui/button.tsx'
import { Note, Row, Stack } from '../../../ui/layout.tsx'
import { InvoiceIdForm } from '../payments/candidates.tsx'

type Decision = Input<'invoiceIssue.resolve'>['as']

/**
 * The gateway received a request, and no response showed whether it created the invoice. Tondesk searches
 * for the invoice and never repeats the request automatically; the user decides what the search cannot.
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
  const resolve = (as: Decision) => request('invoiceIssue.resolve', { id: job.id, index, as })
  const failure = 'Could not save your decision'
  const take = (changed: InvoiceJobItem | undefined) => changed !== undefined && onChanged(changed)
  const skip = async () => take(await attempt(failure, () => resolve({ left: true })))
  const requestAgain = async () => {
    const changed = await confirmAndRun({
      title: 'Send the request for this invoice again?',
      detail:
        'If the first request succeeded, there will be two invoices. Check the invoice list first.',
      action: 'Send request again',
      failure,
      run: () => resolve({ again: true }),
    })
    take(changed)
  }
  const exact = formatAmount(BigInt(amount), decimalsOf[currency])
  const sameAmount = invoicesOf({ currencies: [currency], amountFrom: exact, amountTo: exact })
  return (
    <Stack as="section" aria-label={`Unclear whether invoice no. ${index + 1} was created`}>
      <p>
        Tondesk requested this invoice, but the gateway’s response was lost:{' '}
        <InvoiceAmount units={amount} currency={currency} />
        {description !== '' && ` (${description})`}. Tondesk searches the gateway’s list for the
        invoice, because a second request could create a duplicate.
      </p>
      {message !== null && <Note tone="warn">{message}</Note>}
      <InvoiceIdForm
        label="Id of the created invoice"
        action="Link this invoice"
        onSubmit={async (invoice) => onChanged(await resolve({ invoice }))}
      />
      <Row wrap>
        <a href={routeHref({ ...sameAmount, network: job.network })}>Invoices with this amount</a>
        <Row last>
          <ActionButton action={skip}>Skip this invoice</ActionButton>
          <ActionButton kind="danger" action={requestAgain}>
            Send request again…
          </ActionButton>
        </Row>
      </Row>
    </Stack>
  )
}
