/** Queries that the user saved. */
export const captureViews = `
  CREATE TABLE capture_views (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    query TEXT NOT NULL
  ) STRICT;
`
