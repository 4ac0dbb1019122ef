/**
 * Forwarding rules, their queue, and the responses of the targets. Only the send thread writes
 * these tables.
 *
 * - confirmed_hosts: `host:port` outside this computer that the user confirmed.
 * - forward_rules: fields as in the contract, times in microseconds. reached: captures up to this
 *   one have been looked at. up_to: of a rule that is off, or passes through, the last capture that it
 *   still takes; null while it takes what arrives. gaps: JSON pairs of ids, after the first of which up
 *   to the second nothing is taken: it was off before it had looked at all that came before that.
 *   removed_at: a removed one is kept for the names of what it delivered.
 * - forward_targets: one for each URL that a rule has or had (is_used); its id is part of the
 *   deliveries' ids, so it is never used twice. waiting, delivered, dropped count its deliveries.
 * - forward_deliveries: one capture to one target. state: 0 waits and was not tried, 1 waits and was
 *   tried in vain, 2 delivered, 3 dropped (given up, or refused for good). `lane`: its deliveries are
 *   sent in order; an account, or empty for all without one. lt: NULL where there is none. sort_lt: lt, or 0.
 *   next_at: microseconds, not before; 0 at once.
 *   received_at, next_at, queued_at, finished_at: microseconds.
 * - forward_attempts: each attempt with its response; headers as JSON pairs.
 * - forward_deletions: captures that were deleted, and whose deliveries have still to go. Filled by a
 *   trigger, one row for each step of a deletion, so that deleting captures costs no more.
 *
 * For queries (`forwarded:`): read forward_deliveries by `forward_deliveries_by_state (state,
 * capture_id)`: waiting is state 0, failed 1, delivered 2, dropped 3. For one capture, or a page of
 * them, the unique (capture_id, target). A capture in no row was not forwarded.
 */
export const forwarding = `
  CREATE TABLE confirmed_hosts (
    host TEXT PRIMARY KEY,
    confirmed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE forward_rules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    filter TEXT NOT NULL,
    mode TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    keep_host INTEGER NOT NULL,
    append_path INTEGER NOT NULL,
    timeout_seconds INTEGER NOT NULL,
    full_answer INTEGER NOT NULL,
    give_up_hours INTEGER,
    created_at INTEGER NOT NULL,
    reached INTEGER NOT NULL,
    up_to INTEGER,
    gaps TEXT NOT NULL DEFAULT '[]',
    removed_at INTEGER
  ) STRICT;

  CREATE TABLE forward_targets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    rule INTEGER NOT NULL,
    url TEXT NOT NULL,
    place INTEGER NOT NULL,
    is_used INTEGER NOT NULL,
    waiting INTEGER NOT NULL DEFAULT 0,
    delivered INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    last_status INTEGER,
    last_problem TEXT,
    last_tried_at INTEGER,
    down_since INTEGER,
    UNIQUE (rule, url)
  ) STRICT;

  CREATE TABLE forward_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    capture_id INTEGER NOT NULL,
    target INTEGER NOT NULL,
    rule INTEGER NOT NULL,
    mode TEXT NOT NULL,
    state INTEGER NOT NULL,
    lane TEXT NOT NULL,
    lt INTEGER,
    sort_lt INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (capture_id, target)
  ) STRICT;
  CREATE INDEX forward_deliveries_waiting
    ON forward_deliveries (target, lane, sort_lt, capture_id) WHERE state < 2;
  CREATE INDEX forward_deliveries_by_state ON forward_deliveries (state, capture_id);
  CREATE INDEX forward_deliveries_by_rule ON forward_deliveries (rule, state, id);

  CREATE TABLE forward_attempts (
    id INTEGER PRIMARY KEY,
    delivery INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    duration_us INTEGER NOT NULL,
    problem TEXT,
    body_bytes INTEGER NOT NULL,
    is_cut INTEGER NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX forward_attempts_by_delivery ON forward_attempts (delivery, id);

  CREATE TABLE forward_deletions (
    seq INTEGER PRIMARY KEY,
    from_id INTEGER NOT NULL,
    to_id INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER forward_deletions_noted AFTER INSERT ON capture_deletions
    WHEN EXISTS (SELECT 1 FROM forward_deliveries)
  BEGIN
    INSERT INTO forward_deletions (from_id, to_id) VALUES (new.from_id, new.to_id);
  END;
`
