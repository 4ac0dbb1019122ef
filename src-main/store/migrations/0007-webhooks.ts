/**
 * Webhooks as the gateway last told of them.
 *
 * - key: what other tables hang on; the id is the gateway's, and unique within a network only.
 * - id: an int64 as decimal digits. Moments are milliseconds since the epoch.
 * - token_id: under which the keychain holds its token; the token itself is nowhere here.
 * - failing, subscriptions_read_at: of its account subscriptions, as far as they were read.
 * - gone_at: since when the gateway does not list it. The row stays, for its history.
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
`
