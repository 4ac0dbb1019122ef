import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { readFloorKey } from './capture-deletion.ts'
import { removeDatabase } from './capture-index/schema.ts'
import type { Database } from './database.ts'
import { isConstraint, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

export type Rescue = {
  /** Rows that could be read, by table. */
  readonly rescued: Readonly<Record<string, number>>
  /** Where the damaged file is kept. */
  readonly movedTo: string
}

const tables = [
  'settings',
  'webhook_tokens',
  'custom_networks',
  'network_secrets',
  'labels',
  'lookup_jobs',
  'lookup_lines',
  'webhooks',
  'subscriptions',
  'streaks',
  'webhook_history',
  'account_history',
  'usage_history',
  'history_progress',
  'failure_logs',
  'webhook_moves',
  'webhook_move_subjects',
  'changes',
  'change_webhooks',
  'change_items',
  'capture_marks',
  'capture_origins',
  // What a person has said; the rest of their meaning is learnt again.
  'capture_networks',
  'capture_views',
  'answer_rules',
  // What waits comes with them; answers of targets do not.
  'confirmed_hosts',
  'forward_rules',
  'forward_targets',
  'forward_deliveries',
  'replay_jobs',
  'replay_plans',
  'ledger_schedules',
  // Their rollups come with them, by triggers. How far gateway and chain were read is left out, so that
  // what is missing is read again.
  'invoices',
  'invoice_events',
  'invoice_reports',
  'payments',
  'matters',
  'invoice_accounts',
  'invoice_views',
  'invoice_drafts',
  'invoice_draft_lines',
  'invoice_jobs',
  'invoice_job_items',
  'invoice_access',
  'captures',
] as const

type Row = Record<string, unknown>

/** Moves a database with its write-ahead log into a directory of its own. */
export function moveAside(database: string, to: string): string {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(database + suffix)) {
      renameSync(database + suffix, join(to, basename(database) + suffix))
    }
  }
  return join(to, basename(database))
}

function rescuedPath(path: string): string {
  return `${path}.rescued`
}

/**
 * Makes a new database of all that can still be read from a damaged one, then sets that aside.
 * Nothing of it is changed: it stays for whoever knows more. A kill at any moment leaves the
 * damaged one in its place, or the new one whole (see `finishRescue`).
 */
export function rescueDatabase(path: string, asideDirectory: string): Rescue {
  removeDatabase(rescuedPath(path))
  const fresh = openDatabase(rescuedPath(path))
  const rescued: Record<string, number> = {}
  try {
    migrate(fresh, () => undefined)
    const damaged = openDatabase(path, { readOnly: true })
    try {
      // Else SQLite reads nothing at all of a file that is shorter than it says.
      damaged.enableDefensive(false)
      damaged.exec('PRAGMA writable_schema = ON')
      for (const table of tables) rescued[table] = copyTable(damaged, fresh, table)
      // Ids of captures that are lost are not given to others: rules have looked at them already.
      fresh.exec(`
        DELETE FROM capture_origins WHERE capture_id NOT IN (SELECT id FROM captures);
        DELETE FROM capture_networks WHERE capture_id NOT IN (SELECT id FROM captures);
        INSERT INTO settings (key, value) SELECT '${readFloorKey}', CAST(max(
            coalesce((SELECT max(capture_id) FROM forward_deliveries), 0),
            coalesce((SELECT max(reached) FROM forward_rules), 0),
            coalesce((SELECT max(newest_id) FROM replay_jobs), 0)) AS TEXT) WHERE true
          ON CONFLICT (key) DO UPDATE SET value =
            CAST(max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT);
        UPDATE invoice_accounts SET top_lt = NULL, bottom_lt = NULL, read_from = NULL, read_to = NULL;
      `)
    } finally {
      damaged.close()
    }
  } finally {
    fresh.close()
  }
  const movedTo = moveAside(path, asideDirectory)
  renameSync(rescuedPath(path), path)
  return { rescued, movedTo }
}

/** Carries on, at a start, with a rescue that was cut short. */
export function finishRescue(path: string, asideDirectory: string): void {
  if (!existsSync(rescuedPath(path))) return
  if (existsSync(path)) {
    removeDatabase(rescuedPath(path))
    return
  }
  // A write-ahead log left behind would be played into whatever stands in its database's place.
  if (existsSync(`${path}-wal`)) moveAside(path, asideDirectory)
  renameSync(rescuedPath(path), path)
}

function copyTable(damaged: Database, fresh: Database, table: (typeof tables)[number]): number {
  const insert = createInsert(fresh, table)
  fresh.exec('BEGIN')
  let copied = 0
  for (const row of table === 'captures' ? captureRows(damaged) : allRows(damaged, table)) {
    copied += insert(row)
  }
  fresh.exec('COMMIT')
  return copied
}

/** What damage has made nonsense of breaks the new table's constraints, and is left out. */
function createInsert(fresh: Database, table: string): (row: Row) => number {
  let prepared: { names: string; run: (values: SQLInputValue[]) => number } | undefined
  return (row) => {
    const names = Object.keys(row).join(', ')
    if (prepared?.names !== names) {
      const places = Object.keys(row).fill('?').join(', ')
      const statement = fresh.prepare(
        `INSERT OR IGNORE INTO ${table} (${names}) VALUES (${places})`,
      )
      prepared = { names, run: (values) => Number(statement.run(...values).changes) }
    }
    try {
      return prepared.run(Object.values(row) as SQLInputValue[])
    } catch (error) {
      if (isConstraint(error)) return 0
      throw error
    }
  }
}

/** A table as far as it can be read. */
function* allRows(damaged: Database, table: string): Generator<Row> {
  try {
    const all = damaged.prepare(`SELECT * FROM ${table}`)
    // Balances pass 2^53.
    all.setReadBigInts(true)
    yield* all.iterate()
  } catch {
    // What was read before stays.
  }
}

/**
 * Captures by id, stepping over damage: steps double until something can be read again, then the
 * edge of the damage is looked for by halving, so that a hole of any width costs few tries.
 */
function* captureRows(damaged: Database): Generator<Row> {
  const next = prepareNext(damaged)
  let after = 0
  /** The id behind which nothing could be read. */
  let hole: number | null = null
  while (after <= Number.MAX_SAFE_INTEGER) {
    let read = next(after)
    if (read === 'damaged') {
      hole ??= after
      after += Math.max(1, after - hole)
      continue
    }
    if (hole !== null) {
      const start = hole
      hole = null
      after = edgeOf(start, after, (id) => next(id) !== 'damaged')
      read = next(after)
    }
    if (read === null) return
    if (read === 'damaged') continue
    yield read
    after = Number(read['id'])
  }
}

/** The lowest id from which can be read, between one from which cannot and one from which can. */
function edgeOf(unreadable: number, readable: number, canRead: (id: number) => boolean): number {
  let low = unreadable
  let high = readable
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (canRead(middle)) high = middle
    else low = middle
  }
  return high
}

function prepareNext(damaged: Database): (after: number) => Row | null | 'damaged' {
  try {
    const next = damaged.prepare('SELECT * FROM captures WHERE id > ? ORDER BY id LIMIT 1')
    return (after) => {
      try {
        const row = next.get(after)
        if (row === undefined) return null
        // Over a page of zeros SQLite returns rows that were not asked for: without this the walk never ends.
        const id = row['id']
        return typeof id === 'number' && id > after ? row : 'damaged'
      } catch {
        return 'damaged'
      }
    }
  } catch {
    // Not even the table can be found.
    return () => null
  }
}
