/**
 * Rates of an asset (TON, USDT) in a fiat currency at the moments of payments, requested once from the network's
 * gateway. `at` is the payment's moment, rate_at the moment of the gateway's nearest rate, both in milliseconds; rate is a
 * decimal. NULL: the gateway has no rate near that moment.
 */
export const fiatRates = `
  CREATE TABLE fiat_rates (
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    fiat TEXT NOT NULL,
    at INTEGER NOT NULL,
    rate TEXT,
    rate_at INTEGER,
    PRIMARY KEY (network, asset, fiat, at)
  ) STRICT, WITHOUT ROWID;
`
