/**
 * Bulk lookups: a job, and a row for each entry of its list.
 *
 * - is_whole: 0 while its lines are still being written; such a job of an earlier run is removed.
 * - state of a line: as `lookupRow.state` of the contract; only a waiting line is requested.
 * - balance: nanotons. in_currency: the gateway's decimals.
 * - flags: 1 scam, 2 suspended, 4 memo required.
 * - interfaces: JSON; changes: a phrase a line.
 */
export const lookup = `
  CREATE TABLE lookup_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    state TEXT NOT NULL,
    problem TEXT,
    currency TEXT,
    compared_to INTEGER,
    chunk INTEGER,
    requests INTEGER NOT NULL DEFAULT 0,
    answered INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    valid INTEGER NOT NULL,
    duplicate INTEGER NOT NULL,
    wrong_network INTEGER NOT NULL,
    invalid INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    beyond INTEGER NOT NULL,
    is_whole INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE lookup_lines (
    job_id INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    line INTEGER NOT NULL,
    text TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    address TEXT,
    status TEXT,
    balance INTEGER,
    in_currency TEXT,
    wallet_kind TEXT,
    interfaces TEXT NOT NULL DEFAULT '[]',
    last_activity INTEGER,
    name TEXT,
    flags INTEGER NOT NULL DEFAULT 0,
    changes TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (job_id, idx)
  ) STRICT, WITHOUT ROWID;
`
