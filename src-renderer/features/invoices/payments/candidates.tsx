import type { Payment } from '../../../../src-preload/contract/payment.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { useData } from '../../../app/bridge.ts'
import { useForm } from '../../../app/use-form.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import {
  MatchReasons,
  InvoiceAmount,
  InvoiceLink,
} from '../../../components/invoices/invoice-cells.tsx'
import { ActionButton } from '../../../ui/button.tsx'
import { Form, TextField } from '../../../ui/form.tsx'
import { Row, Stack, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { linkPayment } from '../attention/discrepancies.ts'

type Candidate = Output<'payment.candidates'>[number]

/** Invoices that a payment may belong to, each with the reasons; or any invoice by its id. */
export function Candidates({ payment, onLinked }: { payment: Payment; onLinked?: () => void }) {
  const { network, key } = payment
  const query = useData('payment.candidates', { network, key })
  const link = async (invoice: string) => {
    if (await linkPayment(network, key, invoice)) onLinked?.()
  }
  return (
    <Stack>
      <Loaded query={query} of="possible invoices" rows={2}>
        {(candidates) =>
          candidates.length === 0 ? (
            <Text as="p" tone="dim">
              No invoice matches this payment.
            </Text>
          ) : (
            <Stack as="ul">
              {candidates.map((each) => (
                <CandidateItem
                  key={each.invoice}
                  payment={payment}
                  candidate={each}
                  onLink={() => link(each.invoice)}
                />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <InvoiceIdForm
        label="ID of another invoice"
        action="Link payment to this invoice"
        onSubmit={link}
      />
    </Stack>
  )
}

function CandidateItem({
  payment: { network, currency: paidIn },
  candidate: { invoice, description, status, amount, currency, canLink, evidence },
  onLink,
}: {
  payment: Payment
  candidate: Candidate
  onLink: () => Promise<void>
}) {
  return (
    <Stack as="li" gap="xs">
      <Row wrap>
        <InvoiceLink id={invoice} network={network} />
        <InvoiceAmount units={amount} currency={currency} />
        <Text tone="dim">
          {status} · <UntrustedText text={description} />
        </Text>
        <Row last>
          {canLink ? (
            <ActionButton action={onLink}>Link payment to this invoice</ActionButton>
          ) : (
            `cannot be paid in ${paidIn}`
          )}
        </Row>
      </Row>
      <MatchReasons
        of={evidence}
        label={`Reasons for and against a match with invoice ${invoice}`}
      />
    </Stack>
  )
}

/** Names an invoice by its id. */
export function InvoiceIdForm({
  label,
  action,
  onSubmit,
}: {
  label: string
  action: string
  onSubmit: (id: string) => Promise<void>
}) {
  const form = useForm({ invoice: '' }, async ({ invoice }) => {
    if (invoice.trim() === '') return { invoice: 'Enter the id of the invoice.' }
    await onSubmit(invoice.trim())
    return undefined
  })
  return (
    <Form form={form} inline label={label} action={action}>
      <TextField
        label={label}
        mono
        maxLength={100}
        placeholder="60ffb0a1"
        {...form.field('invoice')}
      />
    </Form>
  )
}
