import { rmSync } from 'node:fs'
import type { Database } from '../database.ts'
import { openDatabase, pragmaNumber } from '../database.ts'

/** Raised whenever what the index holds changes: an older one is thrown away and filled again. */
const indexVersion = 2

/**
 * What is made of the captures: facts read from them and words to find them by. In a file of its
 * own, since filling it in the captures' file would make deliveries wait for it.
 *
 * - event_key: the same for deliveries of the same event; null where that cannot be told.
 * - lt_heads: the highest logical time seen so far in each stream (a token's events of an account).
 * - search: contentless, so the text is stored once, with the capture.
 */
const schema = `
  CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    account TEXT,
    lt INTEGER,
    tx_hash TEXT,
    summary TEXT NOT NULL,
    event_key INTEGER,
    duplicate_of INTEGER,
    out_of_order INTEGER NOT NULL
  ) STRICT;
  -- By lt first: it grows, so new entries fall on the same few pages; keys alone fall on all of them.
  CREATE INDEX facts_by_lt ON facts (lt, event_key, id) WHERE lt IS NOT NULL;
  CREATE INDEX facts_by_body ON facts (event_key, id) WHERE lt IS NULL AND event_key IS NOT NULL;

  CREATE TABLE lt_heads (
    stream_key INTEGER PRIMARY KEY,
    lt INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    indexed_to INTEGER NOT NULL,
    deletions_to INTEGER NOT NULL
  ) STRICT;
  INSERT INTO progress VALUES (1, 0, 0);
  PRAGMA user_version = ${indexVersion};
`

/** The one shape of the full text index; the tail not indexed yet is searched in one like it. */
export const searchTable = `
  CREATE VIRTUAL TABLE search USING fts5(
    target, headers, body,
    content = '', contentless_delete = 1, tokenize = 'unicode61'
  );`

/**
 * Opens the index for writing, making it anew when it is absent, damaged, of another version or of
 * another log.
 * @param newestEver the highest id the log has given out: an index that knows more is not of it
 */
export function openIndex(path: string, newestEver: number): Database {
  const existing = openUsable(path, newestEver)
  if (existing !== null) return existing
  removeDatabase(path)
  const database = openDatabase(path, { synchronous: 'NORMAL' })
  database.exec(schema)
  database.exec(searchTable)
  return database
}

function openUsable(path: string, newestEver: number): Database | null {
  let database: Database | undefined
  try {
    database = openDatabase(path, { synchronous: 'NORMAL' })
    if (isUsable(database, newestEver)) return database
  } catch {
    // Damaged: all of it can be made again.
  }
  database?.close()
  return null
}

/** Looks into each table, where most damage shows. @throws when it does */
function isUsable(database: Database, newestEver: number): boolean {
  if (pragmaNumber(database, 'user_version') !== indexVersion) return false
  const row = database
    .prepare(
      `SELECT indexed_to, (SELECT max(id) FROM facts), EXISTS (SELECT 1 FROM lt_heads),
         (SELECT rowid FROM search ORDER BY rowid DESC LIMIT 1) FROM progress`,
    )
    .get()
  return row !== undefined && Number(row['indexed_to']) <= newestEver
}

/** Removes a database with its write-ahead log. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
