/** Sums of payments are text: what the faucet gives may pass SQLite's 64 bits. */
export const invoices = `
  CREATE TABLE invoice_access (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    token TEXT NOT NULL,
    rule TEXT NOT NULL
  ) STRICT;

  CREATE TABLE invoice_apps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    recipient TEXT NOT NULL,
    date_create INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE invoice_webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    failed_attempts INTEGER NOT NULL DEFAULT 0,
    failed_at INTEGER,
    last_error TEXT
  ) STRICT;

  CREATE TABLE invoices (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    app_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    amount INTEGER NOT NULL,
    currency TEXT NOT NULL,
    description TEXT,
    life_time INTEGER NOT NULL,
    date_create INTEGER NOT NULL,
    date_expire INTEGER NOT NULL,
    date_change INTEGER NOT NULL,
    rule TEXT NOT NULL,
    pay_to_address TEXT NOT NULL,
    paid_by_address TEXT,
    received TEXT NOT NULL,
    overpayment TEXT,
    refunded INTEGER,
    refund_amount TEXT
  ) STRICT;
  CREATE INDEX invoices_by_address ON invoices (pay_to_address, rule, currency, amount);
  CREATE INDEX invoices_by_expiry ON invoices (date_expire) WHERE status = 'pending';
  CREATE INDEX invoices_by_creation ON invoices (app_id, date_create);

  CREATE TABLE invoice_payments (
    tx_hash TEXT PRIMARY KEY,
    invoice_id TEXT NOT NULL,
    utime INTEGER NOT NULL,
    amount TEXT NOT NULL,
    payer TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`
