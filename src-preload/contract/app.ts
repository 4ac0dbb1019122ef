import { z } from 'zod'
import { nothing, route } from './route.ts'

/** Something the person should know, that stays until it is over or put away. */
const notice = z.object({
  /** Stable for one matter: raising it again replaces it. */
  id: z.string(),
  level: z.enum(['info', 'warning', 'alarm']),
  title: z.string(),
  /** What it means and what can be done, in plain words. */
  detail: z.string(),
  /** In milliseconds; of what only says more by now, when it began. */
  raisedAt: z.int(),
  dismissible: z.boolean(),
})
export type Notice = z.infer<typeof notice>

const appInfo = z.object({
  version: z.string(),
  host: z.enum(['electron', 'browser', 'cli']),
  platform: z.string(),
  dataDirectory: z.string(),
  node: z.string(),
  /** Electron's version; absent outside Electron. */
  electron: z.string().optional(),
  sqlite: z.string(),
  processId: z.int(),
})
const integrityReport = z.object({
  ok: z.boolean(),
  /** SQLite's own findings, at most 100; empty when all is well. */
  problems: z.array(z.string()),
  captures: z.int(),
  /** Bytes in use on disk: the database and the search index. */
  databaseBytes: z.int(),
  indexBytes: z.int(),
})
export type IntegrityReport = z.infer<typeof integrityReport>

const backupFile = z.object({
  name: z.string(),
  path: z.string(),
  bytes: z.int(),
  createdAt: z.int(),
  /** Why it was made: by the person, before a migration, or before a restore. */
  reason: z.enum(['manual', 'migration', 'restore']),
})
export type BackupFile = z.infer<typeof backupFile>

export const appRoutes = {
  'app.info': route(nothing, appInfo),
  'app.checkIntegrity': route(nothing, integrityReport),
  /** Ends and starts the app again in the same data directory (used after a restore). */
  'app.restart': route(nothing, z.object({})),
  'notice.list': route(nothing, z.array(notice)),
  'notice.dismiss': route(z.object({ id: z.string() }), z.object({})),
  'backup.list': route(nothing, z.array(backupFile)),
  /** Writes a backup of everything but keys into the data directory's `backups` folder. */
  'backup.create': route(nothing, backupFile),
  /** Checks the backup and puts it in place at the next start; call `app.restart` to do it now. */
  'backup.restore': route(z.object({ name: z.string() }), z.object({ restartNeeded: z.boolean() })),
} as const

export type AppEvents = {
  'notice.changed': { notices: Notice[] }
}
