import type { Database } from '../../database/database.ts'

export type ScheduleRecord = {
  readonly network: string
  readonly webhook: string
  readonly everyHours: number
  readonly lateAfterMs: number
  /** Block time up to which events have been judged; null before the first check. */
  readonly checkedTo: number | null
  readonly nextAt: number
}

export type LedgerSchedules = {
  /** Of all networks where none is named. */
  list(network?: string): ScheduleRecord[]
  get(network: string, webhook: string): ScheduleRecord | null
  put(schedule: ScheduleRecord): void
  remove(network: string, webhook: string): void
  forget(network: string): void
}

export function createLedgerSchedules(database: Database): LedgerSchedules {
  const all = database.prepare('SELECT * FROM ledger_schedules')
  const ofNetwork = database.prepare('SELECT * FROM ledger_schedules WHERE network = ?')
  const one = database.prepare('SELECT * FROM ledger_schedules WHERE network = ? AND webhook = ?')
  const put = database.prepare(
    `INSERT OR REPLACE INTO ledger_schedules
       (network, webhook, every_hours, late_after_ms, checked_to, next_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const remove = database.prepare('DELETE FROM ledger_schedules WHERE network = ? AND webhook = ?')
  const forget = database.prepare('DELETE FROM ledger_schedules WHERE network = ?')
  return {
    list: (network) => (network === undefined ? all.all() : ofNetwork.all(network)).map(toSchedule),
    get(network, webhook) {
      const row = one.get(network, webhook)
      return row === undefined ? null : toSchedule(row)
    },
    put: ({ network, webhook, everyHours, lateAfterMs, checkedTo, nextAt }) =>
      void put.run(network, webhook, everyHours, lateAfterMs, checkedTo, nextAt),
    remove: (network, webhook) => void remove.run(network, webhook),
    forget: (network) => void forget.run(network),
  }
}

function toSchedule(row: Record<string, unknown>): ScheduleRecord {
  return {
    network: row['network'] as string,
    webhook: row['webhook'] as string,
    everyHours: row['every_hours'] as number,
    lateAfterMs: row['late_after_ms'] as number,
    checkedTo: row['checked_to'] as number | null,
    nextAt: row['next_at'] as number,
  }
}
