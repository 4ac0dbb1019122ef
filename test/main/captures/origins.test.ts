/** A capture that Tondesk created itself must never count as received. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CaptureRecord } from '../../../src-main/captures/store/capture-record.ts'
import { createAppender } from '../../../src-main/captures/store/capture-appender.ts'
import { createCaptureWriter } from '../../../src-main/captures/store/capture-writer.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { rescueDatabase } from '../../../src-main/database/rescue.ts'
import { createArrivals } from '../../../src-main/captures/store/arrivals.ts'
import { writerThread } from '../../../src-main/threads/threads.ts'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const begin = 1_790_000_000_000_000
const account = `0:${'ab'.repeat(32)}`
const body = (lt: number) =>
  JSON.stringify({ event_type: 'account_tx', account_id: account, lt, tx_hash: 'cd'.repeat(32) })

function record(index: number, status: number | null): CaptureRecord {
  const bytes = Buffer.from(body(index))
  return {
    receivedAt: begin + index,
    method: 'POST',
    target: `/hook/${'0'.repeat(32)}`,
    httpVersion: '1.1',
    remoteAddress: '',
    rawHeaders: ['Content-Type', 'application/json'],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status,
    bodyBytes: bytes.byteLength,
    body: bytes,
  }
}

const quiet = () => undefined

async function openWriter(directory: string) {
  const paths = { database: join(directory, 'tondesk.db'), index: join(directory, 'index.db') }
  return createCaptureWriter(paths, writerThread, {
    onAppended: quiet,
    onTrouble: quiet,
    onDamage: quiet,
  })
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/**
 * Stores captures 1 to 10 as received, 11 to 15 as rebuilt and 16 to 20 as received; no app runs.
 */
async function fill(directory: string): Promise<void> {
  const database = openDatabase(join(directory, 'tondesk.db'))
  migrate(database, quiet)
  database.close()
  const writer = await openWriter(directory)
  const send = createAppender(writer.connect())
  const append = (indexes: readonly number[]) =>
    Promise.all(
      indexes.map(
        (index) => new Promise<void>((resolve) => send([record(index, 200)], [() => resolve()])),
      ),
    )
  await append(range(1, 10))
  const made = range(11, 15)
  const origin = { origin: 'rebuilt', madeFrom: made.map((index) => `event ${index}`) } as const
  const put = () =>
    writer.put(
      made.map((index) => record(index, null)),
      origin,
    )
  expect(await put()).toBe(5)
  // An event is rebuilt at most once.
  expect(await put()).toBe(0)
  await append(range(16, 20))
  // The writer reports a batch to its sender and to the app through two ports, whose order is open.
  await expect.poll(() => writer.state()).toEqual({ total: 15, others: 5, newestId: 20 })
  await writer.close()
}

test('rebuilt captures are counted apart from received ones, and a deletion removes their origin, too', async () => {
  using home = temporaryDirectory()
  await fill(home.path)
  const writer = await openWriter(home.path)
  expect(writer.state()).toEqual({ total: 15, others: 5, newestId: 20 })
  expect(await writer.delete([11, 1])).toBe(2)
  expect(writer.state()).toEqual({ total: 14, others: 4, newestId: 20 })
  // The retention counts rebuilt captures too.
  const limits = { oldest: null, maxCount: 10, maxBytes: 2 ** 40 }
  expect(await writer.prune(limits)).toBe(8)
  expect(writer.state()).toEqual({ total: 6, others: 4, newestId: 20 })
  const database = openDatabase(join(home.path, 'tondesk.db'))
  using index = openDatabase(':memory:')
  index.exec('CREATE TABLE facts (id, kind, account, lt, out_of_order)')
  // All captures received since then are stored; older ones may have been pruned.
  expect(createArrivals(database, index).keptFrom()).toBe(Math.ceil((begin + 9) / 1000))
  // A deleted rebuilt capture may be rebuilt again.
  const origin = { origin: 'rebuilt', madeFrom: ['event 11', 'event 12'] } as const
  expect(await writer.put([record(11, null), record(12, null)], origin)).toBe(1)
  expect(await writer.clear(false)).toBe(11)
  expect(writer.state()).toEqual({ total: 0, others: 0, newestId: null })
  expect(database.prepare('SELECT count(*) AS n FROM capture_origins').get()).toEqual({ n: 0 })
  database.close()
  await writer.close()
})

test('a rebuilt capture makes no delivery a duplicate or out of order, and appears in the list but not in the counts', async () => {
  using home = temporaryDirectory()
  await fill(home.path)
  await using app = await startApp({ dataDirectory: home.path })
  expect(await app.request('capture.counts')).toMatchObject({ total: 15, others: 5, unread: 15 })
  const span = { from: begin, to: begin + 1_000_000, buckets: 1 }
  expect(await app.request('captureQuery.histogram', span)).toMatchObject({
    buckets: [{ startsAt: begin, total: 15, refused: 0 }],
  })
  // The deliveries of the rebuilt captures 12 and 15 arrive now, the later one first.
  await app.post(body(15))
  await app.post(body(12))
  await app.post(body(20))
  const rows = await app.classified()
  const byId = (id: number) => rows.find((row) => row.id === id)
  expect(byId(12)).toMatchObject({ origin: 'rebuilt', status: null, kind: 'account_tx', lt: '12' })
  expect(byId(15)).toMatchObject({ duplicateOf: null, outOfOrder: false })
  expect(byId(20)).toMatchObject({ origin: 'received', duplicateOf: null })
  expect(byId(21)).toMatchObject({ lt: '15', duplicateOf: null })
  expect(byId(22)).toMatchObject({ lt: '12', duplicateOf: null })
  // This is the delivery of capture 20, sent again.
  expect(byId(23)).toMatchObject({ lt: '20', duplicateOf: 20 })
  const found = await app.request('capture.list', { query: { text: 'account_tx' } })
  expect(found.rows).toHaveLength(23)
})

test('a rescue of a damaged file preserves the origin of each capture', async () => {
  using home = temporaryDirectory()
  await fill(home.path)
  const { rescued } = await rescueDatabase(join(home.path, 'tondesk.db'), join(home.path, 'aside'))
  expect(rescued).toMatchObject({ captures: 20, capture_origins: 5 })
  const writer = await openWriter(home.path)
  expect(writer.state()).toEqual({ total: 15, others: 5, newestId: 20 })
  await writer.close()
})
