/** Tests that a stored capture which changes on disk is reported and never sent. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checksumOf } from '../../../src-main/captures/store/capture-record.ts'
import { addChecksumsStep } from '../../../src-main/captures/store/checksums.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { migrations } from '../../../src-main/database/migrations/index.ts'
import { checksums } from '../../../src-main/database/migrations/0042-checksums.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { damagePages } from '../../fixtures/damage.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { respondWith, startEndpoint } from '../../fixtures/endpoint.ts'

/** Changes a stored capture as a failing disk or another program would. */
function change(app: TestApp, id: number, set: string): void {
  using database = new DatabaseSync(join(app.directory, 'tondesk.db'))
  database.prepare(`UPDATE captures SET ${set} WHERE id = ?`).run(id)
}

const changes = [
  `body = CAST(replace(CAST(body AS TEXT), 'paid', 'void') AS BLOB)`,
  `body = CAST(body || 'x' AS BLOB)`,
  `body = x''`,
  `headers = headers || char(10) || 'X-Added' || char(10) || '1'`,
  `target = target || '/elsewhere'`,
  `method = 'PUT'`,
]

test('a capture that was changed on disk is reported by every view, replay and export, and other captures stay usable', async () => {
  await using app = await startApp({ host: 'browser' })
  await using endpoint = await startEndpoint()
  const ids = [...changes.keys()].map((index) => index + 1)
  const sound = ids.length + 1
  for (const id of [...ids, sound]) await app.post(`{"number":${id},"status":"paid"}`)
  await app.classified()
  for (const [index, set] of changes.entries()) change(app, index + 1, set)
  // The status may change later, so the checksum does not include it.
  change(app, sound, 'status = 503')

  for (const id of ids) {
    const named = {
      code: 'DATA_DAMAGED',
      message: expect.stringContaining(`capture ${id} `) as string,
    }
    await expect(app.request('capture.body', { id })).rejects.toMatchObject(named)
    await expect(app.request('capture.snippet', { id, language: 'posix' })).rejects.toMatchObject(
      named,
    )
    await expect(app.request('capture.snippet', { id, language: 'fetch' })).rejects.toMatchObject(
      named,
    )
    await expect(app.request('replay.draft', { id })).rejects.toMatchObject(named)
    expect(await app.request('capture.get', { id })).toMatchObject({ id, unverifiedBefore: null })
  }
  const { base64 } = await app.request('capture.body', { id: sound })
  expect(Buffer.from(base64, 'base64').toString()).toBe(`{"number":${sound},"status":"paid"}`)
  const notices = await app.request('notice.list')
  expect(notices.filter(({ id }) => id === 'captures.changedOnDisk')).toMatchObject([
    { level: 'alarm', detail: expect.stringContaining(`${ids.join(', ')}.`) as string },
  ])

  const subject = { kind: 'captures' as const, ids: [...ids, sound] }
  const { id: replay } = await app.request('replay.start', { subject, target: endpoint.url })
  const job = () => app.job('replay', replay)
  await app.until(async () => (await job()).state !== 'running', 'the replay')
  expect(await job()).toMatchObject({ delivered: 1, failed: ids.length })
  expect(endpoint.received.map(({ body }) => body)).toEqual([`{"number":${sound},"status":"paid"}`])

  const { id: run } = await app.request('captureExport.start', { format: 'jsonl', subject })
  const written = async () =>
    (await app.jobs('captureExport')).find(({ id, state }) => id === run && state === 'done')
  await app.until(async () => (await written()) !== undefined, 'the export')
  const file = (await written())?.file
  const read = await app.request('export.read', { id: file?.id ?? '', offset: 0 })
  const lines = Buffer.from(read.base64, 'base64').toString().trim().split('\n')
  const incidents = lines.map((line) =>
    String((JSON.parse(line) as { incident: unknown }).incident),
  )
  expect(incidents).toEqual([
    ...ids.map((id) => expect.stringContaining(`capture ${id} was changed on disk`) as string),
    'null',
  ])
})

test('a capture that was changed on disk before forwarding is dropped with a reason, and the next capture is forwarded', async () => {
  await using app = await startApp({ host: 'browser' })
  await using endpoint = await startEndpoint(respondWith(503))
  const { id: rule } = await app.request('forwardRule.save', { targets: [endpoint.url] })
  await app.post('{"status":"paid"}')
  await endpoint.arrived(1)
  await app.post('{"status":"next"}')
  const list = async () => (await app.request('forward.list', { rule })).deliveries
  await app.until(async () => (await list()).length === 2, 'both deliveries')
  change(app, 1, changes[0] ?? '')
  endpoint.answer = respondWith(200)
  await app.request('forwardRule.retryNow', { id: rule })
  const isOver = ({ state }: { readonly state: string }) =>
    state !== 'waiting' && state !== 'sending'
  await app.until(async () => (await list()).every(isOver), 'the end')
  const [tried] = await app.request('forward.ofCapture', { id: 1 })
  expect(tried).toMatchObject({ state: 'dropped' })
  const problems = tried?.tries.map(({ answer }) => answer.problem).join()
  expect(problems).toContain('capture 1 was changed on disk')
  expect(await app.request('forward.ofCapture', { id: 2 })).toMatchObject([{ state: 'delivered' }])
  expect(endpoint.received.map(({ body }) => body)).not.toContain('{"status":"void"}')
})

test('captures of older versions get checksums after the start, also after a kill, and show until when they were unverified', async () => {
  using home = temporaryDirectory()
  const path = join(home.path, 'tondesk.db')
  const count = 450
  {
    using old = openDatabase(path)
    migrate(old, () => undefined, migrations.slice(0, migrations.indexOf(checksums)))
    const insert = old.prepare(
      `INSERT INTO captures VALUES (?, ?, 5, 200, 'POST', '/hook/é', '1.1', '127.0.0.1', 'complete', NULL,
         'unchecked', NULL, ?, 1, ?)`,
    )
    for (let id = 1; id <= count; id += 1) {
      insert.run(id, 1_790_000_000_000_000 + id, `Host\nx${id}`, Buffer.from([id % 256, 255]))
    }
    old.exec(`DELETE FROM captures WHERE id IN (1, 5, ${count})`)
    migrate(old, () => undefined)
    expect(addChecksumsStep(old, 1)).toBe(true)
  }
  await using app = await startApp({ dataDirectory: home.path, host: 'browser' })
  await app.post('new')
  const isDone = () => {
    using database = new DatabaseSync(path, { readOnly: true })
    return (
      database.prepare(`SELECT 1 FROM settings WHERE key = 'captures.unverifiedTo'`).get() ===
      undefined
    )
  }
  await expect.poll(isDone).toBe(true)
  using database = new DatabaseSync(path, { readOnly: true })
  const rows = database
    .prepare(
      `SELECT id, method, target, headers, body, coalesce(c.checksum, k.checksum) AS checksum
       FROM captures c LEFT JOIN capture_checksums k ON k.capture_id = id`,
    )
    .all() as (Parameters<typeof checksumOf>[0] & { checksum: number })[]
  expect(rows).toHaveLength(count - 3 + 1)
  expect(rows.filter((row) => row.checksum !== checksumOf(row))).toEqual([])
  const before = async (id: number) => (await app.request('capture.get', { id })).unverifiedBefore
  expect(await before(2)).toBe(1)
  expect(await before(440)).toBeGreaterThan(1)
  expect(await before(count)).toBe(null)
  await app.request('capture.delete', { ids: [2] })
  expect(database.prepare('SELECT count(*) AS n FROM capture_checksums').get()).toEqual({
    n: count - 4,
  })
  change(app, 440, `body = x'00'`)
  expect(await app.refusal('capture.body', { id: 440 })).toBe('DATA_DAMAGED')
})

test('an invalid stored state of a capture is shown as the state that claims least, and hides no other capture', async () => {
  await using app = await startApp()
  for (const body of ['first', 'second', 'third']) await app.post(body)
  change(app, 1, `completeness = 'complete!'`)
  change(app, 2, `token = 'toString'`)
  const { rows } = await app.request('capture.list', {})
  expect(rows.map(({ id, completeness, token }) => [id, completeness, token])).toEqual([
    [3, 'complete', 'unchecked'],
    [2, 'complete', 'unchecked'],
    [1, 'partial', 'unchecked'],
  ])
  expect(await app.request('capture.get', { id: 1 })).toMatchObject({ completeness: 'partial' })
})

test('requests for captures in a damaged file get DATA_DAMAGED, and a restart rescues the readable captures', async () => {
  using directory = temporaryDirectory()
  const dataDirectory = join(directory.path, 'data')
  {
    await using app = await startApp({ dataDirectory })
    for (let id = 1; id <= 60; id += 1) await app.post(`delivery ${id} ${'filler '.repeat(600)}`)
    await app.classified()
  }
  await using app = await startApp({ dataDirectory })
  const file = join(dataDirectory, 'tondesk.db')
  // No connection has cached pages of the captures yet.
  damagePages(file, 0.93, 1)
  const envelope = await app.envelope('capture.list', { limit: 100 })
  expect(envelope).toEqual({
    ok: false,
    error: {
      code: 'DATA_DAMAGED',
      message: 'Some data cannot be read, because a file is damaged. Restart Tondesk to repair it.',
    },
  })
  const notices = () => app.request('notice.list')
  await app.until(
    async () => (await notices()).some(({ id }) => id === 'store.damaged'),
    'a notice',
  )
  expect(await app.request('capture.list', { limit: 100 }).catch(String)).toContain('damaged')
  expect((await notices()).filter(({ id }) => id === 'store.damaged')).toMatchObject([
    {
      level: 'alarm',
      title: 'The database is damaged',
      dismissible: false,
      detail: expect.stringMatching(/Restart Tondesk to rescue all readable data/) as string,
    },
  ])
  await app.app.dispose()
  await using again = await startApp({ dataDirectory })
  const ids = (await again.request('notice.list')).map(({ id }) => id)
  expect(ids).toContain('store.rescued')
  expect(ids).not.toContain('store.damaged')
  expect((await again.request('capture.list', { limit: 100 })).rows.length).toBeGreaterThan(5)
})

test.each([
  ['one byte', (file: string) => truncateSync(file, statSync(file).size - 1)],
  ['4 KiB', (file: string) => truncateSync(file, statSync(file).size - 4096)],
  ['all but one byte', (file: string) => truncateSync(file, statSync(file).size - 16_383)],
  ['the newest row, by zeros', zeroNewest],
])(
  'a database whose last page lost %s is rescued and shows the remaining captures',
  async (_, damage) => {
    using directory = temporaryDirectory()
    const dataDirectory = join(directory.path, 'data')
    {
      await using app = await startApp({ dataDirectory })
      for (let id = 1; id <= 60; id += 1) await app.post(`delivery ${id} ${'filler '.repeat(60)}`)
      await app.classified()
    }
    damage(join(dataDirectory, 'tondesk.db'))
    await using app = await startApp({ dataDirectory })
    const notices = (await app.request('notice.list')).map(({ id }) => id)
    expect(notices).toContain('store.rescued')
    const { rows } = await app.request('capture.list', { limit: 100 })
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_row, index) => (rows[0]?.id ?? 0) - index))
    expect(await app.request('app.checkIntegrity')).toMatchObject({ ok: true })
    expect(await app.post('the next one')).toBe(200)
  },
)

/** Damages the file as a disk would that lost a write within a page. */
function zeroNewest(file: string): void {
  const bytes = readFileSync(file)
  const at = bytes.lastIndexOf('delivery 60 ')
  bytes.fill(0, at - 500, at + 400)
  writeFileSync(file, bytes)
}
