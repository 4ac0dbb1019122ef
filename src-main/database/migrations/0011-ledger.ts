/**
 * Captures that no webhook delivered, and checks for missed events.
 *
 * - capture_origins: of captures that the user imported or made; a capture without a row was received. made_from:
 *   what it was made from, so that nothing is rebuilt twice. received_at: that of the capture, so
 *   that they can be counted off without touching captures.
 * - A check holds accounts, and an account the events found of it. Moments are milliseconds since the
 *   epoch; lt: twenty digits, for it is unsigned and has to sort.
 * - ledger_checks.scope: all, failing, list. is_whole: 0 while its accounts are still being written; a
 *   list of an earlier run that is not whole is removed. counts: JSON, by verdict.
 * - ledger_accounts.state: waiting, done, unread. before_lt: events from here on have been found.
 * earliest_later: lowest id of a
 *   delivery taken of these, for order.
 * - ledger_events.account: idx of ledger_accounts. also: verdicts, a comma between. captures: JSON, as
 *   `ledgerEvent` of the contract.
 * - ledger_steps: events counted in short steps of the span, of which a histogram is made.
 */
export const ledger = `
  CREATE TABLE capture_origins (
    capture_id INTEGER PRIMARY KEY,
    origin TEXT NOT NULL,
    made_from TEXT NOT NULL,
    received_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX capture_origins_by_time ON capture_origins (received_at);
  CREATE UNIQUE INDEX capture_origins_rebuilt ON capture_origins (made_from)
    WHERE origin = 'rebuilt';

  CREATE TABLE ledger_checks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    webhook TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    is_here INTEGER NOT NULL CHECK (is_here IN (0, 1)),
    span_from INTEGER NOT NULL,
    span_to INTEGER NOT NULL,
    late_after_ms INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    is_scheduled INTEGER NOT NULL CHECK (is_scheduled IN (0, 1)),
    scope TEXT NOT NULL,
    is_whole INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    problem TEXT,
    accounts INTEGER NOT NULL DEFAULT 0,
    checked INTEGER NOT NULL DEFAULT 0,
    unread INTEGER NOT NULL DEFAULT 0,
    events INTEGER NOT NULL DEFAULT 0,
    counts TEXT NOT NULL DEFAULT '{}'
  ) STRICT;
  CREATE INDEX ledger_checks_by_network ON ledger_checks (network, id);

  CREATE TABLE ledger_accounts (
    check_id INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    account TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    problem TEXT,
    before_lt TEXT,
    earliest_later INTEGER,
    events INTEGER NOT NULL DEFAULT 0,
    missing INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (check_id, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger_events (
    check_id INTEGER NOT NULL,
    account INTEGER NOT NULL,
    lt TEXT NOT NULL,
    idx INTEGER NOT NULL,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    also TEXT NOT NULL,
    gateway TEXT NOT NULL,
    captures TEXT NOT NULL,
    delay_ms INTEGER,
    PRIMARY KEY (check_id, account, lt)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ledger_events_by_index ON ledger_events (check_id, idx);
  CREATE INDEX ledger_events_by_verdict ON ledger_events (check_id, verdict, account, lt);

  CREATE TABLE ledger_steps (
    check_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (check_id, at, verdict)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger_schedules (
    network TEXT NOT NULL,
    webhook TEXT NOT NULL,
    every_hours INTEGER NOT NULL,
    late_after_ms INTEGER NOT NULL,
    checked_to INTEGER,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (network, webhook)
  ) STRICT, WITHOUT ROWID;
`
