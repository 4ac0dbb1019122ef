/**
 * Exports of histories as events. Only rows of events have the new columns:
 *
 * - action: its index within the event; NULL for the row of what the event has beside its actions.
 * - sentence: the action in words. transactions: their hashes, separated by spaces.
 * - is_scam: the gateway marks the event as spam.
 * - in_progress: how many events were not complete when they were read.
 */
export const historyEvents = `
  ALTER TABLE history_exports ADD COLUMN view TEXT NOT NULL DEFAULT 'transactions';
  ALTER TABLE history_sources ADD COLUMN in_progress INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE history_rows ADD COLUMN action INTEGER;
  ALTER TABLE history_rows ADD COLUMN sentence TEXT;
  ALTER TABLE history_rows ADD COLUMN transactions TEXT;
  ALTER TABLE history_rows ADD COLUMN is_scam INTEGER NOT NULL DEFAULT 0;
`
