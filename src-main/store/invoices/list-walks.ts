import type { Database } from '../database.ts'
import { createKept } from './kept.ts'
import type { KeySet } from './key-set.ts'
import { hasKey, keySetOf } from './key-set.ts'
import type { Condition } from './list-conditions.ts'
import type { Keys, ReadKeys } from './list-keys.ts'
import { parseKeys } from './list-keys.ts'
import type { Order } from './list-orders.ts'
import { orderBy, orders } from './list-orders.ts'

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

export type Part = {
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
}

/** Walks along orders that an index has. */
export type ListWalks = {
  /** Fewer than the limit where there are no more. */
  cut(among: Among, part: Part): number[]
  /** All of a state in the order of the creation: one reading for all states. */
  byState(network: string, states: readonly string[]): ReadonlyMap<string, Keys>
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
  const whole = createKept<Keys>(keptOrders)
  const states = createKept<ReadonlyMap<string, Keys>>(1)
  const heads = createKept<Keys>(2 * keptOrders)
  const sets = createKept<KeySet>(keptOrders)

  const from = ({ index, only }: Order) =>
    `FROM invoices INDEXED BY ${index} WHERE network = ?${only === null ? '' : ` AND ${only}`}`
  const select = (order: Order, descending: boolean, and = '') =>
    `SELECT key ${from(order)} ${and} ORDER BY ${orderBy(order.columns, descending)}`
  const nameOf = (network: string, { index }: Order) => `${network} ${index}`

  /** The lowest first. */
  function all(network: string, order: Order): Keys {
    return whole.take(nameOf(network, order), () => readKeys(select(order, false), [network]))
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
      if (among.keys !== null) {
        return pick(among.keys, among, { offset, limit, isBackwards: descending })
      }
      if (within === null && except === null) {
        const and = condition === null ? '' : `AND ${condition.where}`
        const sql = `${select(order, descending, and)} LIMIT ? OFFSET ?`
        return [...readKeys(sql, [network, ...(condition?.values ?? []), limit, offset])]
      }
      if (!whole.has(nameOf(network, order))) {
        const first = head(network, order, descending)
        const found = pick(first, among, { offset, limit, isBackwards: false })
        if (found.length === limit || first.length < headRows) return found
      }
      return pick(all(network, order), among, { offset, limit, isBackwards: descending })
    },
    byState: (network, names) =>
      states.take(network, () => {
        const columns = names.map((_, index) => {
          const filter = `FILTER (WHERE status = ?${index + 2})`
          return `count(*) ${filter} AS total${index}, group_concat(key) ${filter} AS keys${index}`
        })
        const { index, columns: terms } = orders.created
        const row = database
          .prepare(
            `SELECT ${columns.join(', ')} FROM (SELECT key, status FROM invoices INDEXED BY ${index}
               WHERE network = ?1 ORDER BY ${orderBy(terms, false)})`,
          )
          .get(network, ...names)
        return new Map(
          names.map((name, at) => [
            name,
            parseKeys(row?.[`keys${at}`], Number(row?.[`total${at}`])),
          ]),
        )
      }),
    setOf: (network, order) =>
      sets.take(nameOf(network, order), () => keySetOf(all(network, order))),
    countOf: (network, order) =>
      Number(database.prepare(`SELECT count(*) AS n ${from(order)}`).get(network)?.['n']),
    changed() {
      whole.clear()
      states.clear()
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
