import { z } from 'zod'
import { microseconds, returns, takes } from './route.ts'

const notice = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'alarm']),
  title: z.string(),
  detail: z.string(),
  raisedAt: z.int(),
  dismissible: z.boolean(),
})
export type Notice = z.infer<typeof notice>

const appInfo = {
  version: z.string(),
  host: z.enum(['electron', 'browser', 'cli']),
  platform: z.string(),
  dataDirectory: z.string(),
  node: z.string(),
  electron: z.string().optional(),
  sqlite: z.string(),
  processId: z.int(),
  /** Values of the command line that override the settings during this run. */
  forRun: z.object({ sandboxPort: z.int().nullable(), startSandbox: z.boolean().nullable() }),
}
const integrityReport = z.object({
  ok: z.boolean(),
  problems: z.array(z.string()),
  captures: z.int(),
  databaseBytes: z.int(),
  indexBytes: z.int(),
})
export type IntegrityReport = z.infer<typeof integrityReport>

const backupFile = z.object({
  name: z.string(),
  path: z.string(),
  bytes: z.int(),
  createdAt: z.int(),
  reason: z.enum(['manual', 'migration', 'restore']),
})
export type BackupFile = z.infer<typeof backupFile>

const upload = { id: z.string().max(100) }

export const appRoutes = {
  'app.info': returns(appInfo),
  'app.checkIntegrity': returns(integrityReport),
  'app.restart': returns({}),
  'notice.list': returns(z.array(notice)),
  'notice.dismiss': takes({ id: z.string() }).returns({}),
  'backup.list': returns(z.array(backupFile)),
  'backup.create': returns(backupFile),
  /** Checks the backup and uses it at the next start; `app.restart` starts at once. */
  'backup.restore': takes({ name: z.string() }).returns({ restartNeeded: z.boolean() }),
  /** Begins the upload of a backup file; its pieces follow in order, each with at most 1 MiB. */
  'backup.uploadStart': takes({ bytes: z.int().nonnegative() }).returns(upload),
  'backup.uploadPiece': takes({
    ...upload,
    offset: z.int().nonnegative(),
    base64: z.string().max(1_500_000),
  }).returns({ written: z.int() }),
  /** Checks the uploaded copy, which no list shows. Only `backup.restoreUpload` changes the data. */
  'backup.uploadEnd': takes(upload).returns({
    captures: z.int(),
    newestAt: microseconds.nullable(),
  }),
  'backup.uploadCancel': takes(upload).returns({}),
  /** Makes the uploaded file a backup and restores it at the next start, as `backup.restore` does. */
  'backup.restoreUpload': takes(upload).returns({ restartNeeded: z.boolean() }),
} as const
