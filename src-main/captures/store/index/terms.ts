import type { Database } from '../../../database/database.ts'

export type SharedValue = { readonly id: number; readonly value: string | null }

/** Values by property, each with a number that represents it in the index. */
export type Terms = {
  /** Assigns a new id to a new value while there is room, then the id for all others. */
  idOf(key: string, value: string): number
  of(key: string): SharedValue[]
  clear(): void
  /** Call after a rollback, whose new values do not exist. */
  reload(): void
}

/** Stands for values of properties that there was no room for at all. */
const overflowId = 0

/**
 * Senders choose their values freely (a request id is a header, too). A property with more values than
 * this is not indexed by value, and its captures are read one by one.
 */
const maxValues = 1000
const maxTerms = 50_000
const longestValue = 200
const reserved = 2000

export function createTerms(database: Database): Terms {
  const all = database.prepare('SELECT id, key, value FROM terms')
  const insert = database.prepare('INSERT INTO terms (id, key, value) VALUES (?, ?, ?)')
  const removeAll = database.prepare('DELETE FROM terms')
  let known = new Map<string, Map<string | null, number>>()
  let lastId = 0

  function load(): void {
    known = new Map()
    lastId = 0
    for (const row of all.all()) {
      const id = row['id'] as number
      valuesOf(row['key'] as string).set(row['value'] as string | null, id)
      lastId = Math.max(lastId, id)
    }
  }

  function valuesOf(key: string): Map<string | null, number> {
    let values = known.get(key)
    if (values === undefined) known.set(key, (values = new Map<string | null, number>()))
    return values
  }

  function add(key: string, value: string | null, id: number): number {
    insert.run(id, key, value)
    valuesOf(key).set(value, id)
    lastId = Math.max(lastId, id)
    return id
  }

  load()
  return {
    idOf(key, value) {
      const values = known.get(key)
      const id = values?.get(value)
      if (id !== undefined) return id
      const isKept =
        value.length <= longestValue &&
        (values?.size ?? 0) < maxValues &&
        lastId < maxTerms - reserved
      const kept = isKept ? value : null
      const others = values?.get(kept)
      if (others !== undefined) return others
      if (lastId < maxTerms) return add(key, kept, lastId + 1)
      return known.get('')?.get(null) ?? add('', null, overflowId)
    },
    of(key) {
      const found = [...(known.get(key) ?? [])].map(([value, id]) => ({ id, value }))
      return known.has('') && !found.some(({ value }) => value === null)
        ? [...found, { id: overflowId, value: null }]
        : found
    },
    clear() {
      removeAll.run()
      load()
    },
    reload: load,
  }
}

/** Values for completion, read through a separate connection. */
export type TermsReader = Pick<Terms, 'of'> & {
  keys(prefix: string): string[]
}

export function createTermsReader(database: Database): TermsReader {
  const values = database.prepare('SELECT id, value FROM terms WHERE key = ?')
  // One index seek per property, not one per value.
  const next = database.prepare('SELECT key FROM terms WHERE key > ? ORDER BY key LIMIT 1')
  return {
    of: (key) =>
      values
        .all(key)
        .map((row) => ({ id: row['id'] as number, value: row['value'] as string | null })),
    keys(prefix) {
      const keys: string[] = []
      for (let after = prefix; ;) {
        const key = next.get(after)?.['key']
        if (typeof key !== 'string' || !key.startsWith(prefix)) return keys
        keys.push((after = key))
      }
    },
  }
}
