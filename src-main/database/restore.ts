/**
 * A restore replaces the data with a backup at a start, before anything opens the database. The old data
 * is kept and returns automatically if the first start with the backup fails. Each step is recorded in the
 * request's file before the next begins, so that after a kill the next start ends with either the old data
 * or the backup.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Settings, defaultSettings } from '../../src-preload/contract/settings.ts'
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
import { latestVersion, migrate, readAllPages } from './migrate.ts'
import {
  createCustomNetworks,
  createNetworkSecretRecords,
  createWithheldKeys,
} from '../networks/store/networks.ts'
import { moveAside } from './rescue.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import { readJson } from '../../src-preload/domain/read-json.ts'

export type RestorePaths = {
  readonly database: string
  readonly index: string
  readonly backups: string
  readonly pendingRestore: string
  readonly pendingRescue: string
}

/** Connections over which a restored backup would send data; they are switched off until the user agrees. */
export type SwitchedOff = {
  readonly forwardRules: readonly string[]
  readonly responseRules: number
  readonly confirmedHosts: readonly string[]
  readonly alertDestinations: number
  readonly watches: number
  readonly jobs: number
  /** Labels of the settings that the backup would have changed. */
  readonly settings: readonly string[]
}

export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly name: string; readonly switchedOff: SwitchedOff }
  /** The restore failed, and the previous data is in place. */
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

const incomingPath = ({ database }: Pick<RestorePaths, 'database'>): string =>
  `${database}.incoming`

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
  readAllPages(database)
  const before = readCurrent(current)
  withholdKeys(database, before)
  return { ...switchOff(database), settings: holdSettings(database, before) }
}

type Current = NonNullable<ReturnType<typeof readCurrent>>

/** @returns null if there is no current database, or none that is intact */
function readCurrent(path: string) {
  if (!existsSync(path)) return null
  try {
    using database = openDatabase(path, { readOnly: true })
    // Queries on a foreign schema might never end.
    if (findSchemaDifference(database, pragmaNumber(database, 'user_version')) !== null) return null
    return {
      urls: urlsOf(database),
      withheld: createWithheldKeys(database).list(),
      settings: readSettings(database),
      followed: readValue(database, followedTunnel),
    }
  } catch {
    // A damaged database is a common reason for a restore, so it is no error.
    return null
  }
}

type Field = { [G in keyof Settings]: `${G}.${keyof Settings[G] & string}` }[keyof Settings]

/**
 * Settings with which Tondesk sends, announces, writes, accepts connections or starts a program automatically, with
 * their labels. A backup does not turn them on: a switch is on after a restore only if it is on in both, and
 * any other value stays as it was. test/main/database/backup.test.ts names the settings that a backup may change.
 */
export const switchSettings: ReadonlyMap<string, string> = new Map<Field, string>([
  ['receiver.listenAtStart', 'Start the receiver with Tondesk'],
  ['receiver.publicUrl', 'Public URL'],
  ['inspector.meaning', 'Load the transactions of captures from the gateway'],
  ['sandbox.startWithApp', 'Start the sandbox when it is the selected network'],
  ['sandbox.allowHosts', 'Allowed hosts of the sandbox'],
  ['monitoring.sample', 'Read the failure counters of webhooks and subscriptions'],
  ['monitoring.native', 'System notifications'],
  ['reports.fiatCurrency', 'Fiat currency'],
  ['invoices.tolerances', 'Tolerance of invoices'],
  ['reports.reconcileEvery', 'Scheduled reconciliation'],
  ['reports.reconcileNetwork', 'Network of the scheduled reconciliation'],
  ['reports.reconcileFolder', 'Folder of the scheduled reconciliation'],
  ['reports.reconcileFormat', 'Format of the scheduled reconciliation'],
  ['reports.reconcileZone', 'Time zone of the scheduled reconciliation'],
  ['updates.automatic', 'Check for updates once a day'],
])

const settingGroups = z.record(z.string(), z.record(z.string(), z.unknown()).catch({})).catch({})
/** The setting names the tunnel that sets the public URL. */
const followedTunnel = 'tunnel.followed'

const readValue = (database: Database, key: string) =>
  database.prepare('SELECT value FROM settings WHERE key = ?').get(key)?.['value'] ?? null
const readSettings = (database: Database) =>
  settingGroups.parse(readJson(String(readValue(database, 'settings'))))

/** @returns the labels of the settings that the backup would have changed */
function holdSettings(incoming: Database, current: Current | null): string[] {
  const theirs = readSettings(incoming)
  const ours = current?.settings ?? {}
  const defaults = settingGroups.parse(defaultSettings)
  const labels: string[] = []
  for (const [name, label] of switchSettings) {
    const [group = '', field = ''] = name.split('.')
    const initial = defaults[group]?.[field]
    const theirValue = theirs[group]?.[field] ?? initial
    const ourValue = ours[group]?.[field] ?? initial
    const value = typeof initial === 'boolean' ? ourValue === true && theirValue === true : ourValue
    if (isDeepStrictEqual(value, theirValue)) continue
    theirs[group] = { ...theirs[group], [field]: value }
    labels.push(label)
  }
  const put = incoming.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)')
  put.run('settings', JSON.stringify(theirs))
  put.run(followedTunnel, current?.followed ?? 'null')
  return labels
}

const jobTables = [
  ...['replay_jobs', 'changes', 'invoice_jobs', 'webhook_moves'],
  ...['lookup_jobs', 'history_exports', 'ledger_checks'],
]
const resumeHint = 'This job comes from a restored backup. Resume it if you still need it.'

/** Someone may have edited the backup, so nothing in it sends data before the user agrees. */
function switchOff(database: Database): Omit<SwitchedOff, 'settings'> {
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
  const watches = change('UPDATE watches SET is_paused = 1 WHERE is_paused = 0')
  change("DELETE FROM alerts WHERE state = 'waiting'")
  change("DELETE FROM settings WHERE key = 'alerts.programs'")
  let jobs = 0
  for (const table of jobTables) {
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
    watches,
    jobs,
  }
}

/**
 * A key in the keychain without its origins (stored by Tondesk 0.1) is bound to those of its network when
 * it is next read. A backup must not choose these: where its URLs differ from the current ones, such a key
 * is withheld.
 */
function withholdKeys(incoming: Database, current: Current | null): void {
  const urls = urlsOf(incoming)
  const isSame = (network: string, entry: string) =>
    current?.withheld.includes(entry) === false && current.urls.get(network) === urls.get(network)
  const withheld = createNetworkSecretRecords(incoming)
    .list()
    .map(({ network, slot }) => ({ network, entry: `${network}/${slot}` }))
    .filter(({ network, entry }) => !isSame(network, entry))
    .map(({ entry }) => entry)
  createWithheldKeys(incoming).set(withheld)
}

function urlsOf(database: Database): ReadonlyMap<string, string> {
  const networks = createCustomNetworks(database).list()
  return new Map(networks.map(({ id, urls }) => [id, JSON.stringify(urls)]))
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

/** The function is idempotent, because the next start repeats it after a kill. */
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
