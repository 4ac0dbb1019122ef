import { type Database, transaction } from '../../database/database.ts'
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

/** What the sampler remembers from one round to the next, also across restarts. */
type SamplerRecords = {
  /** Networks with a webhook that the gateway lists. */
  networks(): string[]
  /** When the network was last read; null when never. */
  roundAt(network: string): number | null
  setRoundAt(network: string, at: number): void
  /** Keeps what the counters show, and makes history of what they grew by since the last time. */
  addUsage(network: string, reading: UsageReading, at: number): void
  /** Those known already are passed by; of each webhook the last thousand stay. */
  addLogs(key: number, logs: readonly FailureLog[]): void
  /** Newest first, both ends included. */
  logs(key: number, from: number, to: number, limit: number): FailureLog[]
  forget(network: string): void
}

const logsKept = 1000

export function createSamplerRecords(database: Database): SamplerRecords {
  const record = createFailureRecord(database)
  const networks = database.prepare(
    'SELECT DISTINCT network FROM webhooks WHERE gone_at IS NULL ORDER BY network',
  )
  const round = database.prepare('SELECT at FROM sampler_rounds WHERE network = ?')
  const setRound = database.prepare(
    'INSERT OR REPLACE INTO sampler_rounds (network, at) VALUES (?, ?)',
  )
  const usage = database.prepare('SELECT * FROM usage_counters WHERE network = ?')
  usage.setReadBigInts(true)
  const setUsage = database.prepare(
    `INSERT OR REPLACE INTO usage_counters (network, started_at, delivered, failed, read_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const addLog = database.prepare(
    `INSERT INTO failure_logs (webhook_key, at, event_type, message) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const trimLogs = database.prepare(
    `DELETE FROM failure_logs WHERE webhook_key = $key AND at < (SELECT at FROM failure_logs
       WHERE webhook_key = $key ORDER BY at DESC LIMIT 1 OFFSET ${logsKept})`,
  )
  const logs = database.prepare(
    `SELECT at, event_type, message FROM failure_logs
     WHERE webhook_key = ? AND at BETWEEN ? AND ? ORDER BY at DESC LIMIT ?`,
  )
  const forget = ['sampler_rounds', 'usage_counters', 'usage_history'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE network = ?`),
  )

  return {
    networks: () => networks.all().map((row) => row['network'] as string),
    roundAt: (network) => (round.get(network)?.['at'] as number | undefined) ?? null,
    setRoundAt: (network, at) => void setRound.run(network, at),
    addUsage(network, { startedAt, ...reading }, at) {
      const delivered = toCounter(reading.delivered)
      const failed = toCounter(reading.failed)
      transaction(database, () => {
        const before = usage.get(network)
        if (before !== undefined) {
          const period = before['started_at'] as bigint | null
          const isSame = (period === null ? null : Number(period)) === startedAt
          const growth = (name: string, after: bigint) =>
            growthOf(isSame ? (before[name] as bigint) : 0n, after)
          const grown = {
            delivered: growth('delivered', delivered),
            failed: growth('failed', failed),
          }
          record.usage(network, grown, at)
        }
        setUsage.run(network, startedAt, delivered, failed, at)
      })
    },
    addLogs(key, added) {
      transaction(database, () => {
        for (const { at, eventType, message } of added) addLog.run(key, at, eventType, message)
        trimLogs.run({ $key: key })
      })
    },
    logs: (key, from, to, limit) =>
      logs.all(key, from, to, limit).map((row) => ({
        at: row['at'] as number,
        eventType: row['event_type'] as string,
        message: row['message'] as string,
      })),
    forget(network) {
      for (const statement of forget) statement.run(network)
    },
  }
}

const largestCounter = 2n ** 63n - 1n

/** Nothing that a gateway prints is too large to be kept. */
function toCounter(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > largestCounter ? largestCounter : value
}
