import type {
  InvoiceCurrency,
  InvoiceSource,
  MatterKind,
} from '../../../src-preload/contract/invoice.ts'
import { matterKinds } from '../../../src-preload/domain/invoice-words.ts'

/** A row of the ledger. Moments are milliseconds, amounts minimal units, addresses raw. */
export type StoredInvoice = {
  /** Ours, for rows that hang on it. */
  readonly key: number
  readonly network: string
  readonly id: string
  readonly status: string
  readonly reported: { readonly status: string; readonly at: number } | null
  /** When the gateway last told of it; null for one that only a delivery has told of. */
  readonly confirmedAt: number | null
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  /** What payments on the chain belong to it, in all. */
  readonly received: bigint
  readonly overpayment: bigint
  readonly description: string
  readonly payTo: string
  readonly paidBy: string | null
  readonly paymentLink: string
  /** What a payment must carry; null when the link names none. */
  readonly comment: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly changedAt: number
  /** Block time of the payment that reached the amount. */
  readonly paidAt: number | null
  readonly firstSeenAt: number
  readonly firstSource: InvoiceSource
  readonly matters: readonly MatterKind[]
  /** The gateway's last answer, as JSON; a delivery's body for an unconfirmed one. */
  readonly raw: string
}

/** For a SELECT whose rows `toInvoice` reads; of the table or alias `invoices`. */
export const invoiceColumns = `
  invoices.key, invoices.network, invoices.id, invoices.status, invoices.reported_status,
  invoices.reported_at, invoices.confirmed_at, invoices.currency, invoices.amount,
  invoices.received, invoices.overpayment, invoices.description, invoices.pay_to,
  invoices.paid_by, invoices.payment_link, invoices.comment, invoices.created_at,
  invoices.expires_at, invoices.changed_at, invoices.paid_at, invoices.first_seen_at,
  invoices.first_source, invoices.open_matters, invoices.raw`

export function bitOf(kind: MatterKind): number {
  return 1 << matterKinds.indexOf(kind)
}

export function mattersOf(bits: number): MatterKind[] {
  return matterKinds.filter((_, index) => (bits & (1 << index)) !== 0)
}

/** @param row read with big integers */
export function toInvoice(row: Readonly<Record<string, unknown>>): StoredInvoice {
  const moment = (name: string) => (row[name] === null ? null : Number(row[name]))
  const reportedStatus = row['reported_status'] as string | null
  return {
    key: Number(row['key']),
    network: row['network'] as string,
    id: row['id'] as string,
    status: row['status'] as string,
    reported:
      reportedStatus === null ? null : { status: reportedStatus, at: moment('reported_at') ?? 0 },
    confirmedAt: moment('confirmed_at'),
    currency: row['currency'] as InvoiceCurrency,
    amount: row['amount'] as bigint,
    received: row['received'] as bigint,
    overpayment: row['overpayment'] as bigint,
    description: row['description'] as string,
    payTo: row['pay_to'] as string,
    paidBy: row['paid_by'] as string | null,
    paymentLink: row['payment_link'] as string,
    comment: row['comment'] as string | null,
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    changedAt: Number(row['changed_at']),
    paidAt: moment('paid_at'),
    firstSeenAt: Number(row['first_seen_at']),
    firstSource: row['first_source'] as InvoiceSource,
    matters: mattersOf(Number(row['open_matters'])),
    raw: row['raw'] as string,
  }
}
