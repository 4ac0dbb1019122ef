/**
 * Watched accounts.
 *
 * - `watches.told`: the number of matches that were reported. last_match, gap: JSON, as `watch` of the contract.
 * - watch_sources: the accounts whose transactions a watch reads: the account itself, or one of its jetton wallets.
 *   lt: the last transaction that was read, as decimal text; null before the first check.
 * - capture_origins.is_forwarded: forwarding rules send the capture although it was not received.
 */
export const watches = `
  CREATE TABLE watches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    address TEXT NOT NULL,
    rules TEXT NOT NULL,
    report TEXT NOT NULL,
    makes_captures INTEGER NOT NULL,
    is_forwarded INTEGER NOT NULL,
    is_paused INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    matches INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    last_match TEXT,
    gap TEXT,
    UNIQUE (network, address)
  ) STRICT;

  CREATE TABLE watch_sources (
    watch INTEGER NOT NULL,
    address TEXT NOT NULL,
    jetton TEXT,
    lt TEXT,
    PRIMARY KEY (watch, address)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE capture_origins ADD COLUMN is_forwarded INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX capture_origins_watched ON capture_origins (made_from) WHERE origin = 'watched';
`
