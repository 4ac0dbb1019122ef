/**
 * A restore: a backup takes the place of the data at a start, before anything has the database open.
 * What it replaces is kept, and comes back by itself when the first start with the backup fails. Each
 * step is written down in the request's file before the next one begins, so that a kill at any moment
 * leaves the data from before or the backup, as soon as a start has gone on from there.
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

type RestorePaths = {
  readonly database: string
  readonly index: string
  readonly backups: string
  readonly pendingRestore: string
  readonly pendingRescue: string
}

/** What a backup brought along that sends data somewhere, and that waits for the user now. */
export type SwitchedOff = {
  /** Names, or targets where a rule has no name. */
  readonly forwardRules: readonly string[]
  readonly responseRules: number
  readonly confirmedHosts: readonly string[]
  /** Replays, subscription changes, moves and invoice jobs that were running. */
  readonly jobs: number
}

export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly name: string; readonly switchedOff: SwitchedOff }
  /** The data from before is in place. */
  | { readonly kind: 'failed'; readonly name: string; readonly reason: string }

/** The content of `restore.json`. */
const request = z.object({
  /** File name of the backup. */
  name: z.string(),
  /** Where the replaced database is kept; null when there was none. Absent until it is. */
  kept: z.string().nullable().optional(),
  /** True once the backup is in place; the file stays until the first start with it has succeeded. */
  isPlaced: z.boolean().default(false),
  /** Why the first start failed, where it could be said. */
  failure: z.string().optional(),
})
type Request = z.input<typeof request>

/** Asks for a restore at the next start. */
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
    // Absent, or nothing that was written here.
    return null
  }
}

function removeRequest(file: string): void {
  rmSync(file, { force: true, recursive: true })
}

/** The app has started with the database that is in place: it stays. */
export function confirmFirstStart({ pendingRestore }: Pick<RestorePaths, 'pendingRestore'>): void {
  removeRequest(pendingRestore)
}

/**
 * Notes why a start failed, if it was the first one with a backup.
 * @returns true when it was: the next start goes back to the data from before
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
 * Carries out the restore that was asked for, or goes back when the first start after one has failed.
 * A backup that cannot be used changes nothing.
 * @param asideDirectory where a database goes that is too damaged to be copied
 * @returns null when nothing was asked for
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
    const reason = pending.failure ?? 'Tondesk ended during the first start with it'
    return { kind: 'failed', name, reason: `the first start with it failed (${reason})` }
  }
  const incoming = incomingPath(paths)
  let { kept } = pending
  try {
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file === undefined) throw invalidBackup('it is no longer among the backups')
    const switchedOff = prepare(file.path, incoming, paths.database)
    if (kept === undefined) kept = keepCurrent(paths, now, asideDirectory)
    writeRequest(paths.pendingRestore, { name, kept })
    // Also where only its write-ahead log is left: that would be played into the new one.
    removeDatabase(paths.database)
    renameSync(incoming, paths.database)
    writeRequest(paths.pendingRestore, { name, kept, isPlaced: true })
    // What was damaged is no longer there to be rescued.
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
 * Makes a copy of the backup that is checked, migrated as a start would, and harmless.
 * @param current the database that it is going to replace
 * @throws AppError BACKUP_INVALID, DATABASE_TOO_NEW
 */
function prepare(backup: string, incoming: string, current: string): SwitchedOff {
  removeDatabase(incoming)
  copyFileSync(backup, incoming)
  checkBackup(incoming)
  const database = openDatabase(incoming)
  try {
    migrate(database, () => undefined)
    const difference = findSchemaDifference(database, latestVersion)
    if (difference !== null) throw invalidBackup(difference)
    readThrough(database)
    withholdKeys(database, current)
    return switchOff(database)
  } finally {
    database.close()
  }
}

const resumeHint = 'It came with a restored backup. Resume it if it is yours.'

/** A backup may have been edited by somebody else: nothing in it sends data before the user agrees. */
function switchOff(database: Database): SwitchedOff {
  const rules = createForwardRules(database)
  const enabled = rules.list().filter((rule) => rule.enabled)
  for (const { id } of enabled) rules.setEnabled(id, false)
  const hosts = database.prepare('SELECT host FROM confirmed_hosts ORDER BY host').all()
  const change = (sql: string, ...values: string[]) =>
    Number(database.prepare(sql).run(...values).changes)
  change('DELETE FROM confirmed_hosts')
  const responseRules = change('UPDATE answer_rules SET enabled = 0 WHERE enabled <> 0')
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
    jobs,
  }
}

/**
 * A key that stands in the keychain without its origins (as Tondesk 0.1 wrote it) is bound, when it is
 * next read, to those of its network. A backup must not choose these: where its URLs are not those in
 * force now, such a key is withheld. A key with its origins needs no such care.
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

/** The URLs for which keys in the database at this path may be bound, as far as it can be trusted. */
function boundUrls(path: string): (network: string, entry: string) => string | undefined {
  if (!existsSync(path)) return () => ''
  try {
    const database = openDatabase(path, { readOnly: true })
    try {
      // What is no table of ours is not read: it might not come to an end.
      if (findSchemaDifference(database, pragmaNumber(database, 'user_version')) !== null) {
        return () => ''
      }
      const urls = new Map(createCustomNetworks(database).list().map(urlsOf))
      const withheld = createWithheldKeys(database).list()
      return (network, entry) => (withheld.includes(entry) ? '' : urls.get(network))
    } finally {
      database.close()
    }
  } catch {
    // A damaged one is what backups are restored for.
    return () => ''
  }
}

/** @returns where it is kept; null when there is nothing to keep */
function keepCurrent(paths: RestorePaths, now: Date, asideDirectory: string): string | null {
  if (!existsSync(paths.database)) return null
  const copy = join(paths.backups, backupName(now, 'restore'))
  try {
    copyDatabase(paths.database, copy)
    return copy
  } catch {
    // Too damaged to be copied, or too little space: it is kept as it is.
    rmSync(partialPath(copy), { force: true })
    return moveAside(paths.database, asideDirectory)
  }
}

/** Puts the kept database back. Called again after a kill, it does the same again. */
function goBack(paths: RestorePaths, kept: string | null): void {
  const incoming = incomingPath(paths)
  removeDatabase(incoming)
  if (kept !== null) copyFileSync(kept, incoming)
  removeDatabase(paths.database)
  if (kept !== null) {
    // One that was moved aside still has its write-ahead log, and is to be rescued.
    if (existsSync(`${kept}-wal`)) copyFileSync(`${kept}-wal`, `${paths.database}-wal`)
    if (basename(kept) === basename(paths.database)) writeFileSync(paths.pendingRescue, '{}')
    renameSync(incoming, paths.database)
  }
  removeDatabase(paths.index)
  removeRequest(paths.pendingRestore)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
