import { type Currency, decimalsOf, formatAmount } from '../../../../src-preload/domain/amount.ts'

/**
 * What is sent to a payer: how much, for what, until when, and where. Plain spaces and no grouping, so
 * that it is read the same everywhere it is pasted.
 */
export function printShareText({
  amount,
  currency,
  description,
  link,
  expiresAt,
}: {
  /** Minimal units. */
  readonly amount: string
  readonly currency: Currency
  readonly description: string
  readonly link: string
  /** Milliseconds; null where it is not known. */
  readonly expiresAt: number | null
}): string {
  const lines = [
    `Please pay ${exact(amount, currency)} ${currency}`,
    description.trim(),
    link,
    expiresAt === null ? '' : `Until ${printUntil(expiresAt)}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** At least two decimals, as prices are written; all there are where there are more. */
function exact(amount: string, currency: Currency): string {
  const [whole = '0', fraction = ''] = formatAmount(BigInt(amount), decimalsOf[currency]).split('.')
  return `${whole}.${fraction.padEnd(Math.min(2, decimalsOf[currency]), '0')}`
}

/** The payer may sit in another time zone. */
function printUntil(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
