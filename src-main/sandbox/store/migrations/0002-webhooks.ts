/**
 * Only the first delivery of a `lane` has a `due_at`: the others wait until it is deleted, and are not in
 * the index of due deliveries.
 */
export const webhooks = `
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  target TEXT NOT NULL,
  lane TEXT NOT NULL,
  event_type TEXT NOT NULL,
  account_id TEXT,
  topic TEXT,
  lt INTEGER,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  last_error TEXT
) STRICT;
CREATE INDEX deliveries_by_lane ON deliveries (target, lane);
CREATE INDEX deliveries_due ON deliveries (target, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE delivery_targets (
  target TEXT PRIMARY KEY,
  failing_since INTEGER,
  offline INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint TEXT NOT NULL,
  token TEXT NOT NULL,
  status TEXT NOT NULL,
  status_updated_at INTEGER NOT NULL,
  last_online_at INTEGER NOT NULL,
  status_failed_attempts INTEGER NOT NULL DEFAULT 0,
  mempool INTEGER NOT NULL DEFAULT 0,
  new_contracts INTEGER NOT NULL DEFAULT 0,
  log_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhooks_mempool ON webhooks (id) WHERE mempool = 1;
CREATE INDEX webhooks_new_contracts ON webhooks (id) WHERE new_contracts = 1;

CREATE TABLE account_tx_subscriptions (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  last_delivered_lt INTEGER NOT NULL DEFAULT 0,
  failed_at INTEGER,
  failed_lt INTEGER,
  failed_attempts INTEGER NOT NULL DEFAULT 0,
  UNIQUE (account_id, webhook_id)
) STRICT;
CREATE INDEX account_tx_subscriptions_by_webhook ON account_tx_subscriptions (webhook_id);

CREATE TABLE msg_opcode_subscriptions (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  opcode INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'active',
  disabled_at INTEGER,
  disabled_reason TEXT,
  UNIQUE (opcode, webhook_id)
) STRICT;
CREATE INDEX msg_opcode_subscriptions_by_webhook ON msg_opcode_subscriptions (webhook_id);

CREATE TABLE webhook_logs (
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (webhook_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_usage (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  period_started_at INTEGER NOT NULL,
  delivered INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0
) STRICT;
`
