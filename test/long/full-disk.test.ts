/**
 * A small disk that deliveries filled. In whole runs of `npm test` the deletion sometimes left captures unwritable
 * until the test's limit, with an unknown cause; alone, also under load, it has not failed.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { smallDisk } from '../fixtures/small-disk.ts'

test.each(['capture.delete', 'capture.clear'] as const)(
  'a small disk that deliveries filled is left by %s, and a backup is refused before it is begun',
  async (route) => {
    using directory = temporaryDirectory()
    using disk = smallDisk(directory.path, 24)
    if (disk === null) return
    const dataDirectory = join(directory.path, 'data')
    await using app = await startApp({ dataDirectory })
    await app.until(() => existsSync(join(dataDirectory, 'reserve.bin')), 'the reserve')
    let status = 200
    for (let size = 100_000; size > 100; size = Math.floor(size / 10)) {
      for (status = 200; status === 200;) status = await app.post('x'.repeat(size))
    }
    expect(await app.envelope('backup.create')).toMatchObject({
      ok: false,
      error: { code: 'DISK_FULL', message: expect.stringMatching(/needs .* MB free/) as string },
    })
    expect(readdirSync(join(dataDirectory, 'backups'))).toEqual([])
    // The large ones: fifty of the last and smallest would free less than the index may still need.
    const { rows } = await app.request('capture.list', { limit: 500 })
    const ids = rows.filter(({ bodyBytes }) => bodyBytes === 100_000).map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(20)
    const { deleted } =
      route === 'capture.delete'
        ? await app.request(route, { ids })
        : await app.request(route, { keepPinned: false })
    expect(deleted).toBeGreaterThan(0)
    await app.until(async () => (await app.request('receiver.state')).writable, 'writable captures')
    expect(await app.post('small')).toBe(200)
    // The space is returned to the disk in steps.
    const change = { appearance: { theme: 'dark' as const } }
    await expect.poll(async () => (await app.envelope('settings.change', change)).ok).toBe(true)
    expect(await app.request('app.checkIntegrity')).toMatchObject({ ok: true })
  },
)
