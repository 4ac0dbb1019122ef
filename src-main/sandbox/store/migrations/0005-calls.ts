/** The call log of both networks, in the file of the main network. Reverts leave this table unchanged. */
export const calls = `
CREATE TABLE calls (
  number INTEGER PRIMARY KEY,
  call TEXT NOT NULL
) STRICT;
`
