/**
 * The other columns of a lookup's list: their names with the job, their values with each line, both as
 * JSON lists in the same order.
 */
export const lookupColumns = `
  ALTER TABLE lookup_jobs ADD COLUMN columns TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE lookup_lines ADD COLUMN others TEXT NOT NULL DEFAULT '[]';
`
