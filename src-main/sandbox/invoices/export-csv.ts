import type { Invoice } from './invoice.ts'
import { invoiceJson } from './invoice-json.ts'

const columns = [
  'id',
  'status',
  'amount',
  'currency',
  'description',
  'date_create',
  'date_expire',
  'date_change',
  'pay_to_address',
  'paid_by_address',
  'overpayment',
  'payment_link',
] as const

/** RFC 4180, with the API's own names and units: amounts in minimal units, moments in seconds. */
export function invoicesCsv(invoices: readonly Invoice[], usdtMaster: string): string {
  const lines = invoices.map((invoice) => {
    const fields: Readonly<Record<string, unknown>> = invoiceJson(invoice, usdtMaster)
    return columns.map((name) => cell(fields[name]))
  })
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

function cell(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = harmless(typeof value === 'string' ? value : '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet runs a cell that begins so as a formula; a description is anybody's text. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
