/** ABI and TL-B texts by the code of the contracts they describe. changed_at is in milliseconds. */
export const dictionaries = `
  CREATE TABLE dictionaries (
    code_hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    changed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
