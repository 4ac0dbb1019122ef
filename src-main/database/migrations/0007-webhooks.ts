/**
 * Webhooks as the gateway last listed them, and their moves to other endpoints.
 *
 * - key: what other tables hang on; the id is the gateway's, and unique within a network only.
 * - id: an int64 as decimal digits. Moments are milliseconds since the epoch.
 * - token_id: under which the keychain holds its token; the token itself is nowhere here.
 * - failing, subscriptions_read_at: of its account subscriptions, as far as they were read.
 * - gone_at: since when the gateway does not list it. The row stays, for its history.
 * - known_before: JSON, ids there were when the move began: a webhook of its endpoint that is not among
 *   them is the one that it has made.
 * - level_at: since when the new one is subscribed to all that the old one is. is_forced: the old one
 *   is deleted though it has not delivered all.
 * - webhook_move_subjects: what the move has subscribed the new one to, so that it takes back what is
 *   dropped at the old one meanwhile, and no more.
 */
export const webhooks = `
  CREATE TABLE webhooks (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    token_hint TEXT,
    token_id TEXT,
    status TEXT,
    status_since INTEGER,
    last_online_at INTEGER,
    failed_attempts INTEGER,
    accounts INTEGER,
    opcodes INTEGER,
    mempool INTEGER,
    new_contracts INTEGER,
    failing INTEGER NOT NULL DEFAULT 0,
    subscriptions_read_at INTEGER,
    gone_at INTEGER,
    UNIQUE (network, id)
  ) STRICT;

  -- When the list of a network was read; it may hold no webhook at all.
  CREATE TABLE webhook_lists (
    network TEXT PRIMARY KEY,
    read_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE webhook_moves (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    from_id TEXT NOT NULL,
    from_endpoint TEXT NOT NULL,
    to_id TEXT,
    to_endpoint TEXT NOT NULL,
    known_before TEXT NOT NULL,
    step TEXT NOT NULL DEFAULT 'create',
    state TEXT NOT NULL DEFAULT 'running',
    problem TEXT,
    copied INTEGER NOT NULL DEFAULT 0,
    total INTEGER,
    undelivered INTEGER NOT NULL DEFAULT 0,
    level_at INTEGER,
    is_forced INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;

  CREATE TABLE webhook_move_subjects (
    move_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (move_id, kind, subject)
  ) STRICT, WITHOUT ROWID;
`
