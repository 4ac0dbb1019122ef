import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Tondesk, expect, test } from '../fixture.ts'
import { rows } from '../pages/captures.ts'
import { openPage } from '../pages/frame.ts'
import { appearance } from '../pages/settings.ts'
import { postDelivery } from '../sender.ts'
import { mainProcess } from './main-process.ts'

const shownWindow = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(({ BrowserWindow, nativeTheme }) => {
    const [window] = BrowserWindow.getAllWindows()
    if (!window) throw new Error('There is no window.')
    return {
      bounds: window.getBounds(),
      isMaximized: window.isMaximized(),
      background: window.getBackgroundColor().toLowerCase(),
      themeSource: nativeTheme.themeSource,
    }
  })

test('a click on the dock icon restores the minimized window and opens no other', async ({
  tondesk,
}) => {
  const main = mainProcess(tondesk)
  await main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  const minimized = () =>
    main.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isMinimized()),
    )
  await expect.poll(minimized).toEqual([true])
  await main.evaluate(({ app }) => {
    app.emit('activate')
  })
  await expect.poll(minimized).toEqual([false])
})

// Detects a window that is out of reach because its display was removed.
test(
  'the window opens at its former position if a display is still there',
  { tag: '@long' },
  async ({ tondesk }) => {
    const left = { x: 40, y: 60, width: 1100, height: 700 }
    await mainProcess(tondesk).evaluate(({ BrowserWindow }, bounds) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(bounds)
    }, left)
    await tondesk.restart()
    expect((await shownWindow(tondesk)).bounds).toEqual(left)
    await tondesk.quit()

    const file = join(tondesk.dataDirectory, 'electron', 'window.json')
    writeFileSync(file, JSON.stringify({ ...left, x: 90_000, maximized: true }))
    await tondesk.restart()
    await expect.poll(async () => (await shownWindow(tondesk)).isMaximized).toBe(true)
    const normal = await mainProcess(tondesk).evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
    )
    expect(normal).toMatchObject({ width: 1100, height: 700 })
    expect(normal?.x).toBeLessThan(10_000)
    await tondesk.quit()

    writeFileSync(file, '{"x": "far", "width": -3')
    await tondesk.restart()
    expect((await shownWindow(tondesk)).bounds.width).toBe(1280)
  },
)

// Detects system dialogs and menus with another theme than the page, and a white flash before a
// dark page.
test('the theme of system dialogs and the window’s background follow the setting', async ({
  tondesk,
}) => {
  const { page } = tondesk
  expect((await shownWindow(tondesk)).themeSource).toBe('system')
  await openPage(page, 'settings')
  await appearance(page).chooseDark()
  await expect.poll(async () => (await shownWindow(tondesk)).themeSource).toBe('dark')
  await expect
    .poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches))
    .toBe(true)
  const dark = (await shownWindow(tondesk)).background
  await appearance(page).chooseLight()
  await expect.poll(async () => (await shownWindow(tondesk)).themeSource).toBe('light')
  expect((await shownWindow(tondesk)).background).toBe('#ffffff')
  expect(dark).not.toBe('#ffffff')
  await tondesk.restart()
  expect((await shownWindow(tondesk)).themeSource).toBe('light')
})

// Detects a quit that waits for a client that never ends its request, and a quit that loses
// acknowledged deliveries.
test('quitting finishes running requests, and ends although one request never does', async ({
  tondesk,
}) => {
  const { hostname, port, pathname } = new URL(tondesk.receiverUrl)
  const hanging = connect(Number(port), hostname)
  hanging.on('error', () => undefined)
  hanging.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegin`)
  expect(await postDelivery(tondesk.receiverUrl, '{"kept":true}')).toBe(200)
  // The hosts wait at most ten seconds for the app to end.
  expect(await tondesk.quit()).toBe(0)
  hanging.destroy()
  await tondesk.restart()
  await openPage(tondesk.page, 'inspector')
  await expect(rows(tondesk.page).filter({ hasText: 'kept' })).toHaveCount(1)
})
