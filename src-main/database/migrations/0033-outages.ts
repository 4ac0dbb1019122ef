/**
 * What the gateway showed of its policy for failing webhooks: when it takes them offline, and when it
 * retries. Times are milliseconds of the gateway's clock.
 *
 * - outages: of a webhook as a whole, from the first failed attempt after a success. The first failed attempt
 *   lies from first_from to first_to. attempts: failed so far. survived_at: newest failed attempt after which
 *   the webhook stayed online. outcome: NULL while it fails, then offline or recovered; offline_from and
 *   offline_to hold the moment. is_cut_short: the last attempt came sooner than its retry was due, which
 *   only a deadline explains. They belong to a network, since its gateway treats all webhooks alike, and stay
 *   when the webhook is deleted.
 * - retry_delays: after two attempts after_ms apart (0: after the first attempt), the next came delay_ms later.
 * - subscriptions.retry_ms: time between the last two attempts; 0 after a first attempt, NULL if unknown.
 */
export const outages = `
  CREATE TABLE outages (
    id INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    webhook TEXT NOT NULL,
    first_from INTEGER NOT NULL,
    first_to INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    survived_at INTEGER NOT NULL,
    outcome TEXT,
    offline_from INTEGER,
    offline_to INTEGER,
    is_cut_short INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX outages_by_webhook ON outages (network, webhook);

  CREATE TABLE retry_delays (
    network TEXT NOT NULL,
    after_ms INTEGER NOT NULL,
    delay_ms INTEGER NOT NULL,
    PRIMARY KEY (network, after_ms)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE subscriptions ADD COLUMN retry_ms INTEGER;
`
