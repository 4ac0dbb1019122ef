/** Null for attempts of older versions, which only had targets of HTTP: their status shows whether they were delivered. */
export const deliveredAttempts = `
  ALTER TABLE forward_attempts ADD COLUMN is_delivered INTEGER;
`
