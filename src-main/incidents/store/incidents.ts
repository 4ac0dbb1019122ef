import type { Incident } from '../../../src-preload/contract/incident.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, createSql, json } from '../../database/sql.ts'
import type { Tracked } from '../model.ts'

/** An incident or a suspected problem. Times are milliseconds. */
export type StoredIncident = Omit<Tracked, 'isOpen'> &
  Pick<Incident, 'id' | 'network' | 'subject' | 'closedAt' | 'snoozedUntil'> & {
    /** Null while the problem is only suspected. */
    readonly openedAt: number | null
  }

export type IncidentStore = ReturnType<typeof createIncidentStore>

/** The number is enough for years, unless something flaps for weeks. */
const maxClosed = 2000

export function createIncidentStore(database: Database) {
  const sql = createSql(database, { condition: json, worst: json, snoozedUntil: json })
  const columns = `id, network, subject, opened_at, closed_at, condition, worst, failures, is_well,
    is_flapping, lasted_ms, snoozed_until`
  const closed = `incidents WHERE closed_at IS NOT NULL
    AND ($network IS NULL OR network IS NULL OR network = $network)`

  return {
    maxId: () => sql.value<number>('SELECT max(id) FROM incidents') ?? 0,
    unclosed: () =>
      sql.all<StoredIncident>(`SELECT ${columns} FROM incidents WHERE closed_at IS NULL`),
    countClosed: (network: NetworkId | null) => sql.count(closed, { network }),
    closed: (network: NetworkId | null, page: { offset: number; limit: number }) =>
      sql.all<StoredIncident>(
        `SELECT ${columns} FROM ${closed} ORDER BY closed_at DESC, id DESC
         LIMIT $limit OFFSET $offset`,
        { network, ...page },
      ),
    /** Returns a closed incident; null if none has this id. */
    read: (id: number) =>
      sql.get<StoredIncident>(
        `SELECT ${columns} FROM incidents WHERE id = $id AND closed_at IS NOT NULL`,
        { id },
      ),
    save: (stored: StoredIncident): void =>
      sql.transaction(() => {
        sql.insert('incidents', stored, 'INSERT OR REPLACE')
        if (stored.closedAt === null) return
        sql.run(
          `DELETE FROM incidents WHERE closed_at < (SELECT closed_at FROM incidents
             WHERE closed_at IS NOT NULL ORDER BY closed_at DESC LIMIT 1 OFFSET ${maxClosed})`,
        )
      }),
    remove: (id: number) => void sql.remove('incidents', { id }),
  }
}
