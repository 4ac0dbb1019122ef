import type { Database } from '../../database/database.ts'

/** More rows than these are looked at anew, all of them, rather than one by one. */
const maxOneByOne = 2_000

type ListChanges = {
  /** Keys of rows that may be others since the last call; null where that is not known, or many. */
  since(): number[] | null
}

/** Follows what triggers note of each row that is written (migration 0014). */
export function createListChanges(database: Database): ListChanges {
  const bounds = database.prepare('SELECT min(seq) AS first, max(seq) AS last FROM invoice_changes')
  const select = database.prepare(
    'SELECT DISTINCT invoice_key AS key FROM invoice_changes WHERE seq > ?',
  )
  let seen: number | null = null

  return {
    since() {
      const row = bounds.get()
      const last = Number(row?.['last'] ?? 0)
      const first = Number(row?.['first'] ?? 0)
      const from = seen
      seen = last
      if (from === last) return []
      if (from === null || from + 1 < first || last - from > maxOneByOne) return null
      return select.all(from).map((each) => Number(each['key']))
    },
  }
}
