import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { readFloorKey } from '../captures/store/capture-deletion.ts'
import { removeDatabase } from '../captures/store/index/schema.ts'
import { openPages } from './damaged-pages.ts'
import { type Row, type TableShape, readDamagedRows } from './damaged-rows.ts'
import { type Database, isConstraint, openDatabase } from './database.ts'
import { copyWithRepairedHeader } from './file-header.ts'
import { migrate } from './migrate.ts'
/*
 * The copied tables, in their order. Of the explanations, only networks that the user set are copied, because
 * the others are loaded again; of forwarding, pending deliveries but not the responses of targets. Triggers
 * rebuild the rollups of invoices. Sync positions are not copied, so that missing invoices are read again.
 */
import tables from './rescued-tables.json' with { type: 'json' }

export type Rescue = {
  readonly rescued: Readonly<Record<string, number>>
  readonly movedTo: string
  /** True when no page with rows was damaged, so that no row is lost. */
  readonly isComplete: boolean
}

export type RescueOptions = {
  /** An abort leaves the damaged file in place; the next start begins the rescue again. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: RescueProgress) => void) | undefined
}

export type RescueProgress = { readonly table: string; readonly rows: number }

/** The number of milliseconds of copying after which signals and timers are handled. */
const turnMs = 50
const progressMs = 2_000
/** The limit keeps the new file's write-ahead log from growing to the size of the old file. */
const batchBytes = 32 * 1024 * 1024

export function moveAside(database: string, to: string): string {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(database + suffix)) {
      renameSync(database + suffix, join(to, basename(database) + suffix))
    }
  }
  return join(to, basename(database))
}

const rescuedPath = (path: string): string => `${path}.rescued`

/**
 * Creates a new database of all readable rows of a damaged one, which is kept unchanged elsewhere. After a
 * kill at any moment, either the damaged database or the complete new one is in place (see `finishRescue`).
 * @throws AppError START_STOPPED
 */
export async function rescueDatabase(
  path: string,
  asideDirectory: string,
  options: RescueOptions = {},
): Promise<Rescue> {
  removeDatabase(rescuedPath(path))
  const isComplete = copyWithRepairedHeader(path, rescuedPath(path))
  if (!isComplete) removeDatabase(rescuedPath(path))
  const rescued = await fill(rescuedPath(path), isComplete ? null : path, options)
  const movedTo = moveAside(path, asideDirectory)
  renameSync(rescuedPath(path), path)
  return { rescued, movedTo, isComplete }
}

async function fill(rescued: string, damaged: string | null, options: RescueOptions) {
  using fresh = openDatabase(rescued)
  migrate(fresh, () => undefined)
  return damaged === null ? countRows(fresh) : await copyRows(damaged, fresh, options)
}

export function finishRescue(path: string, asideDirectory: string): void {
  if (!existsSync(rescuedPath(path))) return
  if (existsSync(path)) {
    removeDatabase(rescuedPath(path))
    return
  }
  // SQLite would apply an orphaned write-ahead log to the next database at this path.
  if (existsSync(`${path}-wal`)) moveAside(path, asideDirectory)
  renameSync(rescuedPath(path), path)
}

function countRows(database: Database): Rescue['rescued'] {
  const count = (table: string) =>
    database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']
  return Object.fromEntries(tables.map((table) => [table, Number(count(table))]))
}

async function copyRows(
  path: string,
  fresh: Database,
  { signal, onProgress }: RescueOptions,
): Promise<Rescue['rescued']> {
  const rescued: Record<string, number> = {}
  // The database is missing when only its directory or a write-ahead log was left.
  if (!existsSync(path)) return rescued
  using pages = openPages(path)
  const shapes = readShapes(fresh)
  const damaged = readDamagedRows(pages, shapes, readLayouts(fresh))
  async function copyTable(shape: TableShape): Promise<number> {
    const insert = createInsert(fresh, shape)
    let copied = 0
    let bytes = 0
    let turnEnds = performance.now() + turnMs
    let progressDue = performance.now() + progressMs
    fresh.exec('BEGIN')
    throwIfAborted(signal)
    for (const row of damaged.rowsOf(shape.name)) {
      copied += insert(row)
      bytes += bytesOf(row)
      if (bytes > batchBytes) {
        fresh.exec('COMMIT; BEGIN')
        bytes = 0
      }
      const now = performance.now()
      if (now < turnEnds) continue
      await yieldToEventLoop()
      throwIfAborted(signal)
      turnEnds = performance.now() + turnMs
      if (now < progressDue) continue
      onProgress?.({ table: shape.name, rows: copied })
      progressDue = now + progressMs
    }
    fresh.exec('COMMIT')
    return copied
  }

  for (const name of tables) {
    const shape = shapes.find((each) => each.name === name)
    if (shape !== undefined) rescued[name] = await copyTable(shape)
  }
  // Ids of lost captures are not reused, because rules have already processed them.
  fresh.exec(`
    DELETE FROM captures WHERE id NOT BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER};
    DELETE FROM capture_origins WHERE capture_id NOT IN (SELECT id FROM captures);
    DELETE FROM capture_networks WHERE capture_id NOT IN (SELECT id FROM captures);
    DELETE FROM capture_checksums WHERE capture_id NOT IN (SELECT id FROM captures);
    INSERT INTO settings (key, value) SELECT '${readFloorKey}', CAST(max(
        coalesce((SELECT max(capture_id) FROM forward_deliveries), 0),
        coalesce((SELECT max(reached) FROM forward_rules), 0),
        coalesce((SELECT max(newest_id) FROM replay_jobs), 0)) AS TEXT) WHERE true
      ON CONFLICT (key) DO UPDATE SET value =
        CAST(max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT);
    UPDATE invoice_accounts SET top_lt = NULL, bottom_lt = NULL, read_from = NULL, read_to = NULL;
  `)
  return rescued
}

function readShapes(fresh: Database): TableShape[] {
  const columnsOf = fresh.prepare(
    `SELECT name, type, "notnull" AS mandatory, pk FROM pragma_table_info(?)`,
  )
  const storedOrder = fresh.prepare(
    `SELECT x.name FROM pragma_index_list(?) l JOIN pragma_index_xinfo(l.name) x
     WHERE l.origin = 'pk' ORDER BY x.seqno`,
  )
  return fresh
    .prepare(`SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`)
    .all()
    .map((table) => {
      const name = String(table['name'])
      const isIndexed = table['wr'] === 1
      const keyed = columnsOf.all(name).map((column) => ({
        name: String(column['name']),
        type: String(column['type']),
        notNull: column['mandatory'] === 1,
        isKey: Number(column['pk']) > 0,
      }))
      const idColumn = keyed.findIndex(({ type, isKey }) => isKey && type === 'INTEGER')
      const hasIdColumn = !isIndexed && keyed.filter(({ isKey }) => isKey).length === 1
      const order = storedOrder.all(name).map((column) => String(column['name']))
      const columns = isIndexed
        ? order.flatMap((column) => keyed.filter((each) => each.name === column))
        : keyed
      return { name, columns, idColumn: hasIdColumn ? idColumn : -1, isIndexed }
    })
}

function readLayouts(fresh: Database): ReadonlyMap<number, string>[] {
  const layoutOf = (database: Database) =>
    new Map(
      database
        .prepare('SELECT type, name, rootpage FROM sqlite_schema WHERE rootpage > 0')
        .all()
        .map(({ type, name, rootpage }) => [
          Number(rootpage),
          type === 'table' ? String(name) : `index ${String(name)}`,
        ]),
    )
  const asMigrated = layoutOf(fresh)
  // VACUUM on the empty database gives it the same file layout as a backup.
  fresh.exec('VACUUM')
  return [asMigrated, layoutOf(fresh)]
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  throw new AppError(
    appCodes.startStopped,
    'Tondesk was stopped while it rescued a damaged database. The damaged file is unchanged. Start Tondesk again to rescue its data.',
  )
}

const bytesOf = (row: Row): number =>
  row.reduce<number>(
    (sum, value) =>
      sum + (value instanceof Uint8Array || typeof value === 'string' ? value.length : 8),
    0,
  )

/** Rows that damage made invalid violate the constraints of the new table and are omitted. */
function createInsert(fresh: Database, { name, columns }: TableShape): (row: Row) => number {
  const statements = new Map<number, ReturnType<Database['prepare']>>()
  function statementFor(length: number) {
    const names = columns.slice(0, length).map((column) => column.name)
    const statement = fresh.prepare(
      `INSERT OR IGNORE INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    statements.set(length, statement)
    return statement
  }
  return (row) => {
    const statement = statements.get(row.length) ?? statementFor(row.length)
    try {
      return Number(statement.run(...row).changes)
    } catch (error) {
      if (isConstraint(error)) return 0
      throw error
    }
  }
}
