import type {
  Payment,
  PaymentEvidence,
  PaymentFilter,
} from '../../../src-preload/contract/payment.ts'
import { type Database, type SqlValues, createSql, int64, json } from '../../database/sql.ts'
import {
  type ListText,
  accountSql,
  amountSql,
  hashSql,
  listTextValues,
} from '../../database/list-text.ts'

/** A transfer on the chain. Times are milliseconds, amounts are minimal units, addresses are raw. */
export type NewPayment = Readonly<
  Pick<Payment, 'account' | 'hash' | 'at' | 'currency' | 'payer' | 'comment'>
> & { readonly lt: bigint; readonly amount: bigint; readonly commentKey: string | null }

export type PaymentLink = Pick<Payment, 'certainty'> & {
  readonly invoiceKey: number | null
  readonly linkedBy: 'rule' | 'person' | null
  readonly evidence: readonly PaymentEvidence[]
  /** The only invoice that the comment names; null for none or several. */
  readonly namedKey: number | null
}

export type StoredPayment = NewPayment &
  PaymentLink & { readonly key: number; readonly network: string }

type PaymentsAsked = Omit<PaymentFilter, 'text'> & { readonly network: string }

type Place = { readonly at: number; readonly key: number }

const forever = Number.MAX_SAFE_INTEGER
/** The limit exists because anyone can send any number of transfers. */
const maxUnlinked = 1000
/** Maximum number of comments that are compared with the id of one invoice. */
const maxMentioning = 500

const columns = `key, network, account, lt, hash, at, currency, amount, payer, comment, comment_key,
  invoice_key, certainty, linked_by, evidence, named_key`
const isOpen = `certainty IS NOT 'certain' AND linked_by IS NOT 'person'`
const isUnlinked = `invoice_key IS NULL AND linked_by IS NOT 'person'`
const among = (column: string) => `${column} IN (SELECT value FROM json_each(?))`

/** Callers that write several payments must use one transaction. */
export function createPayments(database: Database) {
  const sql = createSql(database, { lt: int64, amount: int64, evidence: json })
  const read = (rest: string, ...values: SqlValues) =>
    sql.all<StoredPayment>(`SELECT ${columns} FROM payments ${rest}`, ...values)

  return {
    ...createPaymentPages(sql, read),
    get: (network: string, key: number) =>
      read('WHERE network = ? AND key = ?', network, key)[0] ?? null,
    /** @returns null for a payment that is already stored */
    add: (network: string, payment: NewPayment): number | null =>
      sql.insertNew('payments', { network, ...payment }),
    link: (key: number, { invoiceKey, certainty, linkedBy, evidence, namedKey }: PaymentLink) =>
      void sql.update('payments', { invoiceKey, certainty, linkedBy, evidence, namedKey }, { key }),
    ofInvoice: (key: number) => read('WHERE invoice_key = ? ORDER BY at, lt', key),
    ofInvoices: (keys: readonly number[]) =>
      read(`WHERE ${among('invoice_key')} ORDER BY invoice_key, at, lt`, JSON.stringify(keys)),
    /** Excludes links by the user and certain links, as `openByAmount` does. */
    openByComment: (network: string, commentKey: string, limit: number) =>
      read(
        `INDEXED BY payments_by_comment WHERE network = ? AND comment_key = ? AND ${isOpen}
         ORDER BY at, lt LIMIT ?`,
        ...[network, commentKey, limit],
      ),
    /** Returns unlinked payments since a moment whose comment may contain an id. */
    mentioning: (network: string, foldedId: string, from: number) =>
      read(
        `WHERE instr(replace(replace(replace(comment_key, '-', ''), '_', ''), ' ', ''), ?) AND key IN (
           SELECT key FROM payments INDEXED BY payments_unmatched
           WHERE network = ? AND at >= ? AND invoice_key IS NULL AND comment_key IS NOT NULL
             AND linked_by IS NOT 'person' ORDER BY at LIMIT ${maxMentioning})`,
        ...[foldedId, network, from],
      ),
    /** Returns unlinked payments of an address within a period that have a comment. */
    withComment: (
      { network, account, currency }: Pick<StoredPayment, 'network' | 'account' | 'currency'>,
      from: number,
      to: number,
      limit: number,
    ) =>
      read(
        `INDEXED BY payments_unmatched WHERE network = ? AND at >= ? AND at <= ?
           AND invoice_key IS NULL AND account = ? AND currency = ? AND comment_key IS NOT NULL
           AND linked_by IS NOT 'person' ORDER BY at LIMIT ?`,
        ...[network, from, to, account, currency, limit],
      ),
    /** Returns payments of an older version, which compared only whole comments. */
    notCompared: (network: string, limit: number) =>
      read(
        `INDEXED BY payments_by_named WHERE named_key = 0 AND network = ?
           AND linked_by IS NOT 'person' LIMIT ?`,
        ...[network, limit],
      ),
    openByAmount: (
      like: Pick<StoredPayment, 'network' | 'account' | 'currency' | 'amount'> &
        Readonly<{ payer: string | null; from: number; to: number }>,
      limit: number,
    ) =>
      read(
        `INDEXED BY payments_open WHERE network = $network AND account = $account
           AND currency = $currency AND amount = $amount AND at >= $from AND at <= $to
           AND payer = coalesce($payer, payer) AND ${isOpen} ORDER BY at LIMIT $limit`,
        { ...like, limit },
      ),
    ofAccount: (network: string, account: string, limit: number) =>
      read('WHERE network = ? AND account = ? ORDER BY lt LIMIT ?', network, account, limit),
    unlinked(
      network: string,
      of: { readonly invoices: readonly number[]; readonly accounts: readonly string[] },
    ): StoredPayment[] {
      const some = (column: string, values: readonly unknown[]) =>
        read(
          `WHERE network = ? AND ${among(column)} AND ${isUnlinked}
           ORDER BY at, lt LIMIT ${maxUnlinked}`,
          ...[network, JSON.stringify(values)],
        )
      const found = [...some('named_key', of.invoices), ...some('account', of.accounts)]
      return distinctRows(found).sort((a, b) => a.at - b.at || (a.lt < b.lt ? -1 : 1))
    },
    some: (keys: readonly number[]) =>
      read(`WHERE ${among('key')} ORDER BY at DESC, key DESC`, JSON.stringify(keys)),
    span: (
      network: string,
      { from, to }: { readonly from: number; readonly to: number },
      after: Place,
      limit: number,
    ) =>
      read(
        `INDEXED BY payments_by_time WHERE network = ? AND at >= ? AND at < ? AND (at, key) > (?, ?)
         ORDER BY at, key LIMIT ?`,
        ...[network, from, to, after.at, after.key, limit],
      ),
    forgetSome: (network: string) => sql.removeSome('payments', 'key', { network }),
  }
}

/** Returns pages of a filtered list, newest first, counted and searched in slices. */
function createPaymentPages(
  sql: ReturnType<typeof createSql>,
  read: (rest: string, ...values: SqlValues) => StoredPayment[],
) {
  return {
    page: (requested: PaymentsAsked, page: { offset: number; limit: number }) =>
      read(
        `WHERE ${conditions(requested)} ORDER BY at DESC, key DESC LIMIT $limit OFFSET $offset`,
        { ...valuesOf(requested), ...page },
      ),
    countSome(requested: PaymentsAsked, after: Place | null, slice: number) {
      const { at, key } = after ?? { at: Number.MIN_SAFE_INTEGER, key: 0 }
      const next = sql.get<Place>(
        `SELECT at, key FROM payments INDEXED BY payments_by_time
         WHERE network = ? AND (at, key) > (?, ?) ORDER BY at, key LIMIT 1 OFFSET ?`,
        ...[requested.network, at, key, slice - 1],
      )
      const { at: toAt, key: toKey } = next ?? { at: forever, key: forever }
      const count = sql.count(
        `payments WHERE ${conditions(requested)} AND (at, key) > ($at, $key) AND (at, key) <= ($toAt, $toKey)`,
        { ...valuesOf(requested), at, key, toAt, toKey },
      )
      return { count, next }
    },
    /** Searches hash, payer, comment and the paid or named invoice, newest first; `next` is null at the end. */
    search(requested: PaymentsAsked, text: ListText, before: Place | null, slice: number) {
      const rows = sql.all<Place & { readonly isFound: boolean | null }>(
        `SELECT p.at, p.key, ${accountSql('p.payer')} OR ${hashSql('p.hash')}
           OR ${amountSql('p', 'amount')} OR coalesce(instr(p.comment_key, $text), 0)
           OR coalesce(instr(lower(i.id), $text), 0)
           OR coalesce(instr(lower(i.order_reference), $text), 0) AS is_found
         FROM (SELECT * FROM payments WHERE ${conditions(requested)} AND (at, key) < ($beforeAt, $beforeKey)
           ORDER BY at DESC, key DESC LIMIT $slice) p
         LEFT JOIN invoices i ON i.key = coalesce(p.invoice_key, p.named_key) ORDER BY p.at DESC, p.key DESC`,
        {
          ...valuesOf(requested),
          ...listTextValues(text),
          beforeAt: before?.at ?? forever,
          beforeKey: before?.key ?? 0,
          slice,
        },
      )
      const last = rows.length < slice ? undefined : rows.at(-1)
      return {
        found: rows.filter(({ isFound }) => isFound === true).map(({ key }) => key),
        next: last === undefined ? null : { at: last.at, key: last.key },
      }
    },
  }
}

/** Removes duplicate rows. */
export const distinctRows = <T extends { readonly key: number }>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((each) => [each.key, each])).values(),
]

const conditions = ({ only, from, to, currencies }: PaymentsAsked): string =>
  [
    'network = $network',
    ...(only === null ? [] : [`invoice_key IS ${only === 'linked' ? 'NOT ' : ''}NULL`]),
    ...(from === null ? [] : ['at >= $from']),
    ...(to === null ? [] : ['at < $to']),
    ...(currencies.length === 1 ? ['currency = $currency'] : []),
  ].join(' AND ')

const valuesOf = ({ network, from, to, currencies }: PaymentsAsked) => ({
  network,
  from,
  to,
  currency: currencies[0] ?? null,
})
