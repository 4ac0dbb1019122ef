import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { dataPaths } from '../../src-main/app/paths.ts'
import { removeDatabase } from '../../src-main/captures/store/index/schema.ts'
import { openStore } from '../../src-main/database/open-store.ts'
import { rescueDatabase } from '../../src-main/database/rescue.ts'
import { startApp } from '../fixtures/app.ts'
import { damagePages, flipBit } from '../fixtures/damage.ts'
import {
  compareRescued,
  damageOf,
  makeStore,
  readRows,
  zeroPages,
} from '../fixtures/damaged-stores.ts'
import { copyOf, temporaryDirectory } from '../fixtures/directory.ts'
import {
  deliveries,
  filledDirectory,
  noticeIds,
  restartUntilHealed,
  setAside,
  startAgain,
} from '../fixtures/damaged-home.ts'

// The directory is filled once; each test damages its own copy.
const filled = await filledDirectory()
afterAll(() => filled[Symbol.dispose]())

test('a database with lost pages is rescued without their contents, with a notice and the app running', async () => {
  using home = copyOf(filled)
  // Captures are at this position, after the schema and the empty tables.
  damagePages(join(home.path, 'tondesk.db'), 0.6, 0.65)
  await using app = await startApp({ dataDirectory: home.path })
  // Damage that the start does not read is found and reported when the index reads the log.
  await using healed = await restartUntilHealed(app)
  const { total } = await healed.request('capture.counts')
  expect(total).toBeGreaterThan(deliveries * 0.8)
  expect(total).toBeLessThan(deliveries)
  expect(setAside(home)).toHaveLength(1)
  expect(await healed.request('app.checkIntegrity')).toMatchObject({ ok: true, captures: total })
  expect((await healed.request('settings.get')).appearance.theme).toBe('dark')
  expect((await healed.request('label.list', { network: 'mainnet' })).total).toBe(1)
  expect(await healed.post('goes on')).toBe(200)
  expect((await healed.request('capture.counts')).newestId).toBeGreaterThan(deliveries)
})

// A kill leaves the write-ahead log; each case then deletes the log or the database to which it
// belongs.
test.each([
  ['deleted', ['-wal']],
  ['deleted with its database', ['-wal', '']],
])(
  'a write-ahead log %s between two runs is reported with the number of missing captures',
  async (_, lost) => {
    using home = copyOf(filled)
    {
      await using app = await startApp({ dataDirectory: home.path })
      for (let index = 0; index < 7; index += 1) await app.post('in the log only')
      await app.classified()
      cpSync(home.path, `${home.path}-killed`, { recursive: true })
      // A copied directory is readable for others, which would cause a notice.
      chmodSync(`${home.path}-killed`, 0o700)
    }
    using killed = {
      path: `${home.path}-killed`,
      [Symbol.dispose]: () => rmSync(`${home.path}-killed`, { recursive: true }),
    }
    for (const suffix of lost) rmSync(join(killed.path, `tondesk.db${suffix}`))
    await using app = await startApp({ dataDirectory: killed.path })
    const missing = deliveries + 7 - (await app.request('capture.counts')).total
    const [notice] = await app.request('notice.list')
    expect(notice).toMatchObject({ id: 'store.capturesMissing', level: 'alarm' })
    expect(notice?.detail).toMatch(new RegExp(`^At least ${missing} stored captures`))
    expect(await app.post('next')).toBe(200)
  },
)

test('garbage instead of the database is moved aside and reported, and the app starts', async () => {
  using home = copyOf(filled)
  const garbage = Buffer.alloc(300_000, 'no database at all ')
  writeFileSync(join(home.path, 'tondesk.db'), garbage)
  await using app = await startApp({ dataDirectory: home.path })
  const [notice] = await app.request('notice.list')
  expect(notice).toMatchObject({ id: 'store.rescued', level: 'alarm' })
  const [aside = ''] = setAside(home)
  expect(notice?.detail).toContain(join(home.path, aside, 'tondesk.db'))
  expect(readFileSync(join(home.path, aside, 'tondesk.db')).equals(garbage)).toBe(true)
  expect(await app.post('goes on')).toBe(200)
  const { rows } = await app.request('capture.list', { query: { text: 'goes on' } })
  expect(rows).toHaveLength(1)
})

test('a first start reports no damage', async () => {
  await using app = await startApp({ receive: false })
  expect(await app.request('notice.list')).toEqual([])
  expect(readdirSync(app.directory).filter((name) => name.startsWith('damaged'))).toEqual([])
})

test('a start after a kill at the beginning of the first start reports no damage', async () => {
  using home = temporaryDirectory()
  writeFileSync(join(home.path, 'tondesk.db'), '')
  await using app = await startApp({ dataDirectory: home.path, receive: false })
  expect(await app.request('notice.list')).toEqual([])
})

test('damage found while running is reported once, and the next start repairs it', async () => {
  using home = copyOf(filled)
  await using app = await startApp({ dataDirectory: home.path })
  expect(await app.request('notice.list')).toEqual([])
  // All data was read once and may be cached, but the check must read the file.
  await app.request('capture.list', { query: { text: 'contains:"not there"' } })
  // Simulates another program or a failing disk that damages the file while the app runs.
  damagePages(join(home.path, 'tondesk.db'), 0.5, 0.6)
  const report = await app.request('app.checkIntegrity')
  expect(report.ok).toBe(false)
  expect(report.problems.length).toBeGreaterThan(0)
  expect((await noticeIds(app)).filter((id) => id === 'store.damaged')).toHaveLength(1)
  expect(existsSync(join(home.path, 'rescue.json'))).toBe(true)
  await using again = await startAgain(app)
  expect(await noticeIds(again)).toEqual(['store.rescued'])
  expect(await again.request('app.checkIntegrity')).toMatchObject({ ok: true })
  expect(existsSync(join(home.path, 'rescue.json'))).toBe(false)
  await again.request('notice.dismiss', { id: 'store.rescued' })
  await using third = await startAgain(again)
  expect(await third.request('notice.list')).toEqual([])
})

test('a search index that is damaged while the app runs is rebuilt at the next start, without a rescue', async () => {
  using home = copyOf(filled)
  await using app = await startApp({ dataDirectory: home.path })
  damagePages(join(home.path, 'index.db'), 0.05, 1)
  // Each connection caches pages, but no cache contains the pages with old captures yet.
  const asked = [{ limit: 500 }, { limit: 500, query: { text: 'delivery' } }]
  const answers = await Promise.all(asked.map((input) => app.envelope('capture.list', input)))
  const codes = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.code]))
  expect(new Set(codes)).toEqual(new Set(['DATA_DAMAGED']))
  await app.until(
    async () => (await noticeIds(app)).includes('store.indexDamaged'),
    'the notice of the index',
  )
  expect(await noticeIds(app)).not.toContain('store.damaged')
  expect(await app.post('still stored')).toBe(200)
  await using again = await startAgain(app)
  expect(await again.request('notice.list')).toEqual([])
  expect(setAside(home)).toEqual([])
  expect(await again.classified()).toHaveLength(deliveries + 1)
  const { rows } = await again.request('capture.list', { query: { text: 'delivery' }, limit: 500 })
  expect(rows).toHaveLength(deliveries)
})

test('a rescue copies every row of intact pages, and no deleted row', async () => {
  using home = temporaryDirectory()
  const good = makeStore(home.path)
  const original = readRows(good)
  const spoiled = join(home.path, 'spoiled.db')
  const damages = [
    // The pages contain the schema, the map of pages, and the roots of trees.
    zeroPages(1),
    zeroPages(2),
    zeroPages(...Array.from({ length: 60 }, (_, index) => index + 3)),
    // One file is cut at 72 %, others have pages of zeros and of garbage.
    damageOf(3),
    damageOf(10),
    damageOf(11),
  ]
  for (const { name, apply } of damages) {
    copyFileSync(good, spoiled)
    const lost = apply(spoiled)
    await rescueDatabase(spoiled, join(home.path, name))
    expect([name, compareRescued(original, lost, spoiled)]).toEqual([
      name,
      { missing: [], wrong: [] },
    ])
    removeDatabase(spoiled)
  }
})

// Bytes of the magic string, the page size, the format versions, the free pages, the schema format
// and the version of the data. The long tests flip all 800 bits.
test.each([0, 16, 18, 35, 47, 60])(
  'one flipped bit at byte %d of the header loses no data',
  async (offset) => {
    using home = temporaryDirectory()
    const paths = dataPaths(home.path)
    copyFileSync(join(filled.path, 'tondesk.db'), paths.database)
    const expected = rowsOf(paths.database)
    flipBit(paths.database, offset, offset % 8)
    const { database, rescue } = await openStore(paths, new Date())
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    database.close()
    expect(rescue).toMatchObject({ isComplete: true })
    expect(rowsOf(paths.database)).toEqual(expected)
  },
)

/** Counts the rows of each table. */
function rowsOf(path: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path)
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map(({ name }) => `SELECT '${String(name)}' AS name, count(*) AS n FROM ${String(name)}`)
  const rows = tables.map((sql) => database.prepare(sql).get() ?? {})
  database.close()
  return rows
}
