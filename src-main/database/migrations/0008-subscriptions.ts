/**
 * Account subscriptions as last read from the gateway, and the history of their failing.
 *
 * - account: raw form. Logical times: the 64 bits of an unsigned one. Moments, lag_ms: milliseconds.
 * - is_failing: the event of failed_lt has not been delivered since; failing_since as seen from here.
 * - lag_*: how far deliveries are behind the chain, of failing and watched accounts.
 * - subscribed_at: when it was subscribed from here, or first read where all had been read before.
 * - read_at: when the row was written; one that stays the same is not written again.
 *
 * Ties in the order of a column fall to the id, which an index carries anyway: accounts are long.
 *
 * The history is in buckets of a minute, then of an hour, then of a day; `at` is where one begins, in
 * minutes since the epoch. What is older than each limit is folded into the next.
 *
 * - webhook_history: one for every bucket in which the webhook was read. status: the worst, as 0
 *   online, 1 offline, 2 suspended. failing: the most accounts at a time. delivered: accounts seen to
 *   have progressed. attempts: growth of its accounts' counters.
 * - account_history: only where a counter grew, an account recovered, or lagged.
 * - usage_history: growth of the key's usage counters; usage_counters holds the last reading.
 * - history_progress: up to where the buckets of a width, in minutes, have been made.
 * - sampler_rounds: when a network was last read whole.
 * - failure_logs: what the gateway noted of failed attempts, which it may forget sooner.
 * - streaks: from the first failure seen to the success seen; of the webhook as a whole where
 *   subscription_id is null. ended_at is null while it continues.
 */
export const subscriptions = `
  CREATE TABLE subscriptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    account TEXT NOT NULL,
    last_delivered_lt INTEGER NOT NULL,
    failed_at INTEGER,
    failed_lt INTEGER,
    failed_attempts INTEGER NOT NULL,
    is_failing INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    is_watched INTEGER NOT NULL DEFAULT 0,
    lag_transactions INTEGER,
    lag_more INTEGER,
    lag_ms INTEGER,
    lag_read_at INTEGER,
    subscribed_at INTEGER,
    read_at INTEGER NOT NULL,
    UNIQUE (webhook_key, account)
  ) STRICT;
  CREATE INDEX subscriptions_by_delivered ON subscriptions (webhook_key, last_delivered_lt);
  CREATE INDEX subscriptions_by_failed_at ON subscriptions (webhook_key, failed_at);
  CREATE INDEX subscriptions_by_failed_lt ON subscriptions (webhook_key, failed_lt);
  CREATE INDEX subscriptions_by_attempts
    ON subscriptions (webhook_key, failed_attempts, last_delivered_lt <> 0);
  CREATE INDEX subscriptions_by_lag ON subscriptions (webhook_key, lag_ms);
  CREATE INDEX subscriptions_failing ON subscriptions (webhook_key, account)
    WHERE is_failing = 1;
  CREATE INDEX subscriptions_watched ON subscriptions (webhook_key, account)
    WHERE is_watched = 1;
  CREATE INDEX subscriptions_behind ON subscriptions (webhook_key, account)
    WHERE lag_transactions > 0 OR lag_ms > 0;

  CREATE TABLE webhook_history (
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    status INTEGER,
    failing INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    lag_ms INTEGER,
    PRIMARY KEY (webhook_key, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE account_history (
    subscription_id INTEGER NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    webhook_key INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    recovered INTEGER NOT NULL,
    lag_ms INTEGER,
    PRIMARY KEY (subscription_id, at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX account_history_by_time ON account_history (webhook_key, at, attempts);

  CREATE TABLE usage_history (
    network TEXT NOT NULL,
    at INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (network, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage_counters (
    network TEXT PRIMARY KEY,
    started_at INTEGER,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    read_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sampler_rounds (
    network TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE failure_logs (
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (webhook_key, at, event_type, message)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE history_progress (
    width INTEGER PRIMARY KEY,
    done_to INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE streaks (
    id INTEGER PRIMARY KEY,
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    subscription_id INTEGER REFERENCES subscriptions (id) ON DELETE CASCADE,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    attempts INTEGER NOT NULL,
    failed_lt INTEGER
  ) STRICT;
  CREATE INDEX streaks_by_time ON streaks (webhook_key, began_at, ended_at);
  CREATE INDEX streaks_by_length
    ON streaks (webhook_key, ended_at - began_at, began_at, ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX streaks_open ON streaks (webhook_key, subscription_id) WHERE ended_at IS NULL;
  CREATE INDEX streaks_of_account ON streaks (subscription_id, began_at)
    WHERE subscription_id IS NOT NULL;
`
