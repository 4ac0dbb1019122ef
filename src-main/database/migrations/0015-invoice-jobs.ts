/**
 * Drafts of invoices, jobs that issue and cancel, and the steps of the access to the service.
 *
 * - invoice_drafts: job: what it became; the row stays, so that it can become no second one.
 *   beyond: lines left out. remarks: JSON.
 * - invoice_draft_lines: amount in minimal units, life_time in seconds; null where they could not be read.
 * - invoice_job_items: one invoice each. state as `invoiceJobItem.state` of the contract. asked_at, mark
 *   and known are written before the request goes out: mark is the creation (milliseconds by the
 *   gateway's clock) of the newest invoice there was, 0 when there was none, null where the gateway does
 *   not list; known is JSON, ids that were there at that time already.
 * - invoice_access: when the user ticked a step (milliseconds); ids that requests may need, and
 *   whether app_id was read from the gateway rather than entered.
 */
export const invoiceJobs = `
  CREATE TABLE invoice_drafts (
    id TEXT PRIMARY KEY,
    network TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    beyond INTEGER NOT NULL,
    remarks TEXT NOT NULL,
    job INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX invoice_drafts_open ON invoice_drafts (network, created_at) WHERE job IS NULL;

  CREATE TABLE invoice_draft_lines (
    draft TEXT NOT NULL REFERENCES invoice_drafts (id) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    line INTEGER NOT NULL,
    text TEXT NOT NULL,
    currency TEXT,
    amount INTEGER,
    life_time INTEGER,
    description TEXT NOT NULL,
    problem TEXT,
    warning TEXT,
    PRIMARY KEY (draft, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invoice_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    network TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'cancel')),
    state TEXT NOT NULL,
    problem TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;

  CREATE INDEX invoice_jobs_by_network ON invoice_jobs (network, id);

  CREATE TABLE invoice_job_items (
    job_id INTEGER NOT NULL REFERENCES invoice_jobs (id) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    state TEXT NOT NULL,
    invoice TEXT,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    life_time INTEGER,
    description TEXT NOT NULL,
    payment_link TEXT,
    message TEXT,
    asked_at INTEGER,
    mark INTEGER,
    known TEXT,
    PRIMARY KEY (job_id, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX invoice_job_items_state ON invoice_job_items (job_id, state, idx);
  CREATE INDEX invoice_job_items_by_invoice ON invoice_job_items (invoice)
    WHERE invoice IS NOT NULL;

  CREATE TABLE invoice_access (
    network TEXT PRIMARY KEY,
    account_at INTEGER,
    project_at INTEGER,
    granted_at INTEGER,
    app_id TEXT,
    app_id_is_read INTEGER NOT NULL DEFAULT 0,
    project_id TEXT
  ) STRICT, WITHOUT ROWID;
`
