/**
 * Captures of which something was learnt that the index has not been told yet: it is told in the order
 * of seq, which never comes twice, also after a kill. One capture may be in more than one row.
 */
export const untoldMeanings = `
  CREATE TABLE untold_meanings (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    capture_id INTEGER NOT NULL
  ) STRICT;
`
