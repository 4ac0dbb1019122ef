/**
 * The user's own reference of an order, which the gateway never sees: on an invoice, and on lines and
 * items of jobs until their invoices exist. Empty for none. The covering index of the list has it, so that
 * search and order need no other.
 */
export const orderReferences = `
  ALTER TABLE invoices ADD COLUMN order_reference TEXT NOT NULL DEFAULT '';
  ALTER TABLE invoice_draft_lines ADD COLUMN order_reference TEXT NOT NULL DEFAULT '';
  ALTER TABLE invoice_job_items ADD COLUMN order_reference TEXT NOT NULL DEFAULT '';

  DROP INDEX invoices_by_creation;
  CREATE INDEX invoices_by_creation ON invoices (network, created_at, key, status, currency,
    expires_at, changed_at, amount, received, overpayment, open_matters, id, paid_by,
    order_reference, description);
`
