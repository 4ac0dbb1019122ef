import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import { Amount } from '../../components/chain/amount.tsx'

/** Of an invoice or its payment: exact, with its unit. */
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
