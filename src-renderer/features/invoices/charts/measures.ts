/** Amounts, shares and changes of exact figures. Only whole numbers are divided. */
import { formatUnits } from '../../../components/amount.ts'
import { decimalsOf } from '../../../../src-preload/domain/amount.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import { type Measure, roundTicks } from '../../../components/charts/series.ts'
import { formatNumber } from '../../../ui/format.ts'

/**
 * Amounts in the smallest unit. Only heights are floats: tooltip and table show the exact text of a
 * point, and the labels of the axis are round.
 */
export function amountsOf(currency: InvoiceCurrency): Measure {
  const decimals = decimalsOf[currency]
  return {
    print: (value) => trimZeros(formatUnits(String(BigInt(Math.round(value))), decimals)),
    ticks: (most) => roundTicks(most === 0 ? 10 ** decimals : most),
  }
}

/** Thousandths, written as percent. */
export const shares: Measure = {
  print: (value) => `${value / 10} %`,
  ticks: () => [0, 250, 500, 750, 1000],
}

/** `12.500000000` as `12.5`. */
export function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** `81.4 %`; 0 and 100 only where exact. Null for a part of nothing. */
export function formatShare(part: bigint, whole: bigint): string | null {
  const share = perMille(part, whole)
  return share === null ? null : `${oneDecimal(share)} %`
}

/** The same as a whole number of thousandths. */
export function perMille(part: bigint, whole: bigint): bigint | null {
  if (whole <= 0n) return null
  const rounded = (part * 2000n + whole) / (whole * 2n)
  if (rounded === 0n && part > 0n) return 1n
  return rounded === 1000n && part < whole ? 999n : rounded
}

/** A change: `+18 % on the 30 days before`. */
export function describeChange(now: bigint, before: bigint, span: string): string {
  if (before === 0n) return now === 0n ? `nothing in ${span} either` : `nothing in ${span}`
  if (now === before) return `as much as in ${span}`
  if (now >= before * 10n) return `${formatNumber(now / before)} times ${span}`
  const isMore = now > before
  const size = isMore ? now - before : before - now
  const share = (size * 2000n + before) / (before * 2n)
  const sign = isMore ? '+' : '−'
  if (share === 0n) return `${sign}<0.1 % on ${span}`
  // Only a fall to zero is a fall of 100 %.
  if (share === 1000n && !isMore && now > 0n) return `−>99.9 % on ${span}`
  const text = share < 100n ? oneDecimal(share).replace('.0', '') : formatNumber((share + 5n) / 10n)
  return `${sign}${text} % on ${span}`
}

const hour = 3_600_000
const day = 24 * hour

/** The time of the same length before a span of milliseconds: `the 30 days before`. */
export function describeBefore(from: number, to: number): string {
  const length = to - from
  if (length <= day) {
    const hours = Math.max(1, Math.ceil(length / hour))
    return hours === 1 ? 'the hour before' : `the ${hours} h before`
  }
  // A day on which summer time begins or ends is an hour longer or shorter.
  return `the ${formatNumber(Math.ceil((length - hour) / day))} days before`
}

function oneDecimal(perMille: bigint): string {
  return `${formatNumber(perMille / 10n)}.${perMille % 10n}`
}
