import type {
  InvoiceCurrency,
  InvoiceFilter,
  InvoicePageInput,
  InvoiceSort,
} from '../../../src-preload/contract/invoice.ts'
import { type Database, createSql } from '../../database/sql.ts'
import { bitOf, createReadInvoices } from './invoice-rows.ts'
import {
  decimalsOf,
  parseAmount,
  rescale,
  tonDecimals,
} from '../../../src-preload/domain/amount.ts'
import { invoiceCurrencies, invoiceStatuses } from '../../../src-preload/domain/invoice-values.ts'
import { readAddressRange } from '../../ton/address-range.ts'
import { readAddress } from '../../ton/address.ts'
import { readListText } from '../../ton/list-text.ts'

/**
 * Terms are never NULL: rows without a value come first, by creation. `key` follows, so that no two
 * rows are equal. The index `invoices_by_creation` covers all of these columns.
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

export const termsOf = (by: InvoiceSort['by']): readonly string[] => [...sortTerms[by], 'key']

export const orderBy = (terms: readonly string[], isDescending: boolean): string =>
  terms.map((term) => (isDescending ? `${term} DESC` : term)).join(', ')

/**
 * A cursor is the JSON of a row's sort terms, which SQLite writes and parses, so that 64-bit integers stay
 * exact. Each page is one scan of the covering index `invoices_by_creation`; in the orders "newest first"
 * and "oldest first" the scan ends early. Use a transaction for the calls, so that count and rows match.
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
      // If one page has all rows, a second scan would find the same rows.
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

type Value = string | number | bigint

type Condition = {
  /** A condition on the table `invoices`; the index `invoices_by_creation` has all of its columns. */
  readonly where: string
  readonly values: readonly Value[]
}

/**
 * The number of seconds from creation to payment; never negative, because the distribution's bars
 * begin at 0.
 */
const secondsToPay = 'max(0, (changed_at - created_at) / 1000)'

/** Rows that only a delivery reported, which anyone could have sent; the parameter is the network. */
export const unconfirmedKeys = `SELECT key FROM invoices INDEXED BY invoices_unconfirmed
  WHERE network = ? AND (confirmed_at IS NULL OR reported_status IS NOT NULL)
    AND confirmed_at IS NULL`

const periodColumns = { created: 'created_at', ended: 'changed_at', expires: 'expires_at' } as const

export function filterCondition(network: string, filter: InvoiceFilter): Condition {
  const { statuses, period, overpaid, matter: discrepancy, paidWithin } = filter
  const parts: Condition[] = []
  const add = (where: string, ...values: readonly Value[]) =>
    void parts.push(condition(where, ...values))
  add('network = ?', network)
  if (statuses.length > 0) add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  const [currency, ...others] = new Set(filter.currencies)
  if (currency !== undefined && others.length === 0) add('currency = ?', currency)
  if (period !== null) {
    const column = periodColumns[period.by]
    if (period.by === 'ended') add(`status <> 'pending'`)
    if (period.from !== null) add(`${column} >= ?`, period.from)
    if (period.to !== null) add(`${column} < ?`, period.to)
  }
  if (filter.amountFrom !== null || filter.amountTo !== null) {
    parts.push(anyOf(invoiceCurrencies.map((each) => amountCondition(each, filter))))
  }
  if (overpaid) add('overpayment > 0')
  if (discrepancy === 'any') add('open_matters <> 0')
  else if (discrepancy !== null) add('open_matters & ? <> 0', bitOf(discrepancy))
  if (paidWithin !== null) {
    add(`status = 'paid' AND ${secondsToPay} >= ?`, paidWithin.from)
    if (paidWithin.to !== null) add(`${secondsToPay} < ?`, paidWithin.to)
  }
  // These filters refer to the gateway's state, which an unconfirmed row does not have.
  if (statuses.length > 0 || period?.by === 'ended' || overpaid || paidWithin !== null) {
    add(`key NOT IN (${unconfirmedKeys})`, network)
  }
  for (const word of searchWords(filter.text)) parts.push(wordCondition(network, word))
  return join(parts, ' AND ')
}

const condition = (where: string, ...values: readonly Value[]): Condition => ({ where, values })

const join = (parts: readonly Condition[], by: ' AND ' | ' OR '): Condition => ({
  where: parts.map(({ where }) => where).join(by),
  values: parts.flatMap(({ values }) => values),
})

function anyOf(parts: readonly Condition[]): Condition {
  const { where, values } = join(parts, ' OR ')
  return { where: `(${where})`, values }
}

const largest = 2n ** 63n - 1n

function amountCondition(
  currency: InvoiceCurrency,
  { amountFrom, amountTo }: Pick<InvoiceFilter, 'amountFrom' | 'amountTo'>,
): Condition {
  const decimals = decimalsOf[currency]
  const bound = (decimal: string, sign: '>=' | '<='): Condition => {
    // A decimal with more places than the currency has lies between two units.
    const round = sign === '>=' ? 'up' : 'down'
    const value = rescale(parseAmount(decimal, tonDecimals), tonDecimals, decimals, round)
    // An amount above SQLite's 64 bits is replaced by the largest one.
    return condition(`amount ${sign} ?`, value > largest ? largest : value)
  }
  const bounds = [condition('currency = ?', currency)]
  if (amountFrom !== null) bounds.push(bound(amountFrom, '>='))
  if (amountTo !== null) bounds.push(bound(amountTo, '<='))
  return join(bounds, ' AND ')
}

/** Narrow spaces between thousands in lists are removed, so that each amount is one word. */
function searchWords(text: string): string[] {
  const ungrouped = text.replaceAll(/(?<=\d)[\u00a0\u2009\u202f](?=\d{3})/g, '')
  return [...new Set(ungrouped.split(/\s+/u))].filter((word) => word !== '')
}

function wordCondition(network: string, word: string): Condition {
  const currency = invoiceCurrencies.find((each) => each === word.toUpperCase())
  const status = invoiceStatuses.find((each) => each === word.toLowerCase())
  return anyOf([
    textCondition(word),
    payerCondition(network, word),
    ...amountConditions(word),
    ...(currency === undefined ? [] : [condition('currency = ?', currency)]),
    ...(status === undefined ? [] : [condition('status = ?', status)]),
  ])
}

function textCondition(word: string): Condition {
  // LIKE ignores case only for a to z; other scripts are searched in each usual case.
  if (/^[ -~]*$/.test(word)) {
    const pattern = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
    const like = (column: string) => `${column} LIKE ? ESCAPE '\\'`
    const where = ['id', 'description', 'order_reference'].map(like).join(' OR ')
    return condition(where, pattern, pattern, pattern)
  }
  const spellings = spellingsOf(word)
  const parts = ['description', 'order_reference'].flatMap((column) =>
    spellings.map((spelling) => condition(`instr(${column}, ?)`, spelling)),
  )
  return join([condition('instr(id, ?)', word), ...parts], ' OR ')
}

function spellingsOf(word: string): string[] {
  const lower = word.toLowerCase()
  const [first = '', ...rest] = lower
  const cases = [word, lower, word.toUpperCase(), first.toUpperCase() + rest.join('')]
  return [...new Set(cases.flatMap((each) => [each.normalize('NFC'), each.normalize('NFD')]))]
}

const addressStart = /^[0-9a-f]{4,64}$/
/** A shorter text is more likely a part of an id, but also counts as the beginning of an address. */
const addressPart = /^[0-9a-f]{9,64}$/

function payerCondition(network: string, word: string): Condition {
  const folded = word.normalize('NFC').toLowerCase()
  const named = `paid_by IN (
    SELECT address FROM labels
    WHERE network = ? AND instr(substr(folded, 1, instr(folded, char(10))), ?) > 0
    UNION SELECT address FROM account_names WHERE network = ? AND instr(folded, ?) > 0)`
  const parts = [condition(named, network, folded, network, folded)]
  const address = readAddress(word)?.raw
  if (address !== undefined) parts.push(condition('paid_by = ?', address))
  else {
    const lower = word.toLowerCase()
    const range =
      readAddressRange(word) ?? (addressStart.test(lower) ? readAddressRange(`0:${lower}`) : null)
    if (range !== null) {
      const { from, to, ending } = range
      const where = '(paid_by BETWEEN ? AND ? AND paid_by LIKE ?)'
      parts.push(condition(where, from, to, `%${ending}`))
    }
    if (addressPart.test(lower)) parts.push(condition('instr(paid_by, ?)', lower))
  }
  return join(parts, ' OR ')
}

function amountConditions(word: string): Condition[] {
  const { amounts } = readListText(word)
  return invoiceCurrencies.flatMap((currency) =>
    amounts[currency]
      .filter((units) => units !== 0n)
      .map((units) =>
        condition('(currency = ? AND ? IN (amount, received, overpayment))', currency, units),
      ),
  )
}
