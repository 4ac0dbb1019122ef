/**
 * Jobs that subscribe and unsubscribe.
 *
 * - is_whole: 0 while its items are still being written; such a change of an earlier run is removed.
 * - is_superseded: another has altered its webhooks since. Kept here, for that other may be removed.
 * - webhook of change_webhooks: null until created; known_before: JSON, the ids there were when its
 *   creation was begun, null before.
 * - state of an item: as `changeItem.state` of the contract, and `sent`: it went out, and whether it
 *   was done is not known yet.
 * - webhook of change_items: its place in change_webhooks.
 */
export const changes = `
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    state TEXT NOT NULL,
    problem TEXT,
    undoes INTEGER,
    undone_by INTEGER,
    total INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    is_superseded INTEGER NOT NULL DEFAULT 0,
    is_whole INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE change_webhooks (
    change_id INTEGER NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    webhook TEXT,
    endpoint TEXT NOT NULL,
    known_before TEXT,
    PRIMARY KEY (change_id, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE change_items (
    change_id INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    webhook INTEGER NOT NULL,
    act TEXT NOT NULL,
    what TEXT NOT NULL,
    subject TEXT NOT NULL,
    label TEXT,
    state TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (change_id, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX change_items_state ON change_items (change_id, state, idx);
  CREATE INDEX change_items_open ON change_items (change_id, idx) WHERE state IN ('waiting', 'sent');
`
