/**
 * What was refunded for an invoice. A transfer refunds at most one invoice, so that sums of refunds are
 * exact. Invoices that may have been refunded before are weighed again after the next reading of the chain.
 */
export const refunds = `
  ALTER TABLE invoices ADD COLUMN refunded INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outgoing_transfers ADD COLUMN invoice_key INTEGER
    REFERENCES invoices (key) ON DELETE SET NULL;
  CREATE INDEX outgoing_transfers_by_invoice ON outgoing_transfers (invoice_key)
    WHERE invoice_key IS NOT NULL;

  INSERT OR IGNORE INTO invoices_waiting (invoice_key, network)
    SELECT m.invoice_key, m.network FROM matters m JOIN invoices i ON i.key = m.invoice_key
    WHERE m.closed_at IS NULL AND EXISTS
      (SELECT 1 FROM outgoing_transfers o WHERE o.network = i.network AND o.account = i.pay_to);
`
