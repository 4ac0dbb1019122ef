/**
 * The last response about each account that was shown.
 *
 * - address: raw form. `answer`: JSON. fetched_at: milliseconds since the epoch; the oldest go first.
 */
export const accounts = `
  CREATE TABLE chain_accounts (
    network TEXT NOT NULL,
    address TEXT NOT NULL,
    answer TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (network, address)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chain_accounts_by_age ON chain_accounts (fetched_at);
`
