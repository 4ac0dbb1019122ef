/** Tests guards whose callers cannot be simulated on a real Electron. */
import { expect, test, type Tondesk } from '../fixture.ts'
import type { StandIn } from '../../stand-in/launch.ts'

function standInOf({ running }: Tondesk): StandIn {
  if (!running.standIn) throw new Error('This test is about the stand-in.')
  return running.standIn
}

// The tests do not change the app, so one app serves all of them.
test('permissions and IPC requests are granted only to the window’s own top frame, whose page has no Node', async ({
  tondesk,
}) => {
  const standIn = standInOf(tondesk)
  const ask = (permission: string, part: object = {}) =>
    standIn.ask('askPermission', {
      permission,
      url: 'app://tondesk/',
      isMainFrame: true,
      ownWindow: true,
      ...part,
    })
  const no = { check: false, request: false }
  expect(await ask('clipboard-sanitized-write')).toEqual({ check: true, request: true })
  expect(await ask('clipboard-sanitized-write', { isMainFrame: false })).toEqual(no)
  expect(await ask('clipboard-sanitized-write', { ownWindow: false })).toEqual(no)
  expect(await ask('clipboard-sanitized-write', { url: 'https://evil.test/' })).toEqual(no)
  for (const permission of [
    'clipboard-read',
    'media',
    'geolocation',
    'notifications',
    'openExternal',
    'fileSystem',
    'usb',
    'some-permission-of-tomorrow',
  ]) {
    expect(await ask(permission), permission).toEqual(no)
  }

  const invoke = (part: object) =>
    standIn.ask('invokeAs', {
      origin: 'app://tondesk',
      isTop: true,
      ownWindow: true,
      name: 'app.info',
      ...part,
    })
  const forbidden = { ok: false, error: { code: 'FORBIDDEN_SENDER' } }
  expect(await invoke({})).toMatchObject({ ok: true })
  expect(await invoke({ isTop: false })).toMatchObject(forbidden)
  expect(await invoke({ ownWindow: false })).toMatchObject(forbidden)
  for (const origin of ['https://evil.test', 'null', 'app://tondesk.evil.test', 'file://', '']) {
    expect(await invoke({ origin })).toMatchObject(forbidden)
  }

  const [opened] = (await standIn.ask('report')).windows
  expect(opened?.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
  })
  expect(opened?.webPreferences).not.toHaveProperty('webSecurity')
  expect(opened?.webPreferences).not.toHaveProperty('webviewTag')
})
