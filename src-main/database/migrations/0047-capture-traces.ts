/**
 * The hash of the first transaction of a capture's trace, which groups the deliveries of one payment. Null for
 * duplicates, and for captures that an earlier version explained, until their transaction is loaded again.
 */
export const captureTraces = `
  ALTER TABLE capture_meanings ADD COLUMN trace BLOB;
  CREATE INDEX capture_meanings_by_trace ON capture_meanings (trace) WHERE trace IS NOT NULL;
`
