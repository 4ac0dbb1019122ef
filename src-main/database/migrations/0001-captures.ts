/**
 * Captures hold what arrived, exactly, and are only ever inserted and deleted; what is made of them
 * (kind, duplicates, search) is in the index file and can be rebuilt.
 *
 * - received_at: microseconds since the epoch. Its index also carries the status, so that counts
 *   and histograms never touch the rows, which are heavy with bodies.
 * - headers: names and values in turn, as received, joined by line feeds, which neither can hold.
 * - target, headers: each character is one byte as received (Latin-1).
 * - completeness, token: as in the contract. Not CHECKed: that doubles the cost of a row, and the one
 *   who writes them packs them as numbers of the contract's own lists.
 * - body comes last: what stands before it is read without following its overflow pages.
 */
export const captures = `
  CREATE TABLE captures (
    id INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    status INTEGER,
    method TEXT NOT NULL,
    target TEXT NOT NULL,
    http_version TEXT NOT NULL,
    remote_address TEXT NOT NULL,
    completeness TEXT NOT NULL,
    incident TEXT,
    token TEXT NOT NULL,
    token_id TEXT,
    headers TEXT NOT NULL,
    body_bytes INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX captures_by_time ON captures (received_at, status);

  CREATE TABLE capture_marks (
    capture_id INTEGER PRIMARY KEY,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    note TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX capture_marks_pinned ON capture_marks (capture_id) WHERE pinned = 1;

  -- Deleted ranges the index has still to follow.
  CREATE TABLE capture_deletions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    from_id INTEGER NOT NULL,
    to_id INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The tokens themselves are in the keychain, under these ids.
  CREATE TABLE webhook_tokens (
    id TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    hint TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
