/**
 * Values of exported histories in a fiat currency.
 *
 * - history_exports.fiat: the currency; NULL if none was chosen when the export began.
 * - history_assets: the rates of rows before the row at rates_lt, and until rates_at (milliseconds), were requested; NULL
 *   before the first request. is_rated: no more are to be requested.
 * - history_rates: what the gateway has. rate is a decimal, the price of one whole unit.
 */
export const historyRates = `
  ALTER TABLE history_exports ADD COLUMN fiat TEXT;
  ALTER TABLE history_assets ADD COLUMN rates_lt INTEGER;
  ALTER TABLE history_assets ADD COLUMN rates_at INTEGER;
  ALTER TABLE history_assets ADD COLUMN is_rated INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE history_rates (
    job_id INTEGER NOT NULL,
    asset TEXT NOT NULL,
    at INTEGER NOT NULL,
    rate TEXT NOT NULL,
    PRIMARY KEY (job_id, asset, at)
  ) STRICT, WITHOUT ROWID;
`
