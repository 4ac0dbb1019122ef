/**
 * invoices.tolerance: the part that may be missing, fixed when a payment was accepted by it; NULL while none was.
 */
export const acceptedShortfalls = `
  ALTER TABLE invoices ADD COLUMN tolerance INTEGER;
`
