/**
 * What the addresses of invoices received, and what of it needs a decision. Moments are
 * milliseconds, amounts minimal units, addresses raw, logical times as they are.
 *
 * - payments: one row a transfer. comment_key: the comment as it is compared. linked_by: null while
 *   no rule has found an invoice; no rule changes a link of the user.
 * - outgoing_transfers: what such an address has sent since; a refund is searched for among them.
 * - invoice_accounts: addresses that invoices name. first_invoice: the key of the one seen first;
 *   is_shared: others name it too, or it was in use before. since: from when on its history counts.
 *   active_until: until when it is read without a request of the user. top_lt to bottom_lt is what was
 *   read, from the block time read_from to read_to; read_from is null until since was reached.
 * - `matters`: about an invoice, or about a payment that belongs to none. What it was when it was
 *   handled is kept, so that more of it brings it back.
 * - invoices_waiting: to be reconciled after the next reading of the chain.
 */
export const payments = `
  CREATE TABLE payments (
    key INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    account TEXT NOT NULL,
    lt INTEGER NOT NULL,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    currency TEXT NOT NULL CHECK (currency IN ('TON', 'USDT')),
    amount INTEGER NOT NULL CHECK (amount > 0),
    payer TEXT NOT NULL,
    comment TEXT,
    comment_key TEXT,
    invoice_key INTEGER REFERENCES invoices (key) ON DELETE SET NULL,
    certainty TEXT,
    linked_by TEXT CHECK (linked_by IN ('rule', 'person')),
    evidence TEXT NOT NULL DEFAULT '[]',
    UNIQUE (network, account, lt)
  ) STRICT;

  CREATE INDEX payments_by_invoice ON payments (invoice_key) WHERE invoice_key IS NOT NULL;
  CREATE INDEX payments_by_time ON payments (network, at, key);
  CREATE INDEX payments_unmatched ON payments (network, at, key) WHERE invoice_key IS NULL;
  CREATE INDEX payments_by_comment ON payments (network, comment_key)
    WHERE comment_key IS NOT NULL;
  -- Those that another state of an invoice may link otherwise.
  CREATE INDEX payments_open ON payments (network, account, currency, amount, at)
    WHERE certainty IS NOT 'certain' AND linked_by IS NOT 'person';

  CREATE TABLE outgoing_transfers (
    network TEXT NOT NULL,
    account TEXT NOT NULL,
    payee TEXT NOT NULL,
    lt INTEGER NOT NULL,
    place INTEGER NOT NULL,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    comment TEXT,
    PRIMARY KEY (network, account, payee, lt, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invoice_accounts (
    network TEXT NOT NULL,
    account TEXT NOT NULL,
    first_invoice INTEGER NOT NULL,
    is_shared INTEGER NOT NULL DEFAULT 0,
    since INTEGER NOT NULL,
    active_until INTEGER NOT NULL,
    usdt_master TEXT,
    usdt_wallet TEXT,
    top_lt INTEGER,
    bottom_lt INTEGER,
    read_from INTEGER,
    read_to INTEGER,
    PRIMARY KEY (network, account)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX invoice_accounts_shared ON invoice_accounts (network) WHERE is_shared = 1;
  CREATE INDEX invoice_accounts_active ON invoice_accounts (network, active_until);
  CREATE INDEX invoice_accounts_usdt ON invoice_accounts (network) WHERE usdt_master IS NOT NULL;

  CREATE TABLE matters (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    kind TEXT NOT NULL,
    invoice_key INTEGER REFERENCES invoices (key) ON DELETE CASCADE,
    payment_key INTEGER REFERENCES payments (key) ON DELETE CASCADE,
    amount INTEGER,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    handled_at INTEGER,
    handled_amount INTEGER,
    handled_state TEXT,
    closed_at INTEGER,
    CHECK ((invoice_key IS NULL) <> (payment_key IS NULL))
  ) STRICT;

  CREATE UNIQUE INDEX matters_by_invoice ON matters (invoice_key, kind)
    WHERE invoice_key IS NOT NULL;
  CREATE UNIQUE INDEX matters_by_payment ON matters (payment_key) WHERE payment_key IS NOT NULL;
  CREATE INDEX matters_open ON matters (network, since, key)
    WHERE handled_at IS NULL AND closed_at IS NULL;
  CREATE INDEX matters_handled ON matters (network, handled_at)
    WHERE handled_at IS NOT NULL AND closed_at IS NULL;

  CREATE TABLE invoices_waiting (
    invoice_key INTEGER PRIMARY KEY REFERENCES invoices (key) ON DELETE CASCADE,
    network TEXT NOT NULL
  ) STRICT;

  CREATE INDEX invoices_waiting_by_network ON invoices_waiting (network);

  CREATE INDEX invoices_paid ON invoices (network, changed_at, key) WHERE status = 'paid';
`
