import type { InvoicePageInput, InvoiceSort } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { filterCondition } from './list-filter.ts'
import { createReadInvoices } from './invoice-rows.ts'

/**
 * Terms are never NULL: rows without a value come first, by creation. `key` follows, so no two rows are
 * equal. The index `invoices_by_creation` covers all of these columns.
 */
const sortTerms: Readonly<Record<InvoiceSort['by'], readonly string[]>> = {
  id: ['id'],
  status: ['status', 'created_at'],
  amount: ['currency', 'amount'],
  received: valued('received > 0', 'currency', 'received'),
  overpayment: valued('overpayment > 0', 'currency', 'overpayment'),
  description: ['description COLLATE NOCASE', 'id'],
  payer: valued('paid_by IS NOT NULL', `coalesce(paid_by, '')`),
  created: ['created_at'],
  expires: ['expires_at'],
  changed: ['changed_at'],
  order: ['order_reference COLLATE NOCASE', 'id'],
}

function valued(isThere: string, ...columns: readonly string[]): string[] {
  const either = (one: string, other: string) => `iif(${isThere}, ${one}, ${other})`
  return [`(${isThere})`, ...columns.map((each) => either(each, `''`)), either('0', 'created_at')]
}

export function termsOf(by: InvoiceSort['by']): readonly string[] {
  return [...sortTerms[by], 'key']
}

export function orderBy(terms: readonly string[], isDescending: boolean): string {
  return terms.map((term) => (isDescending ? `${term} DESC` : term)).join(', ')
}

/**
 * A cursor is the JSON of a row's sort terms, written and parsed by SQLite, so that 64-bit integers stay
 * exact. Each page is one scan of the covering index `invoices_by_creation`; newest and oldest first end
 * it early. Calls belong in a transaction, so that count and rows match.
 */
export function createInvoiceLists(database: Database) {
  const sql = createSql(database)
  const read = createReadInvoices(database, `''`)

  return {
    page({ network, filter, sort, from, skip, limit }: InvoicePageInput) {
      const { where, values } = filterCondition(network, filter)
      const among = `invoices INDEXED BY invoices_by_creation WHERE ${where}`
      const isBackward = 'before' in from
      const cursor = isBackward ? from.before : from.after
      const isDescending = sort.descending !== isBackward
      const terms = termsOf(sort.by)
      const bounds = terms.map((_, index) => `json_extract(?, '$[${index}]')`)
      const isPassed =
        cursor === null
          ? ''
          : ` AND (${terms.join(', ')}) ${isDescending ? '<' : '>'} (${bounds.join(', ')})`
      const found = sql.all<{ key: number; cursor: string }>(
        `SELECT key, json_array(${terms.join(', ')}) AS cursor FROM ${among}${isPassed}
         ORDER BY ${orderBy(terms, isDescending)} LIMIT ? OFFSET ?`,
        ...[...values, ...(cursor === null ? [] : terms.map(() => cursor)), limit + 1, skip],
      )
      const hasMore = found.length > limit
      const isFirst = cursor === null && skip === 0
      // Where one page holds all rows, a second scan would find the same ones.
      const total = isFirst && !hasMore ? found.length : sql.count(among, ...values)
      const shown = found.slice(0, limit)
      if (isBackward) shown.reverse()
      const keys = shown.map(({ key }) => key)
      const rows = read('WHERE key IN (SELECT value FROM json_each(?))', JSON.stringify(keys))
      const byKey = new Map(rows.map((row) => [row.key, row]))
      const cursorAt = (index: number) => shown.at(index)?.cursor ?? null
      return {
        total,
        invoices: keys.flatMap((key) => byKey.get(key) ?? []),
        before: (isBackward ? hasMore : !isFirst) ? cursorAt(0) : null,
        after: (isBackward ? !isFirst : hasMore) ? cursorAt(-1) : null,
      }
    },
  }
}
