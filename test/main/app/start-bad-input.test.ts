/** Tests the start on a full disk, and with invalid stored values. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { smallDisk } from '../../fixtures/small-disk.ts'

function fill(directory: string): string {
  const ballast = join(directory, 'ballast')
  const { bavail, bsize } = statfsSync(directory)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize))
  return ballast
}

test('a start on a full disk fails with the reason, and after space is freed all data is there', async ({
  skip,
}) => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 24)
  if (disk === null) return skip('A file system of our own takes root on Linux.')
  const dataDirectory = join(directory.path, 'data')
  const isRefused = () =>
    expect(startApp({ dataDirectory, receive: false })).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringMatching(/disk.*full|no space left/is) as string,
    })
  // A failed first start leaves no file that prevents the next one.
  const atFirst = fill(directory.path)
  await isRefused()
  rmSync(atFirst)
  {
    await using app = await startApp({ dataDirectory })
    expect(await app.post('before')).toBe(200)
  }
  // Freeing the reserved space would let the start succeed, so the reserve is removed.
  rmSync(join(dataDirectory, 'reserve.bin'), { force: true })
  const ballast = fill(directory.path)
  await isRefused()
  rmSync(ballast)
  await using app = await startApp({ dataDirectory })
  expect((await app.request('capture.list', {})).rows).toHaveLength(1)
  expect(await app.post('after')).toBe(200)
})

test('with the reserved space, a start on a full disk succeeds, so that captures can be deleted', async ({
  skip,
}) => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 24)
  if (disk === null) return skip('A file system of our own takes root on Linux.')
  const dataDirectory = join(directory.path, 'data')
  {
    await using app = await startApp({ dataDirectory })
    for (let index = 0; index < 20; index += 1)
      expect(await app.post('x'.repeat(100_000))).toBe(200)
  }
  // The app reserves this size when it has more data.
  writeFileSync(join(dataDirectory, 'reserve.bin'), Buffer.alloc(4 * 1024 * 1024))
  fill(directory.path)
  await using app = await startApp({ dataDirectory })
  const { rows } = await app.request('capture.list', { limit: 20 })
  expect(rows).toHaveLength(20)
  expect(await app.request('capture.delete', { ids: rows.map(({ id }) => id) })).toMatchObject({
    deleted: 20,
  })
  expect(await app.post('after')).toBe(200)
})

test('a start with only invalid stored values succeeds with the defaults', async () => {
  using directory = temporaryDirectory()
  await (await startApp({ dataDirectory: directory.path, receive: false })).app.dispose()
  const database = new DatabaseSync(join(directory.path, 'tondesk.db'))
  const insert = database.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)')
  for (const { key } of database.prepare('SELECT key FROM settings').all()) {
    insert.run(String(key), '{"broken')
  }
  insert.run('settings', '{"receiver": {"port": "none"}, "appearance": 7')
  insert.run('network.current', '"no such network"')
  insert.run('receiver.token', '[]')
  database.close()
  await using app = await startApp({ dataDirectory: directory.path })
  expect(await app.post('still')).toBe(200)
  expect((await app.request('network.list')).current).toBe('sandbox')
})
