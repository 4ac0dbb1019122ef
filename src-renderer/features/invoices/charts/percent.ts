/** Shares and changes of exact figures. Only whole numbers are divided, and what is rounded looks so. */
import { formatNumber } from '../../../ui/format.ts'

/** `81.4 %`; neither 0 nor 100 unless it is exactly that. Null where there is nothing to be a part of. */
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

/** How a figure stands to the one before: `+18 % on the 30 days before`. */
export function sayChange(now: bigint, before: bigint, span: string): string {
  if (before === 0n) return now === 0n ? `nothing in ${span} either` : `nothing in ${span}`
  if (now === before) return `as much as in ${span}`
  if (now >= before * 10n) return `${formatNumber(now / before)} times ${span}`
  const isMore = now > before
  const size = isMore ? now - before : before - now
  const share = (size * 2000n + before) / (before * 2n)
  const sign = isMore ? '+' : '−'
  if (share === 0n) return `${sign}<0.1 % on ${span}`
  // A fall of nearly all is not one of all.
  if (share === 1000n && !isMore && now > 0n) return `−>99.9 % on ${span}`
  const text = share < 100n ? oneDecimal(share).replace('.0', '') : formatNumber((share + 5n) / 10n)
  return `${sign}${text} % on ${span}`
}

const hour = 3_600_000
const day = 24 * hour

/** The time of the same length before a span of milliseconds: `the 30 days before`. */
export function sayBefore(from: number, to: number): string {
  const length = to - from
  if (length <= day) {
    const hours = Math.max(1, Math.ceil(length / hour))
    return hours === 1 ? 'the hour before' : `the ${hours} h before`
  }
  // Days of summer time's change are an hour off.
  return `the ${formatNumber(Math.ceil((length - hour) / day))} days before`
}

function oneDecimal(perMille: bigint): string {
  return `${formatNumber(perMille / 10n)}.${perMille % 10n}`
}
