import type { Database } from '../database.ts'
import { createKept } from './kept.ts'
import type { KeySet } from './key-set.ts'
import { hasKey, keySetOf } from './key-set.ts'
import type { Condition } from './list-conditions.ts'
import type { Keys, ReadKeys } from './list-keys.ts'
import type { Order } from './list-orders.ts'
import { orderBy } from './list-orders.ts'

/** Which rows of an order; null: no matter which. */
export type Among = {
  readonly network: string
  readonly order: Order
  /** Of the order's index; where it stands, the rest is null. */
  readonly condition: Condition | null
  readonly within: KeySet | null
  readonly except: KeySet | null
}

export type Part = {
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
}

/** Walks along orders that an index has. */
export type ListWalks = {
  /** Fewer than the limit where there are no more. */
  cut(among: Among, part: Part): number[]
  /** All that the order's index holds. */
  setOf(network: string, order: Order): KeySet
  countOf(network: string, order: Order): number
  /** Rows may stand elsewhere now. */
  changed(): void
}

/** Each takes 4 MB for a million invoices. */
const keptOrders = 4

/** @param headRows read of an order before all of it is */
export function createListWalks(
  database: Database,
  readKeys: ReadKeys,
  headRows: number,
): ListWalks {
  const orders = createKept<Keys>(keptOrders)
  const heads = createKept<Keys>(2 * keptOrders)
  const sets = createKept<KeySet>(keptOrders)

  const from = ({ index, only }: Order) =>
    `FROM invoices INDEXED BY ${index} WHERE network = ?${only === null ? '' : ` AND ${only}`}`
  const select = (order: Order, descending: boolean, and = '') =>
    `SELECT key ${from(order)} ${and} ORDER BY ${orderBy(order.columns, descending)}`
  const nameOf = (network: string, { index }: Order) => `${network} ${index}`

  /** The lowest first. */
  function all(network: string, order: Order): Keys {
    return orders.take(nameOf(network, order), () => readKeys(select(order, false), [network]))
  }

  function head(network: string, order: Order, descending: boolean): Keys {
    return heads.take(`${nameOf(network, order)} ${descending}`, () =>
      readKeys(`${select(order, descending)} LIMIT ${headRows}`, [network]),
    )
  }

  return {
    cut(among, { descending, offset, limit }) {
      const { network, order, condition, within, except } = among
      if (limit <= 0) return []
      if (within === null && except === null) {
        const and = condition === null ? '' : `AND ${condition.where}`
        const sql = `${select(order, descending, and)} LIMIT ? OFFSET ?`
        return [...readKeys(sql, [network, ...(condition?.values ?? []), limit, offset])]
      }
      if (!orders.has(nameOf(network, order))) {
        const first = head(network, order, descending)
        const found = pick(first, among, { offset, limit, isBackwards: false })
        if (found.length === limit || first.length < headRows) return found
      }
      return pick(all(network, order), among, { offset, limit, isBackwards: descending })
    },
    setOf: (network, order) =>
      sets.take(nameOf(network, order), () => keySetOf(all(network, order))),
    countOf: (network, order) =>
      Number(database.prepare(`SELECT count(*) AS n ${from(order)}`).get(network)?.['n']),
    changed() {
      orders.clear()
      heads.clear()
      sets.clear()
    },
  }
}

function pick(
  keys: Keys,
  { within, except }: Pick<Among, 'within' | 'except'>,
  part: { readonly offset: number; readonly limit: number; readonly isBackwards: boolean },
): number[] {
  const found: number[] = []
  let skip = part.offset
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[part.isBackwards ? keys.length - 1 - index : index] ?? 0
    if (within !== null && !hasKey(within, key)) continue
    if (except !== null && hasKey(except, key)) continue
    if (skip > 0) skip -= 1
    else if (found.push(key) === part.limit) break
  }
  return found
}
