/** Tests a start with each kind of damage; test/main has the most frequent kinds. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { dataPaths } from '../../src-main/app/paths.ts'
import { openDatabase } from '../../src-main/database/database.ts'
import { migrate } from '../../src-main/database/migrate.ts'
import { openStore } from '../../src-main/database/open-store.ts'
import { startApp } from '../fixtures/app.ts'
import { damagePages, flipBit, pageSizeOf } from '../fixtures/damage.ts'
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

test.each([0.1, 0.9])('damage at %d of the file does not prevent the start', async (at) => {
  using home = copyOf(filled)
  damagePages(join(home.path, 'tondesk.db'), at, at + 0.04)
  await using app = await startApp({ dataDirectory: home.path })
  await using healed = await restartUntilHealed(app)
  expect((await healed.request('capture.counts')).total).toBeGreaterThan(deliveries / 2)
  expect(await healed.request('app.checkIntegrity')).toMatchObject({ ok: true })
  expect(setAside(home)).toHaveLength(1)
})

test('an app whose captures are lost starts, reports the damage and keeps the damaged file', async () => {
  using home = copyOf(filled)
  const file = join(home.path, 'tondesk.db')
  // The first pages are damaged, because all tables depend on them.
  damagePages(file, 0, 0.05)
  const damaged = readFileSync(file)
  await using app = await startApp({ dataDirectory: home.path })
  expect(await noticeIds(app)).toEqual(['store.rescued'])
  const [aside = ''] = setAside(home)
  expect(readFileSync(join(home.path, aside, 'tondesk.db')).equals(damaged)).toBe(true)
  expect(await app.post('goes on')).toBe(200)
})

test('the captures before the cut of a truncated file are rescued', async () => {
  using home = copyOf(filled)
  const file = join(home.path, 'tondesk.db')
  // The damage is in the last quarter, because the first quarter has the roots of all tables.
  const pageSize = pageSizeOf(file)
  truncateSync(file, Math.floor((statSync(file).size * 0.75) / pageSize) * pageSize)
  await using app = await startApp({ dataDirectory: home.path })
  expect(await noticeIds(app)).toContain('store.rescued')
  const { total } = await app.request('capture.counts')
  expect(total).toBeGreaterThan(deliveries * 0.3)
  expect(setAside(home)).toHaveLength(1)
})

test.each([0.5, 0.9])('the rescue of a file truncated to %d of its length ends', async (share) => {
  using home = copyOf(filled)
  const file = join(home.path, 'tondesk.db')
  truncateSync(file, Math.floor(statSync(file).size * share))
  await using app = await startApp({ dataDirectory: home.path })
  expect(await noticeIds(app)).toContain('store.rescued')
  expect(await app.post('goes on')).toBe(200)
})

test('after a rescue the notice names the newest backup and how to restore it', async () => {
  using home = copyOf(filled)
  const backup = 'tondesk-20261120T190500123Z-manual.db'
  mkdirSync(join(home.path, 'backups'))
  copyFileSync(join(home.path, 'tondesk.db'), join(home.path, 'backups', backup))
  truncateSync(join(home.path, 'tondesk.db'), 300_000)
  await using app = await startApp({ dataDirectory: home.path, receive: false })
  const [notice] = await app.request('notice.list')
  expect(notice?.detail).toMatch(new RegExp(`restore your newest backup, ${backup}, in Settings`))
})

test('a damaged frame in the write-ahead log loses only its own contents', async () => {
  using home = temporaryDirectory()
  const path = join(home.path, 'tondesk.db')
  const database = openDatabase(path)
  migrate(database, () => undefined)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const insert = database.prepare(`INSERT INTO settings VALUES (?, '1')`)
  for (let index = 0; index < 20; index += 1) insert.run(`key.${index}`)
  const copy = join(home.path, 'killed')
  mkdirSync(copy)
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, join(copy, `tondesk.db${suffix}`))
  database.close()
  // The flipped bit is in the page of the third commit.
  flipBit(join(copy, 'tondesk.db-wal'), 32 + 2 * (24 + 16_384) + 5000, 1)
  const opened = await openStore(dataPaths(copy), new Date())
  expect(opened.rescue).not.toBeNull()
  const keys = opened.database.prepare(`SELECT count(*) AS n FROM settings WHERE key LIKE 'key.%'`)
  // Each commit rewrote the same page, so the last one has all rows.
  expect(keys.get()).toEqual({ n: 20 })
  opened.database.close()
})

test('an emptied database is reported as rescued, and does not count as a first start', async () => {
  using home = copyOf(filled)
  truncateSync(join(home.path, 'tondesk.db'), 0)
  await using app = await startApp({ dataDirectory: home.path })
  expect(await noticeIds(app)).toContain('store.rescued')
  expect(await app.post('goes on')).toBe(200)
})

test('a rescue preserves pins, notes, settings, ids and the receiver’s URL', async () => {
  using home = copyOf(filled)
  let url: string
  {
    await using app = await startApp({ dataDirectory: home.path })
    url = await app.hook()
    await app.request('capture.note', { id: 399, note: 'mind this' })
    await app.request('capture.delete', { ids: [400] })
  }
  writeFileSync(join(home.path, 'rescue.json'), '{}')
  await using app = await startApp({ dataDirectory: home.path })
  expect(await noticeIds(app)).toEqual(['store.rescued'])
  expect(await app.request('capture.counts')).toMatchObject({
    total: 399,
    pinned: 2,
    newestId: 399,
  })
  expect((await app.request('capture.get', { id: 399 })).note).toBe('mind this')
  expect(new URL(await app.hook()).pathname).toBe(new URL(url).pathname)
  await app.post('next')
  expect(await app.request('capture.counts')).toMatchObject({ newestId: 401 })
})

test('a rescue that a kill interrupted begins again and loses nothing', async () => {
  using home = copyOf(filled)
  writeFileSync(join(home.path, 'rescue.json'), '{}')
  // The files are those of a rescue that was killed half-way.
  const half = new DatabaseSync(join(home.path, 'tondesk.db.rescued'))
  half.exec('CREATE TABLE captures (id INTEGER)')
  half.close()
  await using app = await startApp({ dataDirectory: home.path })
  expect(await app.request('capture.counts')).toMatchObject({ total: deliveries })
  expect(existsSync(join(home.path, 'tondesk.db.rescued'))).toBe(false)
})

test('garbage and folders instead of files without data are moved aside, and the app starts', async () => {
  using home = copyOf(filled)
  writeFileSync(join(home.path, 'lock.db'), 'no database at all '.repeat(1000))
  rmSync(join(home.path, 'index.db'), { force: true })
  const folders = ['index.db', 'rescue.json', 'restore.json', 'tondesk.sock']
  for (const name of folders) {
    mkdirSync(join(home.path, name))
    writeFileSync(join(home.path, name, 'mine'), 'of a user')
  }
  await using app = await startApp({ dataDirectory: home.path, receive: false })
  expect(await app.request('capture.counts')).toMatchObject({ total: deliveries })
  expect(await app.request('notice.list')).toEqual([])
  const kept = readdirSync(home.path).filter((name) => name.includes('-moved-'))
  expect(kept.map((name) => name.split('-moved-')[0])).toEqual(folders)
  for (const name of kept) {
    const folder = name.split('-moved-')[0] ?? ''
    expect(readFileSync(join(home.path, name, folder, 'mine'), 'utf8')).toBe('of a user')
  }
})

test('a search index damaged in the middle loses no capture, and at most needs a restart', async () => {
  using home = copyOf(filled)
  damagePages(join(home.path, 'index.db'), 0.5, 0.7)
  await using app = await startApp({ dataDirectory: home.path })
  await app.envelope('capture.list', { query: { text: 'delivery' } })
  await app.envelope('capture.list', { limit: 500 })
  await using again = await startAgain(app)
  expect(await again.request('capture.counts')).toMatchObject({ total: deliveries })
  expect(await again.classified()).toHaveLength(deliveries)
  const { rows } = await again.request('capture.list', { query: { text: 'delivery' }, limit: 500 })
  expect(rows).toHaveLength(deliveries)
})

test('a rescue that is stopped leaves the file unchanged and begins again at the next start', async () => {
  using home = copyOf(filled)
  const file = join(home.path, 'tondesk.db')
  truncateSync(file, Math.floor(statSync(file).size * 0.9))
  const before = readFileSync(file)
  const stopped = startApp({
    dataDirectory: home.path,
    signal: AbortSignal.abort(),
  })
  await expect(stopped).rejects.toMatchObject({ code: 'START_STOPPED' })
  expect(readFileSync(file).equals(before)).toBe(true)
  await using app = await startApp({ dataDirectory: home.path })
  expect(await noticeIds(app)).toContain('store.rescued')
})
