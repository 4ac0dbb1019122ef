/**
 * Incidents of the whole app, in place of what was kept per webhook and kind of problem.
 *
 * - network: null for the whole app. subject: such as webhook:12, receiver.
 * - opened_at: null for a suspicion, which has not failed often or long enough yet.
 * - condition, worst: what is wrong as JSON, as last reported and at its worst.
 * - lasted_ms: how long is_well has had its value while the app ran.
 * - snoozed_until: JSON, a moment or "fixed".
 */
export const incidents = `
  CREATE TABLE incidents (
    id INTEGER PRIMARY KEY,
    network TEXT,
    subject TEXT NOT NULL,
    opened_at INTEGER,
    closed_at INTEGER,
    condition TEXT NOT NULL,
    worst TEXT NOT NULL,
    failures INTEGER NOT NULL,
    is_well INTEGER NOT NULL,
    is_flapping INTEGER NOT NULL,
    lasted_ms INTEGER NOT NULL,
    snoozed_until TEXT
  ) STRICT;
  CREATE UNIQUE INDEX incidents_open ON incidents (coalesce(network, ''), subject)
    WHERE closed_at IS NULL;
  CREATE INDEX incidents_closed ON incidents (closed_at) WHERE closed_at IS NOT NULL;

  DROP TABLE told_accounts;
  DROP TABLE told_matters;
`
