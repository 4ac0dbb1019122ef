import type { ReconciliationRow } from '../../../src-preload/contract/discrepancy.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import { fiatCells } from './fiat-cells.ts'

type ReportLine = ReturnType<typeof toReportLine>

export type ReportEntry = { readonly row: ReconciliationRow; readonly line: ReportLine }

const emptyRow: ReconciliationRow = {
  difference: null,
  differenceAmount: '0',
  needsAttention: false,
  text: '',
  invoice: null,
  payments: [],
}
/** The keys of a line, in this order, are the columns of a file. */
export const reportColumns = Object.keys(
  toReportLine(emptyRow, { print: String }),
) as (keyof ReportLine)[]

export function toReportLine(
  { difference, text: explanation, invoice, payments, ...row }: ReconciliationRow,
  times: Pick<ZoneTimes, 'print'>,
) {
  const last = payments.at(-1)
  const received = payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return {
    difference,
    explanation,
    invoice: invoice?.id ?? last?.names ?? null,
    status: invoice?.status ?? null,
    currency: invoice?.currency ?? last?.currency ?? 'TON',
    amount: invoice?.amount ?? null,
    overpayment: invoice?.overpayment ?? null,
    received: received.toString(),
    changed: invoice?.changedAt ?? null,
    paid_on_chain: last?.at ?? null,
    payer: last?.payer ?? invoice?.paidBy ?? null,
    payer_label: last?.payerLabel ?? invoice?.payerLabel ?? null,
    comment: last?.comment ?? null,
    transactions: payments.map(({ hash }) => hash).join(' '),
    description: invoice?.description ?? null,
    refunded: invoice?.refunded ?? null,
    order_reference: invoice?.orderReference ?? null,
    ...fiatCells(
      payments.map(({ fiat }) => fiat),
      times,
    ),
    difference_amount: row.differenceAmount,
    accepted_short: invoice?.accepted?.short ?? null,
    counts_with: invoice?.together?.other ?? null,
  }
}
