import { z } from 'zod'
import { moment, returns, takes } from './route.ts'

/** The levels, the most severe first. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug'] as const
const logLevel = z.enum(logLevels)

const logEntry = z.object({
  time: moment,
  level: logLevel,
  /** The part of the app that wrote the entry. */
  scope: z.string(),
  message: z.string(),
  /** The entry's other fields, one per line; null if it has none. */
  details: z.string().nullable(),
})
export type LogEntry = z.infer<typeof logEntry>

export const logRoutes = {
  /**
   * Returns the newest entries that have at least this severity and contain the text, newest first.
   * Credentials are masked.
   */
  'log.list': takes({
    level: logLevel.default('debug'),
    text: z.string().max(200).default(''),
    limit: z.int().min(1).max(1000).default(200),
  }).returns({
    entries: z.array(logEntry),
    folder: z.string(),
    /** True if this host can show the folder in the file manager. */
    canOpenFolder: z.boolean(),
  }),
  'log.openFolder': returns({}),
  /** Returns the report of the app's last unexpected end. Tondesk never sends the report. */
  'log.crash': returns({
    crash: z
      .object({
        at: moment,
        /** The first line of the uncaught error; null if the process could not write it. */
        error: z.string().nullable(),
        /** Versions, the error and the end of the log, with credentials masked. */
        report: z.string(),
      })
      .nullable(),
  }),
} as const
