import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import type { ResponseUpdates, PutOrigin } from '../../threads/writer-messages.ts'
import { type DecodedRecord, checksumOf } from './capture-record.ts'

type Marks = {
  readonly ids: readonly number[]
  readonly pinned?: boolean
  readonly note?: string
}

/** The statements of the writer thread. */
export function createCaptureStatements(database: Database) {
  const sql = createSql(database)
  // The statement is prepared here, because a burst runs it for each delivery.
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const insert = database.prepare(
    `INSERT INTO captures (id, received_at, duration_us, status, method, target, http_version,
       remote_address, completeness, incident, token, token_id, headers, body_bytes, body, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    mark: ({ ids, pinned, note }: Marks): number =>
      sql.transaction(() => {
        let changed = 0
        const values = { pinned: pinned ?? null, note: note ?? null }
        for (const id of ids) changed += sql.run(markSql, { id, ...values })
        sql.run(`DELETE FROM capture_marks WHERE pinned = 0 AND note = ''`)
        return changed
      }),
    writeAnswered: ({ statuses, uses }: ResponseUpdates): number =>
      sql.transaction(() => {
        let changed = 0
        for (const { capture: id, status } of statuses) {
          changed += sql.update('captures', { status }, { id })
        }
        for (const { id, enabled, used, spent } of uses) {
          sql.update('answer_rules', { enabled, used, spent }, { id })
        }
        return changed
      }),
    insert(record: DecodedRecord, id: number, durationUs: number): void {
      const { receivedAt, status, method, target, httpVersion, remoteAddress } = record
      const { completeness, incident, token, tokenId, headers, bodyBytes, body } = record
      insert.run(
        ...[id, receivedAt, durationUs, status, method, target, httpVersion, remoteAddress],
        ...[completeness, incident, token, tokenId, headers, bodyBytes, body, checksumOf(record)],
      )
    },
    insertOrigin: (
      captureId: number,
      origin: PutOrigin['origin'],
      madeFrom: string,
      receivedAt: number,
      isForwarded: boolean,
    ) =>
      void sql.insert('capture_origins', { captureId, origin, madeFrom, receivedAt, isForwarded }),
    insertNetwork: (captureId: number, network: string) =>
      void sql.insert('capture_networks', { captureId, network }, 'INSERT OR REPLACE'),
    insertMark: (
      captureId: number,
      { pinned, note }: { readonly pinned: boolean; readonly note: string },
    ) => void sql.insert('capture_marks', { captureId, pinned, note }),
    /**
     * True if a capture was already created from this event. The partial indexes need the origin as
     * a literal.
     */
    isMade: (origin: PutOrigin['origin'], madeFrom: string): boolean =>
      (origin === 'rebuilt' || origin === 'watched') &&
      sql.exists(`capture_origins WHERE origin = '${origin}' AND made_from = ?`, madeFrom),
    /** Counting reads a whole index. */
    count: () => ({
      captures: sql.count('captures INDEXED BY captures_by_time'),
      others: sql.count('capture_origins'),
    }),
    newestId: () => sql.value<number>('SELECT max(id) FROM captures'),
    /** Writes a value that changes nothing. @throws if it cannot be written */
    probe: () =>
      void sql.run(
        `INSERT INTO settings (key, value) VALUES ('writer.probe', '0')
         ON CONFLICT (key) DO UPDATE SET value = 1 - value`,
      ),
    forgetDeletions: (upTo: number) =>
      void sql.run('DELETE FROM capture_deletions WHERE seq <= ?', upTo),
  }
}

const markSql = `INSERT INTO capture_marks (capture_id, pinned, note)
  SELECT id, coalesce($pinned, 0), coalesce($note, '') FROM captures WHERE id = $id
  ON CONFLICT (capture_id) DO UPDATE SET
    pinned = coalesce($pinned, pinned), note = coalesce($note, note)`
