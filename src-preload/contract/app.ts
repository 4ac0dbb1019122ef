import { z } from 'zod'
import { returns, takes } from './route.ts'

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
  /** What the command line set for this run instead of the settings. */
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

export const appRoutes = {
  'app.info': returns(appInfo),
  'app.checkIntegrity': returns(integrityReport),
  'app.restart': returns({}),
  'notice.list': returns(z.array(notice)),
  'notice.dismiss': takes({ id: z.string() }).returns({}),
  'backup.list': returns(z.array(backupFile)),
  'backup.create': returns(backupFile),
  /** Checks the backup and uses it at the next start; `app.restart` starts now. */
  'backup.restore': takes({ name: z.string() }).returns({ restartNeeded: z.boolean() }),
} as const
