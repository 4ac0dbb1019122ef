/**
 * Where incidents are reported besides the window and the desktop, and the alerts, one for each event of an
 * incident and destination.
 *
 * - target, events, networks: JSON of the contract; networks is NULL for all networks.
 * - hint: last four characters of the secret, which is in the keychain.
 * - message_id: the same in all attempts. subject: what is reported, once for each destination.
 * - state: waiting, sent, or failed when Tondesk gave up.
 */
export const alerts = `
  CREATE TABLE alert_destinations (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    events TEXT NOT NULL,
    networks TEXT,
    hint TEXT,
    added_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE alerts (
    id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE,
    destination TEXT NOT NULL,
    subject TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    problem TEXT,
    created_at INTEGER NOT NULL,
    tried_at INTEGER,
    UNIQUE (destination, subject)
  ) STRICT;
`
