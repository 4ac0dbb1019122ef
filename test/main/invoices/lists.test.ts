/** Compares pages of the list with rows that independent code filters and sorts. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type InvoiceFilter,
  type InvoiceSort,
  invoiceFilter,
} from '../../../src-preload/contract/invoice.ts'
import { invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { type Database, openDatabase, transaction } from '../../../src-main/database/database.ts'
import { createInvoiceLists } from '../../../src-main/invoices/store/invoice-lists.ts'
import {
  type StoredInvoice,
  bitOf,
  createReadInvoices,
} from '../../../src-main/invoices/store/invoice-rows.ts'
import { createLabels } from '../../../src-main/chain/store/labels.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { formatAmount } from '../../../src-renderer/components/amount.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import { fillInvoices, writeInvoices } from '../../bench/lib/fill-invoices.ts'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

const network = 'mainnet'
const until = Date.UTC(2025, 10, 9)
const dayMs = 86_400_000
const resources = new AsyncDisposableStack()
const random = seededRandom(3)
const below = (limit: number) => Math.floor(random() * limit)
let database: Database
let lists: ReturnType<typeof createInvoiceLists>

const sorts = [
  'id',
  'status',
  'amount',
  'received',
  'overpayment',
  'description',
  'payer',
  'created',
  'expires',
  'changed',
  'order',
] as const satisfies InvoiceSort['by'][]

beforeAll(() => {
  const directory = resources.use(temporaryDirectory())
  database = openDatabase(join(directory.path, 'tondesk.db'), { synchronous: 'NORMAL' })
  resources.defer(() => database.close())
  migrate(database, () => undefined)
  writeInvoices(database, 900, { until })
  writeInvoices(database, 100, { until, network: 'testnet', seed: 2 })
  // Many rows get the same second or the same price, so that ties occur.
  database.exec(`UPDATE invoices SET created_at = created_at / 86400000 * 86400000 WHERE key % 3 = 0;
    UPDATE invoices SET amount = 5000000000 WHERE key % 4 = 0;
    UPDATE invoices SET description = 'Заказ 100%_' WHERE key % 50 = 1;
    UPDATE invoices SET order_reference = 'PO-' || (key * 7919 % 1000) WHERE key % 3 <> 1`)
  lists = createInvoiceLists(database)
})
afterAll(() => resources.disposeAsync())

type Place = { readonly after: string | null } | { readonly before: string | null }

function page(filter: InvoiceFilter, sort: InvoiceSort, from: Place, limit: number, skip = 0) {
  const asked = { network, filter, sort, from, skip, limit }
  const { invoices, ...rest } = transaction(database, () => lists.page(asked), 'DEFERRED')
  return { ...rest, ids: invoices.map(({ id }) => id) }
}

function rows(): StoredInvoice[] {
  return createReadInvoices(database)('WHERE network = ?', network)
}

type Value = string | number | bigint | boolean
const inLowerCase = (text: string) => text.replaceAll(/[A-Z]/g, (each) => each.toLowerCase())

/** Returns the sort value of a row, ascending; rows without a value are sorted by their creation. */
function placeOf(row: StoredInvoice, by: InvoiceSort['by']): Value[] {
  const valued = (isValued: boolean, ...values: Value[]) =>
    isValued ? [true, ...values, row.key] : [false, row.createdAt, row.key]
  switch (by) {
    case 'id':
      return [row.id]
    case 'status':
      return [row.status, row.createdAt, row.key]
    case 'amount':
      return [row.currency, row.amount, row.key]
    case 'received':
      return valued(row.received > 0n, row.currency, row.received)
    case 'overpayment':
      return valued(row.overpayment > 0n, row.currency, row.overpayment)
    case 'description':
      return [Buffer.from(inLowerCase(row.description)).toString('hex'), row.id]
    case 'order':
      return [Buffer.from(inLowerCase(row.orderReference)).toString('hex'), row.id]
    case 'payer':
      return valued(row.paidBy !== null, row.paidBy ?? '')
    case 'created':
      return [row.createdAt, row.key]
    case 'expires':
      return [row.expiresAt, row.key]
    case 'changed':
      return [row.changedAt, row.key]
  }
}

function compare(one: readonly Value[], other: readonly Value[]): number {
  for (const [index, value] of one.entries()) {
    const against = other[index]
    if (against === undefined || value === against) continue
    return value < against ? -1 : 1
  }
  return 0
}

type Filtered = {
  readonly name: string
  readonly filter: Partial<InvoiceFilter>
  readonly fits: (row: StoredInvoice) => boolean
}

const isSaid = (row: StoredInvoice) => row.confirmedAt !== null
const has = (row: StoredInvoice, part: string) =>
  `${row.id}\n${row.description}\n${row.orderReference}`.toLowerCase().includes(part)

const filters: readonly Filtered[] = [
  { name: 'none', filter: {}, fits: () => true },
  {
    name: 'states, of what the gateway has confirmed',
    filter: { statuses: ['paid', 'expired'] },
    fits: (row) => isSaid(row) && ['paid', 'expired'].includes(row.status),
  },
  { name: 'a few', filter: { matter: 'any' }, fits: (row) => row.matters.length > 0 },
  {
    name: 'one kind of matter',
    filter: { matter: 'partial' },
    fits: (row) => row.matters.includes('partial'),
  },
  {
    name: 'ended within a year',
    filter: { period: { by: 'ended', from: until - 365 * dayMs, to: until } },
    fits: (row) =>
      isSaid(row) &&
      row.status !== 'pending' &&
      row.changedAt >= until - 365 * dayMs &&
      row.changedAt < until,
  },
  {
    name: 'created since',
    filter: { period: { by: 'created', from: until - 200 * dayMs, to: null } },
    fits: (row) => row.createdAt >= until - 200 * dayMs,
  },
  {
    name: 'amounts of either currency',
    filter: { amountFrom: '2.0000005', amountTo: '80' },
    fits: ({ currency, amount }) =>
      currency === 'TON'
        ? amount >= 2_000_000_500n && amount <= 80_000_000_000n
        : amount >= 2_000_001n && amount <= 80_000_000n,
  },
  {
    name: 'overpaid of one currency',
    filter: { overpaid: true, currencies: ['TON'] },
    fits: (row) => isSaid(row) && row.overpayment > 0n && row.currency === 'TON',
  },
  {
    name: 'paid within minutes',
    filter: { paidWithin: { from: 60, to: 600 } },
    fits: (row) => {
      const took = Math.trunc((row.changedAt - row.createdAt) / 1000)
      return isSaid(row) && row.status === 'paid' && took >= 60 && took < 600
    },
  },
  {
    name: 'two words, one of two letters',
    filter: { text: '  ORDER bo ' },
    fits: (row) => has(row, 'order') && has(row, 'bo'),
  },
  {
    name: 'another script, in another case, with signs of LIKE',
    filter: { text: 'ЗАКАЗ %_' },
    fits: (row) => has(row, 'заказ') && has(row, '%_'),
  },
]

function check({ filter, fits }: Filtered, columns: readonly InvoiceSort['by'][] = sorts): void {
  const whole = invoiceFilter.parse(filter)
  const all = rows().filter(fits)
  for (const by of columns) {
    const sorted = all
      .map((row) => ({ id: row.id, place: placeOf(row, by) }))
      .sort((a, b) => compare(a.place, b.place))
      .map(({ id }) => id)
    for (const descending of [false, true]) {
      const expected = descending ? sorted.toReversed() : sorted
      const half = Math.floor(sorted.length / 2)
      const size = Math.max(1, Math.ceil(sorted.length / 3))
      const find = (from: Place, skip = 0) => {
        const found = page(whole, { by, descending }, from, size, skip)
        expect(found.total).toBe(sorted.length)
        return found
      }
      const forward: string[] = []
      let after: string | null = null
      do {
        const found: ReturnType<typeof page> = find({ after })
        expect(found.before === null).toBe(after === null || sorted.length === 0)
        forward.push(...found.ids)
        after = found.after
      } while (after !== null)
      expect(forward, `${by} forward`).toEqual(expected)
      const backward: string[] = []
      let before: string | null = null
      do {
        const found: ReturnType<typeof page> = find({ before })
        expect(found.after === null).toBe(before === null || sorted.length === 0)
        backward.unshift(...found.ids)
        before = found.before
      } while (before !== null)
      expect(backward, `${by} backward`).toEqual(expected)
      const middle = find({ after: null }, half)
      expect(middle.ids, `${by} from ${half}`).toEqual(expected.slice(half, half + size))
      if (half === 0) continue
      const previous = expected.slice(Math.max(0, half - size), half)
      expect(find({ before: middle.before }).ids).toEqual(previous)
    }
  }
}

describe.each(filters)('the list with the filter $name', (filtered) => {
  test('pages in any order contain exactly the filtered rows, forward, backward and after a jump', () => {
    check(filtered)
    expect(rows().filter(filtered.fits).length).toBeGreaterThan(0)
  })
})

test('pages stay correct after rows are changed, deleted and added', () => {
  const change = (share: number) => {
    transaction(database, () => {
      for (const { key } of rows()) {
        if (random() > share) continue
        const status = ['pending', 'paid', 'expired', 'odd'][below(4)] ?? ''
        database
          .prepare(
            `UPDATE invoices SET status = ?, amount = ?, overpayment = ?, received = ?, open_matters = ?,
               description = ?, created_at = ?, confirmed_at = ? WHERE key = ?`,
          )
          .run(
            status,
            below(90e9),
            below(3) === 0 ? 5 : 0,
            below(2),
            below(9) === 0 ? bitOf('partial') : 0,
            `Order box ${below(99)} Заказ %_`,
            until - below(600 * dayMs),
            below(9) === 0 ? null : 1,
            key,
          )
        if (random() < 0.2) database.prepare('DELETE FROM invoices WHERE key = ?').run(key)
      }
    })
    writeInvoices(database, 5, { until, seed: below(1e6), first: 1e6 + below(1e9) })
  }
  for (const share of [0.02, 1]) {
    change(share)
    for (const filtered of filters) check(filtered, ['received'])
  }
})

test('a payer is found by every form of the address, by parts of an address and by the label', () => {
  const labels = createLabels(database)
  const payer = rows().find(({ paidBy }) => paidBy !== null)?.paidBy ?? ''
  const theirs = rows()
    .filter(({ paidBy }) => paidBy === payer)
    .map(({ id }) => id)
    .sort()
  const found = (text: string) =>
    page(invoiceFilter.parse({ text }), { by: 'id', descending: false }, { after: null }, 500).ids
  const form = { bounceable: true, testOnly: false }
  for (const text of [
    payer,
    payer.toUpperCase(),
    formatFriendly(payer, form),
    formatFriendly(payer, { ...form, bounceable: false, testOnly: true, urlSafe: false }),
    formatFriendly(payer, form).slice(0, 20),
    shorten(formatFriendly(payer, form)),
    shorten(payer),
    payer.slice(0, 20),
    payer.slice(2, 20).toUpperCase(),
    payer.slice(30, 50),
  ]) {
    expect(found(text), text).toEqual(theirs)
  }
  expect(found('Müller')).toEqual([])
  const label = { network, address: payer, name: 'Müller GmbH', note: 'pays late', changedAt: 1 }
  labels.put([label])
  expect(found('MÜLLER gmbh')).toEqual(theirs)
  // A search for a name does not find the note of a label.
  expect(found('late')).toEqual([])
  labels.remove(network, payer)
  expect(found('Müller')).toEqual([])
})

test('a search for the text of any cell finds the row', () => {
  const idsByText = new Map<string, string[]>()
  const add = (id: string, text: string) =>
    idsByText.set(text, [...(idsByText.get(text) ?? []), id])
  for (const row of rows().slice(0, 50)) {
    const { id, status, amount, received, overpayment, currency, paidBy } = row
    // An undocumented state is not one of the words that a search treats as states.
    for (const text of [id, currency, ...(status === 'odd' ? [] : [status])]) add(id, text)
    add(id, `${formatAmount(`${amount}`, currency)} ${currency}`)
    if (received > 0n) add(id, formatAmount(`${received}`, currency))
    if (overpayment > 0n) add(id, `+${formatAmount(`${overpayment}`, currency)}`)
    if (paidBy !== null) {
      add(id, shorten(formatFriendly(paidBy, { bounceable: false, testOnly: false })))
    }
  }
  for (const [text, ids] of idsByText) {
    const filter = invoiceFilter.parse({ text })
    const found = new Set(
      page(filter, { by: 'id', descending: false }, { after: null }, 1_000_000).ids,
    )
    expect([text, ids.filter((id) => !found.has(id))]).toEqual([text, []])
  }
})

test('pages and views are served by routes, and unknown views are refused', async () => {
  using directory = temporaryDirectory()
  fillInvoices(directory.path, 300, { until })
  const kept = openDatabase(dataPaths(directory.path).database)
  const row = kept.prepare('SELECT paid_by FROM invoices WHERE paid_by IS NOT NULL').get()
  const payer = row?.['paid_by'] as string
  kept.close()
  await using app = await startApp({ dataDirectory: directory.path, startSandbox: false })
  await app.request('label.set', { network, address: payer, name: 'Ada', note: '' })
  const first = await app.request('invoice.page', { network, limit: 3 })
  expect(first.total).toBe(300)
  expect(first.invoices).toHaveLength(3)
  const filter = { text: 'ada' }
  const ofAda = await app.request('invoice.page', { network, filter, limit: 9 })
  expect(ofAda.invoices.map(({ payerLabel }) => payerLabel)).toContain('Ada')

  const other = openDatabase(dataPaths(directory.path).database)
  other.prepare('DELETE FROM invoices WHERE id = ?').run(first.invoices[0]?.id ?? '')
  other.close()
  const [after, ...asked] = await Promise.all([
    app.request('invoice.page', { network, limit: 2 }),
    app.request('invoiceStats.totals', { network, from: 0, to: until + 1 }),
    app.request('invoice.page', { network, skip: 298, limit: 5 }),
  ])
  expect(after).toMatchObject({ total: 299, invoices: first.invoices.slice(1) })
  // Only a delivery reported one of the invoices, so no statistic counts it.
  expect(asked[0].now.created).toBe(298)
  expect(asked[1].invoices).toHaveLength(1)

  const { id } = await app.request('invoiceView.save', { name: ' Late ones ', filter })
  const sort = { by: 'amount', descending: false } as const
  await app.request('invoiceView.save', { id, name: 'Ada’s', filter: { overpaid: true }, sort })
  const [view, ...others] = await app.request('invoiceView.list')
  expect(others).toEqual([])
  expect(view).toMatchObject({ id, name: 'Ada’s', sort, filter: { overpaid: true, text: '' } })
  await app.request('invoiceView.remove', { id })
  expect(await app.request('invoiceView.list')).toEqual([])
  await app.until(() => app.events.some(({ name }) => name === 'invoiceView.changed'))
  expect(await app.refusal('invoiceView.remove', { id })).toBe(invoiceCodes.viewUnknown)
  expect(await app.refusal('invoiceView.save', { id, name: 'x' })).toBe(invoiceCodes.viewUnknown)
})
