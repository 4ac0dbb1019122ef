import { added, countedDiffer, subtracted } from './0014-invoice-lists.ts'

/**
 * One covering index serves every filter and order of the invoice list, in place of the indexes of 0014
 * for single orders; invoices_by_change stays for the edges of figures. Nothing follows changed rows
 * any more, so invoice_changes goes. The summaries of 0014 stay: to group a million rows by their last
 * change takes longer than a chart may.
 */
export const invoicePages = `
  DROP TRIGGER invoices_inserted;
  DROP TRIGGER invoices_deleted;
  DROP TRIGGER invoices_shown;
  DROP TRIGGER invoices_counted;
  DROP TABLE invoice_changes;
  DROP INDEX invoices_by_creation;
  DROP INDEX invoices_by_expiry;
  DROP INDEX invoices_by_text;
  DROP INDEX invoices_by_payer;
  DROP INDEX invoices_by_amount;
  DROP INDEX invoices_by_received;
  DROP INDEX invoices_by_overpayment;

  CREATE INDEX invoices_by_creation ON invoices (network, created_at, key, status, currency,
    expires_at, changed_at, amount, received, overpayment, open_matters, id, paid_by, description);

  CREATE TRIGGER invoices_inserted AFTER INSERT ON invoices BEGIN ${added} END;
  CREATE TRIGGER invoices_deleted AFTER DELETE ON invoices BEGIN ${subtracted} END;
  CREATE TRIGGER invoices_counted AFTER UPDATE ON invoices WHEN ${countedDiffer} BEGIN
    ${subtracted}
    ${added}
  END;
`
