import type { Database } from '../../database/database.ts'
import { createChangeItems, createChanges } from './changes.ts'
import { createFailureHistory } from './failure-history.ts'
import { createHistoryRetention } from './history-retention.ts'
import { createLedgerChecks, createLedgerSchedules } from './ledger-checks.ts'
import { createLedgerFindings } from './ledger-findings.ts'
import { createMoves } from './moves.ts'
import { createStreaks } from './streaks.ts'
import { createSubscriptionRows } from './subscription-rows.ts'
import { createSubscriptions, growthOf } from './subscriptions.ts'
import { createToldRecords } from './told.ts'
import { type WebhookRecord, createWebhooks } from './webhooks.ts'
import { createSql, int64 } from '../../database/sql.ts'

type UsageReading = {
  readonly startedAt: number | null
  readonly delivered: bigint
  readonly failed: bigint
}

/** Times are milliseconds since the epoch. */
type FailureLog = {
  readonly at: number
  readonly eventType: string
  readonly message: string
}

const logsKept = 1000

function createSamplerRecords(database: Database) {
  const history = createFailureHistory(database)
  const streaks = createStreaks(database)
  const sql = createSql(database, { delivered: int64, failed: int64 })

  return {
    networks: () =>
      sql.column<string>(
        'SELECT DISTINCT network FROM webhooks WHERE gone_at IS NULL ORDER BY network',
      ),
    roundAt: (network: string) =>
      sql.value<number>('SELECT at FROM sampler_rounds WHERE network = ?', network),
    setRoundAt: (network: string, at: number) =>
      void sql.insert('sampler_rounds', { network, at }, 'INSERT OR REPLACE'),
    addUsage(network: string, { startedAt, ...reading }: UsageReading, at: number): void {
      const delivered = toCounter(reading.delivered)
      const failed = toCounter(reading.failed)
      sql.transaction(() => {
        const before = sql.get<UsageReading>(
          'SELECT started_at, delivered, failed FROM usage_counters WHERE network = ?',
          network,
        )
        if (before !== null) {
          const isSame = before.startedAt === startedAt
          const grown = {
            delivered: growthOf(isSame ? before.delivered : 0n, delivered),
            failed: growthOf(isSame ? before.failed : 0n, failed),
          }
          history.recordUsage(network, grown, at)
        }
        const counters = { network, startedAt, delivered, failed, readAt: at }
        sql.insert('usage_counters', counters, 'INSERT OR REPLACE')
      })
    },
    /** @returns true when the webhook changed */
    addListed: (webhook: WebhookRecord, before: WebhookRecord | null, at: number): boolean =>
      sql.transaction(() => {
        const { key, status, accounts, failing } = webhook
        const failed = webhook.failedAttempts ?? 0
        const growth = growthOf(before?.failedAttempts ?? null, failed)
        // With account subscriptions, the failed attempts are counted from the accounts' own counters.
        history.recordWebhook(key, { status, failing, attempts: accounts === 0 ? growth : 0 }, at)
        const isFailing = (status !== null && status !== 'online') || failed > 0
        const recovered = failed < (before?.failedAttempts ?? 0)
        const seen = { isFailing, recovered, growth, attempts: growth, failedLt: null }
        streaks.follow({ key, id: null }, seen, at)
        return before !== null && (growth > 0 || recovered || before.status !== status)
      }),
    addLogs: (key: number, added: readonly FailureLog[]) =>
      sql.transaction(() => {
        for (const log of added) {
          sql.insertNew('failure_logs', { webhookKey: key, ...log })
        }
        sql.run(
          `DELETE FROM failure_logs WHERE webhook_key = $key AND at < (SELECT at FROM failure_logs
             WHERE webhook_key = $key ORDER BY at DESC LIMIT 1 OFFSET ${logsKept})`,
          { key },
        )
      }),
    logs: (key: number, from: number, to: number, limit: number) =>
      sql.all<FailureLog>(
        `SELECT at, event_type, message FROM failure_logs
         WHERE webhook_key = ? AND at BETWEEN ? AND ? ORDER BY at DESC LIMIT ?`,
        ...[key, from, to, limit],
      ),
    forget(network: string): void {
      for (const table of ['sampler_rounds', 'usage_counters']) sql.remove(table, { network })
      history.forgetUsage(network)
    },
  }
}

const largestCounter = 2n ** 63n - 1n

/** Clamps a counter to the range that SQLite stores. */
function toCounter(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > largestCounter ? largestCounter : value
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>

export function createSubscriptionStore(database: Database) {
  return {
    changeItems: createChangeItems(database),
    changes: createChanges(database),
    failureHistory: createFailureHistory(database),
    historyRetention: createHistoryRetention(database),
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
