/** The sections of an invoice below its facts: payments, timeline and deliveries. */
import { describeMoney } from '../../../../src-preload/contract/invoice-money.ts'
import type { InvoiceDetail, InvoiceReport } from '../../../../src-preload/contract/invoice.ts'
import type { Payment, PaymentFiat } from '../../../../src-preload/contract/payment.ts'
import { currencyName } from '../../../../src-preload/domain/amount.ts'
import { request, attempt, put } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { captureHref, routeHref } from '../../../app/route.ts'
import { useForm } from '../../../app/use-form.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { TransactionHash } from '../../../components/chain/chain-text.tsx'
import { uncountedLabels } from '../../../components/invoices/discrepancies.ts'
import { sourceLabels, certaintyLabels } from '../../../components/invoices/invoice-labels.ts'
import {
  InvoiceMoment,
  MatchReasons,
  InvoiceAmount,
  StateTag,
} from '../../../components/invoices/invoice-cells.tsx'
import { Button } from '../../../ui/button.tsx'
import { Form, TextField } from '../../../ui/form.tsx'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Row, Section, Stack, Text, type Tone, Tag, Hint, Small } from '../../../ui/layout.tsx'
import { announce, showToast } from '../../../ui/toast.tsx'

/** Shows the payments that arrived on the chain, and why they belong to this invoice. */
export function Payments({ invoice }: { invoice: InvoiceDetail }) {
  const { payments, unlinked } = invoice
  return (
    <Section title="Payments">
      {payments.length === 0 ? (
        <Hint>{describeMoney(invoice)}</Hint>
      ) : (
        <PaymentList payments={payments} />
      )}
      {unlinked.length > 0 && (
        <PaymentList payments={unlinked} label="Payments not counted toward this invoice" />
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
  const { certainty, evidence, inTime, invoice, uncounted } = payment
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
          <Tag tone="bad" title="The payment arrived when the invoice could no longer be paid.">
            late
          </Tag>
        )}
        {invoice === null && (
          <Tag tone="warn" title="The gateway does not count this payment toward the invoice.">
            {uncounted === null ? 'possible payment' : uncountedLabels[uncounted]}
          </Tag>
        )}
        {certainty !== null && (
          <Tag tone={certainty === 'guess' ? 'warn' : 'plain'} title="Certainty of the match">
            {certaintyLabels[certainty]}
          </Tag>
        )}
      </Row>
      <Row wrap>
        <Text size="s">from</Text>
        <AccountLink account={{ address: payer, label: payerLabel, isWallet: true }} />
        <Text size="s">in</Text>
        <TransactionHash hash={hash} network={network} />
        {invoice !== null && (
          <Row last>
            <Button
              kind="quiet"
              title="Unlink the payment if it does not belong to this invoice"
              onClick={() => void unlinkPayment(payment)}
            >
              Unlink payment
            </Button>
          </Row>
        )}
      </Row>
      {payment.fiat !== null && <FiatValue fiat={payment.fiat} currency={currency} />}
      {comment !== null && (
        <Text as="p" size="s" tone="dim" over="break">
          “<UntrustedText text={comment} />”
        </Text>
      )}
      <MatchReasons
        of={evidence}
        label={invoice === null ? 'Why the payment is not counted' : 'Why the payment matches'}
      />
    </Stack>
  )
}

function FiatValue({ fiat, currency }: { fiat: PaymentFiat; currency: Payment['currency'] }) {
  const { value, rate, rateAt, problem } = fiat
  if (value === null || rate === null || rateAt === null) {
    return (
      <Text as="p" size="s" tone="dim" over="break">
        Value in {fiat.currency} unknown. {problem}
      </Text>
    )
  }
  return (
    <Text as="p" size="s">
      about {formatNumber(value)} {fiat.currency}; rate {formatNumber(rate)} {fiat.currency} per{' '}
      {currencyName(currency)} from the gateway, <InvoiceMoment at={rateAt} seconds />
    </Text>
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
    word: 'waiting for confirmation',
    tone: 'plain',
    why: 'Tondesk has not yet asked the gateway to confirm this delivery.',
  },
  confirmed: {
    word: 'confirmed',
    tone: 'ok',
    why: 'The gateway reports the same state as the delivery.',
  },
  differs: { word: 'not confirmed', tone: 'warn', why: 'The gateway reports a different state.' },
  'unknown-there': {
    word: 'unknown to the gateway',
    tone: 'warn',
    why: 'The gateway has no invoice with this id.',
  },
  stale: {
    word: 'outdated',
    tone: 'plain',
    why: 'The gateway had already reported a later state when this delivery arrived.',
  },
}

/** Shows the deliveries about the invoice. They are claims: only what the gateway confirms counts. */
export function Reports({ invoice: { network, reports } }: { invoice: InvoiceDetail }) {
  return (
    <Section title="Deliveries">
      {reports.length === 0 ? (
        <Hint>
          The receiver got no delivery about this invoice. Tondesk read the state of the invoice
          from the gateway.{' '}
          <a href={routeHref({ ...invoicesHome, view: 'setup', network })}>
            Add an invoice webhook
          </a>
        </Hint>
      ) : (
        <Stack as="ul" gap="xs">
          {reports.map(({ capture, receivedAt, status, outcome }) => {
            const { word, tone, why } = outcomes[outcome]
            return (
              <Row key={capture} as="li" wrap>
                <a href={captureHref(capture)}>capture {capture}</a>
                <StateTag status={status} />
                <Small>
                  <InvoiceMoment at={receivedAt} seconds />
                </Small>
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

/** A longer delay between an event and its discovery is displayed, in milliseconds. */
const maxDelayMs = 60_000

/** Shows the history of the invoice, with the newest event last, and the user's own notes. */
export function Timeline({ invoice: { network, id, events } }: { invoice: InvoiceDetail }) {
  const form = useForm(
    { text: '' },
    async ({ text }) => {
      const noted = await request('invoice.setNote', { network, id, text: text.trim() })
      put('invoice.get', { network, id }, noted)
      announce('Note added')
    },
    { clears: true },
  )
  const isEmpty = form.values.text.trim() === ''
  return (
    <Section title="Timeline">
      <Stack as="ol" gap="s">
        {events.map(({ at, seenAt, source, text, capture, transaction }, index) => (
          <Stack key={index} as="li" gap="none">
            <Row align="baseline" wrap>
              <Small tone="faint">
                <InvoiceMoment at={at} seconds />
              </Small>
              <UntrustedText size="s" over="break" text={text} />
            </Row>
            <Small tone="faint">
              {sourceLabels[source]}
              {seenAt - at > maxDelayMs && `, ${formatDuration(fromMs(seenAt - at))} later`}
              {capture !== null && (
                <>
                  {' · '}
                  <a href={captureHref(capture)}>capture {capture}</a>
                </>
              )}
              {transaction !== null && (
                <>
                  {' · '}
                  <a href={transactionHref(transaction, network)}>transaction</a>
                </>
              )}
            </Small>
          </Stack>
        ))}
      </Stack>
      <Form inline form={form} action="Add the note" label="Note" disabled={isEmpty}>
        <TextField
          label="Note"
          hideLabel
          maxLength={2000}
          placeholder="For example, what you told the payer"
          {...form.field('text')}
        />
      </Form>
    </Section>
  )
}
