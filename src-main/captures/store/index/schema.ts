import { rmSync } from 'node:fs'
import { type Database, openDatabase, pragmaNumber } from '../../../database/database.ts'

/** Increase this number when the content of the index changes; older indexes are then rebuilt. */
const indexVersion = 6

/**
 * The index of captures: facts that were parsed from them, and their words. The index has its
 * own file, because filling it in the captures' file would delay deliveries.
 *
 * - event_key: the same for deliveries of the same event; null where that is unknown.
 * - lt_heads: the highest logical time seen so far in each stream (a token's events of an account).
 * - search: contentless, so the text is stored once, with the capture. facets: tokens of our own for
 *   values that queries name (`captures/query/index-entry.ts`).
 * - terms: values that captures share, by the property they are of (`event`, `header.user-agent`); a
 *   value of null stands for all that are not stored (`terms.ts`).
 * - traits: what queries compare, and what is learnt later, in rows so narrow that a million of them are
 *   read through in a tenth of a second: an index over each of these would cost more than it saves.
 *   network to success: ids of terms. `told`: a digest of the explanation's text in `search`.
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

  CREATE TABLE terms (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    value TEXT
  ) STRICT;
  CREATE INDEX terms_by_key ON terms (key);

  CREATE TABLE traits (
    id INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    is_received INTEGER NOT NULL,
    lt INTEGER,
    size INTEGER NOT NULL,
    took INTEGER NOT NULL,
    network INTEGER,
    meaning INTEGER,
    asset INTEGER,
    amount INTEGER,
    direction INTEGER,
    opcode INTEGER,
    exit INTEGER,
    success INTEGER,
    told INTEGER
  ) STRICT;
  CREATE INDEX traits_received ON traits (received_at) WHERE is_received = 1;
  CREATE INDEX traits_put ON traits (received_at) WHERE is_received = 0;

  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    indexed_to INTEGER NOT NULL,
    deletions_to INTEGER NOT NULL
  ) STRICT;
  INSERT INTO progress VALUES (1, 0, 0);
  PRAGMA user_version = ${indexVersion};
`

const searchTable = `
  CREATE VIRTUAL TABLE search USING fts5(
    target, headers, body, comment, note, meaning, facets,
    content = '', contentless_delete = 1, tokenize = 'unicode61'
  );
  -- Left to itself, FTS5 merges at each commit, after many deletions for seconds: \`tidy\` does it instead.
  INSERT INTO search (search, rank) VALUES ('automerge', 0);`

/**
 * Opens the index for writing. An index that is absent, damaged, of another version or of another
 * log is rebuilt.
 * @param newestEver highest id of the log: an index with newer ids belongs to another log
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
    // A damaged index is deleted, because it can be built again.
  }
  database?.close()
  return null
}

/**
 * Reads from each table, which detects most damage.
 * @throws for damage
 */
function isUsable(database: Database, newestEver: number): boolean {
  if (pragmaNumber(database, 'user_version') !== indexVersion) return false
  const row = database
    .prepare(
      `SELECT indexed_to, (SELECT max(id) FROM facts), EXISTS (SELECT 1 FROM lt_heads),
         (SELECT max(id) FROM traits), EXISTS (SELECT 1 FROM terms),
         (SELECT rowid FROM search ORDER BY rowid DESC LIMIT 1) FROM progress`,
    )
    .get()
  return row !== undefined && Number(row['indexed_to']) <= newestEver
}

/** The newest indexed capture, which proves that the database had it. Null without a readable index. */
export function readIndexedTo(path: string): number | null {
  try {
    using database = openDatabase(path, { readOnly: true })
    const row = database.prepare('SELECT indexed_to FROM progress').get()
    return typeof row?.['indexed_to'] === 'number' ? row['indexed_to'] : null
  } catch {
    return null
  }
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
