import type {
  Lag,
  MirrorState,
  Subscription,
} from '../../../../src-preload/contract/subscription.ts'
import { formatCount, formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'

/** How far an account is behind: `12 tx, 3 min`; `none` when all has been delivered. */
export function printLag({ transactions, more, milliseconds }: Lag): string {
  if (transactions === 0 && !more) return 'none'
  const parts = [
    transactions !== null && `${formatNumber(transactions)}${more ? '+' : ''} tx`,
    milliseconds !== null && formatDuration(fromMs(milliseconds)),
  ]
  return parts.filter(Boolean).join(', ') || 'behind'
}

/** The last 24 hours in words, for those who do not see them drawn. */
export function saySpark(spark: readonly number[]): string {
  const sum = spark.reduce((total, each) => total + each, 0)
  if (sum === 0) return 'No failed attempt in 24 hours'
  const most = Math.max(...spark)
  const ago = spark.length - 1 - spark.lastIndexOf(most)
  const when = ago === 0 ? 'in the last hour' : `${formatCount(ago, 'hour')} ago`
  const all = `${formatCount(sum, 'failed attempt')} in 24 hours`
  return most === sum ? `${all}, ${when}` : `${all}, most ${when}: ${formatNumber(most)}`
}

/** Heights of bars from 0 to 1; an hour with any failure can be seen beside one with thousands. */
export function sparkHeights(spark: readonly number[]): number[] {
  const most = Math.max(1, ...spark)
  return spark.map((each) => (each === 0 ? 0 : Math.max(0.15, each / most)))
}

/** `0` before the first delivery. */
export function hasDelivered({ lastDeliveredLt }: Subscription): boolean {
  return lastDeliveredLt !== '0'
}

/** How far the reading is: `12 000 of 100 000`, or what was read where no end is known. */
export function printReading({ rows, expected }: NonNullable<MirrorState['reading']>): string {
  const read = formatNumber(rows)
  return expected === null || expected < rows ? read : `${read} of ${formatNumber(expected)}`
}
