import type { Database } from '../../database/database.ts'
import { type KeySet, countIn, intersect, keysOf, without } from './key-set.ts'
import type { ListAsked } from './list-asked.ts'
import { createReadKeys } from './list-keys.ts'
import { orderBy, orders, termsOf } from './list-orders.ts'
import { allowsState } from './list-conditions.ts'
import { createListSets, defaultFewRows } from './list-sets.ts'
import { type Among, createListWalks } from './list-walks.ts'
import { type StoredInvoice, invoiceColumns, toInvoice } from './stored-invoice.ts'

/** More rows than these are looked at anew, all of them, rather than one by one. */
const maxOneByOne = 2_000

type ListChanges = {
  /** Keys of rows that may be others since the last call; null where that is not known, or many. */
  since(): number[] | null
}

/** Follows what triggers note of each row that is written (migration 0014). */
function createListChanges(database: Database): ListChanges {
  const bounds = database.prepare('SELECT min(seq) AS first, max(seq) AS last FROM invoice_changes')
  const select = database.prepare(
    'SELECT DISTINCT invoice_key AS key FROM invoice_changes WHERE seq > ?',
  )
  let seen: number | null = null

  return {
    since() {
      const row = bounds.get()
      const last = Number(row?.['last'] ?? 0)
      const first = Number(row?.['first'] ?? 0)
      const from = seen
      seen = last
      if (from === last) return []
      if (from === null || from + 1 < first || last - from > maxOneByOne) return null
      return select.all(from).map((each) => Number(each['key']))
    },
  }
}

type InvoicePage = {
  /** Of the filter. */
  readonly total: number
  /** Without `raw`, which no list shows. */
  readonly invoices: StoredInvoice[]
}

/**
 * Any page of a list of a million invoices within a fifth of a second, for the thread that reads
 * them: which rows a filter finds is one thing, in which order they stand another; both are kept
 * until rows change.
 */
export type InvoiceLists = {
  page(asked: ListAsked): InvoicePage
}

type ListLimits = {
  /** So few rows are sorted each time; for more, the order of all is walked along. */
  readonly few: number
  /** Of an order, read at first. */
  readonly walked: number
}

const defaultLimits: ListLimits = { few: defaultFewRows, walked: 20_000 }

/** A part of the list, all of which stands before the next. */
type Stretch = {
  readonly size: () => number
  readonly among: () => Among
}

/**
 * @param database for reading; each call belongs into a transaction, so that all is of one moment
 * @param limits others in tests only
 */
export function createInvoiceLists(database: Database, limits = defaultLimits): InvoiceLists {
  const readKeys = createReadKeys(database)
  const changes = createListChanges(database)
  const sets = createListSets(database, readKeys, limits.few)
  const walks = createListWalks(database, readKeys, limits.walked)
  const rows = database.prepare(
    `SELECT ${invoiceColumns.replace('invoices.raw', `'' AS raw`)} FROM invoices
     WHERE key IN (SELECT value FROM json_each(?))`,
  )
  rows.setReadBigInts(true)
  const totals = database.prepare(
    `SELECT status, sum(count + unconfirmed) AS total FROM invoice_totals WHERE network = ?
     GROUP BY status ORDER BY status`,
  )

  function follow(): void {
    const changed = changes.since()
    if (changed?.length === 0) return
    sets.changed(changed)
    walks.changed()
  }

  function countStates(network: string): [status: string, total: number][] {
    return totals.all(network).map((row) => [row['status'] as string, Number(row['total'])])
  }

  /** The list's parts, the lowest first. */
  function stretchesOf(
    { network, filter, sort: { by } }: ListAsked,
    set: KeySet | null,
    skip: number,
  ): Stretch[] {
    const plain = {
      network,
      order: orders.created,
      condition: null,
      within: null,
      except: null,
      keys: null,
    }
    const states = countStates(network)
    const count = set?.count ?? states.reduce((sum, [, total]) => sum + total, 0)
    if (by === 'status') {
      const listed = states.filter(([status]) => allowsState(filter, status))
      if (set !== null && listed.length === 1) {
        return [{ size: () => count, among: () => ({ ...plain, within: set }) }]
      }
      return listed.map(([status, total]) => {
        const condition = { where: 'status = ?', values: [status] }
        if (set === null) return { size: () => total, among: () => ({ ...plain, condition }) }
        if (skip > limits.few) {
          const names = states.map(([name]) => name)
          const keys = () => walks.byState(network, names).get(status) ?? null
          const among = () => ({ ...plain, within: set, keys: keys() })
          return { size: () => countIn(set, keys() ?? []), among }
        }
        const within = () => intersect([set, sets.of(network, condition)])
        return { size: () => within().count, among: () => ({ ...plain, within: within() }) }
      })
    }
    const order = orders[by]
    const among = { ...plain, order, within: set }
    if (order.only === null) return [{ size: () => count, among: () => among }]
    const valued = () => walks.setOf(network, order)
    const size = () =>
      set === null ? walks.countOf(network, order) : intersect([set, valued()]).count
    return [
      {
        size: () => count - size(),
        among: () =>
          set === null
            ? { ...plain, except: valued() }
            : { ...plain, within: without(set, keysOf(valued())) },
      },
      { size, among: () => among },
    ]
  }

  function walk(asked: ListAsked, set: KeySet | null, total: number): number[] {
    const { sort, offset } = asked
    const limit = Math.min(asked.limit, total - offset)
    const behind = total - offset - limit
    // What is nearer to the end is looked for from there.
    const isFromEnd = behind < offset
    const descending = sort.descending !== isFromEnd
    let skip = isFromEnd ? behind : offset
    const stretches = stretchesOf(asked, set, skip)
    const found: number[] = []
    for (const { size, among } of descending ? stretches.reverse() : stretches) {
      const left = limit - found.length
      // To know how many there are may take reading all of them: only where it matters.
      const isPassed = skip > 0 && size() <= skip
      if (!isPassed) found.push(...walks.cut(among(), { descending, offset: skip, limit: left }))
      if (found.length === limit) break
      skip = Math.max(0, skip - size())
    }
    return isFromEnd ? found.reverse() : found
  }

  function sort(asked: ListAsked, set: KeySet): number[] {
    const { by, descending } = asked.sort
    const sql = `SELECT key FROM invoices NOT INDEXED
      WHERE key IN (SELECT value FROM json_each(?))
      ORDER BY ${orderBy(termsOf(by), descending)} LIMIT ? OFFSET ?`
    return [...readKeys(sql, [JSON.stringify(keysOf(set)), asked.limit, asked.offset])]
  }

  return {
    page(asked) {
      follow()
      const { network, filter, offset } = asked
      const set = sets.find(network, filter)
      const total = set?.count ?? countStates(network).reduce((sum, [, each]) => sum + each, 0)
      if (offset >= total) return { total, invoices: [] }
      const keys =
        set !== null && set.count <= limits.few ? sort(asked, set) : walk(asked, set, total)
      const found = new Map(rows.all(JSON.stringify(keys)).map((row) => [Number(row['key']), row]))
      return {
        total,
        invoices: keys.flatMap((key) => {
          const row = found.get(key)
          return row === undefined ? [] : [toInvoice(row)]
        }),
      }
    },
  }
}
