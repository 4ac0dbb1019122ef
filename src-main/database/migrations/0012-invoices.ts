/**
 * The ledger of invoices. Moments are milliseconds, amounts minimal units, addresses raw.
 *
 * - invoices: one row each, as in the gateway's last response. confirmed_at: null for one that only
 *   a delivery reported. reported_status, reported_at: what a delivery reported since. received, paid_at,
 *   open_matters: what the payments of 0013 make of it; open_matters holds a bit for each kind
 *   (store/invoices/invoice-rows.ts). comment: what a payment must carry, as its link says.
 * - invoice_events: what became of it and how that was learnt; detail is JSON.
 * - invoice_reports: deliveries that reported one; kept when the capture is gone.
 * - invoice_ledgers: one row a network: how far its gateway was read.
 */
export const invoices = `
  CREATE TABLE invoices (
    key INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    reported_status TEXT,
    reported_at INTEGER,
    confirmed_at INTEGER,
    currency TEXT NOT NULL CHECK (currency IN ('TON', 'USDT')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    received INTEGER NOT NULL DEFAULT 0,
    overpayment INTEGER NOT NULL DEFAULT 0,
    description TEXT NOT NULL,
    pay_to TEXT NOT NULL,
    paid_by TEXT,
    payment_link TEXT NOT NULL,
    comment TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    paid_at INTEGER,
    first_seen_at INTEGER NOT NULL,
    first_source TEXT NOT NULL,
    open_matters INTEGER NOT NULL DEFAULT 0,
    raw TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX invoices_by_id ON invoices (network, id);
  CREATE INDEX invoices_by_payment ON invoices (network, pay_to, currency, amount, created_at);
  CREATE INDEX invoices_by_comment ON invoices (network, comment) WHERE comment IS NOT NULL;
  CREATE INDEX invoices_unconfirmed ON invoices (network)
    WHERE confirmed_at IS NULL OR reported_status IS NOT NULL;
  CREATE INDEX invoices_pending ON invoices (network, expires_at) WHERE status = 'pending';
  -- Not documented, so nobody knows whether it is an end.
  CREATE INDEX invoices_in_other_state ON invoices (network)
    WHERE status NOT IN ('pending', 'paid', 'cancelled', 'expired');

  CREATE TABLE invoice_events (
    id INTEGER PRIMARY KEY,
    invoice_key INTEGER NOT NULL REFERENCES invoices (key) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    capture_id INTEGER,
    tx_hash TEXT
  ) STRICT;

  CREATE INDEX invoice_events_by_invoice ON invoice_events (invoice_key, id);

  CREATE TABLE invoice_reports (
    capture_id INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    invoice_id TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    changed_at INTEGER,
    overpayment INTEGER,
    outcome TEXT NOT NULL
  ) STRICT;

  CREATE INDEX invoice_reports_by_invoice ON invoice_reports (network, invoice_id, capture_id);
  CREATE INDEX invoice_reports_waiting ON invoice_reports (network) WHERE outcome = 'waiting';
  CREATE INDEX invoice_reports_differing ON invoice_reports (network) WHERE outcome = 'differs';
  CREATE INDEX invoice_reports_unknown ON invoice_reports (capture_id)
    WHERE outcome = 'unknown-there';

  CREATE TABLE invoice_ledgers (
    network TEXT PRIMARY KEY,
    listed_at INTEGER,
    full_at INTEGER,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`
