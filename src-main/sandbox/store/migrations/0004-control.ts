/** The sandbox's own state (clock, policy, faults, activity): one JSON value per name. */
export const control = `
CREATE TABLE control (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`
