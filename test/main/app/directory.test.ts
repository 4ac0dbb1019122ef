import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { expect, test } from 'vitest'
import { startApp } from '../../fixtures/app.ts'
import { startChildApp } from '../../fixtures/child-app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const windows = process.platform === 'win32'

test(
  'the data directory is created with its parents, and other users have no access',
  { skip: windows },
  async () => {
    using home = temporaryDirectory()
    const dataDirectory = join(home.path, 'share', 'tondesk')
    await using app = await startApp({ dataDirectory })
    await app.request('backup.create')
    expect(statSync(dataDirectory).mode & 0o777).toBe(0o700)
    expect(statSync(join(dataDirectory, 'backups')).mode & 0o777).toBe(0o700)
  },
)

test('a second app on the same directory is refused, and the first continues', async () => {
  await using first = await startApp()
  await expect(startApp({ dataDirectory: first.directory })).rejects.toMatchObject({
    code: 'DATA_DIRECTORY_HELD',
    message: expect.stringContaining(first.directory) as string,
  })
  expect(await first.post('still here')).toBe(200)
})

test('a second app in another process is refused, too', async () => {
  using home = temporaryDirectory()
  await using child = await startChildApp(home.path)
  await expect(startApp({ dataDirectory: home.path })).rejects.toMatchObject({
    code: 'DATA_DIRECTORY_HELD',
  })
  expect((await fetch(child.url, { method: 'POST', body: 'x' })).status).toBe(200)
})

test('a killed process releases its lock, and each delivery that got 200 is stored', async () => {
  using home = temporaryDirectory()
  await using child = await startChildApp(home.path)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      fetch(child.url, { method: 'POST', body: `delivery ${index}` }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  await child.kill()
  await using app = await startApp({ dataDirectory: home.path })
  expect(await app.request('capture.counts')).toMatchObject({ total: 20, unread: 20 })
})

test('the directory can be opened again after the app is disposed, also twice at the same time', async () => {
  using home = temporaryDirectory()
  const app = await startApp({ dataDirectory: home.path })
  await app.post('kept')
  await Promise.all([app.app.dispose(), app.app.dispose()])
  await using again = await startApp({ dataDirectory: home.path })
  expect(await again.request('capture.counts')).toMatchObject({ total: 1 })
})

test('a start on a file instead of the data directory fails with an error that suggests --data-dir', async () => {
  using home = temporaryDirectory()
  const taken = join(home.path, 'taken')
  writeFileSync(taken, 'a file')
  await expect(startApp({ dataDirectory: taken })).rejects.toMatchObject({
    code: 'DATABASE_UNWRITABLE',
    message: expect.stringMatching(/taken.*--data-dir/s) as string,
  })
})

test('a start fails if the database is a directory, and leaves the directory unchanged', async () => {
  using home = temporaryDirectory()
  mkdirSync(join(home.path, 'tondesk.db'))
  writeFileSync(join(home.path, 'tondesk.db', 'mine.txt'), 'mine')
  await expect(startApp({ dataDirectory: home.path })).rejects.toMatchObject({
    code: 'DATABASE_UNWRITABLE',
  })
  expect(readdirSync(join(home.path, 'tondesk.db'))).toEqual(['mine.txt'])
})

test(
  'a start in a directory without write permission fails with DATABASE_UNWRITABLE',
  { skip: windows || getuid?.() === 0 },
  async () => {
    using home = temporaryDirectory()
    chmodSync(home.path, 0o500)
    try {
      await expect(startApp({ dataDirectory: home.path })).rejects.toMatchObject({
        code: 'DATABASE_UNWRITABLE',
      })
    } finally {
      chmodSync(home.path, 0o700)
    }
  },
)

test('an app that fails to start releases the data directory', async () => {
  using home = temporaryDirectory()
  mkdirSync(join(home.path, 'tondesk.db'))
  await expect(startApp({ dataDirectory: home.path })).rejects.toThrow()
  // If the app still had the lock, this would be DATA_DIRECTORY_HELD.
  await expect(startApp({ dataDirectory: home.path })).rejects.toMatchObject({
    code: 'DATABASE_UNWRITABLE',
  })
})

const files = ['index.db', 'tondesk.sock', 'restore.json', 'rescue.json', 'run.json', 'report-logo']
const folders = ['backups', 'logs', 'exports', 'sandbox']

test(
  'files instead of folders, folders instead of files, and dangling links are moved aside',
  { skip: windows },
  async () => {
    for (const kind of ['other', 'link']) {
      using home = temporaryDirectory()
      const at = (name: string) => join(home.path, name)
      for (const name of [...files, ...folders]) {
        if (kind === 'link') symlinkSync(at('nothing'), at(name))
        else if (folders.includes(name)) writeFileSync(at(name), 'mine')
        else mkdirSync(at(name))
      }
      await using app = await startApp({ dataDirectory: home.path })
      await app.post('received')
      expect((await app.request('capture.counts')).total).toBe(1)
      const { path } = await app.request('backup.create')
      expect(statSync(path).mode & 0o777).toBe(0o600)
      const moved = readdirSync(home.path).filter((name) => name.includes('-moved-'))
      expect(moved.map((name) => name.split('-moved-')[0]).toSorted()).toEqual(
        [...files, ...folders].toSorted(),
      )
      if (kind === 'link') continue
      const backups = moved.find((name) => name.startsWith('backups')) ?? ''
      expect(readFileSync(join(at(backups), 'backups'), 'utf8')).toBe('mine')
    }
  },
)

test(
  'backups that an earlier version left readable for others become private',
  { skip: windows },
  async () => {
    using home = temporaryDirectory()
    let path = ''
    {
      await using app = await startApp({ dataDirectory: home.path })
      ;({ path } = await app.request('backup.create'))
    }
    chmodSync(path, 0o644)
    symlinkSync(join(home.path, 'nothing'), path.replace('manual', 'migration'))
    await using again = await startApp({ dataDirectory: home.path })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await again.request('backup.list')).map((backup) => backup.path)).toEqual([path])
  },
)

test(
  'databases in a directory that others can read are private, and a notice reports the directory',
  { skip: windows },
  async () => {
    using home = temporaryDirectory()
    const dataDirectory = join(home.path, 'open')
    mkdirSync(dataDirectory)
    chmodSync(dataDirectory, 0o755)
    const files = ['tondesk.db', 'tondesk.db-wal', 'tondesk.db-shm', 'index.db', 'index.db-wal']
    const modes = () =>
      files.map((name) => [name, statSync(join(dataDirectory, name)).mode & 0o777])
    {
      await using app = await startApp({ dataDirectory })
      await app.post('with a token')
      await app.classified()
      expect(modes()).toEqual(files.map((name) => [name, 0o600]))
      expect(await app.request('notice.list')).toMatchObject([
        { id: 'store.openDirectory', detail: expect.stringContaining('chmod 700') as string },
      ])
    }
    {
      await using app = await startApp({ dataDirectory })
      chmodSync(dataDirectory, 0o750)
      expect(await app.request('notice.list')).toHaveLength(1)
      // The notice disappears with its cause, without a restart.
      chmodSync(dataDirectory, 0o700)
      expect(await app.request('notice.list')).toEqual([])
      chmodSync(dataDirectory, 0o755)
    }
    // An earlier version left these files readable by other users.
    for (const name of ['tondesk.db', 'index.db']) chmodSync(join(dataDirectory, name), 0o644)
    await using again = await startApp({ dataDirectory })
    await again.post('once more')
    await again.classified()
    expect(modes()).toEqual(files.map((name) => [name, 0o600]))
  },
)
