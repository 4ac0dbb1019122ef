import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { latestVersion } from '../../src-main/store/migrate.ts'
import type { TestApp } from '../fixtures/app.ts'
import { startApp } from '../fixtures/app.ts'
import { damagePages, pageSizeOf } from '../fixtures/damage.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

async function startAgain(app: TestApp): Promise<TestApp> {
  await app.app.dispose()
  return startApp({ dataDirectory: app.directory })
}

async function bodies(app: TestApp): Promise<string[]> {
  const { rows } = await app.request('capture.list', {})
  return rows.map(({ summary }) => summary)
}

test('what a backup holds is what is there after restoring it, and what was there is kept', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('before the backup')
  await first.classified()
  await first.request('settings.change', { appearance: { theme: 'dark' } })
  const backup = await first.request('backup.create')
  expect(await first.request('backup.list')).toEqual([backup])
  await first.post('after the backup')
  await first.request('settings.change', { appearance: { theme: 'light' } })
  expect(await first.request('backup.restore', { name: backup.name })).toEqual({
    restartNeeded: true,
  })
  // Until the restart all goes on as it was.
  await first.post('after asking for it')

  await using second = await startAgain(first)
  await second.classified()
  expect(await bodies(second)).toEqual(['before the backup'])
  expect((await second.request('settings.get')).appearance.theme).toBe('dark')
  expect((await second.request('notice.list')).map(({ id }) => id)).toEqual(['store.restored'])
  const { rows } = await second.request('capture.list', { query: { text: 'after' } })
  expect(rows).toEqual([])
  await second.post('goes on')

  const kept = (await second.request('backup.list')).find(({ reason }) => reason === 'restore')
  await second.request('backup.restore', { name: kept?.name ?? '' })
  await using third = await startAgain(second)
  await third.classified()
  expect(await bodies(third)).toEqual([
    'after asking for it',
    'after the backup',
    'before the backup',
  ])
})

test('a backup made while deliveries pour in is whole', async () => {
  using home = temporaryDirectory()
  await using app = await startApp({ dataDirectory: home.path })
  const url = await app.hook()
  const pouring = Promise.all(
    Array.from({ length: 200 }, (_, index) => fetch(url, { method: 'POST', body: `${index}` })),
  )
  const { path } = await app.request('backup.create')
  await pouring
  const backup = new DatabaseSync(path, { readOnly: true })
  expect(backup.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const ids = backup.prepare('SELECT count(*) AS n, max(id) AS last FROM captures').get()
  expect(ids?.['n']).toBe(ids?.['last'] ?? 0)
  backup.close()
})

test('two backups in one moment are two files, or an error, never one written over', async () => {
  await using app = await startApp({ receive: false })
  const made = await Promise.all([app.envelope('backup.create'), app.envelope('backup.create')])
  const listed = await app.request('backup.list')
  expect(listed).toHaveLength(made.filter(({ ok }) => ok).length)
  expect(made.every(({ ok }) => ok)).toBe(true)
})

const invalid: Readonly<Record<string, (path: string, app: TestApp) => void>> = {
  'is no SQLite file': (path) => writeFileSync(path, 'not a database '.repeat(1000)),
  'is empty': (path) => writeFileSync(path, ''),
  'is another program’s database'(path) {
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE history (url TEXT)')
    database.close()
  },
  'is damaged': (path, app) => {
    copyFileSync(join(app.directory, 'whole.db'), path)
    damagePages(path, 0.3, 0.9)
  },
  'is cut off': (path, app) => {
    copyFileSync(join(app.directory, 'whole.db'), path)
    truncateSync(path, pageSizeOf(path) * 5)
  },
}

// A refusal changes nothing, so one app serves all the cases.
const whole = await startApp()
for (let index = 0; index < 30; index += 1) await whole.post('filler '.repeat(200))
copyFileSync((await whole.request('backup.create')).path, join(whole.directory, 'whole.db'))
afterAll(() => whole[Symbol.asyncDispose]())

test.each(Object.keys(invalid))(
  'a backup that %s is refused, and nothing is put in place',
  async (what) => {
    const name = 'tondesk-20261120T120000000Z-manual.db'
    const path = join(whole.directory, 'backups', name)
    rmSync(path, { force: true })
    invalid[what]?.(path, whole)
    expect(await whole.refusal('backup.restore', { name })).toBe('BACKUP_INVALID')
    expect(existsSync(join(whole.directory, 'restore.json'))).toBe(false)
  },
)

test('a backup of a newer Tondesk is refused as such', async () => {
  await using app = await startApp({ receive: false })
  const { name, path } = await app.request('backup.create')
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA user_version = ${latestVersion + 1}`)
  database.close()
  expect(await app.refusal('backup.restore', { name })).toBe('DATABASE_TOO_NEW')
})

test.each(['../tondesk.db', '..', '', 'tondesk.db', 'C:\\tondesk.db', '/etc/passwd', 'none.db'])(
  'a name that is none of the list leads to no file: %j',
  async (name) => {
    expect(await whole.refusal('backup.restore', { name })).toBe('BACKUP_INVALID')
  },
)

test('what a person puts beside the backups is not listed', async () => {
  const folder = join(whole.directory, 'backups')
  const before = await whole.request('backup.list')
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  writeFileSync(join(folder, 'tondesk-20261120T120000000Z-manual.db-journal'), '')
  writeFileSync(join(folder, 'tondesk-20261120T120000000Z-manual.db.partial'), 'half of one')
  expect(await whole.request('backup.list')).toEqual(before)
})

test('a kill between the steps of a restore leaves the old database or the new one', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'tondesk.db')
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('in the backup')
  const { name, path } = await first.request('backup.create')
  await first.post('not in the backup')
  await first.app.dispose()

  // Killed while copying: half a file, the restore still asked for.
  copyFileSync(path, `${file}.incoming`)
  truncateSync(`${file}.incoming`, 5000)
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  {
    await using second = await startApp({ dataDirectory: home.path })
    expect((await second.request('capture.counts')).total).toBe(1)
  }
  // Killed between taking the old one away and putting the new one in its place.
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  copyFileSync(path, `${file}.incoming`)
  for (const leftover of ['', '-wal', '-shm']) {
    rmSync(file + leftover, { force: true })
  }
  await using third = await startApp({ dataDirectory: home.path })
  expect((await third.request('capture.counts')).total).toBe(1)
  expect(readdirSync(home.path).filter((entry) => entry.endsWith('.incoming'))).toEqual([])
})

test('a backup can take the place of a damaged database, which is what it is for', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  for (let index = 0; index < 50; index += 1) await first.post(`capture ${'filler '.repeat(200)}`)
  const { name } = await first.request('backup.create')
  await first.app.dispose()
  damagePages(join(home.path, 'tondesk.db'), 0.1, 0.9)
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  await using second = await startApp({ dataDirectory: home.path })
  expect((await second.request('capture.counts')).total).toBe(50)
  expect(await second.request('app.checkIntegrity')).toMatchObject({ ok: true })
})

test.each(['{', '{"name":"none.db"}', 'null'])(
  'a request to restore that cannot be read or met never keeps the app from starting: %j',
  async (text) => {
    using home = temporaryDirectory()
    writeFileSync(join(home.path, 'restore.json'), text)
    await using app = await startApp({ dataDirectory: home.path, receive: false })
    expect(await app.request('capture.counts')).toMatchObject({ total: 0 })
    expect(existsSync(join(home.path, 'restore.json'))).toBe(false)
  },
)

test('a backup spoiled after it was asked for leaves the data as it is, and says so', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('kept')
  const { name, path } = await first.request('backup.create')
  await first.request('backup.restore', { name })
  await first.app.dispose()
  writeFileSync(path, 'spoiled')
  await expect(startApp({ dataDirectory: home.path })).rejects.toMatchObject({
    code: 'BACKUP_INVALID',
  })
  await using second = await startApp({ dataDirectory: home.path })
  expect((await second.request('capture.counts')).total).toBe(1)
})
