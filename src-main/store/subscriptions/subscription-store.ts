import type { Database } from '../database.ts'
import { createChangeItems } from './change-items.ts'
import { createChanges } from './changes.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createToldRecords } from './told.ts'
import { createWebhooks } from './webhooks.ts'

/** All that is kept of webhooks and their subscriptions, a part a file. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>

export function createSubscriptionStore(database: Database) {
  return {
    changeItems: createChangeItems(database),
    changes: createChanges(database),
    subscriptions: createSubscriptions(database),
    told: createToldRecords(database),
    webhooks: createWebhooks(database),
  }
}
