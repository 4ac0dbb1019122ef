import type { Closing } from '../../../src-preload/contract/matter.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { Database } from '../../database/database.ts'
import { type Column, formatUnits } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import { createClosing } from '../closing/closing.ts'
import { toView } from '../ledger/ledger.ts'
import type { ClosingReader, LabelsOf } from '../parts.ts'
import { createPaymentView, createUncountedPayments } from '../reconciliation/uncounted.ts'
import { createInvoiceAccounts } from '../store/invoice-accounts.ts'
import { createInvoiceFigures } from '../store/invoice-rows.ts'
import { createPayments } from '../store/payments.ts'
import {
  type ClosingColumn,
  type ClosingEntry,
  closingColumns,
  toClosingLine,
} from './closing-line.ts'
import type { Content, InvoiceExportOrder } from './order.ts'

const kinds: Readonly<Partial<Record<ClosingColumn, 'amount' | 'moment'>>> = {
  amount: 'amount',
  overpayment: 'amount',
  received: 'amount',
  changed: 'moment',
  paid_on_chain: 'moment',
}
const widths: Readonly<Partial<Record<ClosingColumn, number>>> = {
  invoice: 14,
  difference: 14,
  explanation: 60,
  status: 11,
  currency: 9,
  description: 44,
  payer_label: 20,
}

export async function createClosingContent(
  order: InvoiceExportOrder,
  database: Database,
  times: ZoneTimes,
  labelsOf: LabelsOf,
): Promise<Content<ClosingEntry>> {
  const { network, options, subject } = order
  if (subject.kind !== 'closing') throw new Error('This is no close of a period.')
  const span = { network: network.id, from: subject.from, to: subject.to, zone: options.zone }
  const reader = createReader(order, database, labelsOf)
  const closing = await reader.read(span)
  const { total } = await reader.page(span, { onlyDifferences: false, offset: 0, limit: 0 })
  return {
    total,
    sheet: 'Closing',
    columns: closingColumns.map(toColumn),
    toJson: (entry) => toJson(entry, times),
    async *rows(limit) {
      for await (const batch of reader.rows(span, limit)) {
        yield batch.map((row) => ({ row, line: toClosingLine(row) }))
      }
    },
    async statement(rows) {
      const { formatClosingStatement } = await import('./closing-statement.ts')
      return formatClosingStatement({ order, closing, rows, times })
    },
    summary: () => summaryOf(closing),
  }
}

function createReader(
  { chain }: InvoiceExportOrder,
  database: Database,
  labelsOf: LabelsOf,
): ClosingReader {
  const store = {
    figures: createInvoiceFigures(database),
    payments: createPayments(database),
    accounts: createInvoiceAccounts(database),
  }
  const uncounted = createUncountedPayments({
    store,
    accountOf: (network, account) => store.accounts.get(network, account),
  })
  return createClosing({
    store,
    ledger: {
      view(network, invoices) {
        const payers = [...new Set(invoices.flatMap(({ paidBy }) => paidBy ?? []))]
        const names = payers.length > 0 ? labelsOf(network, payers) : new Map<string, string>()
        const named = uncounted.of(network, invoices)
        return invoices.map((each) => toView(each, names, true, named.get(each.key) ?? []))
      },
    },
    view: createPaymentView({ store, labelsOf, uncounted }),
    chain: () => chain,
    // All data comes from one snapshot, so the version never changes.
    version: () => 0,
    now: () => chain.now,
  })
}

function summaryOf({ totals, isComplete, problems, differences }: Closing) {
  return {
    columns: closingColumns,
    totals: totals.map(({ currency, paid, payments, ...amounts }) => {
      const print = (units: string) => formatAmount(BigInt(units), decimalsOf[currency])
      const printed = Object.entries(amounts).map(([name, units]) => [name, print(units)] as const)
      return { currency, paid, payments, ...Object.fromEntries(printed) }
    }),
    ...{ differences, isComplete, problems },
  }
}

function toColumn(name: ClosingColumn): Column<ClosingEntry> {
  const kind = kinds[name] ?? 'text'
  return {
    ...{ name, kind, width: widths[name] },
    value({ line }) {
      const value = line[name]
      if (kind !== 'amount' || value === null) return value
      return formatUnits(String(value), decimalsOf[line.currency], '.')
    },
  }
}

function toJson({ row, line }: ClosingEntry, times: ZoneTimes): object {
  const { difference, text, invoice } = row
  const { currency, received } = line
  const decimal = (units: string) => formatUnits(units, decimalsOf[currency], '.')
  const payments = row.payments.map((payment) => ({
    hash: payment.hash,
    lt: payment.lt,
    at: payment.at,
    at_iso: times.print(payment.at),
    currency: payment.currency,
    amount: payment.amount,
    amount_decimal: decimal(payment.amount),
    account: payment.account,
    payer: payment.payer,
    payer_label: payment.payerLabel,
    comment: payment.comment,
    certainty: payment.certainty,
  }))
  return {
    difference,
    explanation: text,
    invoice: invoice && {
      id: invoice.id,
      status: invoice.status,
      currency: invoice.currency,
      amount: invoice.amount,
      amount_decimal: decimal(invoice.amount),
      overpayment: invoice.overpayment,
      overpayment_decimal: decimal(invoice.overpayment),
      description: invoice.description,
      payer: invoice.paidBy,
      payer_label: invoice.payerLabel,
      pay_to: invoice.payTo,
      created: invoice.createdAt,
      created_iso: times.print(invoice.createdAt),
      changed: invoice.changedAt,
      changed_iso: times.print(invoice.changedAt),
    },
    received,
    received_decimal: decimal(String(received)),
    payments,
  }
}
