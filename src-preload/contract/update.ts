import { z } from 'zod'
import { returns } from './route.ts'

const updateState = z.object({
  /**
   * `off`: this build has no update feed, or this host installs no updates. `current`: the feed has no
   * newer version. `ready`: the newer version is downloaded and will be installed when the app quits.
   */
  status: z.enum(['off', 'idle', 'checking', 'current', 'available', 'downloading', 'ready']),
  /** The newer version; set in the states `available`, `downloading` and `ready`. */
  version: z.string().nullable(),
  /** The newer version's release notes, as plain text or Markdown. */
  notes: z.string().nullable(),
  /** The percentage of the download, from 0 to 100, while it is running. */
  percent: z.number().nullable(),
  /** Why the last check or download failed. */
  problem: z.string().nullable(),
  /** The time when the feed was last read. */
  checkedAt: z.int().nullable(),
})
export type UpdateState = z.infer<typeof updateState>

export const updateRoutes = {
  'update.state': returns(updateState),
  /** Responds when the feed has been read; a failure is in the state's `problem`. */
  'update.check': returns(updateState),
  /** Starts the download of the version that a check found; does nothing if there is none. */
  'update.download': returns(updateState),
} as const
