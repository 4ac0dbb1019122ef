/**
 * The data for lists, stats and charts of invoices. Triggers update it, so that it always agrees
 * with the rows. Only invoices that the gateway has confirmed count, but for `unconfirmed`.
 *
 * - invoice_changes: keys of rows that a list may show otherwise now, the newest ones.
 * - invoice_totals: by status, whenever.
 * - invoice_created, invoice_ended, invoice_due: by the quarter of an hour (milliseconds / 900000) of
 *   the creation; of the last change, of those not pending; of the expiry, of those pending.
 * - invoice_payment_times: of paid ones, by seconds from the creation to that change. bucket: the
 *   seconds themselves below 600; above, each doubling of 600 is divided into 128
 *   (store/invoices/payment-time.ts).
 *
 * Sums of amounts pass 64 bits, so they are kept in two: whole is amount / 10^9, rest is amount % 10^9;
 * over_ is the overpayment, of those that have one.
 */
const indexes = `
  CREATE INDEX invoices_by_creation ON invoices (network, created_at, key, status, currency,
    expires_at, changed_at, amount, overpayment, open_matters);
  CREATE INDEX invoices_by_expiry ON invoices (network, expires_at);
  CREATE INDEX invoices_by_change ON invoices (network, changed_at);
  CREATE INDEX invoices_by_text ON invoices (network, description COLLATE NOCASE, id);
  CREATE INDEX invoices_by_payer ON invoices (network, paid_by) WHERE paid_by IS NOT NULL;
  CREATE INDEX invoices_by_amount ON invoices (network, currency, amount);
  CREATE INDEX invoices_by_received ON invoices (network, currency, received) WHERE received > 0;
  CREATE INDEX invoices_by_overpayment ON invoices (network, currency, overpayment)
    WHERE overpayment > 0;
`

const tables = `
  CREATE TABLE invoice_views (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    filter TEXT NOT NULL,
    sort TEXT NOT NULL
  ) STRICT;

  CREATE TABLE invoice_changes (
    seq INTEGER PRIMARY KEY,
    invoice_key INTEGER NOT NULL
  ) STRICT;

  CREATE TRIGGER invoice_changes_pruned AFTER INSERT ON invoice_changes
  WHEN new.seq % 1000 = 0 BEGIN
    DELETE FROM invoice_changes WHERE seq <= new.seq - 4000;
  END;

  CREATE TABLE invoice_totals (
    network TEXT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    count INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    rest INTEGER NOT NULL,
    unconfirmed INTEGER NOT NULL,
    PRIMARY KEY (network, currency, status)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invoice_created (
    network TEXT NOT NULL,
    currency TEXT NOT NULL,
    quarter INTEGER NOT NULL,
    count INTEGER NOT NULL,
    paid INTEGER NOT NULL,
    PRIMARY KEY (network, currency, quarter)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invoice_ended (
    network TEXT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    quarter INTEGER NOT NULL,
    count INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    rest INTEGER NOT NULL,
    over_count INTEGER NOT NULL,
    over_whole INTEGER NOT NULL,
    over_rest INTEGER NOT NULL,
    PRIMARY KEY (network, currency, status, quarter)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invoice_due (
    network TEXT NOT NULL,
    currency TEXT NOT NULL,
    quarter INTEGER NOT NULL,
    count INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    rest INTEGER NOT NULL,
    PRIMARY KEY (network, currency, quarter)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invoice_payment_times (
    network TEXT NOT NULL,
    currency TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (network, currency, bucket, quarter)
  ) STRICT, WITHOUT ROWID;
`

type Row = 'new' | 'old'

const quarterMs = 900_000
const nano = 1_000_000_000

/** Doublings of ten minutes up to twenty years; what took longer stands in the last. */
const doublings = Array.from({ length: 21 }, (_, index) => 600 * 2 ** index)

function bucketOf(row: Row): string {
  const seconds = `max(0, (${row}.changed_at - ${row}.created_at) / 1000)`
  const above = doublings.map((from, index) => {
    const bucket = `${600 + 128 * index} + (${seconds} - ${from}) * 128 / ${from}`
    return `WHEN ${seconds} < ${2 * from} THEN ${bucket}`
  })
  const last = 600 + 128 * doublings.length - 1
  return `CASE WHEN ${seconds} < 600 THEN ${seconds} ${above.join(' ')} ELSE ${last} END`
}

type Rollup = {
  readonly table: string
  /** Whether a row counts in it. */
  readonly where: (row: Row) => string
  readonly key: (row: Row) => Readonly<Record<string, string>>
  readonly sums: (row: Row) => Readonly<Record<string, string>>
}

const isConfirmed = (row: Row) => `${row}.confirmed_at IS NOT NULL`
const place = (row: Row) => ({ network: `${row}.network`, currency: `${row}.currency` })
const requested = (row: Row) => ({
  whole: `${row}.amount / ${nano}`,
  rest: `${row}.amount % ${nano}`,
})

const rollups: readonly Rollup[] = [
  {
    table: 'invoice_totals',
    where: () => 'true',
    key: (row) => ({ ...place(row), status: `${row}.status` }),
    sums: (row) => ({
      count: isConfirmed(row),
      whole: `(${isConfirmed(row)}) * (${row}.amount / ${nano})`,
      rest: `(${isConfirmed(row)}) * (${row}.amount % ${nano})`,
      unconfirmed: `${row}.confirmed_at IS NULL`,
    }),
  },
  {
    table: 'invoice_created',
    where: isConfirmed,
    key: (row) => ({ ...place(row), quarter: `${row}.created_at / ${quarterMs}` }),
    sums: (row) => ({ count: '1', paid: `${row}.status = 'paid'` }),
  },
  {
    table: 'invoice_ended',
    where: (row) => `${isConfirmed(row)} AND ${row}.status <> 'pending'`,
    key: (row) => ({
      ...place(row),
      status: `${row}.status`,
      quarter: `${row}.changed_at / ${quarterMs}`,
    }),
    sums: (row) => ({
      count: '1',
      ...requested(row),
      over_count: `${row}.overpayment > 0`,
      over_whole: `${row}.overpayment / ${nano}`,
      over_rest: `${row}.overpayment % ${nano}`,
    }),
  },
  {
    table: 'invoice_due',
    where: (row) => `${isConfirmed(row)} AND ${row}.status = 'pending'`,
    key: (row) => ({ ...place(row), quarter: `${row}.expires_at / ${quarterMs}` }),
    sums: (row) => ({ count: '1', ...requested(row) }),
  },
  {
    table: 'invoice_payment_times',
    where: (row) => `${isConfirmed(row)} AND ${row}.status = 'paid'`,
    key: (row) => ({
      ...place(row),
      bucket: bucketOf(row),
      quarter: `${row}.changed_at / ${quarterMs}`,
    }),
    sums: () => ({ count: '1' }),
  },
]

function add({ table, where, key, sums }: Rollup): string {
  const values = { ...key('new'), ...sums('new') }
  return `INSERT INTO ${table} (${Object.keys(values).join(', ')})
    SELECT ${Object.values(values).join(', ')} WHERE ${where('new')}
    ON CONFLICT DO UPDATE SET
      ${Object.keys(sums('new'))
        .map((name) => `${name} = ${name} + excluded.${name}`)
        .join(', ')};`
}

function subtract({ table, where, key, sums }: Rollup): string {
  const found = Object.entries(key('old')).map(([name, value]) => `${name} = ${value}`)
  const isThere = [...found, where('old')].join(' AND ')
  const left = table === 'invoice_totals' ? 'count + unconfirmed' : 'count'
  return `UPDATE ${table} SET
      ${Object.entries(sums('old'))
        .map(([name, value]) => `${name} = ${name} - (${value})`)
        .join(', ')}
    WHERE ${isThere};
    DELETE FROM ${table} WHERE ${isThere} AND ${left} = 0;`
}

export const added = rollups.map(add).join('\n')
export const subtracted = rollups.map(subtract).join('\n')

/** Each response of the gateway changes the time; only whether a response exists counts. */
const confirmation = '(old.confirmed_at IS NULL) <> (new.confirmed_at IS NULL)'
const counted = `network status currency amount overpayment created_at expires_at changed_at`.split(
  ' ',
)
const shown = `${counted.join(' ')} id reported_status received description paid_by paid_at
  open_matters`.split(/\s+/)
const differ = (columns: readonly string[]) =>
  [...columns.map((name) => `old.${name} IS NOT new.${name}`), confirmation].join(' OR ')
/** An update changes what the summaries count. */
export const countedDiffer = differ(counted)

const triggers = `
  CREATE TRIGGER invoices_inserted AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_changes (invoice_key) VALUES (new.key);
    ${added}
  END;

  CREATE TRIGGER invoices_deleted AFTER DELETE ON invoices BEGIN
    INSERT INTO invoice_changes (invoice_key) VALUES (old.key);
    ${subtracted}
  END;

  CREATE TRIGGER invoices_shown AFTER UPDATE ON invoices WHEN ${differ(shown)} BEGIN
    INSERT INTO invoice_changes (invoice_key) VALUES (new.key);
  END;

  CREATE TRIGGER invoices_counted AFTER UPDATE ON invoices WHEN ${countedDiffer} BEGIN
    ${subtracted}
    ${added}
  END;
`

export const invoiceLists = indexes + tables + triggers
