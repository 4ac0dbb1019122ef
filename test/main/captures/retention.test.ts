import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type RetentionLimits,
  deleteOldestStep,
  retentionBound,
} from '../../../src-main/captures/store/capture-deletion.ts'
import type { CaptureRecord } from '../../../src-main/captures/store/capture-record.ts'
import { type Append, createAppender } from '../../../src-main/captures/store/capture-appender.ts'
import { createCaptureWriter } from '../../../src-main/captures/store/capture-writer.ts'
import { createCaptures } from '../../../src-main/captures/store/captures.ts'
import {
  openDatabase,
  pragmaNumber,
  transaction,
  usedBytes,
} from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { writerThread } from '../../../src-main/threads/threads.ts'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const boundless: RetentionLimits = { oldest: null, maxCount: 1_000_000, maxBytes: 2 ** 40 }
const begin = 1_790_000_000_000_000

function record(index: number, body = ''): CaptureRecord {
  return {
    receivedAt: begin + index,
    method: 'POST',
    target: '/hook/x',
    httpVersion: '1.1',
    remoteAddress: '127.0.0.1',
    rawHeaders: ['Host', 'x'],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: 200,
    bodyBytes: body.length,
    body: Buffer.from(body),
  }
}

/** Opens the store alone: its writer thread and a reader, without an app. */
async function openLog() {
  await using resources = new AsyncDisposableStack()
  const { path } = resources.use(temporaryDirectory())
  const file = join(path, 'tondesk.db')
  const database = openDatabase(file)
  resources.defer(() => database.close())
  migrate(database, () => undefined)
  const quiet = () => undefined
  const writer = await createCaptureWriter(
    { database: file, index: join(path, 'index.db') },
    writerThread,
    {
      onAppended: quiet,
      onTrouble: quiet,
      onDamage: quiet,
    },
  )
  resources.defer(() => writer.close())
  const send = createAppender(writer.connect())
  const captures = createCaptures(database)
  const ids = () =>
    captures
      .list(100_000)
      .map(({ id }) => id)
      .reverse()
  const kept = resources.move()
  return { database, file, writer, send, ids, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Writes captures with the numbers `from` to `to`. */
async function append(
  { send }: { readonly send: Append },
  from: number,
  to: number,
  body = '',
): Promise<void> {
  await Promise.all(
    Array.from({ length: to - from + 1 }, (_, index) => {
      const written = Promise.withResolvers<undefined>()
      send(
        [record(from + index, body)],
        [
          (problem) =>
            problem === null ? written.resolve(undefined) : written.reject(new Error(problem)),
        ],
      )
      return written.promise
    }),
  )
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a limit of captures deletes exactly the oldest ones above the limit', async () => {
  await using log = await openLog()
  await append(log, 1, 1000)
  expect(await log.writer.prune({ ...boundless, maxCount: 1000 })).toBe(0)
  expect(await log.writer.prune({ ...boundless, maxCount: 100 })).toBe(900)
  expect(log.ids()).toEqual(range(901, 1000))
  expect(log.writer.state()).toEqual({ total: 100, others: 0, newestId: 1000 })
})

test('a limit of age deletes exactly the older captures', async () => {
  await using log = await openLog()
  await append(log, 1, 100)
  expect(await log.writer.prune({ ...boundless, oldest: begin + 41 })).toBe(40)
  expect(log.ids()).toEqual(range(41, 100))
})

test('a limit of bytes deletes enough of the oldest captures, and no more', async () => {
  await using log = await openLog()
  await append(log, 1, 1000, 'x'.repeat(20_000))
  // Reads in one snapshot, because after pruning the writer frees pages, possibly between two pragmas.
  const used = () => transaction(log.database, () => usedBytes(log.database), 'DEFERRED')
  const limit = used() / 2
  await log.writer.prune({ ...boundless, maxBytes: limit })
  expect(used()).toBeLessThanOrEqual(limit)
  expect(log.ids().length).toBeGreaterThan(400)
  expect(await log.writer.prune({ ...boundless, maxBytes: limit })).toBe(0)
})

test('pinned captures are never pruned, and others are pruned instead', async () => {
  await using log = await openLog()
  await append(log, 1, 1000)
  await log.writer.pin([1, 2, 500], true)
  await log.writer.prune({ ...boundless, maxCount: 100 })
  expect(log.ids()).toEqual([1, 2, 500, ...range(904, 1000)])
  await log.writer.prune({ ...boundless, oldest: begin + 5000 })
  expect(log.ids()).toEqual([1, 2, 500])
})

test('with more pinned captures than the limit, all others are pruned', async () => {
  await using log = await openLog()
  await append(log, 1, 300)
  await log.writer.pin(range(1, 200), true)
  await log.writer.prune({ ...boundless, maxCount: 150 })
  expect(log.ids()).toEqual(range(1, 200))
})

test('notes of pruned captures are deleted, those of pinned captures stay', async () => {
  await using log = await openLog()
  await append(log, 1, 10)
  for (const id of [1, 2, 9]) await log.writer.note(id, `note ${id}`)
  await log.writer.pin([2], true)
  await log.writer.prune({ ...boundless, maxCount: 3 })
  const notes = log.database.prepare('SELECT capture_id AS id FROM capture_marks ORDER BY 1').all()
  expect(notes.map(({ id }) => id)).toEqual([2, 9])
})

test('captures that arrive during a large prune are written without waiting for its end', async () => {
  await using log = await openLog()
  await append(log, 1, 4000)
  let pruned = false
  const pruning = log.writer.prune({ ...boundless, maxCount: 100 }).then((deleted) => {
    pruned = true
    return deleted
  })
  // Reports arrive in the order of the work, so this shows whether the capture had to wait.
  await append(log, 4001, 4005)
  expect(pruned).toBe(false)
  // The writer gets captures on a separate port, and pruning counts those that came first.
  const deleted = await pruning
  expect([3900, 3905]).toContain(deleted)
  expect(log.ids()).toEqual(range(deleted + 1, 4005))
  expect(log.writer.state()).toEqual({ total: 4005 - deleted, others: 0, newestId: 4005 })
})

test('a prune that was interrupted by a kill continues, because each step is complete', () => {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  const insert = database.prepare(
    `INSERT INTO captures VALUES (?, ?, 0, 200, 'POST', '/', '1.1', '', 'complete', NULL, 'unchecked', NULL, '', 0, x'', NULL)`,
  )
  for (let id = 1; id <= 1000; id += 1) insert.run(id, begin + id)
  const first = deleteOldestStep(database, 900, 0, true)
  expect(first).toMatchObject({ done: false })
  expect(first.deleted).toBeLessThan(900)
  // After a restart, the database contains the result of the whole prune.
  expect(retentionBound(database, 1000 - first.deleted, 0, { ...boundless, maxCount: 100 })).toBe(
    900,
  )
  database.close()
})

test('the file of the database shrinks after a clear', async () => {
  await using log = await openLog()
  // The data is much larger than the empty tables and the remaining free pages.
  await append(log, 1, 6000, 'x'.repeat(5000))
  const before = pragmaNumber(log.database, 'page_count')
  const bytesBefore = before * pragmaNumber(log.database, 'page_size')
  await log.writer.clear(false)
  // The file shrinks in steps after the response, and is truncated at the end.
  await sizeBelow(log, bytesBefore / 4)
})

test('a file far above its limit shrinks after pruning, and new captures do not wait', async () => {
  await using log = await openLog()
  const limits = { ...boundless, maxBytes: 4 * 1024 * 1024 }
  await append(log, 1, 400, 'x'.repeat(100_000))
  expect(pragmaNumber(log.database, 'page_count') * 16_384).toBeGreaterThan(8 * limits.maxBytes)
  await log.writer.prune(limits)
  const shrunken = 1.5 * limits.maxBytes
  await append(log, 401, 401)
  // Reports arrive in the order of the work, so the capture was written before the shrinking ended.
  expect(pragmaNumber(log.database, 'page_count') * 16_384).toBeGreaterThan(shrunken)
  await sizeBelow(log, shrunken)
})

test('a file that the last run left too large shrinks at the next prune, even with no capture to prune', async () => {
  await using log = await openLog()
  const limits = { ...boundless, maxBytes: 4 * 1024 * 1024 }
  await append(log, 1, 400, 'x'.repeat(100_000))
  await log.writer.delete(range(1, 395))
  expect(await log.writer.prune(limits)).toBe(0)
  await sizeBelow(log, 1.5 * limits.maxBytes)
})

/** Each query to the writer runs between two steps of the shrinking. */
async function sizeBelow(log: Awaited<ReturnType<typeof openLog>>, bytes: number): Promise<void> {
  const size = async () => {
    await log.writer.pin([401], true)
    return statSync(log.file).size
  }
  await expect.poll(size, { interval: 1 }).toBeLessThanOrEqual(bytes)
}

test('a burst of large captures is pruned at once, not only every minute', async () => {
  await using app = await startApp()
  await app.request('settings.change', {
    retention: { maxBytes: 64 * 1024 * 1024 },
    receiver: { bodyLimitBytes: 4 * 1024 * 1024 },
  })
  const body = Buffer.alloc(4 * 1024 * 1024 - 1, 'x')
  for (let index = 0; index < 20; index += 1) expect(await app.post(body)).toBe(200)
  await app.until(
    async () => (await app.request('capture.counts')).total < 18,
    'the oldest to be pruned',
  )
})

test('the app prunes automatically by the limits in its settings', async () => {
  await using app = await startApp()
  const url = await app.hook()
  await app.request('settings.change', { retention: { maxCount: 100 } })
  await Promise.all(
    Array.from({ length: 150 }, (_, index) => fetch(url, { method: 'POST', body: `${index}` })),
  )
  await using again = await restart(app)
  await again.until(async () => (await again.request('capture.counts')).total === 100, 'retention')
  const { rows } = await again.request('capture.list', { limit: 500 })
  expect(rows.map(({ id }) => id)).toEqual(range(51, 150).reverse())
})

/** The app prunes at its start and every minute. */
async function restart(app: Awaited<ReturnType<typeof startApp>>) {
  await app.app.dispose()
  return startApp({ dataDirectory: app.directory })
}
