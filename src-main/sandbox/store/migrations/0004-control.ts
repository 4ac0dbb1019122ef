/** What the sandbox remembers of itself (clock, policy, faults, activity): a JSON value a name. */
export const control = `
CREATE TABLE control (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`
