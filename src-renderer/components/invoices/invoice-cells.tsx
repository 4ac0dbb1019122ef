/** Parts of an invoice and its payments that several views show. */
import { describeExceptions, describeMoney } from '../../../src-preload/contract/invoice-money.ts'
import type { Invoice, InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import { invoiceRoute } from '../../app/invoices-route.ts'
import { routeHref } from '../../app/route.ts'
import type { DataColumn } from '../../ui/data-list.tsx'
import { formatExact, fromMs } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { Row, Stack, type Tone, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { formatColumnMoney } from '../amount.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { AccountLink } from '../chain/account-link.tsx'
import { Amount } from '../chain/chain-text.tsx'
import { useCountdown } from '../gateway-clock.ts'
import { useShownNetwork } from '../network-tag.tsx'
import {
  reasonLabels,
  documentedStatuses,
  discrepancyTexts,
  discrepancyTones,
  discrepancyLabels,
  ownDiscrepancies,
  stateTone,
} from './invoice-labels.ts'

/** Shows an exact amount with its unit. */
export function InvoiceAmount({
  units,
  currency,
  signed = false,
}: {
  units: string
  currency: InvoiceCurrency
  signed?: boolean
}) {
  const asset = { jetton: null, symbol: currency, decimals: decimalsOf[currency] }
  return <Amount units={units} asset={asset} signed={signed} />
}

/** Links an invoice's id to the invoice; in a row of a list `tabIndex` is -1. */
export function InvoiceLink({
  id,
  network,
  tabIndex,
}: {
  id: string
  network: NetworkId
  tabIndex?: number
}) {
  return (
    <UntrustedText
      as="a"
      mono
      href={routeHref({ ...invoiceRoute(id), network })}
      tabIndex={tabIndex}
      text={id}
    />
  )
}

/** Shows a time of the gateway's clock, given in milliseconds, as an absolute time. */
export function InvoiceMoment({ at, seconds = false }: { at: number; seconds?: boolean }) {
  return <Moment at={fromMs(at)} absolute={seconds ? 'second' : 'minute'} />
}

/** A column of times of the gateway's clock. */
export function momentColumn<T, K extends string = string>(
  column: Omit<DataColumn<T, K>, 'cell' | 'look'>,
  atOf: (row: T) => number,
): DataColumn<T, K> {
  return { ...column, look: 'dim', cell: (row) => <InvoiceMoment at={atOf(row)} /> }
}

/** A column of exact amounts with their unit. */
export function amountColumn<T, K extends string = string>(
  column: Omit<DataColumn<T, K>, 'cell' | 'look'>,
  sumOf: (row: T) => { amount: string | null; currency: InvoiceCurrency } | null,
): DataColumn<T, K> {
  const cell = (row: T) => {
    const sum = sumOf(row)
    return sum?.amount ? formatColumnMoney(sum.amount, sum.currency) : null
  }
  return { ...column, look: 'amount', cell }
}

/** Shows the account that paid the invoice; nothing before the payment. */
export function Payer({
  invoice: { payer, payerLabel },
  tabIndex,
  canCopy = true,
}: {
  invoice: Pick<Invoice, 'payer' | 'payerLabel'>
  tabIndex?: number
  canCopy?: boolean
}) {
  if (payer === null) return null
  return (
    <AccountLink
      account={{ address: payer, label: payerLabel, isWallet: true }}
      tabIndex={tabIndex}
      canCopy={canCopy}
    />
  )
}

/** Shows the state of an invoice, its discrepancies, and the time left to pay. */
export function InvoiceState({ invoice }: { invoice: Invoice }) {
  const { status, matters, expiresAt } = invoice
  const exceptions = describeExceptions(invoice)
  const isBad = matters.some((kind) => discrepancyTones[kind] === 'bad')
  return (
    <Row gap="s">
      <StateTag status={status} tone={isBad ? 'bad' : stateTone(status)} />
      <ReportedTag invoice={invoice} />
      {exceptions.length > 0 && (
        <Text
          size="s"
          tone={invoice.uncounted.length > 0 ? 'warn' : 'ok'}
          over="cut"
          title={describeMoney(invoice)}
        >
          {exceptions.join(', ')}
        </Text>
      )}
      {ownDiscrepancies(invoice).map((kind) => (
        <Text
          key={kind}
          size="s"
          tone={discrepancyTones[kind] === 'plain' ? 'dim' : discrepancyTones[kind]}
          over="nowrap"
          title={discrepancyTexts[kind]}
        >
          {discrepancyLabels[kind]}
        </Text>
      ))}
      {status === 'pending' && exceptions.length === 0 && (
        <TimeLeft until={expiresAt} isShort={matters.length > 0 || invoice.reported !== null} />
      )}
    </Row>
  )
}

export function StateTag({ status, tone = stateTone(status) }: { status: string; tone?: Tone }) {
  const undocumented = 'The gateway reports this state, but its documentation does not describe it.'
  return (
    <Tag tone={tone} title={documentedStatuses.includes(status) ? undefined : undocumented}>
      <UntrustedText text={status} />
    </Tag>
  )
}

/** Shows a tag for a status that only a delivery reports and the gateway has not confirmed. */
export function ReportedTag({
  invoice: { reported, isConfirmed },
}: {
  invoice: Pick<Invoice, 'reported' | 'isConfirmed'>
}) {
  if (reported === null && isConfirmed) return null
  const why =
    'Only a delivery reports this state, and anyone who knows the receiver URL can send a delivery. Tondesk waits until the gateway confirms the state.'
  return (
    <Tag tone="warn" title={why}>
      reported {reported !== null && <UntrustedText text={reported.status} />}
    </Tag>
  )
}

/** Shows the time until an invoice expires, by the gateway's clock. */
export function TimeLeft({
  until,
  isShort = false,
}: {
  until: number
  /** True to omit the words around the time, for use beside other text. */
  isShort?: boolean
}) {
  const { text, isUrgent } = useCountdown(until, useShownNetwork().id, isShort)
  const overdue = '\nThe invoice’s lifetime is over, but the gateway still reports it as pending.'
  return (
    <Text
      size="s"
      tone={isUrgent ? 'warn' : 'faint'}
      over="cut"
      title={`Until ${formatExact(fromMs(until))}${text === 'overdue' ? overdue : ''}`}
    >
      {text}
    </Text>
  )
}

/** Shows the compared facts of a payment and an invoice, and whether they match. */
export function MatchReasons({ of, label }: { of: readonly PaymentEvidence[]; label: string }) {
  return (
    <Stack as="ul" gap="xs" aria-label={label}>
      {of.map(({ kind, fits, text }, index) => (
        <Row key={index} as="li" gap="s" align="baseline">
          <Text tone={fits ? 'ok' : 'warn'}>
            <Icon name={fits ? 'check' : 'close'} size={12} />
            <Text hidden>{fits ? 'matches: ' : 'does not match: '}</Text>
          </Text>
          <Small over="break">
            {reasonLabels[kind]}: <UntrustedText text={text} />
          </Small>
        </Row>
      ))}
    </Stack>
  )
}
