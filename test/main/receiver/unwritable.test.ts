import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { startBareReceiver } from '../../fixtures/bare-receiver.ts'
import { transactionEvent } from '../../fixtures/bodies.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { capturesOf, readCapture } from '../../fixtures/hook.ts'
import { sendRaw } from '../../fixtures/raw-http.ts'
import { seededRandom } from '../../fixtures/seeded.ts'
import { smallDisk } from '../../fixtures/small-disk.ts'

/** Returns the incidents of the receiver. A recovery is recorded after a minute. */
async function alarms(app: TestApp) {
  const { incidents } = await app.request('incident.list', { open: true, offset: 0, limit: 10 })
  return incidents.filter(({ subject, wellSince }) => subject === 'receiver' && wellSince === null)
}

async function expectAlarm(app: TestApp) {
  expect(await alarms(app)).toMatchObject([{ kind: 'unwritable', level: 'alarm' }])
  expect(await app.request('receiver.state')).toMatchObject({
    status: 'listening',
    writable: false,
  })
}

async function expectLowDisk(app: TestApp) {
  await app.until(async () => {
    const { incidents } = await app.request('incident.list', { open: true, offset: 0, limit: 10 })
    return incidents.some(({ subject, kind }) => subject === 'disk' && kind === 'low')
  }, 'the incident of the disk')
}

async function expectNoAlarm(app: TestApp) {
  await app.until(async () => (await alarms(app)).length === 0, 'the alarm to end')
  expect(await app.request('receiver.state')).toMatchObject({ status: 'listening', writable: true })
}

test('while another program locks the database, deliveries get 503 and an incident opens; both end with the lock', async () => {
  await using app = await startApp()
  expect(await app.post('before')).toBe(200)
  const other = new DatabaseSync(join(app.directory, 'tondesk.db'))
  other.exec('BEGIN EXCLUSIVE')
  // Catches a 200 for a delivery that is not on disk. The writer waits five seconds for a lock.
  expect(await app.post('during')).toBe(503)
  await expectAlarm(app)

  other.exec('ROLLBACK')
  other.close()
  const [capture] = await capturesOf(app, 1, async () => {
    expect(await app.post('after')).toBe(200)
  })
  await expectNoAlarm(app)
  expect(capture?.body.toString()).toBe('after')
  const { rows } = await app.request('capture.list', {})
  expect(rows.map(({ status }) => status)).toEqual([200, 200])
  const { captured: count, refused: turnedAway } = await app.request('receiver.state')
  expect({ count, turnedAway }).toEqual({ count: 2, turnedAway: 1 })
})

test('on a full disk deliveries get 503 and an incident opens; both end with free space, and no stored delivery is lost', async ({
  skip,
}) => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 12)
  if (disk === null) return skip('A file system of our own takes root on Linux.')
  await using app = await startApp({
    dataDirectory: join(directory.path, 'data'),
    worksOn: true,
  })
  await expectLowDisk(app)
  const ballast = join(directory.path, 'ballast')
  // The app may have used space meanwhile.
  const { bavail, bsize } = statfsSync(directory.path)
  writeFileSync(
    ballast,
    Buffer.alloc(Math.floor(Math.min(6, (bavail * bsize) / 1024 ** 2 - 1) * 1024 ** 2)),
  )

  const body = (index: number) =>
    `${index}:`.padEnd(100_000, String.fromCharCode(65 + (index % 26)))
  const answered: string[] = []
  let status = 200
  for (let index = 0; status === 200; index += 1) {
    status = await app.post(body(index))
    if (status === 200) answered.push(body(index))
  }
  expect(status).toBe(503)
  await expectAlarm(app)
  // Reading still works: stored captures can be listed, exported and deleted.
  expect((await app.request('capture.list', {})).rows).toHaveLength(answered.length)

  rmSync(ballast)
  const event = transactionEvent()
  expect(await app.post(event)).toBe(200)
  answered.push(event)
  await expectNoAlarm(app)
  const { rows } = await app.request('capture.list', {})
  const found = await Promise.all(
    rows.map(async ({ id }) => (await readCapture(app, id)).body.toString()),
  )
  expect(found.reverse()).toEqual(answered)
  // Catches an index that stopped permanently when the disk was full.
  const classified = await app.classified()
  expect(classified[0]).toMatchObject({ kind: 'account_tx' })
  expect((await app.request('app.checkIntegrity')).problems).toEqual([])
})

test('on a full disk changes and backups are refused as DISK_FULL, and deleting captures frees space', async ({
  skip,
}) => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 300)
  if (disk === null) return skip('A file system of our own takes root on Linux.')
  const dataDirectory = join(directory.path, 'data')
  const body = 'x'.repeat(1_000_000)
  const first = await startApp({ dataDirectory })
  for (let index = 0; index < 40; index += 1) expect(await first.post(body)).toBe(200)
  await first.app.dispose()

  await using app = await startApp({ dataDirectory })
  const reserve = join(dataDirectory, 'reserve.bin')
  await app.until(() => existsSync(reserve), 'the reserve')
  expect(() => {
    for (let index = 0; ; index += 1) {
      writeFileSync(join(directory.path, `ballast-${index}`), Buffer.alloc(1024 * 1024))
    }
  }).toThrow('ENOSPC')
  let status = 200
  while (status === 200) status = await app.post(body)
  const change = { appearance: { theme: 'dark' as const } }
  // The part of the write-ahead log that is already on the disk accepts small changes for a while.
  while ((await app.envelope('settings.change', change)).ok) await app.post('small')
  expect(await app.refusal('settings.change', change)).toBe('DISK_FULL')
  expect(await app.refusal('backup.create')).toBe('DISK_FULL')
  expect(readdirSync(join(dataDirectory, 'backups'))).toEqual([])

  const { rows } = await app.request('capture.list', { limit: 20 })
  const { deleted } = await app.request('capture.delete', { ids: rows.map(({ id }) => id) })
  expect(deleted).toBe(20)
  await expectNoAlarm(app)
  expect(await app.post(body)).toBe(200)
  await app.request('settings.change', change)
  expect(await app.request('app.checkIntegrity')).toMatchObject({ ok: true })
})

test.for(['capture.delete', 'capture.clear'] as const)(
  '%s frees space on a small full disk each time, and a backup is refused before it begins',
  async (route, { skip }) => {
    using directory = temporaryDirectory()
    using disk = smallDisk(directory.path, 24)
    if (disk === null) skip()
    const dataDirectory = join(directory.path, 'data')
    await using app = await startApp({ dataDirectory })
    await app.until(() => existsSync(join(dataDirectory, 'reserve.bin')), 'the reserve')
    for (const random of [1, 2, 3].map(seededRandom)) {
      for (let size = 100_000; size > 100; size = Math.floor(size / 10)) {
        const body = () => 'x'.repeat(Math.ceil(size * (0.5 + random())))
        while ((await app.post(body())) === 200);
      }
      expect(await app.envelope('backup.create')).toMatchObject({
        ok: false,
        error: { code: 'DISK_FULL', message: expect.stringMatching(/needs .* MB free/) as string },
      })
      expect(readdirSync(join(dataDirectory, 'backups'))).toEqual([])
      const { rows } = await app.request('capture.list', { limit: 500 })
      const ids = rows.filter(({ bodyBytes }) => bodyBytes > 40_000).map(({ id }) => id)
      const { deleted } =
        route === 'capture.delete'
          ? await app.request(route, { ids })
          : await app.request(route, { keepPinned: false })
      expect(deleted).toBeGreaterThan(20)
      await app.until(async () => (await app.request('receiver.state')).writable, 'writing')
      expect(await app.post('small')).toBe(200)
    }
    // The space is returned to the disk in steps.
    const change = { appearance: { theme: 'dark' as const } }
    await expect.poll(async () => (await app.envelope('settings.change', change)).ok).toBe(true)
    expect(await app.request('app.checkIntegrity')).toMatchObject({ ok: true })
  },
)

test('a start on a read-only disk fails with an error that says so', async ({ skip }) => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 50)
  if (disk === null) return skip('A file system of our own takes root on Linux.')
  const dataDirectory = join(directory.path, 'data')
  await (await startApp({ dataDirectory, receive: false })).app.dispose()
  disk.makeReadOnly()
  await expect(startApp({ dataDirectory })).rejects.toMatchObject({
    code: 'DATABASE_UNWRITABLE',
    message: expect.stringMatching(/read-only file system/) as string,
  })
})

test('when the writer thread dies, its pending delivery and all later ones get 503', async () => {
  const writer = new URL('../../fixtures/dying-writer.ts', import.meta.url)
  await using bare = await startBareReceiver({ writer })
  const post = (body: string) =>
    sendRaw(bare.port, `POST ${bare.path} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`, body)
  expect((await post('well')).status).toBe(200)
  // Catches a delivery that hangs because the writer has ended.
  expect((await post('die now')).status).toBe(503)
  expect((await post('after')).status).toBe(503)
  expect(bare.trouble()).toMatchObject({ forGood: true })
  expect(await bare.receiver.currentState()).toMatchObject({
    writable: false,
    captured: 1,
    refused: 2,
  })
  expect((await bare.written(1)).map(({ body }) => body.toString())).toEqual(['well'])
})

test('a writer thread that dies at its start fails the start with the reason', async () => {
  const writer = new URL('data:text/javascript,throw new Error("the disk is gone")')
  await expect(startBareReceiver({ writer })).rejects.toMatchObject({
    code: 'DATABASE_UNWRITABLE',
    message: expect.stringMatching(/the disk is gone.*restart Tondesk/) as string,
  })
})
