import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { type Database, DamageError, transaction } from './database.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'

export type { Database } from './database.ts'

/** Logical times are unsigned 64-bit numbers, stored with the same bits in SQLite's signed integers. */
export const unsigned64: Codec<bigint> = {
  decode: (stored) => BigInt.asUintN(64, stored as bigint),
  encode: (lt) => BigInt.asIntN(64, lt),
  isInt64: true,
}

export const unsigned64Text: Codec<string> = {
  decode: (stored) => BigInt.asUintN(64, stored as bigint).toString(),
  encode: (lt) => BigInt.asIntN(64, BigInt(lt)),
  isInt64: true,
}

/** How a column is stored, and the value that the program uses. NULL is null on both sides, without a codec. */
export type Codec<T = never> = {
  readonly decode: (stored: unknown) => unknown
  readonly encode: (value: T) => SQLInputValue
  readonly isInt64?: true
}

/** Booleans are stored as 0 and 1. Columns whose names begin with `is_` or `has_` need no declaration. */
export const flag: Codec<boolean> = {
  decode: (stored) => {
    const number = Number(stored)
    if (number !== 0 && number !== 1) throw new Error(`${String(stored)} is neither 0 nor 1`)
    return number === 1
  },
  encode: Number,
}

export const json: Codec<unknown> = {
  decode: (stored) => JSON.parse(stored as string) as unknown,
  encode: (value) => JSON.stringify(value),
}

export const int64: Codec<bigint> = {
  decode: (stored) => stored,
  encode: (value) => value,
  isInt64: true,
}

/** Integers that may exceed 2^53 are stored as decimal text. */
export const int64Text: Codec<string> = {
  decode: String,
  encode: BigInt,
  isInt64: true,
}

/** Positional values for `?`, or one object of named parameters; booleans become 0 and 1. */
export type SqlValues = readonly (SQLInputValue | boolean)[] | readonly [Fields]
type Fields = Readonly<Record<string, unknown>>

type Prepared = {
  readonly statement: StatementSync
  /** The parameter name of each place in the statement, if parameters are named. */
  readonly names: readonly string[]
  readonly read: (row: unknown) => unknown
}

export type Sql = ReturnType<typeof createSql>

/**
 * Prepares the statements of one store at their first use and reuses them. Rows have the columns'
 * names in camel case, which `codecs` use as keys. Do not run a statement again while `iterate`
 * reads the same text.
 */
export function createSql(database: Database, codecs: Readonly<Record<string, Codec>> = {}) {
  const cache = new Map<string, Prepared>()

  function prepare(text: string): Prepared {
    let found = cache.get(text)
    if (found === undefined) {
      found = prepareStatement(database, text, codecs)
      if (cache.size === maxStatements) cache.clear()
      cache.set(text, found)
    }
    return found
  }

  const encode = (name: string, value: unknown): SQLInputValue => {
    const codec = value === null || value === undefined ? undefined : codecs[name]
    return codec === undefined ? toInput(value) : codec.encode(value as never)
  }

  function bind({ names }: Prepared, values: SqlValues): SQLInputValue[] {
    const [first] = values
    if (typeof first !== 'object' || first === null || ArrayBuffer.isView(first)) {
      return values.map(toInput)
    }
    const fields: Fields = first
    return names.map((name) => {
      if (Object.hasOwn(fields, name)) return encode(name, fields[name])
      return toInput(fields[`$${name}`] ?? null)
    })
  }

  function all<Row>(text: string, ...values: SqlValues): Row[] {
    const prepared = prepare(text)
    return prepared.statement.all(...bind(prepared, values)).map(prepared.read) as Row[]
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- SQL has no types to infer it from
  function get<Row>(text: string, ...values: SqlValues): Row | null {
    const prepared = prepare(text)
    const row = prepared.statement.get(...bind(prepared, values))
    return row === undefined ? null : (prepared.read(row) as Row)
  }

  function change(text: string, values: SqlValues) {
    const prepared = prepare(text)
    return prepared.statement.run(...bind(prepared, values))
  }

  const run = (text: string, ...values: SqlValues): number => Number(change(text, values).changes)

  return {
    all,
    get,
    run,
    *iterate<Row>(text: string, ...values: SqlValues): Generator<Row, void> {
      const prepared = prepare(text)
      const { statement, read } = prepared
      for (const row of statement.iterate(...bind(prepared, values))) yield read(row) as Row
    },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- SQL has no types to infer it from
    value<T>(text: string, ...values: SqlValues): T | null {
      const row = get<Record<string, T>>(text, ...values)
      return row === null ? null : (Object.values(row)[0] ?? null)
    },
    count: (from: string, ...values: SqlValues): number =>
      get<{ count: number }>(`SELECT count(*) AS count FROM ${from}`, ...values)?.count ?? 0,
    exists: (from: string, ...values: SqlValues): boolean =>
      get(`SELECT 1 FROM ${from} LIMIT 1`, ...values) !== null,
    column: <T>(text: string, ...values: SqlValues): T[] =>
      all<Record<string, T>>(text, ...values).map((row) => Object.values(row)[0] as T),
    transaction: <T>(work: () => T): T => transaction(database, work),
    insert: (table: string, fields: Fields, verb?: InsertVerb): number =>
      Number(change(insertInto(table, fields, verb), [fields]).lastInsertRowid),
    /** Inserts rows with equal fields, 25 per statement, which takes half of the time. */
    insertAll(table: string, rows: readonly Fields[], verb?: InsertVerb): void {
      const names = Object.keys(rows[0] ?? {})
      for (let at = 0, count = 0; at < rows.length; at += count) {
        count = rows.length - at < rowsAtOnce ? 1 : rowsAtOnce
        const some = rows.slice(at, at + count)
        const { statement } = prepare(insertInto(table, some[0] ?? {}, verb, count))
        statement.run(...some.flatMap((row) => names.map((name) => encode(name, row[name]))))
      }
    },
    /** @returns the new row's id, or null if a unique index already contains the row */
    insertNew(table: string, fields: Fields): number | null {
      const text = `${insertInto(table, fields)} ON CONFLICT DO NOTHING`
      const { changes, lastInsertRowid } = change(text, [fields])
      return Number(changes) === 0 ? null : Number(lastInsertRowid)
    },
    upsert(table: string, key: Fields, fields: Fields): void {
      const names = Object.keys(fields).map(toColumnName)
      const all = { ...key, ...fields }
      run(
        `${insertInto(table, all)}
         ON CONFLICT (${Object.keys(key).map(toColumnName).join(', ')})
         DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        all,
      )
    },
    update(table: string, fields: Fields, where: Fields): number {
      const text = `UPDATE ${table} SET ${equals(fields, '').join(', ')}
        WHERE ${equals(where, 'where_').join(' AND ')}`
      const values: Record<string, unknown> = { ...fields }
      for (const [name, value] of Object.entries(where))
        values[`where_${name}`] = encode(name, value)
      return run(text, values)
    },
    remove: (table: string, where: Fields): number =>
      run(`DELETE FROM ${table} WHERE ${equals(where, '').join(' AND ')}`, where),
    /**
     * Removes at most 500 rows, so that other writes can run between calls.
     * @returns false once no row is left
     */
    removeSome: (table: string, key: string, where: Fields): boolean =>
      run(
        `DELETE FROM ${table} WHERE (${key}) IN
           (SELECT ${key} FROM ${table} WHERE ${equals(where, '').join(' AND ')} LIMIT 500)`,
        where,
      ) > 0,
  }
}

/** A query of the distinct ids in a column. It jumps from id to id, because DISTINCT would read every row. */
export const distinctIds = (table: string, column: string) =>
  `SELECT id FROM (WITH RECURSIVE ids (id) AS (
     SELECT min(${column}) FROM ${table}
     UNION ALL SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > id)
     FROM ids WHERE id IS NOT NULL) SELECT id FROM ids WHERE id IS NOT NULL)`

const maxStatements = 500
const rowsAtOnce = 25

function prepareStatement(
  database: Database,
  text: string,
  codecs: Readonly<Record<string, Codec>>,
): Prepared {
  // SQLite finds a named parameter by comparing names at each run; binding by place takes half of the time.
  const names: string[] = []
  const byPlace = text.replaceAll(/'[^']*'|"[^"]*"|--.*|[$:](\w+)/g, (part, name?: string) => {
    if (name === undefined) return part
    names.push(name)
    return '?'
  })
  const statement = database.prepare(byPlace)
  statement.setReturnArrays(true)
  const columns = statement.columns().map(({ name }) => {
    const key = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    return { key, codec: codecs[key] ?? (/^(is|has)_/.test(name) ? flag : undefined) }
  })
  const repeated = columns.find(({ key }, at) => columns.findIndex((each) => each.key === key) < at)
  if (repeated !== undefined) {
    throw new Error(`Two columns of an SQL statement are named ${repeated.key}: ${text}`)
  }
  statement.setReadBigInts(columns.some(({ codec }) => codec?.isInt64 === true))
  return {
    statement,
    names,
    read(row) {
      const record: Record<string, unknown> = {}
      let at = 0
      for (const { key, codec } of columns) {
        record[key] = decode(key, codec, (row as readonly unknown[])[at])
        at += 1
      }
      return record
    },
  }
}

function decode(name: string, codec: Codec | undefined, stored: unknown): unknown {
  if (stored === null) return null
  try {
    if (codec !== undefined) return codec.decode(stored)
    if (typeof stored !== 'bigint') return stored
    const number = Number(stored)
    if (!Number.isSafeInteger(number)) throw new Error(`${stored} needs the codec int64`)
    return number
  } catch (cause) {
    throw new DamageError(`Column ${name} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

type InsertVerb = 'INSERT' | 'INSERT OR REPLACE'

const equals = (fields: Fields, prefix: string): string[] =>
  Object.keys(fields).map((name) => `${toColumnName(name)} = $${prefix}${name}`)

function insertInto(table: string, fields: Fields, verb: InsertVerb = 'INSERT', rows = 1): string {
  const names = Object.keys(fields)
  const row = `(${names.map((name) => `$${name}`).join(', ')})`
  const columns = names.map(toColumnName).join(', ')
  return `${verb} INTO ${table} (${columns}) VALUES ${Array(rows).fill(row).join(', ')}`
}

const toInput = (value: unknown): SQLInputValue =>
  typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)

const columnNames = new Map<string, string>()

function toColumnName(name: string): string {
  let found = columnNames.get(name)
  if (found === undefined) {
    found = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    columnNames.set(name, found)
  }
  return found
}
