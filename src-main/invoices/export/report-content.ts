/** Selects the rows of a reconciliation, and formats them for each file format. */
import type { ReconciliationSummary } from '../../../src-preload/contract/discrepancy.ts'
import type { Parsed } from '../../../src-preload/contract/routes.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { Database } from '../../database/database.ts'
import { pagesOf } from '../../database/pages.ts'
import type { Rows } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import {
  type ReconciliationReader,
  createReconciliation,
} from '../reconciliation/reconciliation.ts'
import type { LabelsOf } from '../context.ts'
import { viewInvoices } from '../ledger/ledger.ts'
import { createPaymentView, createUncountedPayments } from '../matching/uncounted.ts'
import type { PaymentRow } from '../store/export-rows.ts'
import { createInvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import { type ReportEntry, reportColumns, toReportLine } from './report-line.ts'
import { fiatCells, fiatColumn, fiatNote, isFiatColumn } from './fiat-cells.ts'
import { type Content, type InvoiceExportOrder, toColumn, toJsonFields } from './content.ts'

const rowsAtOnce = 500

export async function createReportContent(
  order: InvoiceExportOrder,
  database: Database,
  times: ZoneTimes,
  labelsOf: LabelsOf,
): Promise<Content<ReportEntry>> {
  const { network, options, subject } = order
  if (subject.kind !== 'closing') throw new Error('This is not a reconciliation report.')
  const span = { network: network.id, from: subject.from, to: subject.to, zone: options.zone }
  const { reader, payments } = createReader(order, database, labelsOf)
  const reconciliation = await reader.read(span)
  const total = await reader.total(span)
  const decimalsIn = ({ line }: ReportEntry) => decimalsOf[line.currency]
  const columns = reportColumns.map((name) =>
    isFiatColumn(name)
      ? fiatColumn(name, ({ line }: ReportEntry) => line)
      : toColumn(name, ({ line }: ReportEntry) => line[name], decimalsIn),
  )
  async function* entries(limit?: number): Rows<ReportEntry> {
    for await (const batch of reader.rows(span, limit)) {
      yield batch.map((row) => ({ row, line: toReportLine(row, times) }))
    }
  }
  return {
    total,
    columns,
    rows: entries,
    toJson: (entry) => toJson(entry, times),
    async workbook(rows) {
      const { createReportWorkbook } = await import('./workbook.ts')
      // Rows with a difference come first.
      const differences = entries(reconciliation.differences)
      const all = { order, closing: reconciliation, times, columns, rows, differences }
      return createReportWorkbook({ ...all, payments: payments(span) })
    },
    async statement(rows) {
      const { formatReport } = await import('./statement.ts')
      return formatReport({ order, closing: reconciliation, rows, times })
    },
    summary: () => ({
      ...summaryOf(reconciliation),
      ...(order.fiat && { fiat: { ...order.fiat, note: fiatNote(order.fiat.currency) } }),
    }),
  }
}

function createReader(
  { chain, fiat }: InvoiceExportOrder,
  database: Database,
  labelsOf: LabelsOf,
): {
  readonly reader: ReconciliationReader
  readonly payments: (span: Parsed<'reconciliation.read'>) => Rows<PaymentRow>
} {
  const store = createInvoiceStore(database)
  const uncounted = createUncountedPayments(store, store.accounts.get)
  const sources = { isRead: () => true, uncounted: uncounted.of }
  const view = createPaymentView(store, labelsOf, uncounted, () => fiat)
  const reader = createReconciliation(store, {
    ledger: {
      view: (network, invoices) => viewInvoices(network, invoices, labelsOf, sources, store),
    },
    view,
    chain: () => chain,
    // All data comes from one snapshot, so the version is constant.
    version: () => 0,
    now: () => chain.now,
  })
  return {
    reader,
    async *payments({ network, from, to }) {
      const pages = pagesOf<StoredPayment>((last) =>
        store.payments.span(network, { from, to }, last ?? { at: -1, key: 0 }, rowsAtOnce),
      )
      for await (const page of pages) {
        yield view(network, page).map(({ payerLabel, ...payment }) => {
          return { ...payment, payer_label: payerLabel }
        })
      }
    },
  }
}

const summaryOf = ({ totals, isComplete, problems, differences }: ReconciliationSummary) => ({
  columns: reportColumns,
  totals: totals.map(({ currency, paid, payments, ...amounts }) => {
    const formatted = Object.entries(amounts).map(([name, units]) => {
      return [name, formatAmount(units, decimalsOf[currency])] as const
    })
    return { currency, paid, payments, ...Object.fromEntries(formatted) }
  }),
  differences,
  isComplete,
  problems,
})

function toJson({ row, line }: ReportEntry, times: ZoneTimes): object {
  const { difference, text: explanation, invoice } = row
  const readable = (fields: Readonly<Record<string, unknown>>) =>
    toJsonFields(fields, decimalsOf[line.currency], times)
  return {
    difference,
    explanation,
    invoice:
      invoice &&
      readable({
        id: invoice.id,
        status: invoice.status,
        currency: invoice.currency,
        amount: invoice.amount,
        overpayment: invoice.overpayment,
        refunded: invoice.refunded,
        description: invoice.description,
        order_reference: invoice.orderReference,
        payer: invoice.payer,
        payer_label: invoice.payerLabel,
        pay_to: invoice.payTo,
        created: invoice.createdAt,
        changed: invoice.changedAt,
      }),
    ...readable({ received: line.received, difference_amount: line.difference_amount }),
    ...readable({ accepted_short: line.accepted_short, counts_with: line.counts_with }),
    ...fiatCells(
      row.payments.map(({ fiat }) => fiat),
      times,
    ),
    payments: row.payments.map((payment) => {
      const { hash, lt, at, currency, amount, account, payer, payerLabel } = payment
      const { comment, certainty } = payment
      const details = { account, payer, payer_label: payerLabel, comment, certainty }
      const fiat = fiatCells([payment.fiat], times)
      return readable({ hash, lt, at, currency, amount, ...details, ...fiat })
    }),
  }
}
