import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src-preload/contract/settings.ts'
import { createSettings, createValues } from '../../../src-main/app/store/settings.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

/** Returns the settings that are read from this stored text. */
function settingsFrom(stored: string) {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  database.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('settings', stored)
  return createSettings(createValues(database))
}

test('a change of settings leaves all other settings unchanged', async () => {
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

test('null is a value, and differs from an omitted setting', async () => {
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
])('a value out of range is refused and changes no setting: %j', async (patch) => {
  expect(await boundsApp.refusal('settings.change', patch)).toBe('INVALID_INPUT')
  expect(await boundsApp.request('settings.get')).toEqual(defaultSettings)
})

// The settings do not change, so one app serves all cases.
const boundsApp = await startApp({ receive: false })
test('the limits of the ranges are accepted', async () => {
  const patch = {
    receiver: { port: 65_535, bodyLimitBytes: 1024 },
    appearance: { listPercent: 20 },
  }
  expect(await boundsApp.request('settings.change', patch)).toMatchObject(patch)
  await boundsApp[Symbol.asyncDispose]()
})

test('an invalid stored value is replaced by its default, and the others stay', () => {
  const stored = {
    receiver: { port: 99, bodyLimitBytes: 4096, listenAtStart: 'yes' },
    retention: { maxCount: 500, maxAgeDays: 7, fromTheFuture: true },
    // A version without coin names stored this value.
    appearance: { theme: 'dark' },
  }
  expect(settingsFrom(JSON.stringify(stored)).get()).toEqual({
    ...defaultSettings,
    receiver: { ...defaultSettings.receiver, bodyLimitBytes: 4096 },
    retention: { ...defaultSettings.retention, maxCount: 500, maxAgeDays: 7 },
    appearance: { ...defaultSettings.appearance, theme: 'dark' },
  })
})

test('an invalid stored group is replaced by its defaults, and the others stay', () => {
  const stored = { receiver: { ...defaultSettings.receiver, port: 5000 }, retention: 5 }
  expect(settingsFrom(JSON.stringify(stored)).get()).toEqual({
    ...defaultSettings,
    receiver: { ...defaultSettings.receiver, port: 5000 },
  })
})

test.each(['', 'not json', 'null', '[]', '7', '"text"', '{"__proto__":{"port":1}}'])(
  'unreadable stored settings are replaced by the defaults, and can be changed: %j',
  (stored) => {
    const settings = settingsFrom(stored)
    expect(settings.get()).toEqual(defaultSettings)
    expect(settings.change({ appearance: { theme: 'light' } }).appearance.theme).toBe('light')
    expect(settings.get().receiver).toEqual(defaultSettings.receiver)
  },
)

test('the receiver’s URL survives a restart, and an invalid stored token is replaced', async () => {
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
