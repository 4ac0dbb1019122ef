/** What a delivery says of an invoice. Everything here is the sender's claim. Pure. */
import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { isAskable } from '../ledger/invoice-id.ts'

export type Claim = {
  readonly id: string
  readonly status: string
  readonly changedAt: number | null
  readonly overpayment: bigint | null
  /** All of the invoice; null where too much of it is missing. */
  readonly entry: InvoiceEntry | null
}

/** @returns null for what is none, or of an id that no gateway can be asked for */
export function readClaim(
  text: string,
  readEntry: (value: unknown) => InvoiceEntry | null,
): Claim | null {
  let fields: Readonly<Record<string, unknown>>
  try {
    const value = parseJson(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    fields = value as Record<string, unknown>
  } catch {
    return null
  }
  const { id, status } = fields
  if (typeof id !== 'string' || !isAskable(id)) return null
  if (typeof status !== 'string' || status === '' || status.length > 40) return null
  const entry = readEntry(fields)
  const hasOverpayment = fields['overpayment'] !== undefined && fields['overpayment'] !== null
  return {
    id,
    status,
    changedAt: entry?.changedAt ?? null,
    overpayment: hasOverpayment ? (entry?.overpayment ?? null) : null,
    entry,
  }
}
