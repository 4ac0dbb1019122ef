import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Payment, PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import type { Database } from '../../database/database.ts'
import {
  type ListText,
  accountSql,
  accountValues,
  amountSql,
  amountValues,
  hashSql,
  hashValues,
} from '../../database/list-text.ts'

/** A transfer as the chain has it. Moments are milliseconds, amounts minimal units, addresses raw. */
export type NewPayment = {
  readonly account: string
  readonly lt: bigint
  readonly hash: string
  readonly at: number
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly payer: string
  readonly comment: string | null
  /** The comment as it is compared. */
  readonly commentKey: string | null
}

export type PaymentLink = {
  readonly invoiceKey: number | null
  readonly certainty: Payment['certainty']
  readonly linkedBy: 'rule' | 'person' | null
  readonly evidence: readonly PaymentEvidence[]
}

export type StoredPayment = NewPayment &
  PaymentLink & { readonly key: number; readonly network: string }

/** `text` in lower case; `address` is what it stands for where it is one. */
export type PaymentsAsked = {
  readonly network: string
  readonly only: 'linked' | 'unmatched' | null
  readonly from: number | null
  readonly to: number | null
  readonly currencies: readonly InvoiceCurrency[]
}

type Place = { readonly at: number; readonly key: number }

/** Payments to addresses of invoices. Whoever writes several does so in one transaction. */
type Payments = {
  get(network: string, key: number): StoredPayment | null
  /** @returns its key; null where it is known already */
  add(network: string, payment: NewPayment): number | null
  link(key: number, link: PaymentLink): void
  /** Oldest first. */
  ofInvoice(key: number): StoredPayment[]
  ofInvoices(keys: readonly number[]): StoredPayment[]
  /** Not those that a person, or certainty, has settled; so are the next. */
  openByComment(network: string, commentKey: string, limit: number): StoredPayment[]
  /** Oldest first, from a moment to another; null for whoever has paid. */
  openByAmount(
    like: {
      readonly payer: string | null
      readonly network: string
      readonly account: string
      readonly currency: InvoiceCurrency
      readonly amount: bigint
      readonly from: number
      readonly to: number
    },
    limit: number,
  ): StoredPayment[]
  ofAccount(network: string, account: string, limit: number): StoredPayment[]
  /** Of no invoice, and of these comments or at these addresses, oldest first; no person has said so. */
  unlinked(
    network: string,
    of: { readonly comments: readonly string[]; readonly accounts: readonly string[] },
  ): StoredPayment[]
  /** Newest first. */
  page(asked: PaymentsAsked, page: { offset: number; limit: number }): StoredPayment[]
  /** How many of a slice, oldest first, those after a place; `next` is null at the end. */
  countSome(
    asked: PaymentsAsked,
    after: Place | null,
    slice: number,
  ): { readonly count: number; readonly next: Place | null }
  /**
   * Newest first, those before a place: which of a slice hold the text (in hash, payer, comment or
   * invoice id). `next` is null at the end.
   */
  search(
    asked: PaymentsAsked,
    text: ListText,
    before: Place | null,
    slice: number,
  ): { readonly found: number[]; readonly next: Place | null }
  some(keys: readonly number[]): StoredPayment[]
  /** Oldest first, of a span of time, those after a place. */
  span(
    network: string,
    span: { readonly from: number; readonly to: number },
    after: Place,
    limit: number,
  ): StoredPayment[]
  /** @returns false once nothing is left; call again until then */
  forgetSome(network: string): boolean
}

const stepRows = 500
/** Anybody can send as many as they like. */
const maxUnlinked = 1000

const columns = `payments.key, payments.network, payments.account, payments.lt, payments.hash,
  payments.at, payments.currency, payments.amount, payments.payer, payments.comment,
  payments.comment_key,
  payments.invoice_key, payments.certainty, payments.linked_by, payments.evidence`

export function createPayments(database: Database): Payments {
  const read = (rest: string) => {
    const statement = database.prepare(`SELECT ${columns} FROM payments ${rest}`)
    statement.setReadBigInts(true)
    return statement
  }
  const one = read('WHERE network = ? AND key = ?')
  const insert = database.prepare(
    `INSERT INTO payments (network, account, lt, hash, at, currency, amount, payer, comment,
       comment_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const link = database.prepare(
    'UPDATE payments SET invoice_key = ?, certainty = ?, linked_by = ?, evidence = ? WHERE key = ?',
  )
  const ofInvoice = read('WHERE invoice_key = ? ORDER BY at, lt')
  const ofInvoices = read(
    'WHERE invoice_key IN (SELECT value FROM json_each(?)) ORDER BY invoice_key, at, lt',
  )
  const isOpen = `certainty IS NOT 'certain' AND linked_by IS NOT 'person'`
  const openByComment = read(
    `INDEXED BY payments_by_comment WHERE network = ? AND comment_key = ? AND ${isOpen}
     ORDER BY at, lt LIMIT ?`,
  )
  const openByAmount = read(
    `INDEXED BY payments_open WHERE network = ? AND account = ? AND currency = ? AND amount = ?
       AND at >= ? AND at <= ? AND payer = coalesce(?, payer) AND ${isOpen} ORDER BY at LIMIT ?`,
  )
  const ofAccount = read('WHERE network = ? AND account = ? ORDER BY lt LIMIT ?')
  const isUnlinked = `invoice_key IS NULL AND linked_by IS NOT 'person'`
  const unlinkedByComment = read(
    `INDEXED BY payments_by_comment WHERE network = ?
       AND comment_key IN (SELECT value FROM json_each(?)) AND ${isUnlinked}
     ORDER BY at, lt LIMIT ${maxUnlinked}`,
  )
  const unlinkedAt = read(
    `WHERE network = ? AND account IN (SELECT value FROM json_each(?)) AND ${isUnlinked}
     ORDER BY at, lt LIMIT ${maxUnlinked}`,
  )
  const some = read('WHERE key IN (SELECT value FROM json_each(?)) ORDER BY at DESC, key DESC')
  const span = read(
    `INDEXED BY payments_by_time WHERE network = ? AND at >= ? AND at < ? AND (at, key) > (?, ?)
     ORDER BY at, key LIMIT ?`,
  )
  const sliceEnd = database.prepare(
    `SELECT at, key FROM payments INDEXED BY payments_by_time WHERE network = ? AND (at, key) > (?, ?)
     ORDER BY at, key LIMIT 1 OFFSET ?`,
  )
  const forget = database.prepare(
    `DELETE FROM payments WHERE key IN (SELECT key FROM payments WHERE network = ? LIMIT ${stepRows})`,
  )

  return {
    get(network, key) {
      const row = one.get(network, key)
      return row === undefined ? null : toPayment(row)
    },
    add(network, { account, lt, hash, at, currency, amount, payer, comment, commentKey }) {
      const told = [lt, hash, at, currency, amount, payer, comment, commentKey] as const
      const done = insert.run(network, account, ...told)
      return Number(done.changes) === 0 ? null : Number(done.lastInsertRowid)
    },
    link: (key, { invoiceKey, certainty, linkedBy, evidence }) =>
      void link.run(invoiceKey, certainty, linkedBy, JSON.stringify(evidence), key),
    ofInvoice: (key) => ofInvoice.all(key).map(toPayment),
    ofInvoices: (keys) => ofInvoices.all(JSON.stringify(keys)).map(toPayment),
    openByComment: (network, commentKey, limit) =>
      openByComment.all(network, commentKey, limit).map(toPayment),
    openByAmount: ({ network, account, currency, amount, from, to, payer }, limit) =>
      openByAmount.all(network, account, currency, amount, from, to, payer, limit).map(toPayment),
    ofAccount: (network, account, limit) => ofAccount.all(network, account, limit).map(toPayment),
    unlinked(network, { comments, accounts }) {
      const found = [
        ...(comments.length > 0 ? unlinkedByComment.all(network, JSON.stringify(comments)) : []),
        ...(accounts.length > 0 ? unlinkedAt.all(network, JSON.stringify(accounts)) : []),
      ].map(toPayment)
      const distinct = [...new Map(found.map((each) => [each.key, each])).values()]
      return distinct.sort((a, b) => a.at - b.at || (a.lt < b.lt ? -1 : 1))
    },
    page(asked, { offset, limit }) {
      const { where, values } = conditions(asked)
      return read(`WHERE ${where} ORDER BY at DESC, key DESC LIMIT $limit OFFSET $offset`)
        .all({ ...values, $limit: limit, $offset: offset })
        .map(toPayment)
    },
    countSome(asked, after, slice) {
      const { at, key } = after ?? { at: Number.MIN_SAFE_INTEGER, key: 0 }
      const last = sliceEnd.get(asked.network, at, key, slice - 1)
      const next = last === undefined ? null : (last as Place)
      const { where, values } = conditions(asked)
      const counted = database
        .prepare(
          `SELECT count(*) AS n FROM payments
           WHERE ${where} AND (at, key) > ($at, $key) AND (at, key) <= ($toAt, $toKey)`,
        )
        .get({
          ...values,
          $at: at,
          $key: key,
          $toAt: next?.at ?? Number.MAX_SAFE_INTEGER,
          $toKey: next?.key ?? Number.MAX_SAFE_INTEGER,
        })
      return { count: Number(counted?.['n']), next }
    },
    search(asked, text, before, slice) {
      const { where, values } = conditions(asked)
      const rows = database
        .prepare(
          `SELECT p.at, p.key, ${accountSql('p.payer')} OR ${hashSql('p.hash')}
             OR ${amountSql('p', 'amount')} OR coalesce(instr(p.comment_key, $text), 0)
             OR coalesce(instr(lower(i.id), $text), 0) AS has
           FROM (SELECT * FROM payments WHERE ${where} AND (at, key) < ($beforeAt, $beforeKey)
             ORDER BY at DESC, key DESC LIMIT $slice) p
           LEFT JOIN invoices i ON i.key = p.invoice_key ORDER BY p.at DESC, p.key DESC`,
        )
        .all({
          ...values,
          ...accountValues(text),
          ...hashValues(text),
          ...amountValues(text),
          $beforeAt: before?.at ?? Number.MAX_SAFE_INTEGER,
          $beforeKey: before?.key ?? 0,
          $slice: slice,
        })
      const last = rows.length < slice ? undefined : rows.at(-1)
      return {
        found: rows.flatMap((row) => (row['has'] === 1 ? [row['key'] as number] : [])),
        next: last === undefined ? null : { at: last['at'] as number, key: last['key'] as number },
      }
    },
    some: (keys) => some.all(JSON.stringify(keys)).map(toPayment),
    span: (network, { from, to }, after, limit) =>
      span.all(network, from, to, after.at, after.key, limit).map(toPayment),
    forgetSome: (network) => Number(forget.run(network).changes) > 0,
  }
}

function conditions({ network, only, from, to, currencies }: PaymentsAsked) {
  const parts = ['network = $network']
  const values: Record<string, string | number> = { $network: network }
  const add = (part: string, name: string, value: string | number | null) => {
    if (value === null) return
    parts.push(part)
    values[name] = value
  }
  if (only !== null) parts.push(`invoice_key IS ${only === 'linked' ? 'NOT ' : ''}NULL`)
  add('at >= $from', '$from', from)
  add('at < $to', '$to', to)
  const [currency] = currencies
  if (currencies.length === 1 && currency !== undefined) {
    add('currency = $currency', '$currency', currency)
  }
  return { where: parts.join(' AND '), values }
}

function toPayment(row: Readonly<Record<string, unknown>>): StoredPayment {
  const invoiceKey = row['invoice_key'] as bigint | null
  return {
    key: Number(row['key']),
    network: row['network'] as string,
    account: row['account'] as string,
    lt: row['lt'] as bigint,
    hash: row['hash'] as string,
    at: Number(row['at']),
    currency: row['currency'] as InvoiceCurrency,
    amount: row['amount'] as bigint,
    payer: row['payer'] as string,
    comment: row['comment'] as string | null,
    commentKey: row['comment_key'] as string | null,
    invoiceKey: invoiceKey === null ? null : Number(invoiceKey),
    certainty: row['certainty'] as Payment['certainty'],
    linkedBy: row['linked_by'] as PaymentLink['linkedBy'],
    evidence: JSON.parse(row['evidence'] as string) as PaymentEvidence[],
  }
}
