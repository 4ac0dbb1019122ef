import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type ScheduleRecord = {
  readonly network: string
  readonly webhook: string
  readonly everyHours: number
  readonly lateAfterMs: number
  /** Block time up to which events have been judged; null before the first check. */
  readonly checkedTo: number | null
  readonly nextAt: number
}

export type LedgerSchedules = ReturnType<typeof createLedgerSchedules>

export function createLedgerSchedules(database: Database) {
  const sql = createSql(database)
  return {
    /** Of all networks where none is named. */
    list: (network?: string) =>
      sql.all<ScheduleRecord>(
        'SELECT * FROM ledger_schedules WHERE ?1 IS NULL OR network = ?1',
        network ?? null,
      ),
    get: (network: string, webhook: string) =>
      sql.get<ScheduleRecord>(
        'SELECT * FROM ledger_schedules WHERE network = ? AND webhook = ?',
        ...[network, webhook],
      ),
    put(schedule: ScheduleRecord): void {
      const { network, webhook, everyHours, lateAfterMs, checkedTo, nextAt } = schedule
      const fields = { network, webhook, everyHours, lateAfterMs, checkedTo, nextAt }
      sql.insert('ledger_schedules', fields, 'INSERT OR REPLACE')
    },
    remove: (network: string, webhook: string) =>
      void sql.remove('ledger_schedules', { network, webhook }),
    forget: (network: string) => void sql.remove('ledger_schedules', { network }),
  }
}
