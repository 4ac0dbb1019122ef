/** The filters of the list in three forms: in a link, for the main process, and in words. */
import type {
  Invoice,
  InvoiceFilter,
  InvoiceSort,
  InvoiceView,
} from '../../../../src-preload/contract/invoice.ts'
import {
  formatAmount,
  parseAmount,
  sumByCurrency,
  tonDecimals,
} from '../../../../src-preload/domain/amount.ts'
import { formatEntry } from '../../../../src-preload/domain/written-amount.ts'
import {
  type InvoicesQuery,
  type InvoiceSortBy,
  everyInvoice,
} from '../../../app/invoices-route.ts'
import { readCoins } from '../../../components/amount.ts'
import { discrepancyLabels } from '../../../components/invoices/invoice-labels.ts'
import { nextSort } from '../../../ui/data-list.tsx'
import { formatDay, formatDuration, formatMinute, fromMs } from '../../../ui/format.ts'

export function filterOf({ sort: _, ...filter }: InvoicesQuery): InvoiceFilter {
  return { ...filter, statuses: [...filter.statuses], currencies: [...filter.currencies] }
}

/** Returns the filters of a saved view in the form that a link contains. */
export function queryOf({ filter, sort }: Pick<InvoiceView, 'filter' | 'sort'>): InvoicesQuery {
  return { ...filter, sort }
}

/** True if both queries show the same invoices in the same order. */
export const isSameQuery = (a: InvoicesQuery, b: InvoicesQuery): boolean => keyOf(a) === keyOf(b)

/** The keys of a query in a fixed order, whatever order the query itself has. */
const fields = [...Object.keys(everyInvoice), 'by', 'from', 'to', 'descending']

/** Returns a text that is equal for queries that show the same invoices in the same order. */
export function keyOf(query: InvoicesQuery): string {
  const statuses = query.statuses.toSorted()
  return JSON.stringify({ ...query, statuses, currencies: query.currencies.toSorted() }, fields)
}

export function isFiltered(query: InvoicesQuery): boolean {
  return !isSameQuery({ ...query, sort: everyInvoice.sort }, everyInvoice)
}

const largeFirst: ReadonlySet<InvoiceSortBy> = new Set([
  'amount',
  'received',
  'overpayment',
  'created',
  'changed',
])

export function nextInvoiceSort(sort: InvoiceSort, by: InvoiceSortBy): InvoiceSort {
  return nextSort(sort, by, { usual: everyInvoice.sort, largeFirst })
}

type BuiltInView = {
  readonly name: string
  readonly query: InvoicesQuery
}

/** Returns the views that every network has. `today` is the last midnight, in milliseconds. */
export function builtInViews(today: number): readonly BuiltInView[] {
  return [
    { name: 'All', query: everyInvoice },
    { name: 'Pending', query: { ...everyInvoice, statuses: ['pending'] } },
    { name: 'Needs attention', query: { ...everyInvoice, matter: 'any' } },
    { name: 'Overpaid', query: { ...everyInvoice, overpaid: true } },
    {
      name: 'Paid today',
      query: {
        ...everyInvoice,
        statuses: ['paid'],
        period: { by: 'ended', from: today, to: null },
        sort: { by: 'changed', descending: true },
      },
    },
  ]
}

/** Describes a period: `created 1 Nov to 14 Nov`, with the hours if it does not begin and end at midnight. */
export function describePeriod(period: NonNullable<InvoicesQuery['period']>, now: number): string {
  const { by, from, to } = period
  const isWhole = [from, to].every((at) => at === null || isMidnight(at))
  const at = (ms: number) => {
    const day = formatDay(fromMs(ms), fromMs(now))
    return isWhole ? day : `${day} ${formatMinute(fromMs(ms))}`
  }
  // The end is exclusive, so the text of a period of whole days contains its last day.
  const end = to === null ? null : at(isWhole ? to - 1 : to)
  if (from === null) return end === null ? by : `${by} until ${end}`
  if (end === null) return `${by} since ${at(from)}`
  return end === at(from) ? `${by} ${end}` : `${by} ${at(from)} to ${end}`
}

function isMidnight(ms: number): boolean {
  const date = new Date(ms)
  return date.getHours() + date.getMinutes() + date.getSeconds() + date.getMilliseconds() === 0
}

/** Describes a time to payment: `paid in 1 to 5 min`. */
export function describeWithin({ from, to }: NonNullable<InvoicesQuery['paidWithin']>): string {
  if (to === null) return `paid after ${span(from)} or more`
  return from === 0 ? `paid within ${span(to)}` : `paid in ${span(from)} to ${span(to)}`
}

const span = (seconds: number) => formatDuration(seconds * 1e6)

export function describeAmounts({
  amountFrom,
  amountTo,
  overpaid,
}: Pick<InvoicesQuery, 'amountFrom' | 'amountTo' | 'overpaid'>): string {
  const range =
    amountFrom === null
      ? amountTo !== null && `at most ${amountTo}`
      : amountTo === null
        ? `at least ${amountFrom}`
        : `${amountFrom} to ${amountTo}`
  return [range, overpaid && 'overpaid'].filter(Boolean).join(', ') || 'amount'
}

export function describeDiscrepancy(discrepancy: NonNullable<InvoicesQuery['matter']>): string {
  return discrepancy === 'any' ? 'needs attention' : discrepancyLabels[discrepancy]
}

type Bound = { readonly bound: string | null; readonly problem: string | null }

/** Parses a typed limit of amounts as a decimal number for both currencies; null if the field is empty. */
export function readBound(text: string): Bound {
  if (text.trim() === '') return { bound: null, problem: null }
  const { units, problem } = readCoins(text, 'TON')
  return { bound: units === null ? null : formatAmount(units, tonDecimals), problem }
}

/** Formats a limit in the form that its field parses again. */
export function writeBound(bound: string | null): string {
  return bound === null ? '' : formatEntry(parseAmount(bound, tonDecimals), tonDecimals)
}

/** Returns the totals by currency, in minimal units. */
export function sumsOf(invoices: Iterable<Pick<Invoice, 'currency' | 'amount'>>) {
  return sumByCurrency(invoices).sort((a, b) => a.currency.localeCompare(b.currency, 'en'))
}
