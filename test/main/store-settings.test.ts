import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../src-preload/contract/settings.ts'
import { createSettings, createValues } from '../../src-main/app/store/settings.ts'
import { openDatabase } from '../../src-main/database/database.ts'
import { migrate } from '../../src-main/database/migrate.ts'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

/** Settings read from what a database has under their key. */
function settingsFrom(stored: string) {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  database.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('settings', stored)
  return createSettings(createValues(database))
}

test('a change keeps what it does not name, in its group and in the others', async () => {
  using home = temporaryDirectory()
  {
    await using app = await startApp({ dataDirectory: home.path, receive: false })
    await app.request('settings.change', { receiver: { bodyLimitBytes: 2048 } })
    const after = await app.request('settings.change', {
      receiver: { rejectWrongToken: true },
      appearance: { theme: 'dark' },
    })
    expect(after).toEqual({
      ...defaultSettings,
      receiver: { ...defaultSettings.receiver, bodyLimitBytes: 2048, rejectWrongToken: true },
      appearance: { ...defaultSettings.appearance, theme: 'dark' },
    })
    await app.until(() => app.events.some(({ name }) => name === 'settings.changed'))
  }
  await using app = await startApp({ dataDirectory: home.path, receive: false })
  expect(await app.request('settings.get')).toMatchObject({
    receiver: { port: 4801, bodyLimitBytes: 2048, rejectWrongToken: true },
    appearance: { ...defaultSettings.appearance, theme: 'dark' },
  })
})

test('null is a choice, and not the same as not being named', async () => {
  await using app = await startApp({ receive: false })
  await app.request('settings.change', { retention: { maxAgeDays: 30 } })
  await app.request('settings.change', { retention: { maxCount: 500 } })
  expect((await app.request('settings.get')).retention).toMatchObject({ maxAgeDays: 30 })
  await app.request('settings.change', { retention: { maxAgeDays: null } })
  expect((await app.request('settings.get')).retention).toMatchObject({
    maxAgeDays: null,
    maxCount: 500,
  })
})

test.each([
  { receiver: { port: 80 } },
  { receiver: { port: 65_536 } },
  { receiver: { port: 4801.5 } },
  { receiver: { port: '4801' } },
  { receiver: { bodyLimitBytes: 64 * 1024 * 1024 + 1 } },
  { retention: { maxCount: 99 } },
  { retention: { maxBytes: 1024 } },
  { retention: { maxAgeDays: 0 } },
  { appearance: { theme: 'pink' } },
  { appearance: { listPercent: 81 } },
  { appearance: { coinName: 'Toncoin' } },
  { appearance: { numbers: 'comma-comma' } },
])('a value out of bounds is refused and changes nothing: %j', async (patch) => {
  expect(await boundsApp.refusal('settings.change', patch)).toBe('INVALID_INPUT')
  expect(await boundsApp.request('settings.get')).toEqual(defaultSettings)
})

// Nothing is changed in it, so one serves all the cases.
const boundsApp = await startApp({ receive: false })
test('the bounds themselves are taken', async () => {
  const patch = {
    receiver: { port: 65_535, bodyLimitBytes: 1024 },
    appearance: { listPercent: 20 },
  }
  expect(await boundsApp.request('settings.change', patch)).toMatchObject(patch)
  await boundsApp[Symbol.asyncDispose]()
})

test('a stored value that makes no sense any more falls back alone', () => {
  const stored = {
    receiver: { port: 99, bodyLimitBytes: 4096, listenAtStart: 'yes' },
    retention: { maxCount: 500, maxAgeDays: 7, fromTheFuture: true },
    // As a version without coin names stored it.
    appearance: { theme: 'dark' },
  }
  expect(settingsFrom(JSON.stringify(stored)).get()).toEqual({
    ...defaultSettings,
    receiver: { ...defaultSettings.receiver, bodyLimitBytes: 4096 },
    retention: { ...defaultSettings.retention, maxCount: 500, maxAgeDays: 7 },
    appearance: { ...defaultSettings.appearance, theme: 'dark' },
  })
})

test('a whole group that makes no sense does not take the others with it', () => {
  const stored = { receiver: { ...defaultSettings.receiver, port: 5000 }, retention: 5 }
  expect(settingsFrom(JSON.stringify(stored)).get()).toEqual({
    ...defaultSettings,
    receiver: { ...defaultSettings.receiver, port: 5000 },
  })
})

test.each(['', 'not json', 'null', '[]', '7', '"text"', '{"__proto__":{"port":1}}'])(
  'settings that are none at all are the defaults, and can be changed: %j',
  (stored) => {
    const settings = settingsFrom(stored)
    expect(settings.get()).toEqual(defaultSettings)
    expect(settings.change({ appearance: { theme: 'light' } }).appearance.theme).toBe('light')
    expect(settings.get().receiver).toEqual(defaultSettings.receiver)
  },
)

test('the receiver keeps its URL over a restart, whatever else is in its memory', async () => {
  using home = temporaryDirectory()
  const tokenOf = (url: string) => url.split('/').at(-1)
  let first: string | undefined
  {
    await using app = await startApp({ dataDirectory: home.path })
    first = tokenOf(await app.hook())
  }
  {
    await using app = await startApp({ dataDirectory: home.path })
    expect(tokenOf(await app.hook())).toBe(first)
    await app.request('receiver.rotateToken')
  }
  const database = new DatabaseSync(join(home.path, 'tondesk.db'))
  database.prepare(`UPDATE settings SET value = '"short"' WHERE key = 'receiver.token'`).run()
  database.close()
  await using app = await startApp({ dataDirectory: home.path })
  expect(tokenOf(await app.hook())).toMatch(/^[0-9a-f]{32}$/)
})
