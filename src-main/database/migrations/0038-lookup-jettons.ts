/**
 * Jettons of bulk lookups: which ones, with their minter's state, and a row for each wallet that was read.
 *
 * - jetton: JSON as in `lookupJob.jettons` of the contract, in the order of `place`.
 * - code, data: the minter's, as BOCs in hex. libraries: JSON, BOCs by hash, or null.
 * - address: of the wallet; null if the minter computes none.
 * - balance: in the smallest unit, as decimal text; null with a problem.
 */
export const lookupJettons = `
  CREATE TABLE lookup_jettons (
    job_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    jetton TEXT NOT NULL,
    code TEXT NOT NULL,
    data TEXT NOT NULL,
    libraries TEXT NOT NULL,
    PRIMARY KEY (job_id, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lookup_wallets (
    job_id INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    place INTEGER NOT NULL,
    address TEXT,
    balance TEXT,
    problem TEXT,
    PRIMARY KEY (job_id, idx, place)
  ) STRICT, WITHOUT ROWID;
`
