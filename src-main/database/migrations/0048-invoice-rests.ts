/**
 * Invoices for the rest of an underpaid one.
 *
 * - invoices.rest_of: the invoice whose rest this one requests. All invoices for the rest of one refer to the first.
 * - rest_of of draft lines and of items of jobs: the id of that invoice, until the new one exists.
 */
export const invoiceRests = `
  ALTER TABLE invoices ADD COLUMN rest_of INTEGER REFERENCES invoices (key) ON DELETE SET NULL;
  CREATE INDEX invoices_by_rest ON invoices (rest_of) WHERE rest_of IS NOT NULL;
  ALTER TABLE invoice_draft_lines ADD COLUMN rest_of TEXT;
  ALTER TABLE invoice_job_items ADD COLUMN rest_of TEXT;
`
