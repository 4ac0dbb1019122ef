/**
 * Transactions that a gateway left out of an account's history.
 *
 * - edge: the oldest transaction read, as JSON (`ChainEdge`). gaps: their number; gap describes the first.
 * - unlinked: transactions that do not name the one before them.
 */
export const chainGaps = `
  ALTER TABLE history_sources ADD COLUMN edge TEXT;
  ALTER TABLE history_sources ADD COLUMN gaps INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE history_sources ADD COLUMN gap TEXT;
  ALTER TABLE history_sources ADD COLUMN unlinked INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX history_rows_of_events ON history_rows (job_id, hash) WHERE sentence IS NOT NULL;
  ALTER TABLE invoice_accounts ADD COLUMN gap TEXT;
  CREATE INDEX invoice_accounts_with_gap ON invoice_accounts (network) WHERE gap IS NOT NULL;
`
