import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Payment } from '../../../../src-preload/contract/payment.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { useData } from '../../../app/bridge.ts'
import { printRoute } from '../../../app/route.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Evidence, InvoiceAmount } from '../../../components/invoices/invoice-parts.tsx'
import { Button } from '../../../ui/button.tsx'
import { Row, Stack, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { TextField } from '../../../ui/form.tsx'
import { linkPayment } from '../attention/matters.ts'

type Candidate = Output<'payment.candidates'>[number]

/** Invoices that a payment may belong to, each with the evidence; or any invoice by its id. */
export function Candidates({
  network,
  payment,
  onLinked,
}: {
  network: Network
  payment: Payment
  onLinked?: () => void
}) {
  const query = useData('payment.candidates', { network: network.id, key: payment.key })
  const [id, setId] = useState('')
  const [busy, setBusy] = useState(false)
  const link = async (invoice: string) => {
    setBusy(true)
    if (await linkPayment(network.id, payment.key, invoice)) onLinked?.()
    setBusy(false)
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
                  network={network}
                  payment={payment}
                  candidate={each}
                  busy={busy}
                  onLink={() => void link(each.invoice)}
                />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <form
        aria-label="Another invoice"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && id.trim() !== '') void link(id.trim())
        }}
      >
        <TextField
          label="Another invoice"
          mono
          maxLength={100}
          placeholder="60ffb0a1"
          value={id}
          onChange={setId}
          suffix={
            <Button type="submit" busy={busy} disabled={id.trim() === ''}>
              Link to this invoice
            </Button>
          }
        />
      </form>
    </Stack>
  )
}

function CandidateItem({
  network,
  payment,
  candidate,
  busy,
  onLink,
}: {
  network: Network
  payment: Payment
  candidate: Candidate
  busy: boolean
  onLink: () => void
}) {
  const { invoice, description, status, amount, currency, canLink, evidence } = candidate
  return (
    <Stack as="li" gap="xs">
      <Row wrap>
        <a href={printRoute({ ...invoiceRoute(invoice), network: network.id })}>
          <Text mono>
            <UntrustedText text={invoice} />
          </Text>
        </a>
        <InvoiceAmount units={amount} currency={currency} />
        <Text tone="dim">
          {status} · <UntrustedText text={description} />
        </Text>
        <Row last>
          {canLink ? (
            <Button busy={busy} onClick={onLink}>
              Link to this invoice
            </Button>
          ) : (
            `cannot be paid in ${payment.currency}`
          )}
        </Row>
      </Row>
      <Evidence of={evidence} label={`Evidence for and against ${invoice}`} />
    </Stack>
  )
}
