/**
 * A restore replaces the data with a backup at a start, before anything opens the database. The old data
 * is kept and returns by itself if the first start with the backup fails. Each step is recorded in the
 * request's file before the next begins, so that after a kill the next start ends with either the old data
 * or the backup.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import {
  backupName,
  checkBackup,
  copyDatabase,
  findSchemaDifference,
  invalidBackup,
  listBackups,
  partialPath,
} from './backup.ts'
import { removeDatabase } from '../captures/store/index/schema.ts'
import { type Database, openDatabase, pragmaNumber } from './database.ts'
import { createForwardRules } from '../delivery/store/forward-rules.ts'
import { latestVersion, migrate, readThrough } from './migrate.ts'
import {
  type CustomNetworkRecord,
  createCustomNetworks,
  createNetworkSecretRecords,
  createWithheldKeys,
} from '../networks/store/networks.ts'
import { moveAside } from './rescue.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'

export type RestorePaths = {
  readonly database: string
  readonly index: string
  readonly backups: string
  readonly pendingRestore: string
  readonly pendingRescue: string
}

/** What a backup would send: switched off until the user agrees. */
export type SwitchedOff = {
  readonly forwardRules: readonly string[]
  readonly responseRules: number
  readonly confirmedHosts: readonly string[]
  readonly alertDestinations: number
  readonly jobs: number
}

export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly name: string; readonly switchedOff: SwitchedOff }
  /** The data from before is in place. */
  | { readonly kind: 'failed'; readonly name: string; readonly reason: string }

const request = z.object({
  name: z.string(),
  /** Path of the replaced database; null when there was none, absent until it has been moved. */
  kept: z.string().nullable().optional(),
  /** True once the backup is in place; the file stays until the first start with it has succeeded. */
  isPlaced: z.boolean().default(false),
  failure: z.string().optional(),
})
type Request = z.input<typeof request>

export function requestRestore(paths: Pick<RestorePaths, 'pendingRestore'>, name: string): void {
  writeRequest(paths.pendingRestore, { name })
}

function writeRequest(file: string, content: Request): void {
  writeFileSync(partialPath(file), JSON.stringify(content), { mode: 0o600 })
  renameSync(partialPath(file), file)
}

function readRequest(file: string): z.output<typeof request> | null {
  try {
    return request.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // The file is absent, or Tondesk did not write it.
    return null
  }
}

function removeRequest(file: string): void {
  rmSync(file, { force: true, recursive: true })
}

export function confirmFirstStart({ pendingRestore }: Pick<RestorePaths, 'pendingRestore'>): void {
  removeRequest(pendingRestore)
}

/**
 * Records why a start failed, if it was the first one with a backup.
 * @returns true in that case; the next start then reverts the restore
 */
export function noteFailedStart(
  { pendingRestore }: Pick<RestorePaths, 'pendingRestore'>,
  error: unknown,
): boolean {
  const pending = readRequest(pendingRestore)
  if (pending?.isPlaced !== true) return false
  writeRequest(pendingRestore, { ...pending, failure: messageOf(error) })
  return true
}

/**
 * Carries out a requested restore, or reverts one whose first start failed. A backup that cannot be used
 * changes nothing.
 * @param asideDirectory for a database that is too damaged to copy
 * @returns null when no restore was requested
 */
export function carryOutRestore(
  paths: RestorePaths,
  now: Date,
  asideDirectory: string,
): RestoreOutcome | null {
  const pending = readRequest(paths.pendingRestore)
  if (pending === null) {
    removeRequest(paths.pendingRestore)
    return null
  }
  const { name } = pending
  if (pending.isPlaced) {
    goBack(paths, pending.kept ?? null)
    const reason = pending.failure ?? 'Tondesk ended during that start'
    return { kind: 'failed', name, reason: `The first start with this backup failed (${reason})` }
  }
  const incoming = incomingPath(paths)
  let { kept } = pending
  try {
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file === undefined) throw invalidBackup('the backup was deleted')
    const switchedOff = prepare(file.path, incoming, paths.database)
    if (kept === undefined) kept = keepCurrent(paths, now, asideDirectory)
    writeRequest(paths.pendingRestore, { name, kept })
    // A leftover write-ahead log would be applied to the new database.
    removeDatabase(paths.database)
    renameSync(incoming, paths.database)
    writeRequest(paths.pendingRestore, { name, kept, isPlaced: true })
    rmSync(paths.pendingRescue, { force: true })
    removeDatabase(paths.index)
    return { kind: 'restored', name, switchedOff }
  } catch (error) {
    if (kept !== undefined) goBack(paths, kept)
    removeDatabase(incoming)
    removeRequest(paths.pendingRestore)
    return { kind: 'failed', name, reason: messageOf(error) }
  }
}

function incomingPath({ database }: Pick<RestorePaths, 'database'>): string {
  return `${database}.incoming`
}

/**
 * Makes a checked and migrated copy of the backup that sends nothing.
 * @param current the database that the copy will replace
 * @throws AppError BACKUP_INVALID, DATABASE_TOO_NEW
 */
function prepare(backup: string, incoming: string, current: string): SwitchedOff {
  removeDatabase(incoming)
  copyFileSync(backup, incoming)
  checkBackup(incoming)
  using database = openDatabase(incoming)
  migrate(database, () => undefined)
  const difference = findSchemaDifference(database, latestVersion)
  if (difference !== null) throw invalidBackup(difference)
  readThrough(database)
  withholdKeys(database, current)
  return switchOff(database)
}

const resumeHint = 'This job comes from a restored backup. Resume it if you still need it.'

/** Someone may have edited the backup, so nothing in it sends data before the user agrees. */
function switchOff(database: Database): SwitchedOff {
  const rules = createForwardRules(database)
  const enabled = rules.list().filter((rule) => rule.enabled)
  for (const { id } of enabled) rules.setEnabled(id, false)
  const hosts = database.prepare('SELECT host FROM confirmed_hosts ORDER BY host').all()
  const change = (sql: string, ...values: string[]) =>
    Number(database.prepare(sql).run(...values).changes)
  change('DELETE FROM confirmed_hosts')
  const responseRules = change('UPDATE answer_rules SET enabled = 0 WHERE enabled <> 0')
  const alertDestinations = change(
    'UPDATE alert_destinations SET is_enabled = 0 WHERE is_enabled <> 0',
  )
  change("DELETE FROM alerts WHERE state = 'waiting'")
  change("DELETE FROM settings WHERE key = 'alerts.programs'")
  let jobs = 0
  for (const table of ['replay_jobs', 'changes', 'invoice_jobs', 'webhook_moves']) {
    jobs += change(
      `UPDATE ${table} SET state = 'paused', problem = ? WHERE state IN ('running', 'rolling-back')`,
      resumeHint,
    )
  }
  return {
    forwardRules: enabled.map(
      ({ name, targets }) => name || targets.map(({ url }) => url).join(', '),
    ),
    responseRules,
    confirmedHosts: hosts.map(({ host }) => String(host)),
    alertDestinations,
    jobs,
  }
}

/**
 * A key in the keychain without its origins (stored by Tondesk 0.1) is bound to those of its network when
 * it is next read. A backup must not choose these: where its URLs differ from the current ones, such a key
 * is withheld.
 */
function withholdKeys(incoming: Database, current: string): void {
  const before = boundUrls(current)
  const urls = new Map(createCustomNetworks(incoming).list().map(urlsOf))
  const withheld = createNetworkSecretRecords(incoming)
    .list()
    .map(({ network, slot }) => ({ network, entry: `${network}/${slot}` }))
    .filter(({ network, entry }) => before(network, entry) !== urls.get(network))
    .map(({ entry }) => entry)
  createWithheldKeys(incoming).set(withheld)
}

const urlsOf = ({ id, urls }: CustomNetworkRecord) => [id, JSON.stringify(urls)] as const

/** The URLs to which keys may be bound, as far as this database can be trusted. */
function boundUrls(path: string): (network: string, entry: string) => string | undefined {
  if (!existsSync(path)) return () => ''
  try {
    using database = openDatabase(path, { readOnly: true })
    // Queries on a foreign schema might never end.
    if (findSchemaDifference(database, pragmaNumber(database, 'user_version')) !== null) {
      return () => ''
    }
    const urls = new Map(createCustomNetworks(database).list().map(urlsOf))
    const withheld = createWithheldKeys(database).list()
    return (network, entry) => (withheld.includes(entry) ? '' : urls.get(network))
  } catch {
    // A damaged database is a reason for a restore.
    return () => ''
  }
}

function keepCurrent(paths: RestorePaths, now: Date, asideDirectory: string): string | null {
  if (!existsSync(paths.database)) return null
  const copy = join(paths.backups, backupName(now, 'restore'))
  try {
    copyDatabase(paths.database, copy)
    return copy
  } catch {
    // The database is too damaged, or the disk too full, to copy it.
    rmSync(partialPath(copy), { force: true })
    return moveAside(paths.database, asideDirectory)
  }
}

/** Idempotent, because a start repeats it after a kill. */
function goBack(paths: RestorePaths, kept: string | null): void {
  const incoming = incomingPath(paths)
  removeDatabase(incoming)
  if (kept !== null) copyFileSync(kept, incoming)
  removeDatabase(paths.database)
  if (kept !== null) {
    // A database that was moved aside still needs its write-ahead log, and a rescue.
    if (existsSync(`${kept}-wal`)) copyFileSync(`${kept}-wal`, `${paths.database}-wal`)
    if (basename(kept) === basename(paths.database)) writeFileSync(paths.pendingRescue, '{}')
    renameSync(incoming, paths.database)
  }
  removeDatabase(paths.index)
  removeRequest(paths.pendingRestore)
}
