import type {
  Lag,
  MirrorState,
  Subscription,
} from '../../../../src-preload/contract/subscription.ts'
import { formatCount, formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'

/** How far deliveries to an account are behind the chain: `12 tx, 3 min`, or `none`. */
export function formatLag({ transactions, more, milliseconds }: Lag): string {
  if (transactions === 0 && !more) return 'none'
  const parts = [
    transactions !== null && `${formatNumber(transactions)}${more ? '+' : ''} tx`,
    milliseconds !== null && formatDuration(fromMs(milliseconds)),
  ]
  return parts.filter(Boolean).join(', ') || 'behind'
}

/** Failed attempts of the last 24 hours, given for each hour. */
export function describeSpark(spark: readonly number[]): string {
  const sum = spark.reduce((total, each) => total + each, 0)
  if (sum === 0) return 'No failed attempts in 24 hours'
  const max = Math.max(...spark)
  const ago = spark.length - 1 - spark.lastIndexOf(max)
  const when = ago === 0 ? 'in the last hour' : `${formatCount(ago, 'hour')} ago`
  const all = `${formatCount(sum, 'failed attempt')} in 24 hours`
  return max === sum ? `${all}, ${when}` : `${all}, most ${when}: ${formatNumber(max)}`
}

/** `0` stands for an account without a delivery. */
export function hasDelivered({ lastDeliveredLt }: Subscription): boolean {
  return lastDeliveredLt !== '0'
}

/** How many accounts are loaded: `12 000 of 100 000`, or without the total where it is not known. */
export function formatLoading({ rows, expected }: NonNullable<MirrorState['reading']>): string {
  const loaded = formatNumber(rows)
  return expected === null || expected < rows ? loaded : `${loaded} of ${formatNumber(expected)}`
}
