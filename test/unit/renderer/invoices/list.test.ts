import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import {
  builtInViews,
  isFiltered,
  isSameQuery,
  nextInvoiceSort,
  describePeriod,
  describeWithin,
  queryOf,
  readBound,
  sumsOf,
  writeBound,
} from '../../../../src-renderer/features/invoices/list/invoice-query.ts'
import { formatTimeLeft } from '../../../../src-renderer/components/gateway-clock.ts'
import {
  describeState,
  invoiceTone,
} from '../../../../src-renderer/components/invoices/invoice-labels.ts'
import { fitColumns, measureAmounts } from '../../../../src-renderer/ui/data-columns.ts'
import {
  everyInvoice,
  parseInvoices,
  formatInvoicesRoute,
} from '../../../../src-renderer/app/invoices-route.ts'

beforeEach(() => {
  vi.stubGlobal('window', { localStorage: { getItem: () => null, setItem: () => undefined } })
})

afterAll(() => void vi.unstubAllGlobals())

const invoice: Invoice = {
  network: 'sandbox',
  id: '60ffb0a1',
  status: 'paid',
  reported: null,
  isConfirmed: true,
  currency: 'TON',
  amount: '12500000000',
  received: '12750000000',
  overpayment: '250000000',
  refunded: '0',
  uncounted: [],
  description: '',
  orderReference: '',
  payTo: `0:${'ab'.repeat(32)}`,
  paidBy: null,
  payer: null,
  payerLabel: null,
  createdAt: 0,
  expiresAt: 0,
  changedAt: 0,
  paidAt: null,
  matters: ['overpaid'],
  accepted: null,
  together: null,
}

const network = { id: 'sandbox' } as Network

/** Returns the columns of the list, measured with the amounts in these rows. */
async function measured(rows: readonly Invoice[]) {
  const { invoiceColumns } =
    await import('../../../../src-renderer/features/invoices/list/invoice-list.tsx')
  const columns = invoiceColumns(network, everyInvoice)
  return { columns, sizes: measureAmounts(columns, rows, {}) }
}

async function names(width: number, rows: readonly Invoice[], hidden: readonly string[] = []) {
  const { columns, sizes } = await measured(rows)
  const room = { width, hidden: new Set(hidden), sizes, hasChecks: true }
  return fitColumns(columns, room).shown.map(({ name }) => name)
}

test('narrow lists hide less important columns first, and never cut off an amount', async () => {
  const mock = ['Invoice', 'State', 'Amount', 'To refund', 'Description', 'Changed']
  expect(await names(745, [invoice])).toEqual(mock)
  // If rows are compared with their units, the money to refund takes precedence over the time of
  // the last change.
  expect(await names(726, [invoice])).toEqual(mock.slice(0, -1))
  expect(await names(565, [invoice])).toEqual(['Invoice', 'State', 'Amount', 'Description'])
  expect(await names(100, [invoice])).toEqual(['Invoice', 'State'])
  expect(await names(1400, [invoice])).toHaveLength(12)
  // A hidden column makes room for the next one.
  expect(await names(726, [invoice], ['overpayment'])).toContain('Payer')

  const large = { ...invoice, amount: '100000000000000' }
  const { columns, sizes } = await measured([invoice, large])
  const { template } = fitColumns(columns, {
    width: 900,
    hidden: undefined,
    sizes,
    hasChecks: true,
  })
  // The column must fit `100 000.000000000 TON` in a font with characters 7.2 pixels wide.
  expect(parseFloat(template.split(' ')[4] ?? '')).toBeGreaterThanOrEqual(21 * 7.22)
})

test('a link, a saved view and the list with the same choices are equal in any order of the choices', () => {
  const link = '#/invoices?status=paid,expired&currency=TON&when=created,0,86400000&within=60-300'
  const read = parseInvoices([], new URLSearchParams(link.split('?')[1]))
  if (read?.view !== 'list') throw new Error('It is no list.')
  const { sort, ...filter } = read.query
  const view = {
    id: 1,
    name: 'Mine',
    sort,
    filter: { ...filter, statuses: ['expired', 'paid'], currencies: [...filter.currencies] },
  }
  expect(isSameQuery(queryOf(view), read.query)).toBe(true)
  expect(isFiltered(read.query)).toBe(true)
  expect(isFiltered({ ...everyInvoice, sort: { by: 'amount', descending: true } })).toBe(false)
  for (const { query } of builtInViews(1_763_683_200_000)) {
    const printed = formatInvoicesRoute({
      page: 'invoices',
      network: null,
      view: 'list',
      id: null,
      query,
    })
    const again = parseInvoices([], new URLSearchParams(printed.split('?')[1] ?? ''))
    expect(again?.view === 'list' && isSameQuery(again.query, query)).toBe(true)
  }
  // The default order is newest first; a second click reverses it, and a third restores it.
  const turned = nextInvoiceSort(everyInvoice.sort, 'created')
  expect(turned).toEqual({ by: 'created', descending: false })
  expect(nextInvoiceSort(turned, 'created')).toEqual(everyInvoice.sort)
  expect(nextInvoiceSort(everyInvoice.sort, 'amount').descending).toBe(true)
})

test('a period is described with its last day, and with hours only if it has some', () => {
  const at = (day: number, hour = 0) => new Date(2026, 10, day, hour).getTime()
  const now = at(21, 12)
  const print = (from: number | null, to: number | null) =>
    describePeriod({ by: 'created', from, to }, now)
  expect(print(at(1), at(15))).toBe('created 1 Nov to 14 Nov')
  expect(print(at(20), at(21))).toBe('created 20 Nov')
  expect(print(at(20, 14), at(20, 15))).toBe('created 20 Nov 14:00 to 20 Nov 15:00')
  expect(print(at(20), null)).toBe('created since 20 Nov')
  expect(print(null, at(20))).toBe('created until 19 Nov')
  expect(describeWithin({ from: 60, to: 300 })).toBe('paid in 1 min to 5 min')
  expect(describeWithin({ from: 0, to: 90 })).toBe('paid within 1 min 30 s')
  expect(describeWithin({ from: 3600, to: null })).toBe('paid after 1 h or more')
})

test('the remaining time of an invoice is shown in units that grow with it', () => {
  expect(
    [0, -5, 1, 59_999, 60_000, 3_599_999, 3_600_000, 172_799_999, 172_800_000].map((ms) =>
      formatTimeLeft(ms),
    ),
  ).toEqual([
    'overdue',
    'overdue',
    'expires in 1 s',
    'expires in 60 s',
    'expires in 1 min',
    'expires in 59 min',
    'expires in 1 h',
    'expires in 47 h',
    'expires in 2 d',
  ])
})

test('the limit of an amount is parsed in common notations, and an ambiguous limit is refused', () => {
  const bounds = ['', '1 284,5', '0.5', '12.'].map((typed) => readBound(typed))
  expect(bounds.map(({ bound }) => bound)).toEqual([null, '1284.5', '0.5', '12'])
  expect(bounds.every(({ problem }) => problem === null)).toBe(true)
  for (const typed of ['1e5', '-3', '0.1234567890001', '9'.repeat(30)]) {
    expect(readBound(typed).problem, typed).not.toBeNull()
  }
  for (const typed of ['1.234', '1,234']) {
    expect(readBound(typed).problem).toBe(`“${typed}” can mean 1.2340 or 1234: enter one of these.`)
  }
  // The limit in a link is exact, and its field is parsed back to the same value.
  expect(readBound(writeBound('1.234'))).toEqual({ bound: '1.234', problem: null })
})

test('sums of invoices are exact and separated by currency', () => {
  const many = Array.from({ length: 10_000 }, () => ({ ...invoice, amount: '9007199254740993' }))
  expect(sumsOf([...many, { currency: 'USDT' as const, amount: '1' }])).toEqual([
    { currency: 'TON', count: 10_000, sum: 90_071_992_547_409_930_000n },
    { currency: 'USDT', count: 1, sum: 1n },
  ])
})

test('the state of an invoice is followed by its discrepancies, and a discrepancy sets the tone of an unpaid invoice', () => {
  expect(describeState(invoice)).toBe('paid, overpaid')
  expect(invoiceTone(invoice)).toBe('ok')
  expect(invoiceTone({ status: 'expired', matters: ['paid-late'] })).toBe('bad')
  expect(invoiceTone({ status: 'constructor', matters: [] })).toBe('plain')
  const accepted = { tolerance: '20000000', short: '10000000' }
  const short = { ...invoice, status: 'expired', matters: [], accepted }
  expect(describeState(short)).toBe('paid, short by 0.01 TON, the gateway says expired')
  expect(invoiceTone(short)).toBe('ok')
})

test('periods are whole days in the local time zone, with intervals that fit a chart', async () => {
  const { periodOf } = await import('../../../../src-renderer/features/invoices/period.ts')
  const now = new Date(2026, 2, 30, 15, 20)
  const of = (preset: Parameters<typeof periodOf>[0]['preset']) =>
    periodOf({ preset, days: null, currencies: [] }, now)
  const days = (preset: Parameters<typeof periodOf>[0]['preset']) => {
    const { from, to, step } = of(preset)
    expect([new Date(from).getHours(), new Date(to).getHours()]).toEqual([0, 0])
    return [Math.round((to - from) / 86_400_000), step]
  }
  expect(days('today')).toEqual([1, 'hour'])
  expect(days('7-days')).toEqual([7, 'day'])
  expect(days('30-days')).toEqual([30, 'day'])
  expect(days('90-days')).toEqual([90, 'week'])
  expect(days('previous-month')).toEqual([28, 'day'])
  expect(days('this-year')).toEqual([89, 'week'])
  expect(of('custom').preset).toBe('30-days')
})
