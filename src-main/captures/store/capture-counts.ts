import type { Database } from '../../database/database.ts'

/** Whose deliveries: of webhooks, by the tokens that their deliveries carry, or of an account. */
export type CountedOf = { readonly tokenIds: readonly string[] } | { readonly account: string }

/** Received, and how it was answered; milliseconds since the epoch. */
type CountedCapture = { readonly at: number; readonly isTaken: boolean }

/** Counts deliveries without holding anybody up: a slice of ids at a time. */
export type CaptureCounts = {
  /** Ids between which all lie that were received in a span of milliseconds; null when there are none. */
  range(from: number, to: number): { readonly first: number; readonly last: number } | null
  /** Those of the next ids that were delivered; `next` is null behind the last. */
  slice(
    of: CountedOf,
    first: number,
    last: number,
  ): { readonly captures: CountedCapture[]; readonly next: number | null }
}

/** Rows are heavy with bodies; what is known of them in the index is not. */
const sliceRows = { captures: 1000, facts: 10_000 }
/** Ids are given when a request has ended, which its time limit bounds. */
const slackUs = 120_000_000

/** @param index a connection of its own to the index file */
export function createCaptureCounts(database: Database, index: Database): CaptureCounts {
  const first = database.prepare(
    `SELECT id FROM captures INDEXED BY captures_by_time
     WHERE received_at >= ? ORDER BY received_at LIMIT 1`,
  )
  const newest = database.prepare('SELECT max(id) AS id FROM captures')
  const received = `NOT EXISTS (SELECT 1 FROM capture_origins o WHERE o.capture_id = c.id)`
  const columns = 'c.received_at / 1000 AS at, c.status'
  const byToken = database.prepare(
    `SELECT ${columns} FROM captures c
     WHERE c.id BETWEEN ? AND ? AND c.token_id IN (SELECT value FROM json_each(?)) AND ${received}`,
  )
  const byIds = database.prepare(
    `SELECT ${columns} FROM captures c
     WHERE c.id IN (SELECT value FROM json_each(?)) AND ${received}`,
  )
  const ofAccount = index.prepare(
    `SELECT id FROM facts WHERE id BETWEEN ? AND ? AND account IS NOT NULL AND lower(account) = ?`,
  )

  function rowsOf(of: CountedOf, from: number, to: number): Record<string, unknown>[] {
    if ('tokenIds' in of) return byToken.all(from, to, JSON.stringify(of.tokenIds))
    const ids = ofAccount.all(from, to, of.account).map((row) => row['id'])
    return byIds.all(JSON.stringify(ids))
  }

  return {
    range(from, to) {
      const begin = first.get(from * 1000 - slackUs)?.['id'] as number | undefined
      if (begin === undefined) return null
      const end = first.get(to * 1000 + slackUs)?.['id'] as number | undefined
      return { first: begin, last: end ?? Number(newest.get()?.['id']) }
    },
    slice(of, from, last) {
      const rows = 'tokenIds' in of ? sliceRows.captures : sliceRows.facts
      const to = Math.min(last, from + rows - 1)
      return {
        captures: rowsOf(of, from, to).map((row) => {
          const status = row['status'] as number | null
          return {
            at: row['at'] as number,
            isTaken: status !== null && status >= 200 && status < 300,
          }
        }),
        next: to < last ? to + 1 : null,
      }
    },
  }
}
