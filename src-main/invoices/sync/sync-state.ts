/** What is remembered of how far a gateway's list was read. Pure. */
import { z } from 'zod'

const syncState = z.object({
  /** Newest creation up to which all were listed, by the gateway's clock; null before the first time. */
  listedTo: z.int().nullable().default(null),
  /** A reading of all invoices that has not come to its end. */
  full: z
    .object({
      /** Of the next page, oldest first. */
      offset: z.int().nonnegative(),
      /** The last one read: it must stand just before that page, or the list has shifted. */
      lastId: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** How many with an overpayment there were, and where reading them again goes on. */
  overpaid: z.object({ count: z.int(), offset: z.int() }).default({ count: -1, offset: 0 }),
  /** Since when, and with what words, the gateway does not list them to this token. */
  refused: z.object({ at: z.int(), message: z.string() }).nullable().default(null),
})
export type SyncState = z.output<typeof syncState>

/** One that cannot be read, of another version perhaps, is begun anew. */
export function readSyncState(json: string | undefined): SyncState {
  try {
    return syncState.parse(JSON.parse(json ?? '{}'))
  } catch {
    return syncState.parse({})
  }
}
