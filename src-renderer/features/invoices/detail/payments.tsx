import type { InvoiceDetail, InvoiceReport } from '../../../../src-preload/contract/invoice.ts'
import { describeMoney } from '../../../../src-preload/contract/invoice-money.ts'
import type { Payment } from '../../../../src-preload/contract/payment.ts'
import { attempt, request } from '../../../app/bridge.ts'
import { captureHref } from '../../../app/route.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/chain-text.tsx'
import {
  Evidence,
  InvoiceAmount,
  InvoiceMoment,
  StateTag,
} from '../../../components/invoices/invoice-parts.tsx'
import { certaintyWords } from '../../../components/invoices/invoice-words.ts'
import { Button } from '../../../ui/button.tsx'
import { Row, Section, Stack, type Tone, Tag, Text } from '../../../ui/layout.tsx'
import { showToast } from '../../../ui/toast.tsx'

/** What arrived on the chain, and why it is matched to this invoice. */
export function Payments({ invoice }: { invoice: InvoiceDetail }) {
  const { payments, unlinked } = invoice
  return (
    <Section title="Payments">
      {payments.length === 0 ? (
        <Text as="p" size="s" tone="faint">
          {describeMoney(invoice)}
        </Text>
      ) : (
        <PaymentList payments={payments} />
      )}
      {unlinked.length > 0 && (
        <PaymentList payments={unlinked} label="Payments that are not counted" />
      )}
    </Section>
  )
}

function PaymentList({ payments, label }: { payments: readonly Payment[]; label?: string }) {
  return (
    <Stack as="ul" aria-label={label}>
      {payments.map((payment) => (
        <PaymentItem key={payment.key} payment={payment} />
      ))}
    </Stack>
  )
}

function PaymentItem({ payment }: { payment: Payment }) {
  const { network, amount, currency, payer, payerLabel, at, hash, comment } = payment
  const { certainty, evidence, inTime, invoice, names } = payment
  return (
    <Stack as="li" gap="xs">
      <Row wrap>
        <b>
          <InvoiceAmount units={amount} currency={currency} signed={invoice !== null} />
        </b>
        <Text size="s">
          <InvoiceMoment at={at} seconds />
        </Text>
        {inTime === false && (
          <Tag tone="bad" title="The payment arrived when the invoice could not be paid any more.">
            late
          </Tag>
        )}
        {invoice === null && (
          <Tag tone="warn" title="The gateway does not count this payment for the invoice.">
            {names === null ? 'possible payment' : 'not counted'}
          </Tag>
        )}
        {certainty !== null && (
          <Tag tone={certainty === 'guess' ? 'warn' : 'plain'} title="Certainty of the match">
            {certaintyWords[certainty]}
          </Tag>
        )}
      </Row>
      <Row wrap>
        <Text size="s">from</Text>
        <AccountLink account={{ address: payer, label: payerLabel, isWallet: true }} />
        <Text size="s">in</Text>
        <HashText hash={hash} href={transactionHref(hash, network)} what="Transaction hash" />
        {invoice !== null && (
          <Row last>
            <Button
              kind="quiet"
              title="The payment belongs to another invoice, or to none"
              onClick={() => void unlinkPayment(payment)}
            >
              Unlink payment
            </Button>
          </Row>
        )}
      </Row>
      {comment !== null && (
        <Text as="p" size="s" tone="dim" over="break">
          “<UntrustedText text={comment} />”
        </Text>
      )}
      <Evidence
        of={evidence}
        label={invoice === null ? 'Why the payment is not counted' : 'Why the payment matches'}
      />
    </Stack>
  )
}

async function unlinkPayment({ network, key, invoice }: Payment): Promise<void> {
  const payment = await attempt('Could not unlink the payment', () =>
    request('payment.unlink', { network, key }),
  )
  if (payment === undefined || invoice === null) return
  showToast({
    id: 'payment-link',
    title: `Payment unlinked from invoice ${invoice}`,
    action: {
      label: 'Undo',
      run: () =>
        void attempt('Could not undo', () => request('payment.link', { network, key, invoice })),
    },
  })
}

const outcomes: Readonly<
  Record<InvoiceReport['outcome'], { readonly word: string; readonly tone: Tone; why: string }>
> = {
  waiting: {
    word: 'being confirmed',
    tone: 'plain',
    why: 'Tondesk has not asked the gateway yet.',
  },
  confirmed: { word: 'confirmed', tone: 'ok', why: 'The gateway reports the same state.' },
  differs: { word: 'not confirmed', tone: 'warn', why: 'The gateway reports another state.' },
  'unknown-there': {
    word: 'unknown to the gateway',
    tone: 'warn',
    why: 'The gateway has no such invoice.',
  },
  stale: { word: 'outdated', tone: 'plain', why: 'The gateway had reported a later state before.' },
}

/** Deliveries about the invoice. They are claims: only what the gateway confirms counts. */
export function Reports({ invoice: { reports } }: { invoice: InvoiceDetail }) {
  return (
    <Section title="Deliveries">
      {reports.length === 0 ? (
        <Text as="p" size="s" tone="faint">
          No delivery has reported this invoice. Its state comes from the gateway itself.
        </Text>
      ) : (
        <Stack as="ul" gap="xs">
          {reports.map(({ capture, receivedAt, status, outcome }) => {
            const { word, tone, why } = outcomes[outcome]
            return (
              <Row key={capture} as="li" wrap>
                <a href={captureHref(capture)}>capture {capture}</a>
                <StateTag status={status} />
                <Text size="s" tone="dim">
                  <InvoiceMoment at={receivedAt} seconds />
                </Text>
                <Tag tone={tone} title={why}>
                  {word}
                </Tag>
              </Row>
            )
          })}
        </Stack>
      )}
    </Section>
  )
}
