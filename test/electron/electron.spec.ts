/** What only the real Electron can show. */
import { connect } from 'node:net'
import type { ElectronApplication } from '@playwright/test'
import { type Tondesk, expect, test } from '../e2e/fixture.ts'
import { post } from '../e2e/sender.ts'
import { rows } from '../e2e/pages/captures.ts'
import { frame, openPage } from '../e2e/pages/frame.ts'
import { electronProblem } from './binary.ts'

const problem = electronProblem()
test.skip(problem !== null, problem ?? '')

function electronOf({ running }: Tondesk): ElectronApplication {
  if (!running.electron) throw new Error('This test is about Electron.')
  return running.electron
}

test('it boots from app:// into a sandboxed, isolated page that has the bridge only', async ({
  tondesk,
}) => {
  const { page } = tondesk
  expect(page.url()).toMatch(/^app:\/\/tondesk\//)
  const found = await page.evaluate(() => ({
    bridge: Object.keys(window.bridge ?? {}).sort(),
    leaks: ['process', 'require', 'module', 'Buffer', 'ipcRenderer'].filter(
      (name) => name in window,
    ),
    origin: location.origin,
    secure: isSecureContext,
  }))
  expect(found).toEqual({
    bridge: ['on', 'request'],
    leaks: [],
    origin: 'app://tondesk',
    secure: true,
  })
  const sandboxed = await electronOf(tondesk).evaluate(({ BrowserWindow, app }) => {
    const [first] = BrowserWindow.getAllWindows()
    const pid = first?.webContents.getOSProcessId()
    return app.getAppMetrics().find((metric) => metric.pid === pid)?.sandboxed
  })
  // Told on Windows and macOS only.
  if (process.platform !== 'linux') expect(sandboxed).toBe(true)
})

test('a webhook sent to it is seen', async ({ tondesk }) => {
  await openPage(tondesk.page, 'inspector')
  expect(await post(tondesk.receiverUrl, '{"memo":"seen"}')).toBe(200)
  await expect(rows(tondesk.page).filter({ hasText: 'seen' })).toHaveCount(1)
})

test('no link and no script leads out of the window; outside goes https only', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const electron = electronOf(tondesk)
  tondesk.expectProblem(/Not allowed|navigate|Failed to load/)
  await electron.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    shell.openExternal = (url) => {
      opened.push(url)
      return Promise.resolve()
    }
  })
  for (const url of [
    'https://evil.test/?next=app://tondesk',
    'app://tondesk@evil.test/',
    'app://other/',
    'file:///etc/passwd',
    'data:text/html,<h1>data</h1>',
  ]) {
    await page.evaluate((target) => {
      location.assign(target)
    }, url)
    await expect(frame(page).navigation).toBeVisible()
    expect(page.url()).toMatch(/^app:\/\/tondesk\//)
  }
  await page.evaluate(() => {
    window.open('file:///etc/passwd')
    window.open('https://tonviewer.com/transaction/1')
  })
  await expect
    .poll(() => electron.evaluate(() => (globalThis as unknown as { opened: string[] }).opened))
    .toEqual(['https://tonviewer.com/transaction/1'])
  expect(electron.windows()).toHaveLength(1)
})

test('permissions are refused but for writing text to the clipboard', async ({ tondesk }) => {
  const states = await tondesk.page.evaluate(async () => {
    const query = async (name: string) =>
      (await navigator.permissions.query({ name: name as PermissionName })).state
    return { geolocation: await query('geolocation'), notifications: await query('notifications') }
  })
  expect(states).toEqual({ geolocation: 'denied', notifications: 'denied' })
})

test('it quits in time with a request under way, and keeps what it answered', async ({
  tondesk,
}) => {
  const { hostname, port, pathname } = new URL(tondesk.receiverUrl)
  const hanging = connect(Number(port), hostname)
  hanging.on('error', () => undefined)
  hanging.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegin`)
  expect(await post(tondesk.receiverUrl, '{"memo":"kept"}')).toBe(200)
  expect(await tondesk.quit()).toBe(0)
  hanging.destroy()
  await tondesk.restart()
  await openPage(tondesk.page, 'inspector')
  await expect(rows(tondesk.page).filter({ hasText: 'kept' })).toHaveCount(1)
})
