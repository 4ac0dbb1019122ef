/**
 * Invoices that payments name in the words of a comment.
 *
 * - payments.named_key: the only invoice whose id or comment the payment's comment contains; NULL for none
 *   or several; 0 until the comments of older versions are compared again.
 * - invoices_by_folded_id, invoices_by_folded_reference: as store/invoice-rows.ts folds them.
 */
export const namedInvoices = `
  ALTER TABLE payments ADD COLUMN named_key INTEGER;
  UPDATE payments SET named_key = 0
    WHERE comment_key IS NOT NULL AND certainty IS NOT 'certain' AND linked_by IS NOT 'person';
  CREATE INDEX payments_by_named ON payments (named_key) WHERE named_key IS NOT NULL;
  CREATE INDEX invoices_by_folded_id ON invoices (network, replace(replace(lower(id), '-', ''), '_', ''));
  CREATE INDEX invoices_by_folded_reference ON invoices (network,
      replace(replace(replace(replace(replace(lower(order_reference), '-', ''), '_', ''), ' ', ''), '#', ''), '.', ''))
    WHERE order_reference <> '';
`
