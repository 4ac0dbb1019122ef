/** Columns of exports of invoices that the user chose, ordered and named; `columns` is JSON. */
export const exportViews = `
  CREATE TABLE invoice_export_views (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    columns TEXT NOT NULL
  ) STRICT;
`
