import { type Database, transaction } from '../../database/database.ts'
import type { ResponseUpdates, PutOrigin } from '../../threads/writer-messages.ts'
import { type DecodedRecord, checksumOf } from './capture-record.ts'

type Marks = {
  readonly ids: readonly number[]
  readonly pinned?: boolean
  readonly note?: string
}

/** The statements of the writer thread. They are prepared once, since a burst runs them for each delivery. */
export function createCaptureStatements(database: Database) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const insert = database.prepare(
    `INSERT INTO captures (id, received_at, duration_us, status, method, target, http_version,
       remote_address, completeness, incident, token, token_id, headers, body_bytes, body, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  const insertOrigin = database.prepare(
    `INSERT INTO capture_origins (capture_id, origin, made_from, received_at, is_forwarded)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const insertNetwork = database.prepare(
    'INSERT OR REPLACE INTO capture_networks (capture_id, network) VALUES (?, ?)',
  )
  const insertMark = database.prepare(
    'INSERT INTO capture_marks (capture_id, pinned, note) VALUES (?, ?, ?)',
  )
  /** Each with the literal of its partial index. */
  const isMade = {
    rebuilt: database.prepare(
      `SELECT 1 FROM capture_origins WHERE origin = 'rebuilt' AND made_from = ?`,
    ),
    watched: database.prepare(
      `SELECT 1 FROM capture_origins WHERE origin = 'watched' AND made_from = ?`,
    ),
  }
  const newest = database.prepare('SELECT max(id) AS id FROM captures')

  function mark({ ids, pinned, note }: Marks): number {
    return transaction(database, () => {
      let changed = 0
      const upsert = database.prepare(
        `INSERT INTO capture_marks (capture_id, pinned, note)
         SELECT id, coalesce(:pinned, 0), coalesce(:note, '') FROM captures WHERE id = :id
         ON CONFLICT (capture_id) DO UPDATE SET
           pinned = coalesce(:pinned, pinned), note = coalesce(:note, note)`,
      )
      for (const id of ids) {
        const values = { pinned: pinned === undefined ? null : Number(pinned), note: note ?? null }
        changed += Number(upsert.run({ id, ...values }).changes)
      }
      database.exec(`DELETE FROM capture_marks WHERE pinned = 0 AND note = ''`)
      return changed
    })
  }

  function writeAnswered({ statuses, uses }: ResponseUpdates): number {
    return transaction(database, () => {
      let changed = 0
      const setStatus = database.prepare('UPDATE captures SET status = ? WHERE id = ?')
      for (const { capture, status } of statuses) {
        changed += Number(setStatus.run(status, capture).changes)
      }
      const setUse = database.prepare(
        'UPDATE answer_rules SET enabled = ?, used = ?, spent = ?, seen = ? WHERE id = ?',
      )
      for (const { id, enabled, used, spent, seen } of uses) {
        setUse.run(Number(enabled), used, spent, seen, id)
      }
      return changed
    })
  }

  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    mark,
    writeAnswered,
    insert(record: DecodedRecord, id: number, durationUs: number): void {
      insert.run(
        id,
        record.receivedAt,
        durationUs,
        record.status,
        record.method,
        record.target,
        record.httpVersion,
        record.remoteAddress,
        record.completeness,
        record.incident,
        record.token,
        record.tokenId,
        record.headers,
        record.bodyBytes,
        record.body,
        checksumOf(record),
      )
    },
    insertOrigin(
      id: number,
      origin: PutOrigin['origin'],
      madeFrom: string,
      receivedAt: number,
      isForwarded: boolean,
    ): void {
      insertOrigin.run(id, origin, madeFrom, receivedAt, Number(isForwarded))
    },
    insertNetwork: (id: number, network: string) => void insertNetwork.run(id, network),
    insertMark: (
      id: number,
      { pinned, note }: { readonly pinned: boolean; readonly note: string },
    ) => void insertMark.run(id, Number(pinned), note),
    /** Whether a capture was already made from this event. */
    isMade: (origin: PutOrigin['origin'], madeFrom: string): boolean =>
      (origin === 'rebuilt' || origin === 'watched') && isMade[origin].get(madeFrom) !== undefined,
    /** Reads a whole index. */
    count() {
      const row = database
        .prepare(
          `SELECT (SELECT count(*) FROM captures INDEXED BY captures_by_time) AS captures,
             (SELECT count(*) FROM capture_origins) AS others`,
        )
        .get()
      return { captures: Number(row?.['captures']), others: Number(row?.['others']) }
    },
    newestId(): number | null {
      const id = newest.get()?.['id']
      return typeof id === 'number' ? id : null
    },
    /** Writes something that changes nothing. @throws if it cannot be written */
    probe: () =>
      database.exec(
        `INSERT INTO settings (key, value) VALUES ('writer.probe', '0')
         ON CONFLICT (key) DO UPDATE SET value = 1 - value`,
      ),
    forgetDeletions: (upTo: number) =>
      void database.prepare('DELETE FROM capture_deletions WHERE seq <= ?').run(upTo),
  }
}
