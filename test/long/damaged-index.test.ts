import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { transactionEvent } from '../fixtures/bodies.ts'
import { startChildApp } from '../fixtures/child-app.ts'
import { damagePages, pageSizeOf } from '../fixtures/damage.ts'
import { type TemporaryDirectory, copyOf, temporaryDirectory } from '../fixtures/directory.ts'

const deliveries = 40

/** A data directory with the indexed captures 1 to 40, which no app uses. */
async function filledDirectory(): Promise<TemporaryDirectory> {
  const home = temporaryDirectory()
  await using app = await startApp({ dataDirectory: home.path })
  for (let lt = 1; lt <= deliveries; lt += 1) await app.post(transactionEvent({ lt: `${lt}000` }))
  await app.classified()
  return home
}

// The directory is filled once; each test damages its own copy.
const filled = await filledDirectory()
afterAll(() => filled[Symbol.dispose]())

async function expectWhole(app: TestApp): Promise<void> {
  const rows = await app.classified()
  expect(rows).toHaveLength(deliveries)
  expect(rows[0]).toMatchObject({ kind: 'account_tx', lt: '40000' })
  const found = await app.request('capture.list', { query: { text: '17000' } })
  expect(found.rows.map(({ id }) => id)).toEqual([17])
}

const spoil: Readonly<Record<string, (index: string) => void>> = {
  'is missing': (index) => rmSync(index),
  'is empty': (index) => truncateSync(index, 0),
  'is garbage': (index) => writeFileSync(index, Buffer.alloc(100_000, 'garbage ')),
  'is cut off': (index) => truncateSync(index, pageSizeOf(index) * 3),
  'is another program’s'(index) {
    rmSync(index)
    const database = new DatabaseSync(index)
    database.exec('CREATE TABLE facts (something TEXT)')
    database.close()
  },
  'is of another version'(index) {
    const database = new DatabaseSync(index)
    database.exec('PRAGMA user_version = 999; DELETE FROM facts;')
    database.close()
  },
  'is damaged in the middle': (index) => damagePages(index, 0.1, 1),
}

test.each(Object.keys(spoil))(
  'a search index that %s is rebuilt, and search works',
  async (how) => {
    using home = copyOf(filled)
    spoil[how]?.(join(home.path, 'index.db'))
    await using app = await startApp({ dataDirectory: home.path })
    await expectWhole(app)
    expect(await app.request('notice.list')).toEqual([])
  },
)

test('an index that is ahead of the log belongs to another log and is discarded', async () => {
  using home = copyOf(filled)
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(home.path, `tondesk.db${suffix}`), { force: true })
  await using app = await startApp({ dataDirectory: home.path })
  await app.post('quite another capture')
  const rows = await app.classified()
  expect(rows).toMatchObject([{ id: 1, kind: 'unknown', lt: null }])
  const { rows: found } = await app.request('capture.list', { query: { text: 'another' } })
  expect(found.map(({ id }) => id)).toEqual([1])
})

test('after a kill the index has all deliveries that got 200', async () => {
  using home = temporaryDirectory()
  await using child = await startChildApp(home.path)
  const sent = Array.from({ length: 300 }, (_, index) =>
    fetch(child.url, { method: 'POST', body: transactionEvent({ lt: `${index + 1}000` }) }),
  )
  await Promise.all(sent)
  // A delivery with a response is on disk, but most deliveries are not indexed yet.
  await child.kill()
  await using app = await startApp({ dataDirectory: home.path })
  const rows = await app.classified()
  expect(rows).toHaveLength(300)
  expect(rows.every(({ kind }) => kind === 'account_tx')).toBe(true)
  const found = await app.request('capture.list', { query: { text: 'account_tx' }, limit: 500 })
  expect(found.rows).toHaveLength(300)
})

test('deletions made while the index was behind are applied after a restart', async () => {
  using home = copyOf(filled)
  {
    await using app = await startApp({ dataDirectory: home.path })
    await app.request('capture.delete', { ids: [17, 18] })
  }
  await using app = await startApp({ dataDirectory: home.path })
  await app.post(transactionEvent({ lt: '17000' }))
  const rows = await app.classified()
  // The first delivery is deleted, so this one is not a duplicate, but it is out of order.
  expect(rows[0]).toMatchObject({ lt: '17000', duplicateOf: null, outOfOrder: true })
})

test('the index can be deleted without any loss of captures', async () => {
  using home = copyOf(filled)
  const before = readFileSync(join(home.path, 'tondesk.db'))
  rmSync(join(home.path, 'index.db'))
  {
    await using app = await startApp({ dataDirectory: home.path, receive: false })
    await expectWhole(app)
  }
  expect(statSync(join(home.path, 'tondesk.db')).size).toBe(before.byteLength)
})
