import { useEffect } from 'react'
import { moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import type { ReconciliationRow } from '../../../../src-preload/contract/discrepancy.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { request } from '../../../app/bridge.ts'
import { type InvoicesRoute, invoiceRoute, invoicesHome } from '../../../app/invoices-route.ts'
import { navigate, parseRoute, routeHref } from '../../../app/route.ts'
import { formatColumnMoney } from '../../../components/amount.ts'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { uncountedLabels } from '../../../components/invoices/discrepancies.ts'
import {
  InvoiceLink,
  InvoiceMoment,
  amountColumn,
} from '../../../components/invoices/invoice-cells.tsx'
import { type DataColumn, DataList } from '../../../ui/data-list.tsx'
import { shorten } from '../../../ui/format.ts'
import { type Tone, Tag, Text } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { EmptyState } from '../../../ui/loaded.tsx'
import { useChanges } from '../use-changes.ts'

type Question = Omit<Input<'reconciliation.rows'>, 'offset' | 'limit'>

const rows = createLiveList({
  load: async (question: Question, offset, limit) => {
    const page = await request('reconciliation.rows', { ...question, offset, limit })
    return { total: page.total, rows: page.rows, extra: null }
  },
  idOf: ({ invoice, payments }: ReconciliationRow) => invoice?.id ?? payments[0]?.key ?? 0,
})

/** Lists each invoice of the period with its payments, and each payment without an invoice. */
export function ReconciliationRows({
  question,
  days,
  isComplete,
}: {
  question: Question
  days: string
  /** False until the data of the gateway and the chain is loaded for the whole period. */
  isComplete: boolean
}) {
  const { network, onlyDifferences } = question
  const key = JSON.stringify(question)
  useEffect(() => rows.open(JSON.parse(key) as Question), [key])
  useChanges(network, rows, 'invoice.changed', 'payment.changed', 'discrepancy.changed')
  return (
    <DataList
      list={rows}
      columns={columnsOf(network)}
      of="invoices against the chain"
      thing="row"
      group="Reconciliation"
      onOpen={(row) => {
        const href = hrefOf(row, network)
        if (href !== null) navigate(parseRoute(href))
      }}
      empty={
        !isComplete ? (
          <EmptyState
            title={onlyDifferences === true ? 'No differences so far' : 'No payments so far'}
            detail={`The data of the gateway or the chain is not complete for the selected period (${days}).`}
          />
        ) : onlyDifferences === true ? (
          <EmptyState
            title="No differences"
            detail="Each paid invoice has a matching payment, and each payment has a matching invoice."
          />
        ) : (
          <EmptyState
            title="No payments in this period"
            detail={`Neither the gateway nor the chain has a payment in the selected period (${days}).`}
          />
        )
      }
    />
  )
}

/** Links to the invoice, or else to the transaction of the payment. */
function hrefOf({ invoice, payments }: ReconciliationRow, network: NetworkId): string | null {
  if (invoice !== null) return routeHref({ ...invoiceRoute(invoice.id), network })
  const [payment] = payments
  return payment === undefined ? null : transactionHref(payment.hash, network)
}

type ReconciledInvoice = NonNullable<ReconciliationRow['invoice']>
type Difference = NonNullable<ReconciliationRow['difference']>

const differences: Readonly<Record<Difference, { word: string; tone: Tone; step: string }>> = {
  'no-payment': { word: 'no payment', tone: 'bad', step: 'Find the payment' },
  'payment-less': { word: 'underpaid', tone: 'bad', step: 'Show the missing amount' },
  'payment-more': { word: 'overpaid', tone: 'warn', step: 'Refund the excess' },
  'no-invoice': { word: 'no invoice', tone: 'warn', step: 'Match or refund' },
  'wrong-asset': { word: uncountedLabels.asset, tone: 'warn', step: 'Refund' },
  'wrong-address': { word: uncountedLabels.address, tone: 'warn', step: 'Link or refund' },
  'wrong-comment': { word: uncountedLabels.comment, tone: 'warn', step: 'Link or refund' },
  accepted: { word: 'paid, short', tone: 'ok', step: 'Show the invoice' },
  'not-paid': { word: 'not paid', tone: 'warn', step: 'Refund or fulfil' },
  'other-period': { word: 'different period', tone: 'plain', step: 'Show the payment' },
  'other-payer': { word: 'different payer', tone: 'plain', step: 'Show the payer' },
}

function stepOf({
  difference,
  invoice,
  needsAttention,
}: ReconciliationRow): { label: string; route: InvoicesRoute } | null {
  if (invoice !== null && difference === null && needsAttention) {
    return { label: differences['payment-more'].step, route: invoiceRoute(invoice.id) }
  }
  if (difference === null) return null
  if (invoice === null) {
    if (!needsAttention) return null
    return {
      label: differences[difference].step,
      route: { ...invoicesHome, view: 'attention', matter: null },
    }
  }
  return { label: invoiceStep(invoice, difference), route: invoiceRoute(invoice.id) }
}

function invoiceStep({ status, together }: ReconciledInvoice, difference: Difference): string {
  if (together?.isLast === false) return 'Show the rest'
  // The gateway may not have counted the payment yet.
  if (difference === 'not-paid' && status === 'pending') return differences['other-period'].step
  const canBePaid = status === 'pending' || status === 'paid'
  return differences[difference === 'payment-less' && !canBePaid ? 'not-paid' : difference].step
}

function formatReceived({ invoice, payments }: ReconciliationRow): string {
  const currency = invoice?.currency ?? payments[0]?.currency
  if (currency === undefined) return ''
  const sum = payments
    .filter((each) => each.currency === currency)
    .reduce((total, { amount }) => total + BigInt(amount), 0n)
  return payments.length === 0 ? '' : formatColumnMoney(String(sum), currency)
}

/** Formats the share of a row in the total difference; the sum of the column is the total. */
function formatDifference({ differenceAmount, invoice, payments }: ReconciliationRow): string {
  const currency = invoice?.currency ?? payments[0]?.currency
  const sign = differenceAmount.startsWith('-') ? '' : '+'
  if (currency === undefined || differenceAmount === '0') return ''
  return sign + formatColumnMoney(differenceAmount, currency)
}

const isOverpaid = (invoice: ReconciliationRow['invoice']): boolean =>
  invoice !== null && moneyOf(invoice).excess > 0n

function columnsOf(network: NetworkId): DataColumn<ReconciliationRow>[] {
  return [
    {
      name: 'Result',
      width: 112,
      cell: ({ difference, invoice }) =>
        difference === null ? (
          <Tag tone={isOverpaid(invoice) ? 'warn' : 'ok'}>
            {isOverpaid(invoice) ? 'overpaid' : 'agrees'}
          </Tag>
        ) : (
          <Tag tone={differences[difference].tone}>{differences[difference].word}</Tag>
        ),
      title: ({ text }) => text,
    },
    {
      name: 'Invoice',
      width: 84,
      cell: ({ invoice, payments }) => {
        const id = invoice?.id ?? payments[0]?.names ?? null
        return id === null ? (
          <Text tone="faint">none</Text>
        ) : (
          <InvoiceLink id={id} network={network} tabIndex={-1} />
        )
      },
    },
    {
      name: 'Next step',
      width: 138,
      grow: 0.5,
      cell: (row) => {
        const step = stepOf(row)
        return (
          step !== null && (
            <a href={routeHref({ ...step.route, network })} tabIndex={-1}>
              {step.label}
            </a>
          )
        )
      },
    },
    amountColumn({ name: 'Requested', width: 120 }, ({ invoice }) => invoice),
    { name: 'Received', width: 120, look: 'amount', cell: formatReceived },
    { name: 'Difference', width: 110, look: 'amount', gives: 2, cell: formatDifference },
    {
      name: 'Payments',
      width: 120,
      gives: 2,
      cell: ({ payments }) => <Payments payments={payments} />,
    },
    {
      name: 'Time',
      width: 92,
      look: 'dim',
      gives: 1,
      cell: ({ invoice, payments }) => {
        const at = payments[0]?.at ?? invoice?.changedAt ?? null
        return at !== null && <InvoiceMoment at={at} />
      },
    },
    {
      name: 'Reason',
      width: 150,
      grow: 1,
      look: 'dim',
      gives: 3,
      cell: ({ text }) => text,
      title: ({ text }) => text,
    },
  ]
}

/** Shows a link to the first payment, and the number of other payments. */
function Payments({ payments: [first, ...others] }: Pick<ReconciliationRow, 'payments'>) {
  if (first === undefined) return <Text tone="faint">none</Text>
  return (
    <>
      <Text
        as="a"
        mono
        href={transactionHref(first.hash, first.network)}
        title={[first, ...others].map(({ hash }) => hash).join('\n')}
        tabIndex={-1}
      >
        {shorten(first.hash, 6, 4)}
      </Text>
      {others.length > 0 && ` +${others.length}`}
    </>
  )
}
