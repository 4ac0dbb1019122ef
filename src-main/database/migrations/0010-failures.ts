/**
 * Reported problems of webhooks, so that each is reported once, also across restarts.
 *
 * - `told_matters`: one row while a problem lasts, and for a while after. `matter`: failing, offline,
 *   suspended, lagging. well_at: since when it is well again; null while it is not. is_flapping: it
 *   came back before it had been well for long. has_news: a report is due later.
 * - `told_accounts`: failing accounts that were reported; well_at as above.
 */
export const failures = `
  CREATE TABLE told_matters (
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    matter TEXT NOT NULL,
    told_at INTEGER NOT NULL,
    well_at INTEGER,
    is_flapping INTEGER NOT NULL,
    has_news INTEGER NOT NULL,
    PRIMARY KEY (webhook_key, matter)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE told_accounts (
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    account TEXT NOT NULL,
    well_at INTEGER,
    PRIMARY KEY (webhook_key, account)
  ) STRICT, WITHOUT ROWID;
`
