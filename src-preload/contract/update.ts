import { z } from 'zod'
import { returns } from './route.ts'

const updateState = z.object({
  /**
   * `off`: this build has no update feed, or this host installs no updates. `current`: the feed has nothing
   * newer. `ready`: the newer version is downloaded and is installed when the app quits.
   */
  status: z.enum(['off', 'idle', 'checking', 'current', 'available', 'downloading', 'ready']),
  /** Properties of the newer version: `available`, `downloading` and `ready`. */
  version: z.string().nullable(),
  /** Its release notes, as plain text or Markdown. */
  notes: z.string().nullable(),
  /** 0 to 100, while it is downloaded. */
  percent: z.number().nullable(),
  /** Why the last check or download failed. */
  problem: z.string().nullable(),
  /** When the feed was last read. */
  checkedAt: z.int().nullable(),
})
export type UpdateState = z.infer<typeof updateState>

export const updateRoutes = {
  'update.state': returns(updateState),
  /** Responds when the feed has been read; a failure is the state's `problem`. */
  'update.check': returns(updateState),
  /** Starts the download of the version that a check found; without one, nothing happens. */
  'update.download': returns(updateState),
} as const
