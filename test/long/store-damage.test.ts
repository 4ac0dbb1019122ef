/** Tests all kinds of damage: each start must end, and may lose only data on the damaged pages. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { dataPaths } from '../../src-main/app/paths.ts'
import { openStore } from '../../src-main/database/open-store.ts'
import { deadlines } from '../deadlines.ts'
import type { Output } from '../../src-preload/contract/routes.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { flipBit } from '../fixtures/damage.ts'
import { compareRescued, damageOf, makeStore, readRows } from '../fixtures/damaged-stores.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

const withinMs = deadlines.test

/** Returns ids of captures whose body differs from the undamaged file although the app reports nothing. */
async function changedSilently(app: TestApp, good: string): Promise<number[]> {
  using database = new DatabaseSync(good, { readOnly: true })
  const bodies = database.prepare('SELECT id, body FROM captures').all()
  const shown = await Promise.all(
    bodies.map(async (row) => {
      const id = Number(row['id'])
      const envelope = await app.envelope('capture.body', { id, form: 'raw' })
      if (!envelope.ok) {
        expect(['CAPTURE_NOT_FOUND', 'DATA_DAMAGED']).toContain(envelope.error.code)
        return null
      }
      const { base64 } = envelope.data as Output<'capture.body'>
      return base64 === Buffer.from(row['body'] as Uint8Array).toString('base64') ? null : id
    }),
  )
  return shown.filter((id) => id !== null)
}

test('each start on one of 200 truncated or overwritten files ends, with all data of intact pages', async () => {
  using home = temporaryDirectory()
  const good = makeStore(home.path)
  const original = readRows(good)
  for (let seed = 1; seed <= 200; seed += 1) {
    using directory = temporaryDirectory()
    const paths = dataPaths(directory.path)
    copyFileSync(good, paths.database)
    const damage = damageOf(seed)
    const lost = damage.apply(paths.database)
    // Most damage is detected only when its page is read, so here each start performs a rescue.
    writeFileSync(paths.pendingRescue, '{}')
    const began = performance.now()
    const app = await startApp({ dataDirectory: directory.path, receive: false })
    const took = performance.now() - began
    const notices = await app.request('notice.list')
    expect([damage.name, await changedSilently(app, good)]).toEqual([damage.name, []])
    await app.app.dispose()
    expect([damage.name, notices.map(({ id }) => id)]).toEqual([damage.name, ['store.rescued']])
    expect([damage.name, compareRescued(original, lost, paths.database)]).toEqual([
      damage.name,
      { missing: [], wrong: [] },
    ])
    expect([damage.name, took < withinMs]).toEqual([damage.name, true])
  }
})

test('a flipped bit of the header loses no data, and the resulting database is sound', async () => {
  using home = temporaryDirectory()
  const good = makeStore(home.path)
  const original = readRows(good)
  for (let bit = 0; bit < 800; bit += 1) {
    using directory = temporaryDirectory()
    const paths = dataPaths(join(directory.path, 'data'))
    mkdirSync(paths.directory)
    copyFileSync(good, paths.database)
    flipBit(paths.database, Math.floor(bit / 8), bit % 8)
    const { database, rescue } = await openStore(paths, new Date())
    database.close()
    expect([bit, rescue?.isComplete ?? true]).toEqual([bit, true])
    const loss = compareRescued(original, new Set(), paths.database)
    expect([bit, loss]).toEqual([bit, { missing: [], wrong: [] }])
  }
})
