import type { ClosingRow } from '../../../src-preload/contract/matter.ts'

export const closingColumns = [
  'difference',
  'explanation',
  'invoice',
  'status',
  'currency',
  'amount',
  'overpayment',
  'received',
  'changed',
  'paid_on_chain',
  'payer',
  'payer_label',
  'comment',
  'transactions',
  'description',
] as const

export type ClosingEntry = {
  readonly row: ClosingRow
  readonly line: ReturnType<typeof toClosingLine>
}

export function toClosingLine({ difference, text: explanation, invoice, payments }: ClosingRow) {
  const last = payments.at(-1)
  const received = payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return {
    ...{ difference, explanation, invoice: invoice?.id ?? null, status: invoice?.status ?? null },
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
  }
}
