/**
 * The history of failing in two resolutions: minutes of the last days, and hours.
 *
 * Each of webhook_history, account_history and usage_history holds the sums of hours from now on, and
 * its table of minutes the same in minutes. Both are written at once, so that nothing is folded later.
 * Days that an earlier version has made stay as they are, at the first hour of the day.
 *
 * - history_progress: before done_to the history is in buckets of this width, in minutes, or longer.
 * - delivered, recovered: 0 from now on, since nothing has ever read them. They stay, since rows of a damaged
 *   file are read by the order of the columns.
 */
export const failureHistory = `
  CREATE TABLE webhook_minutes (
    webhook_key INTEGER NOT NULL REFERENCES webhooks (key) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    status INTEGER,
    failing INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    lag_ms INTEGER,
    PRIMARY KEY (webhook_key, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE account_minutes (
    subscription_id INTEGER NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    webhook_key INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    recovered INTEGER NOT NULL,
    lag_ms INTEGER,
    PRIMARY KEY (subscription_id, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage_minutes (
    network TEXT NOT NULL,
    at INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (network, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TEMP TABLE first_minute AS
    SELECT coalesce((SELECT done_to FROM history_progress WHERE width = 60), 0) AS at;

  INSERT INTO webhook_minutes SELECT * FROM webhook_history
    WHERE at >= (SELECT at FROM first_minute);
  DELETE FROM webhook_history WHERE at >= (SELECT at FROM first_minute);
  INSERT INTO webhook_history (webhook_key, at, status, failing, delivered, attempts, lag_ms)
    SELECT webhook_key, at - at % 60, max(status), max(failing), 0, sum(attempts), max(lag_ms)
    FROM webhook_minutes GROUP BY 1, 2;

  INSERT INTO account_minutes SELECT * FROM account_history
    WHERE at >= (SELECT at FROM first_minute);
  DELETE FROM account_history WHERE at >= (SELECT at FROM first_minute);
  INSERT INTO account_history (subscription_id, at, webhook_key, attempts, recovered, lag_ms)
    SELECT subscription_id, at - at % 60, webhook_key, sum(attempts), 0, max(lag_ms)
    FROM account_minutes GROUP BY 1, 2;
  CREATE INDEX account_minutes_by_time ON account_minutes (webhook_key, at, attempts);

  INSERT INTO usage_minutes SELECT * FROM usage_history
    WHERE at >= (SELECT at FROM first_minute);
  DELETE FROM usage_history WHERE at >= (SELECT at FROM first_minute);
  INSERT INTO usage_history (network, at, delivered, failed)
    SELECT network, at - at % 60, sum(delivered), sum(failed) FROM usage_minutes GROUP BY 1, 2;

  DROP TABLE temp.first_minute;
`
