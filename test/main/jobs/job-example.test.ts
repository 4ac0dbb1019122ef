/**
 * The example for "Add a job" in CONTRIBUTING.md: a complete kind of job, which counts the letters
 * of texts. In a feature, its parts are in the files that the comments name.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { createSql } from '../../../src-main/database/sql.ts'
import type { JobControl, JobWork } from '../../../src-main/jobs/job-run.ts'
import { type Jobs, createJobs } from '../../../src-main/jobs/jobs.ts'
import { type StoredJob, createJobTable } from '../../../src-main/jobs/store/job-table.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

// The migration: src-main/database/migrations/00NN-counts.ts.
const migration = `
  CREATE TABLE IF NOT EXISTS counts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL,
    problem TEXT,
    finished_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS count_items (
    count_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    letters INTEGER,
    PRIMARY KEY (count_id, position)
  ) STRICT, WITHOUT ROWID;`

// The store: src-main/<feature>/store/counts.ts.
type Count = StoredJob & { readonly total: number; readonly counted: number }
type Item = { readonly position: number; readonly text: string }

function createCounts(database: Database) {
  const sql = createSql(database)
  const select = `
    SELECT id, state, problem,
      (SELECT count(*) FROM count_items WHERE count_id = id) AS total,
      (SELECT count(letters) FROM count_items WHERE count_id = id) AS counted
    FROM counts WHERE true`
  return {
    ...createJobTable<Count>(database, 'counts', select, (row: Count) => row),
    add: (texts: readonly string[]): number =>
      sql.transaction(() => {
        const countId = sql.insert('counts', { state: 'running' })
        const items = texts.map((text, position) => ({ countId, position, text }))
        sql.insertAll('count_items', items)
        return countId
      }),
    nextItem: (id: number) =>
      sql.get<Item>(
        `SELECT position, text FROM count_items
         WHERE count_id = ? AND letters IS NULL ORDER BY position LIMIT 1`,
        id,
      ),
    setLetters: (countId: number, position: number, letters: number) =>
      sql.update('count_items', { letters }, { countId, position }),
    removeSome: (countId: number) => sql.removeSome('count_items', 'position', { countId }),
    orphans: () => [],
  }
}

// The kind and its handlers: src-main/<feature>/counts.ts, called by register.ts.
type CountLetters = (text: string) => Promise<number>

// In a feature, the contract's `jobSchemas` name the kind.
type Counting = Jobs<{ readonly count: Count }>

function createCountJobs(
  jobs: Counting,
  counts: ReturnType<typeof createCounts>,
  count: CountLetters,
) {
  const engine = jobs.add('count', {
    noun: 'count',
    unknownCode: 'COUNT_UNKNOWN',
    table: counts,
    items: counts,
    work: ({ id }: Count, control: JobControl): JobWork => ({
      next() {
        const item = counts.nextItem(id)
        return item === null ? null : countItem(id, item, control)
      },
    }),
    left: ({ total, counted }) => total - counted,
    show: (job) => job,
  })

  async function countItem(id: number, { position, text }: Item, control: JobControl) {
    const letters = await count(text)
    // The result is stored before the piece ends: after a kill the item is counted again or not at all.
    counts.setLetters(id, position, letters)
    control.count(1)
    return null
  }

  return {
    'count.start': ({ texts }: { readonly texts: readonly string[] }) =>
      engine.begin(counts.add(texts)),
  }
}

/** The part of an app that jobs need. After `dispose` only the tables are left. */
function openApp(directory: string, count: CountLetters) {
  const database = openDatabase(join(directory, 'tondesk.db'))
  database.exec(migration)
  const resources = new AsyncDisposableStack()
  resources.defer(() => database.close())
  const jobs: Counting = createJobs({
    now: Date.now,
    wait: (ms, signal) => wait(ms, undefined, { signal }),
    onBug: (error) => {
      throw error
    },
    resources,
    // An app sends these events to its windows.
    events: { emit: () => undefined },
  })
  const counts = createCounts(database)
  const handlers = createCountJobs(jobs, counts, count)
  jobs.resumeAll()
  const letters = () => createSql(database).column('SELECT letters FROM count_items')
  return { ...handlers, jobs: jobs.of('count'), letters, dispose: () => resources.disposeAsync() }
}

const texts = ['one', 'three', 'eleven']

function dataDirectory(): string {
  const directory = temporaryDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  return directory.path
}

test('a job that the app ended in the middle continues with the items that are left', async () => {
  const directory = dataDirectory()
  const counted: string[] = []
  const stuck = Promise.withResolvers<number>()
  const app = openApp(directory, async (text) => {
    counted.push(text)
    return text === 'three' ? stuck.promise : text.length
  })
  const { id } = await app['count.start']({ texts })
  await expect.poll(() => counted).toEqual(['one', 'three'])
  const ended = app.dispose()
  stuck.reject(new Error('The app ended.'))
  await ended

  const next = openApp(directory, async (text) => {
    counted.push(text)
    return Promise.resolve(text.length)
  })
  await expect.poll(() => next.jobs.get(id).state).toBe('done')
  expect(counted).toEqual(['one', 'three', 'three', 'eleven'])
  expect(next.letters()).toEqual([3, 5, 6])
  await next.dispose()
})

test('a job is paused, resumed and removed with its items', async () => {
  const pieces = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let begun = 0
  const app = openApp(dataDirectory(), () => {
    begun += 1
    return pieces[begun - 1]?.promise ?? Promise.resolve(0)
  })
  const { id } = await app['count.start']({ texts })
  await expect.poll(() => begun).toBe(1)
  const paused = app.jobs.pause(id)
  pieces[0]?.resolve(3)
  expect(await paused).toMatchObject({ state: 'paused', total: 3, counted: 1 })
  expect(begun).toBe(1)
  await app.jobs.resume(id)
  pieces[1]?.resolve(5)
  await expect.poll(() => app.jobs.list()).toMatchObject([{ state: 'done', counted: 3 }])
  await app.jobs.remove(id)
  expect(app.jobs.list()).toEqual([])
  await expect.poll(() => app.letters()).toEqual([])
  await app.dispose()
})
