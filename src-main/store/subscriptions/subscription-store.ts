import type { Database } from '../database.ts'

/** All that is kept of webhooks and their subscriptions, a part a file. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>

export function createSubscriptionStore(_database: Database) {
  return {}
}
