/**
 * - address: raw form.
 * - changed_at: milliseconds since the epoch.
 * - folded: name and note in lower case, to be searched; SQLite's own folding knows ASCII only.
 */
export const labels = `
  CREATE TABLE labels (
    network TEXT NOT NULL,
    address TEXT NOT NULL,
    name TEXT NOT NULL,
    note TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (network, address)
  ) STRICT, WITHOUT ROWID;
`
