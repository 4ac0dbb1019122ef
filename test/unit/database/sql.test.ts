import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { createSql, flag, int64, int64Text, json } from '../../../src-main/database/sql.ts'

let database: Database

beforeEach(() => {
  database = openDatabase(':memory:')
  database.exec(
    `CREATE TABLE items (id INTEGER PRIMARY KEY, is_new INTEGER, enabled INTEGER, last_lt INTEGER,
       amount INTEGER, file_names TEXT, body BLOB)`,
  )
  return () => database.close()
})

const codecs = { enabled: flag, lastLt: int64, amount: int64Text, fileNames: json }

const item = {
  id: 7,
  isNew: true,
  enabled: false,
  lastLt: 2n ** 63n - 1n,
  amount: '9007199254740993',
  fileNames: ['a', 'b'],
  body: Uint8Array.of(1, 2),
}

describe('the SQL helper', () => {
  it('every kind of column is written and read without a change, including integers beyond 2^53', () => {
    const sql = createSql(database, codecs)
    expect(sql.insert('items', item)).toBe(7)
    expect(sql.get('SELECT * FROM items WHERE last_lt = $lastLt', item)).toEqual(item)
    expect(sql.value('SELECT typeof(amount) FROM items')).toBe('integer')
    expect([...sql.iterate('SELECT * FROM items')]).toEqual([item])
  })

  it('named parameters are bound in any position of a statement, and never inside a string', () => {
    const sql = createSql(database, codecs)
    for (const id of [1, 2, 3]) sql.insert('items', { id, fileNames: ['$id', ':id'] })
    expect(
      sql.column('SELECT id FROM items WHERE id >= :id AND id <= $id + 1 -- $x', { id: 2 }),
    ).toEqual([2, 3])
    const quoted = `SELECT file_names = '["$id",":id"]' AS same FROM items WHERE id = $id`
    expect(sql.value(quoted, { $id: 3 })).toBe(1)
  })

  it('insertAll inserts many rows like single inserts, including rows that do not fill a statement', () => {
    const sql = createSql(database, codecs)
    const rows = Array.from({ length: 53 }, (_, index) => {
      return { ...item, id: index + 1, fileNames: [`${index}`], enabled: index % 2 === 0 }
    })
    sql.insertAll('items', [])
    sql.insertAll('items', rows)
    expect(sql.all('SELECT * FROM items ORDER BY id')).toEqual(rows)
    sql.insertAll('items', [{ ...item, id: 53, isNew: null }], 'INSERT OR REPLACE')
    expect(sql.get('SELECT * FROM items WHERE id = 53')).toEqual({ ...item, id: 53, isNew: null })
  })

  it('NULL is read as null with every codec', () => {
    const sql = createSql(database, codecs)
    const empty = { isNew: null, enabled: null, lastLt: null, amount: null, fileNames: null }
    sql.insert('items', { ...empty, body: null })
    expect(sql.all('SELECT * FROM items')).toEqual([{ id: 1, ...empty, body: null }])
    expect(sql.value('SELECT last_lt FROM items')).toBeNull()
    expect(sql.get('SELECT * FROM items WHERE id = 2')).toBeNull()
    expect(sql.value('SELECT id FROM items WHERE id = 2')).toBeNull()
  })

  it('update and remove change only the matching rows, even if a column is in both arguments', () => {
    const sql = createSql(database, codecs)
    for (const id of [1, 2, 3]) sql.insert('items', { id, amount: '5', fileNames: [] })
    expect(sql.update('items', { id: 4, amount: '6' }, { id: 2, amount: '5' })).toBe(1)
    expect(sql.column('SELECT id FROM items WHERE amount = 6')).toEqual([4])
    expect(sql.remove('items', { id: 1, amount: '6' })).toBe(0)
    expect(sql.remove('items', { id: 1 })).toBe(1)
    expect(sql.run('UPDATE items SET is_new = ? WHERE id > ?', true, 2)).toBe(2)
    expect(sql.column('SELECT is_new FROM items')).toEqual([true, true])
  })

  it('each SQL text is prepared once, however often it is used', () => {
    let prepared = 0
    const counting = new Proxy(database, {
      get(target, name) {
        if (name !== 'prepare') return Reflect.get(target, name) as unknown
        return (text: string) => {
          prepared += 1
          return target.prepare(text)
        }
      },
    })
    const sql = createSql(counting, codecs)
    for (const id of [1, 2, 3]) {
      sql.insert('items', { id })
      sql.update('items', { isNew: true }, { id })
      sql.get('SELECT id FROM items WHERE id = ?', id)
    }
    expect(prepared).toBe(3)
  })

  it('the error of a value that its codec cannot read names the column', () => {
    database.exec(`INSERT INTO items (id, is_new, last_lt, amount, file_names)
      VALUES (1, 2, 9007199254740993, 9007199254740993, '{')`)
    const sql = createSql(database, codecs)
    expect(() => sql.get('SELECT is_new FROM items')).toThrow('isNew cannot be read: 2 is neither')
    expect(() => sql.get('SELECT file_names FROM items')).toThrow('fileNames cannot be read')
    const other = createSql(database, { amount: int64 })
    expect(() => other.get('SELECT amount, last_lt FROM items')).toThrow(
      'Column lastLt cannot be read: 9007199254740993 needs the codec int64',
    )
    expect(() => sql.get('SELECT a.id, b.id FROM items a, items b')).toThrow('named id')
  })

  it('a failed transaction is rolled back completely', () => {
    const sql = createSql(database, codecs)
    const failing = () =>
      sql.transaction(() => {
        sql.insert('items', { id: 1 })
        sql.insert('items', { id: 1 })
      })
    expect(failing).toThrow('UNIQUE')
    expect(sql.value('SELECT count(*) FROM items')).toBe(0)
  })
})
