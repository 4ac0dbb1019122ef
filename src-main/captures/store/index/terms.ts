import type { Database } from '../../../database/database.ts'
import { createSql } from '../../../database/sql.ts'

export type SharedValue = { readonly id: number; readonly value: string | null }

/** Stands for all values of properties that were not stored for lack of room. */
const overflowId = 0

/**
 * Senders choose their values freely (a request id is a header too). A property with more values
 * than this is not indexed by value, so its captures are read one by one.
 */
const maxValues = 1000
const maxTerms = 50_000
const longestValue = 200
const reserved = 2000

export type Terms = ReturnType<typeof createTerms>

/** Stores values by property, each with a number that represents it in the index. */
export function createTerms(database: Database) {
  const sql = createSql(database)
  let known = new Map<string, Map<string | null, number>>()
  let lastId = 0

  function load(): void {
    known = new Map()
    lastId = 0
    for (const { id, key, value } of sql.iterate<SharedValue & { readonly key: string }>(
      'SELECT id, key, value FROM terms',
    )) {
      valuesOf(key).set(value, id)
      lastId = Math.max(lastId, id)
    }
  }

  function valuesOf(key: string): Map<string | null, number> {
    let values = known.get(key)
    if (values === undefined) known.set(key, (values = new Map<string | null, number>()))
    return values
  }

  function add(key: string, value: string | null, id: number): number {
    sql.insert('terms', { id, key, value })
    valuesOf(key).set(value, id)
    lastId = Math.max(lastId, id)
    return id
  }

  load()
  return {
    /** Assigns a new id to a new value while there is room, then a common id to all others. */
    idOf(key: string, value: string): number {
      const values = known.get(key)
      const id = values?.get(value)
      if (id !== undefined) return id
      const isStored =
        value.length <= longestValue &&
        (values?.size ?? 0) < maxValues &&
        lastId < maxTerms - reserved
      const storedValue = isStored ? value : null
      const others = values?.get(storedValue)
      if (others !== undefined) return others
      if (lastId < maxTerms) return add(key, storedValue, lastId + 1)
      return known.get('')?.get(null) ?? add('', null, overflowId)
    },
    of(key: string): SharedValue[] {
      const found = [...(known.get(key) ?? [])].map(([value, id]) => ({ id, value }))
      return known.has('') && !found.some(({ value }) => value === null)
        ? [...found, { id: overflowId, value: null }]
        : found
    },
    clear(): void {
      sql.run('DELETE FROM terms')
      load()
    },
    /** Call this after a rollback, whose new values do not exist. */
    reload: load,
  }
}

/** Reads values for completion through a separate connection. */
export function createTermsReader(database: Database) {
  const sql = createSql(database)
  return {
    of: (key: string) => sql.all<SharedValue>('SELECT id, value FROM terms WHERE key = ?', key),
    keys(prefix: string): string[] {
      const keys: string[] = []
      // One index lookup per property, instead of one per value.
      for (let after = prefix; ;) {
        const key = sql.value<string>(
          'SELECT key FROM terms WHERE key > ? ORDER BY key LIMIT 1',
          after,
        )
        if (key?.startsWith(prefix) !== true) return keys
        keys.push((after = key))
      }
    },
  }
}
