import type { Database } from '../../database/database.ts'
import { createLruCache } from './lru-cache.ts'
import { type KeySet, hasKey, keySetOf } from './key-set.ts'
import type { Condition } from './list-conditions.ts'
import { type Keys, type ReadKeys, parseKeys } from './list-keys.ts'
import { type Order, orderBy, orders } from './list-orders.ts'

/** Which rows of an order; null: no matter which. */
export type Among = {
  readonly network: string
  readonly order: Order
  /** Of the order's index; where it stands, the rest is null. */
  readonly condition: Condition | null
  readonly within: KeySet | null
  readonly except: KeySet | null
  /** Walked along instead of the index: all there are, the lowest first. */
  readonly keys: Keys | null
}

type Part = {
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
}

/** Walks along orders that an index has. */
type ListWalks = {
  /** Fewer than the limit where there are no more. */
  cut(among: Among, part: Part): number[]
  /** All of each state in the order of the creation: one reading for all states. */
  byState(network: string, states: readonly string[]): ReadonlyMap<string, Keys>
  /** All that the order's index holds. */
  setOf(network: string, order: Order): KeySet
  countOf(network: string, order: Order): number
  /** Rows may stand elsewhere now. */
  changed(): void
}

/** An order from one of its ends, as far as it was needed. */
type Walk = { keys: Keys; isWhole: boolean }

/** Each takes up to 4 MB for a million invoices. */
const keptWalks = 6
/** Of what was read already, so much more at a time. */
const growth = 3

/** @param firstRows read of an order at first */
export function createListWalks(
  database: Database,
  readKeys: ReadKeys,
  firstRows: number,
): ListWalks {
  const walks = createLruCache<Walk>(keptWalks)
  const states = createLruCache<ReadonlyMap<string, Keys>>(1)
  const sets = createLruCache<KeySet>(keptWalks)

  const from = ({ index, only }: Order) =>
    `FROM invoices INDEXED BY ${index} WHERE network = ?${only === null ? '' : ` AND ${only}`}`
  const select = (order: Order, descending: boolean, and = '') =>
    `SELECT key ${from(order)} ${and} ORDER BY ${orderBy(order.columns, descending)}`

  function walkOf(network: string, order: Order, descending: boolean): Walk {
    const name = `${network} ${order.index} ${descending}`
    return walks.take(name, () => ({ keys: new Int32Array(0), isWhole: false }))
  }

  function goOn(walk: Walk, network: string, order: Order, descending: boolean): void {
    const { length } = walk.keys
    const limit = Math.max(firstRows, growth * length)
    const sql = `${select(order, descending)} LIMIT ? OFFSET ?`
    const more = readKeys(sql, [network, limit, length])
    const keys = new Int32Array(length + more.length)
    keys.set(walk.keys)
    keys.set(more, length)
    walk.keys = keys
    walk.isWhole = more.length < limit
  }

  function walkAlong(among: Among, part: Part): number[] {
    const { network, order, within } = among
    // Behind the last of them nothing is to be looked for.
    const limit = Math.min(part.limit, (within?.count ?? Infinity) - part.offset)
    const picked: Picked = { keys: [], skip: part.offset, at: 0 }
    if (limit <= 0) return picked.keys
    const walk = walkOf(network, order, part.descending)
    for (;;) {
      pick(walk.keys, among, picked, limit)
      if (picked.keys.length === limit || walk.isWhole) return picked.keys
      goOn(walk, network, order, part.descending)
    }
  }

  return {
    cut(among, part) {
      const { network, order, condition, within, except, keys } = among
      const { descending, offset, limit } = part
      if (limit <= 0) return []
      if (keys !== null) {
        const picked: Picked = { keys: [], skip: offset, at: 0 }
        pick(descending ? keys.toReversed() : keys, among, picked, limit)
        return picked.keys
      }
      if (within !== null || except !== null) return walkAlong(among, part)
      const and = condition === null ? '' : `AND ${condition.where}`
      const sql = `${select(order, descending, and)} LIMIT ? OFFSET ?`
      return [...readKeys(sql, [network, ...(condition?.values ?? []), limit, offset])]
    },
    byState: (network, names) =>
      states.take(network, () => {
        const { index, columns } = orders.created
        // A letter for each row's state: to gather each state's keys apart takes thrice as long.
        const letter = names.map((_, at) => `WHEN ?${at + 2} THEN '${letterOf(at)}'`).join(' ')
        const row = database
          .prepare(
            `SELECT group_concat(key) AS keys, group_concat(letter, '') AS letters
             FROM (SELECT key, CASE status ${letter} END AS letter
               FROM invoices INDEXED BY ${index} WHERE network = ?1
               ORDER BY ${orderBy(columns, false)})`,
          )
          .get(network, ...names)
        const found = apart(
          parseKeys(row?.['keys']),
          (row?.['letters'] ?? '') as string,
          names.length,
        )
        return new Map(names.map((name, at) => [name, found[at] ?? new Int32Array(0)]))
      }),
    setOf: (network, order) =>
      sets.take(`${network} ${order.index}`, () => {
        const walk = walkOf(network, order, true)
        while (!walk.isWhole) goOn(walk, network, order, true)
        return keySetOf(walk.keys)
      }),
    countOf: (network, order) =>
      Number(database.prepare(`SELECT count(*) AS n ${from(order)}`).get(network)?.['n']),
    changed() {
      walks.clear()
      states.clear()
      sets.clear()
    },
  }
}

/** What was found so far, and from where it is to be gone on. */
type Picked = { readonly keys: number[]; skip: number; at: number }

function pick(
  keys: Keys,
  { within, except }: Pick<Among, 'within' | 'except'>,
  picked: Picked,
  limit: number,
): void {
  for (; picked.at < keys.length && picked.keys.length < limit; picked.at += 1) {
    const key = keys[picked.at] ?? 0
    if (within !== null && !hasKey(within, key)) continue
    if (except !== null && hasKey(except, key)) continue
    if (picked.skip > 0) picked.skip -= 1
    else picked.keys.push(key)
  }
}

/** Keys by their letters. */
function apart(keys: Keys, letters: string, count: number): Keys[] {
  const sizes = new Int32Array(count)
  const at = (index: number) => letters.charCodeAt(index) - firstLetter
  for (let index = 0; index < keys.length; index += 1)
    sizes[at(index)] = (sizes[at(index)] ?? 0) + 1
  const found = Array.from(sizes, (size) => new Int32Array(size))
  const filled = new Int32Array(count)
  for (let index = 0; index < keys.length; index += 1) {
    const letter = at(index)
    const place = filled[letter] ?? 0
    const its = found[letter]
    if (its !== undefined) its[place] = keys[index] ?? 0
    filled[letter] = place + 1
  }
  return found
}

const firstLetter = 0x41

/** There are as many signs as anybody has states; none of them needs quoting. */
function letterOf(index: number): string {
  return String.fromCodePoint(firstLetter + index)
}
