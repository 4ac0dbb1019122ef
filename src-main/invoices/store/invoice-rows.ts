import type {
  InvoiceDetail,
  InvoiceSource,
  DiscrepancyKind,
} from '../../../src-preload/contract/invoice.ts'
import { discrepancyKinds } from '../../../src-preload/domain/invoice-values.ts'
import { type Database, type SqlValues, createSql, int64 } from '../../database/sql.ts'

/** A row of the ledger. Times are milliseconds, amounts are minimal units, addresses are raw. */
export type StoredInvoice = Readonly<
  Omit<
    InvoiceDetail,
    | (
        | 'amount'
        | 'received'
        | 'overpayment'
        | 'refunded'
        | 'isConfirmed'
        | 'uncounted'
        | 'payer'
        | 'payerLabel'
        | 'accepted'
        | 'together'
      )
    | ('events' | 'payments' | 'unlinked' | 'reports' | 'advice' | 'matters')
  >
> & {
  readonly key: number
  readonly amount: bigint
  readonly received: bigint
  readonly overpayment: bigint
  readonly refunded: bigint
  /** The part that may be missing, fixed when a payment was accepted by it. */
  readonly tolerance: bigint | null
  /** The key of the invoice whose rest this one requests. */
  readonly restOf: number | null
  readonly matters: readonly DiscrepancyKind[]
}

/** Invoices that count together, at least two, the oldest first. */
export type InvoiceGroup = readonly [StoredInvoice, ...StoredInvoice[]]

/** The key of the first of those that count together. */
export const rootOf = ({ key, restOf }: Pick<StoredInvoice, 'key' | 'restOf'>) => restOf ?? key

export const bitOf = (kind: DiscrepancyKind): number => 1 << discrepancyKinds.indexOf(kind)

export const discrepancyKindsOf = (bits: number): DiscrepancyKind[] =>
  discrepancyKinds.filter((_, index) => (bits & (1 << index)) !== 0)

const columns = `key, network, id, status, reported_status, reported_at, confirmed_at, currency, amount,
  received, overpayment, refunded, description, order_reference, pay_to, paid_by, payment_link, comment, created_at, expires_at,
  changed_at, paid_at, first_seen_at, first_source, open_matters, tolerance, rest_of`

type InvoiceRow = Omit<StoredInvoice, 'reported' | 'matters'> & {
  readonly reportedStatus: string | null
  readonly reportedAt: number | null
  readonly openMatters: number
}

/** @param raw SQL of the column; lists omit its text */
export function createReadInvoices(database: Database, raw = 'raw') {
  const sql = createSql(database, {
    amount: int64,
    received: int64,
    overpayment: int64,
    refunded: int64,
    tolerance: int64,
  })
  const select = `SELECT ${columns}, ${raw} AS raw FROM invoices`
  return (rest: string, ...values: SqlValues) =>
    sql.all<InvoiceRow>(`${select} ${rest}`, ...values).map(toInvoice)
}

function toInvoice({
  reportedStatus: status,
  reportedAt: at,
  openMatters,
  ...row
}: InvoiceRow): StoredInvoice {
  const reported = status === null ? null : { status, at: at ?? 0 }
  return { ...row, reported, matters: discrepancyKindsOf(openMatters) }
}

export type GatewayInvoice = Omit<
  StoredInvoice,
  | ('key' | 'network' | 'received' | 'paidAt' | 'matters' | 'orderReference' | 'refunded')
  | ('tolerance' | 'restOf')
  | ('reported' | 'confirmedAt' | 'firstSeenAt' | 'firstSource')
>

/** `confirmedAt` is null for an invoice that only a delivery reported. */
type Sighting = {
  readonly at: number
  readonly source: InvoiceSource
  readonly confirmedAt: number | null
  readonly reportedStatus: string | null
}

const isPending = `invoices INDEXED BY invoices_pending
  WHERE network = ? AND status = 'pending'`
const isUnconfirmed = `invoices INDEXED BY invoices_unconfirmed WHERE network = ?
  AND (confirmed_at IS NULL OR reported_status IS NOT NULL)`

/** Callers that write several rows must use one transaction. */
export function createInvoiceRows(database: Database) {
  const sql = createSql(database)
  const read = createReadInvoices(database)
  const pending = `INDEXED BY invoices_pending
    WHERE network = ? AND status = 'pending' AND confirmed_at IS NOT NULL`

  return {
    find: (network: string, id: string) =>
      read('WHERE network = ? AND id = ?', network, id)[0] ?? null,
    has: (network: string, id: string) =>
      sql.exists('invoices WHERE network = ? AND id = ?', network, id),
    insert(network: string, invoice: GatewayInvoice, sighting: Sighting): number {
      const { at: firstSeenAt, source: firstSource, confirmedAt, reportedStatus } = sighting
      const reportedAt = reportedStatus === null ? null : firstSeenAt
      const fields = { network, reportedStatus, reportedAt, confirmedAt, firstSeenAt, firstSource }
      return sql.insert('invoices', { ...fields, ...invoice })
    },
    update(key: number, { id, ...fields }: GatewayInvoice, confirmedAt: number): void {
      sql.update('invoices', { ...fields, confirmedAt }, { key, id })
    },
    setConfirmedAt: (key: number, confirmedAt: number) =>
      void sql.update('invoices', { confirmedAt }, { key }),
    setReported: (key: number, reported: StoredInvoice['reported']) =>
      void sql.update(
        'invoices',
        { reportedStatus: reported?.status ?? null, reportedAt: reported?.at ?? null },
        { key },
      ),
    setRest: (key: number, restOf: number) => void sql.update('invoices', { restOf }, { key }),
    /** The smallest amount that is pending. */
    leastPending: (network: string, currency: string) =>
      read(`${pending} AND currency = ? ORDER BY amount LIMIT 1`, network, currency)[0] ?? null,
    setOrder: (key: number, orderReference: string) =>
      void sql.update('invoices', { orderReference }, { key }),
    remove: (key: number) => void sql.remove('invoices', { key }),
    /** Returns confirmed pending invoices by expiry, after the last row of the previous page. */
    pending: (
      network: string,
      after = { expiresAt: Number.MIN_SAFE_INTEGER, key: 0 },
      limit: number,
    ) =>
      read(
        `${pending} AND (expires_at, key) > (?, ?) ORDER BY expires_at, key LIMIT ?`,
        ...[network, after.expiresAt, after.key, limit],
      ),
    countPending: (network: string) => sql.count(isPending, network),
    /** Returns invoices in undocumented states, which may not be final, ordered by key. */
    inOtherState: (network: string, afterKey: number, limit: number) =>
      read(
        `INDEXED BY invoices_in_other_state WHERE network = ?
           AND status NOT IN ('pending', 'paid', 'cancelled', 'expired')
           AND confirmed_at IS NOT NULL AND key > ? ORDER BY key LIMIT ?`,
        ...[network, afterKey, limit],
      ),
    expiring: (network: string, after: number, to: number, limit: number) =>
      read(
        `${pending} AND expires_at > ? AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
        ...[network, after, to, limit],
      ),
    countUnconfirmed: (network: string) =>
      sql.count(`${isUnconfirmed} AND confirmed_at IS NULL`, network),
    /** Counts only confirmed invoices. */
    countByStatus(network: string): Record<string, number> {
      const counts = sql.all<{ status: string; n: number }>(
        `SELECT status, sum(count) AS n FROM invoice_totals
         WHERE network = ? GROUP BY status HAVING n > 0`,
        network,
      )
      return Object.fromEntries(counts.map(({ status, n }) => [status, n]))
    },
    hasUnsettled: (network: string) =>
      sql.exists(isPending, network) || sql.exists(isUnconfirmed, network),
    forgetSome: (network: string) => sql.removeSome('invoices', 'key', { network }),
  }
}

type Reconciled = Pick<StoredInvoice, 'received' | 'refunded' | 'paidAt' | 'matters' | 'tolerance'>
type Paying = Pick<StoredInvoice, 'network' | 'payTo' | 'currency' | 'amount'>

const maxNamed = 20
/** The expression must equal that of the indexes. */
const foldedId = `replace(replace(lower(id), '-', ''), '_', '')`
const foldedReference = `replace(replace(replace(replace(replace(lower(order_reference), '-', ''), '_', ''), ' ', ''), '#', ''), '.', '')`

/** Finds invoices for payments, and stores the results of reconciliation. Unconfirmed invoices are excluded. */
export function createReconciledRows(database: Database) {
  const sql = createSql(database)
  const read = createReadInvoices(database)
  const confirmed = 'confirmed_at IS NOT NULL'
  const same = 'network = $network AND pay_to = $payTo AND currency = $currency'
  const byPayment = `INDEXED BY invoices_by_payment WHERE ${same}
    AND created_at <= $createdUpTo AND ${confirmed}`

  const byKeys = (keys: readonly number[]) =>
    read(`WHERE key IN (SELECT value FROM json_each(?)) AND ${confirmed}`, JSON.stringify(keys))

  return {
    byKeys,
    /** Groups that contain these invoices, by the key of the first; none for an invoice alone. */
    groups: (invoices: readonly StoredInvoice[]): ReadonlyMap<number, InvoiceGroup> => {
      const roots = JSON.stringify([...new Set(invoices.map(rootOf))])
      const rests = read('WHERE rest_of IN (SELECT value FROM json_each(?)) ORDER BY key', roots)
      const firsts = rests.length === 0 ? [] : byKeys(rests.map(rootOf))
      return new Map(
        firsts.map((first) => [
          first.key,
          [first, ...rests.filter(({ restOf }) => restOf === first.key)],
        ]),
      )
    },
    byComment: (network: string, comments: readonly string[]) =>
      read(
        `INDEXED BY invoices_by_comment WHERE network = ?
           AND comment IN (SELECT value FROM json_each(?)) AND ${confirmed} LIMIT 20`,
        ...[network, JSON.stringify(comments)],
      ),
    /** @param ids folded ids @param parts folded beginnings of ids */
    byIds: (network: string, ids: readonly string[], parts: readonly string[]) => [
      ...read(
        `INDEXED BY invoices_by_folded_id WHERE network = ?
           AND ${foldedId} IN (SELECT value FROM json_each(?)) AND ${confirmed} LIMIT ${maxNamed}`,
        ...[network, JSON.stringify(ids)],
      ),
      ...parts.flatMap((part) =>
        read(
          `INDEXED BY invoices_by_folded_id WHERE network = ?
             AND ${foldedId} > ? AND ${foldedId} < ? AND ${confirmed} LIMIT ${maxNamed}`,
          ...[network, part, `${part}~`],
        ),
      ),
    ],
    /** @param references folded order references */
    byReferences: (network: string, references: readonly string[]) =>
      read(
        `INDEXED BY invoices_by_folded_reference WHERE network = ? AND order_reference <> ''
           AND ${foldedReference} IN (SELECT value FROM json_each(?)) AND ${confirmed}
         LIMIT ${maxNamed}`,
        ...[network, JSON.stringify(references)],
      ),
    byAmount: (paying: Paying, createdUpTo: number, limit: number) =>
      read(`${byPayment} AND amount = $amount ORDER BY created_at DESC LIMIT $limit`, {
        ...paying,
        createdUpTo,
        limit,
      }),
    paidBy: (
      paying: Paying & { readonly payer: string },
      span: { readonly from: number; readonly to: number },
      limit: number,
    ) =>
      read(
        `INDEXED BY invoices_paid WHERE ${same} AND amount = $amount AND paid_by = $payer
           AND status = 'paid' AND changed_at >= $from AND changed_at <= $to AND ${confirmed}
         LIMIT $limit`,
        { ...paying, ...span, limit },
      ),
    near(paying: Paying, createdUpTo: number, limit: number): StoredInvoice[] {
      const values = { ...paying, createdUpTo, limit }
      const below = 'amount < $amount ORDER BY amount DESC, created_at DESC LIMIT $limit'
      const above = 'amount > $amount ORDER BY amount, created_at LIMIT $limit'
      return [below, above].flatMap((near) => read(`${byPayment} AND ${near}`, values))
    },
    set(key: number, { received, refunded, paidAt, tolerance, matters: open }: Reconciled): void {
      const matters = open.reduce((bits, kind) => bits | bitOf(kind), 0)
      sql.run(
        `UPDATE invoices SET received = $received, refunded = $refunded, paid_at = $paidAt,
           open_matters = $matters, tolerance = $tolerance
         WHERE key = $key AND (received <> $received OR refunded <> $refunded
           OR paid_at IS NOT $paidAt OR open_matters <> $matters OR tolerance IS NOT $tolerance)`,
        { key, received, refunded, paidAt, matters, tolerance },
      )
    },
    /** Returns invoices of an address that have a discrepancy and that one of these payees has paid. */
    withMatterOf: (network: string, account: string, payees: readonly string[]) =>
      sql.column<number>(
        `SELECT DISTINCT i.key FROM matters m JOIN invoices i ON i.key = m.invoice_key
         WHERE m.network = $network AND m.closed_at IS NULL AND i.pay_to = $account
           AND (i.paid_by IN (SELECT value FROM json_each($payees)) OR EXISTS
             (SELECT 1 FROM payments p WHERE p.invoice_key = i.key
                AND p.payer IN (SELECT value FROM json_each($payees))))`,
        { network, account, payees: JSON.stringify(payees) },
      ),
    paid: (
      network: string,
      { from, to }: { readonly from: number; readonly to: number },
      after: { readonly changedAt: number; readonly key: number },
      limit: number,
    ) =>
      read(
        `INDEXED BY invoices_paid WHERE network = ? AND status = 'paid' AND changed_at >= ?
           AND changed_at < ? AND (changed_at, key) > (?, ?) AND ${confirmed}
         ORDER BY changed_at, key LIMIT ?`,
        ...[network, from, to, after.changedAt, after.key, limit],
      ),
  }
}

/** Finds invoices whose discrepancies depend on time or on more of the chain. */
export function createWaitingInvoices(database: Database) {
  const sql = createSql(database)
  return {
    set(network: string, key: number, isWaiting: boolean): void {
      if (isWaiting) sql.insertNew('invoices_waiting', { invoiceKey: key, network })
      else sql.remove('invoices_waiting', { invoiceKey: key })
    },
    keys: (network: string, after: number, limit: number) =>
      sql.column<number>(
        `SELECT invoice_key FROM invoices_waiting WHERE network = ? AND invoice_key > ?
         ORDER BY invoice_key LIMIT ?`,
        ...[network, after, limit],
      ),
  }
}
