import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import type { WebhookRecord } from './webhooks.ts'
import type { Outage, Range, Retry, RetryDelay } from '../forecast/forecast.ts'

/** An outage with its row; times are those of the gateway's clock. */
export type StoredOutage = Outage & { readonly id: number }

/** Ended outages of each network and outcome that are kept; older ones hardly tell of today’s policy. */
const maxEnded = 100
/** Failing accounts whose next retry is computed. */
const maxRetries = 1000

type Ended = Partial<Outage> & { readonly outcome: 'offline' | 'recovered' }

/** What the gateway showed of its policy for failing webhooks. */
export function createOutages(database: Database) {
  const sql = createSql(database)
  const columns =
    'id, first_from, first_to, attempts, survived_at, outcome, offline_from, offline_to, is_cut_short'

  return {
    /** Newest first; the first may be ongoing. */
    last: (network: string, webhook: string) =>
      sql.get<StoredOutage>(
        `SELECT ${columns} FROM outages WHERE network = ? AND webhook = ? ORDER BY id DESC LIMIT 1`,
        ...[network, webhook],
      ),
    /** Ended outages of all webhooks of the network, newest first. */
    ended: (network: string) =>
      sql.all<StoredOutage>(
        `SELECT ${columns} FROM outages WHERE network = ? AND outcome IS NOT NULL ORDER BY id DESC`,
        network,
      ),
    add: (network: string, webhook: string, outage: Outage) =>
      sql.insert('outages', { network, webhook, ...outage }),
    update: (id: number, change: Partial<Outage>) => void sql.update('outages', change, { id }),
    remove: (id: number) => void sql.remove('outages', { id }),
    end(network: string, id: number, change: Ended): void {
      sql.update('outages', change, { id })
      const { outcome } = change
      sql.run(
        `DELETE FROM outages WHERE network = $network AND outcome = $outcome AND id <=
           (SELECT id FROM outages WHERE network = $network AND outcome = $outcome
            ORDER BY id DESC LIMIT 1 OFFSET ${maxEnded})`,
        { network, outcome },
      )
    },
    /** Times of failed attempts that were logged from `from` to `to`, newest first. */
    attempts: (key: number, { from, to }: Range, limit: number) =>
      sql.column<number>(
        `SELECT DISTINCT at FROM failure_logs WHERE webhook_key = ? AND at BETWEEN ? AND ?
         ORDER BY at DESC LIMIT ?`,
        ...[key, from, to, limit],
      ),
    /** When a delivery to any account of the webhook failed last. */
    lastFailedAt: (key: number) =>
      sql.value<number>('SELECT max(failed_at) FROM subscriptions WHERE webhook_key = ?', key),
    retries: (key: number) =>
      sql.all<Retry>(
        `SELECT failed_at, retry_ms FROM subscriptions
         WHERE webhook_key = ? AND is_failing = 1 AND failed_at IS NOT NULL
         ORDER BY failed_at DESC LIMIT ${maxRetries}`,
        key,
      ),
    delays: (network: string) =>
      sql.all<RetryDelay>(
        'SELECT after_ms, delay_ms FROM retry_delays WHERE network = ? ORDER BY after_ms',
        network,
      ),
    forget(network: string): void {
      for (const table of ['outages', 'retry_delays']) sql.remove(table, { network })
    },
  }
}

type Attempts = {
  readonly failedAt: number | null
  readonly isFailing: boolean
  readonly retryMs: number | null
}

export type RetryLearner = ReturnType<ReturnType<typeof createRetryLearners>>

/**
 * Learns retry delays from the readings of a webhook's accounts. A delay is learned where exactly one attempt
 * was made between two readings. Callers open the transaction.
 */
export function createRetryLearners(database: Database) {
  const sql = createSql(database)
  return (key: number) => learnRetries(sql, key)
}

function learnRetries(sql: ReturnType<typeof createSql>, key: number) {
  const webhook = sql.get<Pick<WebhookRecord, 'network' | 'id' | 'status' | 'statusSince'>>(
    'SELECT network, id, status, status_since FROM webhooks WHERE key = ?',
    key,
  )
  const learned = new Map<number, number>()
  let isCutShort = false
  /** `retry_ms` of an account that begins to fail. */
  const first = (growth: number) => (growth === 1 ? 0 : null)

  return {
    first,
    /** @returns the new `retry_ms` of an account */
    next(
      before: Attempts,
      seen: { readonly isFailing: boolean; readonly recovered: boolean; readonly growth: number },
      failedAt: number | null,
    ): number | null {
      const { growth } = seen
      if (!seen.isFailing) return null
      if (!before.isFailing || seen.recovered) return first(growth)
      if (growth === 0) return before.retryMs
      if (failedAt === null || before.failedAt === null || failedAt <= before.failedAt) return null
      const { status = null, statusSince = null } = webhook ?? {}
      const isOnline = status === null || status === 'online'
      // After the webhook came back online, the retries begin anew.
      if (isOnline && statusSince !== null && statusSince > before.failedAt) return first(growth)
      const delayMs = Math.round((failedAt - before.failedAt) / growth)
      if (growth === 1 && before.retryMs !== null) {
        if (isOnline) learned.set(before.retryMs, delayMs)
        // The last attempt before the webhook went offline: retry delays do not shrink.
        else if (delayMs < 0.9 * before.retryMs) isCutShort = true
      }
      return delayMs
    },
    save(): void {
      if (webhook === null) return
      const { network, id } = webhook
      if (isCutShort) {
        sql.run(
          `UPDATE outages SET is_cut_short = 1
           WHERE network = $network AND webhook = $id AND outcome IS NULL`,
          { network, id },
        )
      }
      for (const [afterMs, delayMs] of learned) {
        sql.run(
          `DELETE FROM retry_delays WHERE network = $network
             AND after_ms BETWEEN $afterMs * 0.95 AND $afterMs * 1.05`,
          { network, afterMs },
        )
        sql.insert('retry_delays', { network, afterMs, delayMs })
      }
    },
  }
}
