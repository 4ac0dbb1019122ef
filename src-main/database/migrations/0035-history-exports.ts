/**
 * Exports of an account's history: a job, the contracts whose transactions are read (the account and its jetton
 * wallets), the sums of each of their assets, and a row for each movement.
 *
 * - from_at, to_at, at: milliseconds. Units and fees are decimal texts, since those of jettons exceed 64 bits.
 * - asset: `TON`, the raw address of a jetton's master, or `extra:` and an id.
 * - step: what is requested next, as `Step` of the store. before_lt: how far a contract was read downward,
 *   newest_lt: upward; NULL before the first page.
 * - ended: why reading downward ended (beginning, period, pruned); NULL while it continues.
 * - expected: the end balance that the next older transaction should have. opening: the balance before the first row.
 * - later: the change by transactions after the period, which have no rows.
 */
export const historyExports = `
  CREATE TABLE history_exports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    address TEXT NOT NULL,
    from_at INTEGER,
    to_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    state TEXT NOT NULL,
    problem TEXT,
    step TEXT NOT NULL DEFAULT 'account',
    row_count INTEGER NOT NULL DEFAULT 0,
    transactions INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    unread_jettons INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE history_sources (
    job_id INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    address TEXT NOT NULL,
    jetton TEXT,
    state TEXT NOT NULL,
    before_lt INTEGER,
    newest_lt INTEGER,
    ended TEXT,
    expected TEXT,
    opening TEXT,
    differs_at TEXT,
    unread INTEGER NOT NULL DEFAULT 0,
    unread_why TEXT,
    rounds INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job_id, idx),
    UNIQUE (job_id, address)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE history_assets (
    job_id INTEGER NOT NULL,
    source INTEGER NOT NULL,
    asset TEXT NOT NULL,
    symbol TEXT NOT NULL,
    decimals INTEGER NOT NULL,
    received TEXT NOT NULL DEFAULT '0',
    sent TEXT NOT NULL DEFAULT '0',
    fees TEXT NOT NULL DEFAULT '0',
    later TEXT NOT NULL DEFAULT '0',
    balance TEXT,
    PRIMARY KEY (job_id, source, asset)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE history_rows (
    job_id INTEGER NOT NULL,
    lt INTEGER NOT NULL,
    source INTEGER NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    hash TEXT NOT NULL,
    direction TEXT NOT NULL,
    peer TEXT,
    asset TEXT NOT NULL,
    units TEXT NOT NULL,
    fee TEXT NOT NULL,
    comment TEXT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (job_id, lt, source, n)
  ) STRICT, WITHOUT ROWID;
`
