import type { Database } from '../../database/database.ts'
import { createChangeItems } from './change-items.ts'
import { createChanges } from './changes.ts'
import { createFailureFold } from './failure-fold.ts'
import { createFailureHistory } from './failure-history.ts'
import { createFailureRecord } from './failure-record.ts'
import { createFollowedAccounts } from './followed-accounts.ts'
import { createLedgerChecks } from './ledger-checks.ts'
import { createLedgerFindings } from './ledger-findings.ts'
import { createLedgerSchedules } from './ledger-schedules.ts'
import { createMoves } from './moves.ts'
import { createSamplerRecords } from './sampler-records.ts'
import { createStreaks } from './streaks.ts'
import { createSubscriptionRows } from './subscription-rows.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createToldRecords } from './told.ts'
import { createWebhooks } from './webhooks.ts'

/** All that is kept of webhooks and their subscriptions, a part a file. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>

export function createSubscriptionStore(database: Database) {
  return {
    changeItems: createChangeItems(database),
    changes: createChanges(database),
    failureFold: createFailureFold(database),
    failureHistory: createFailureHistory(database),
    failureRecord: createFailureRecord(database),
    followedAccounts: createFollowedAccounts(database),
    ledgerChecks: createLedgerChecks(database),
    ledgerFindings: createLedgerFindings(database),
    ledgerSchedules: createLedgerSchedules(database),
    moves: createMoves(database),
    samplerRecords: createSamplerRecords(database),
    streaks: createStreaks(database),
    subscriptionRows: createSubscriptionRows(database),
    subscriptions: createSubscriptions(database),
    told: createToldRecords(database),
    webhooks: createWebhooks(database),
  }
}
