import type {
  Subscription,
  SubscriptionFilter,
  SubscriptionSort,
} from '../../../../src-preload/contract/subscription.ts'
import { nextSort } from '../../../components/list/sort.ts'

export const everyAccount: SubscriptionFilter = { text: '', only: null }

/** What fails most stands first, what never had a delivery last. */
export const usualOrder: SubscriptionSort = { by: 'failedAttempts', descending: true }

const largeFirst: ReadonlySet<SubscriptionSort['by']> = new Set([
  'lastDeliveredLt',
  'failedAt',
  'failedLt',
  'failedAttempts',
  'lag',
])

export function nextSubscriptionSort(
  sort: SubscriptionSort,
  by: SubscriptionSort['by'],
): SubscriptionSort {
  return nextSort(sort, by, { usual: usualOrder, largeFirst })
}

export function isEveryAccount({ text, only }: SubscriptionFilter): boolean {
  return text === '' && only === null
}

/** Whether newer rows would stand elsewhere than those that are shown: by their accounts. */
export function wouldMove(
  shown: readonly Subscription[],
  newer: readonly Subscription[],
  totals: readonly [shown: number, newer: number],
): boolean {
  if (totals[0] !== totals[1] || shown.length !== newer.length) return true
  return shown.some(({ account }, index) => account !== newer[index]?.account)
}
