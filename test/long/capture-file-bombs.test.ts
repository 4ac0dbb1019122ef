/**
 * Files and bodies that need far more memory than their size; each of them once ended the whole
 * process with the receiver. The app runs in this process, so its end would be the end of the test.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forkProcess } from '../../src-main/networks/sandbox-process.ts'
import { WorkEnded, createStartWork } from '../../src-main/threads/rpc.ts'
import type { TaskCalls } from '../../src-main/threads/task-process.ts'
import { taskEntry } from '../../src-main/threads/threads.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { harOf, importOf } from '../fixtures/capture-files.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
  await app.request('settings.change', { receiver: { bodyLimitBytes: 64 * 1024 * 1024 } })
})
afterAll(() => app[Symbol.asyncDispose]())

const pieceBytes = 600_000
const mebibyte = 1024 * 1024

/** An import file with one entry, whose `x` is an array of this item with this number of bytes. */
function* bombOf(item: string, bytes: number): Generator<Buffer> {
  yield Buffer.from('{"log":{"entries":[{"request":{},"x":[')
  const piece = Buffer.from(item.repeat(Math.floor(pieceBytes / item.length)))
  for (let left = bytes; left > 0; left -= piece.length) yield piece
  yield Buffer.from('0]}]}}')
}

async function received(): Promise<void> {
  expect(await app.post('still there')).toBe(200)
}

test.each([
  ['[],', 95],
  ['[],', 40],
  ['{},', 70],
  ['{},', 190],
  ['"a",', 95],
  ['[[[[[[[[0]]]]]]]],', 95],
])(
  'an import of %s with %d MB in one entry is refused, and the receiver continues',
  async (item, megabytes) => {
    let bytes = 0
    for (const piece of bombOf(item, megabytes * 1_000_000)) bytes += piece.length
    const { id } = await app.request('captureImport.start', { name: 'bomb.har', bytes })
    let offset = 0
    for (const piece of bombOf(item, megabytes * 1_000_000)) {
      const base64 = piece.toString('base64')
      const { state } = await app.request('captureImport.append', { id, offset, base64 })
      if (state !== 'reading') break
      offset += piece.length
    }
    await received()
    const { state, problem } = await app.request('captureImport.end', { id })
    expect(state).toBe('failed')
    expect(problem).toMatch(/too many values|too large|nested too deeply/)
    await received()
    expect(process.memoryUsage().rss).toBeLessThan(1.5 * 1024 * mebibyte)
  },
)

test.each(['[],', '"a",', '[['])(
  'a body of 64 MiB of %s is exported in each format or refused, and the receiver continues',
  async (item) => {
    const head = '{"a":['
    const body = head + item.repeat(Math.floor((63 * mebibyte) / item.length))
    expect(await app.post(body)).toBe(200)
    const id = (await app.request('capture.counts')).newestId ?? 0
    for (const format of ['html', 'har', 'jsonl'] as const) {
      for (const pseudonyms of [false, true]) {
        const begun = await app.request('captureExport.start', {
          subject: { kind: 'captures', ids: [id] },
          format,
          pseudonyms,
        })
        await received()
        await app.until(async () => {
          const all = await app.jobs('captureExport')
          return all.find((each) => each.id === begun.id)?.state !== 'running'
        }, 'the export')
      }
    }
    await received()
  },
)

const place = temporaryDirectory()
afterAll(() => place[Symbol.dispose]())

/** Reads a file in the import process with a heap of this size. */
function readWithHeap(maxHeapMb: number) {
  const start = createStartWork((flags) => forkProcess(taskEntry, [], flags), maxHeapMb)
  const work = start<TaskCalls>({})
  work
    .call('import', { name: 'x.har', spool: join(place.path, randomUUID()) })
    .catch(() => undefined)
  return work
}

test('a file that needs more memory than the import process may use ends only that process', async () => {
  const { call, stop } = readWithHeap(24)
  const large = `{"log":{"entries":[{"a":[${`"${'x'.repeat(300)}",`.repeat(150_000)}0]}]}}`
  await call('piece', new Uint8Array(Buffer.from(large))).then(
    () => expect.unreachable('it was read'),
    (error: unknown) => expect(error).toBeInstanceOf(WorkEnded),
  )
  await stop()
})

test('a record with too many values is omitted and named, however few bytes it has', async () => {
  for (const value of ['[]', '{}', '0', '"a"']) {
    const bomb = `{"request":{},"x":[${`${value},`.repeat(250_000)}0]}`
    const har = await importOf(app, 'bomb.har', Buffer.from(`{"log":{"entries":[${bomb}]}}`))
    expect(har).toMatchObject({ state: 'failed', format: 'har' })
    expect(har.problem).toContain('Entry 1: it has too many values: more than 200,000')
    const jsonl = await importOf(app, 'bomb.jsonl', Buffer.from(`{"tondesk":1,"x":[${bomb}]}\n`))
    expect(jsonl.problem).toContain('Line 1: it has too many values')
  }
  const empty = await importOf(
    app,
    'empty.har',
    Buffer.from(`{"log":{"entries":[${'{},'.repeat(120_000)}{}]}}`),
  )
  expect(empty.problem).toContain('too many values that are not requests: more than 100,000')
  await received()
})

test('a large file is imported with a heap that is smaller than the file', async () => {
  const { call, stop } = readWithHeap(24)
  for (const piece of harOf(64)) {
    await call('piece', new Uint8Array(piece))
  }
  expect(await call('end')).toMatchObject({ imported: 64, skipped: 0 })
  for (let count = 0; ;) {
    const slice = await call('slice')
    if (slice !== null) count += slice.details.length
    else {
      expect(count).toBe(64)
      break
    }
  }
  await stop()
})
