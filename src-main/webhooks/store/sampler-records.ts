import type { Database } from '../../database/database.ts'
import { createSql, int64 } from '../../database/sql.ts'
import { createFailureRecord } from './failure-record.ts'
import { growthOf } from './failing.ts'

type UsageReading = {
  readonly startedAt: number | null
  readonly delivered: bigint
  readonly failed: bigint
}

/** Moments in milliseconds since the epoch. */
type FailureLog = {
  readonly at: number
  readonly eventType: string
  readonly message: string
}

const logsKept = 1000

/** What the sampler remembers from one round to the next, also across restarts. */
export function createSamplerRecords(database: Database) {
  const record = createFailureRecord(database)
  const sql = createSql(database, { delivered: int64, failed: int64 })

  return {
    /** Networks with a webhook that the gateway lists. */
    networks: () =>
      sql.column<string>(
        'SELECT DISTINCT network FROM webhooks WHERE gone_at IS NULL ORDER BY network',
      ),
    /** When the network was last read; null when never. */
    roundAt: (network: string) =>
      sql.value<number>('SELECT at FROM sampler_rounds WHERE network = ?', network),
    setRoundAt: (network: string, at: number) =>
      void sql.insert('sampler_rounds', { network, at }, 'INSERT OR REPLACE'),
    /** Keeps what the counters show, and makes history of what they grew by since the last time. */
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
          record.usage(network, grown, at)
        }
        const counters = { network, startedAt, delivered, failed, readAt: at }
        sql.insert('usage_counters', counters, 'INSERT OR REPLACE')
      })
    },
    /** Those known already are passed by; of each webhook the last thousand stay. */
    addLogs: (key: number, added: readonly FailureLog[]) =>
      sql.transaction(() => {
        for (const log of added) {
          sql.run(
            `INSERT INTO failure_logs (webhook_key, at, event_type, message)
             VALUES ($key, $at, $eventType, $message) ON CONFLICT DO NOTHING`,
            { ...log, key },
          )
        }
        sql.run(
          `DELETE FROM failure_logs WHERE webhook_key = $key AND at < (SELECT at FROM failure_logs
             WHERE webhook_key = $key ORDER BY at DESC LIMIT 1 OFFSET ${logsKept})`,
          { key },
        )
      }),
    /** Newest first, both ends included. */
    logs: (key: number, from: number, to: number, limit: number) =>
      sql.all<FailureLog>(
        `SELECT at, event_type, message FROM failure_logs
         WHERE webhook_key = ? AND at BETWEEN ? AND ? ORDER BY at DESC LIMIT ?`,
        ...[key, from, to, limit],
      ),
    forget(network: string): void {
      for (const table of ['sampler_rounds', 'usage_counters', 'usage_history']) {
        sql.remove(table, { network })
      }
    },
  }
}

const largestCounter = 2n ** 63n - 1n

/** Nothing that a gateway prints is too large to be kept. */
function toCounter(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > largestCounter ? largestCounter : value
}
