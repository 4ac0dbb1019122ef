/** What a filter means in SQL. Pure. */
import type { ListFilter, SoughtWord } from './list-asked.ts'
import { bitOf } from './stored-invoice.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-words.ts'

export type Condition = {
  /** Of the table `invoices`. */
  readonly where: string
  readonly values: readonly (string | number | bigint)[]
}

/** As the bars of the distribution count: whole seconds, and none below 0. */
const secondsToPay = 'max(0, (changed_at - created_at) / 1000)'

const periodColumns = {
  created: 'created_at',
  ended: 'changed_at',
  expires: 'expires_at',
} as const

/** Words apart; null where nothing is asked for. All of it is in the index `invoices_by_creation`. */
export function readFacts(filter: ListFilter): Condition | null {
  const { statuses, period, amounts, overpaid, matter, paidWithin } = filter
  const parts: string[] = []
  const values: (string | number | bigint)[] = []
  const add = (where: string, ...its: readonly (string | number | bigint)[]) => {
    parts.push(where)
    values.push(...its)
  }
  if (statuses.length > 0) add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  const [currency, ...others] = filter.currencies
  if (currency !== undefined && others.length === 0) add('currency = ?', currency)
  if (period !== null) {
    const column = periodColumns[period.by]
    if (period.by === 'ended') add(`status <> 'pending'`)
    if (period.from !== null) add(`${column} >= ?`, period.from)
    if (period.to !== null) add(`${column} < ?`, period.to)
  }
  if (amounts !== null) {
    const either = invoiceCurrencies.map((each) => {
      const { from, to } = amounts[each]
      values.push(each)
      const bounds = [`currency = ?`]
      if (from !== null) {
        bounds.push('amount >= ?')
        values.push(from)
      }
      if (to !== null) {
        bounds.push('amount <= ?')
        values.push(to)
      }
      return `(${bounds.join(' AND ')})`
    })
    parts.push(`(${either.join(' OR ')})`)
  }
  if (overpaid) add('overpayment > 0')
  if (matter === 'any') add('open_matters <> 0')
  else if (matter !== null) add('open_matters & ? <> 0', bitOf(matter))
  if (paidWithin !== null) {
    add(`status = 'paid' AND ${secondsToPay} >= ?`, paidWithin.from)
    if (paidWithin.to !== null) add(`${secondsToPay} < ?`, paidWithin.to)
  }
  return parts.length === 0 ? null : { where: parts.join(' AND '), values }
}

/** Whether any of this state can be found. */
export function allowsState({ statuses, period, paidWithin }: ListFilter, status: string): boolean {
  if (statuses.length > 0 && !statuses.includes(status)) return false
  if (period?.by === 'ended' && status === 'pending') return false
  return paidWithin === null || status === 'paid'
}

/**
 * True where what is asked for is the gateway's word: one that only a delivery has told of, and that
 * anybody could have sent, is none of the paid ones.
 */
export function asksForConfirmed(filter: ListFilter): boolean {
  const { statuses, period, overpaid, paidWithin } = filter
  return statuses.length > 0 || period?.by === 'ended' || overpaid || paidWithin !== null
}

/** In the id or the description. Of the index `invoices_by_text`. */
export function readText({ text }: SoughtWord): Condition {
  // LIKE knows both cases of a to z; of other letters each way in which people write is looked for.
  if (isAscii.test(text)) {
    const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    const likes = (column: string) => `${column} LIKE ? ESCAPE '\\'`
    return { where: `(${likes('id')} OR ${likes('description')})`, values: [pattern, pattern] }
  }
  const ways = writings(text)
  const parts = ways.map(() => 'instr(description, ?) > 0')
  return { where: `(instr(id, ?) > 0 OR ${parts.join(' OR ')})`, values: [text, ...ways] }
}

const isAscii = /^[ -~]*$/

function writings(text: string): string[] {
  const lower = text.toLowerCase()
  const [first = '', ...rest] = lower
  const ways = [text, lower, text.toUpperCase(), first.toUpperCase() + rest.join('')]
  return [...new Set(ways.flatMap((way) => [way.normalize('NFC'), way.normalize('NFD')]))]
}

/**
 * Who has paid. Of the index `invoices_by_payer`.
 * @param named addresses whose name has the word in it
 */
export function readPayer(
  { address, range, part }: SoughtWord,
  named: readonly string[],
): Condition | null {
  const parts: string[] = []
  const values: string[] = []
  const add = (where: string, ...its: readonly string[]) => {
    parts.push(where)
    values.push(...its)
  }
  if (named.length > 0) {
    add('paid_by IN (SELECT value FROM json_each(?))', JSON.stringify(named))
  }
  if (address !== null) add('paid_by = ?', address)
  if (range !== null) {
    add('(paid_by BETWEEN ? AND ? AND paid_by LIKE ?)', range.from, range.to, `%${range.ending}`)
  }
  if (part !== null) add('instr(paid_by, ?) > 0', part)
  if (parts.length === 0) return null
  return { where: `paid_by IS NOT NULL AND (${parts.join(' OR ')})`, values }
}

const states: readonly string[] = ['pending', 'paid', 'expired', 'cancelled']
const amountColumns = [
  ['invoices_by_amount', 'amount'],
  ['invoices_by_received', 'received'],
  ['invoices_by_overpayment', 'overpayment'],
] as const

/** What else a row shows by this word: an amount, a currency or a state; with the index that has it. */
export function shownAs({ text, amounts }: SoughtWord): { index: string; condition: Condition }[] {
  const found = invoiceCurrencies.flatMap((currency) => {
    const units = amounts[currency]
    if (units === null) return []
    return amountColumns.map(([index, column]) => ({
      index,
      condition: {
        where: `(currency = ? AND ${column} = ? AND ${column} > 0)`,
        values: [currency, units],
      },
    }))
  })
  const index = 'invoices_by_creation'
  const currency = invoiceCurrencies.find((each) => each === text.toUpperCase())
  if (currency !== undefined) {
    return [...found, { index, condition: { where: 'currency = ?', values: [currency] } }]
  }
  const state = text.toLowerCase()
  if (!states.includes(state)) return found
  return [...found, { index, condition: { where: 'status = ?', values: [state] } }]
}
