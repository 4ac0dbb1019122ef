/**
 * Captures whose new explanation the index has not received yet: it receives them in the order
 * of seq, which is never repeated, also after a kill. One capture may be in more than one row.
 */
export const untoldMeanings = `
  CREATE TABLE untold_meanings (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    capture_id INTEGER NOT NULL
  ) STRICT;
`
