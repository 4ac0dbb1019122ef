/** Tests the app without its window. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageBoxOptions, MenuItemConstructorOptions } from 'electron'
import { connectRequests } from '../send-request.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { rows } from '../pages/captures.ts'
import { notices, openPage } from '../pages/frame.ts'
import { desktopSettings } from '../pages/settings.ts'
import { postDelivery } from '../sender.ts'
import { mainProcess } from './main-process.ts'

/** Values that a test stores in the main process. */
declare global {
  var seen: { dialogs: MessageBoxOptions[]; menu: MenuItemConstructorOptions[]; badge: number }
}

/**
 * On Linux the app queries the session bus for a panel with `dbus-send`; this substitute responds
 * as the test sets it.
 */
async function setTrayHost(tondesk: Tondesk, isThere: boolean): Promise<void> {
  if (process.platform !== 'linux') return
  const folder = join(tondesk.dataDirectory, 'bin')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'dbus-send'),
    `#!/bin/sh\necho "   variant       boolean ${isThere}"\n`,
    { mode: 0o755 },
  )
  await mainProcess(tondesk).evaluate((_electron, path) => {
    process.env['PATH'] = `${path}:${process.env['PATH'] ?? ''}`
    process.env['DBUS_SESSION_BUS_ADDRESS'] ??= 'unix:path=/nonexistent'
  }, folder)
}

/** Records the app’s dialogs, menus and badge, and presses the button of each dialog. */
async function watch(tondesk: Tondesk, button = 0): Promise<void> {
  await mainProcess(tondesk).evaluate(({ app, dialog, Menu }, response) => {
    globalThis.seen = { dialogs: [], menu: [], badge: 0 }
    const answer = (...args: unknown[]) => {
      globalThis.seen.dialogs.push(args.at(-1) as MessageBoxOptions)
      return Promise.resolve({ response, checkboxChecked: false })
    }
    dialog.showMessageBox = answer
    const build = Menu.buildFromTemplate.bind(Menu)
    Menu.buildFromTemplate = (template) => {
      globalThis.seen.menu = template as MenuItemConstructorOptions[]
      return build(template)
    }
    const setBadge = app.setBadgeCount.bind(app)
    app.setBadgeCount = (count = 0) => {
      globalThis.seen.badge = count
      return setBadge(count)
    }
  }, button)
}

const closeWindow = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())

const countWindows = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

const activate = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(({ app }) => {
    app.emit('activate')
  })

const messages = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(() => globalThis.seen.dialogs.map(({ detail = '' }) => detail))

const labels = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(() => globalThis.seen.menu.map(({ label = '' }) => label))

/** Selects an entry of the menu that was created last. */
const choose = (tondesk: Tondesk, label: string) =>
  mainProcess(tondesk).evaluate((_electron, wanted) => {
    const item = globalThis.seen.menu.find((each) => each.label?.startsWith(wanted))
    if (item?.click === undefined) throw new Error(`The menu has no entry ${wanted}.`)
    // The app’s menu entries use none of the parameters.
    const click = item.click as () => void
    click()
  }, label)

// Earlier, closing the window on Windows and Linux ended the app and its receiver.
test('with a closed window the app still receives, explains this once, and reopens the window at its page', async ({
  tondesk,
}) => {
  const main = mainProcess(tondesk)
  await setTrayHost(tondesk, true)
  await watch(tondesk)
  await openPage(tondesk.page, 'inspector')
  await closeWindow(tondesk)
  await expect.poll(() => countWindows(tondesk)).toBe(0)
  expect(await messages(tondesk)).toEqual([expect.stringContaining('open the window again')])
  expect(await postDelivery(tondesk.receiverUrl, '{"memo":"without a window"}')).toBe(200)

  const page = await main.windowOpenedBy(() => activate(tondesk))
  await expect(rows(page).filter({ hasText: 'without a window' })).toHaveCount(1)
  await closeWindow(tondesk)
  await expect.poll(() => countWindows(tondesk)).toBe(0)
  expect(await messages(tondesk)).toHaveLength(1)
  const ask = await connectRequests(tondesk)
  expect((await ask('settings.get')).desktop.closeWindow).toBe('keep')
})

// A window that is closed without a tray icon could not be opened again.
test('without a tray icon, closing minimizes the window, and a notice explains why', async ({
  tondesk,
}) => {
  test.skip(process.platform !== 'linux', 'Windows and macOS always have a place for the icon.')
  await setTrayHost(tondesk, false)
  await watch(tondesk)
  await closeWindow(tondesk)
  const isMinimized = () =>
    mainProcess(tondesk).evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized() ?? false,
    )
  await expect.poll(isMinimized).toBe(true)
  expect(await messages(tondesk)).toEqual([expect.stringContaining('shows no tray icons')])
  expect(await postDelivery(tondesk.receiverUrl, '{}')).toBe(200)
  await activate(tondesk)
  expect(await isMinimized()).toBe(false)
  await notices(tondesk.page).button.click()
  await expect(
    notices(tondesk.page).titled('The window is minimized instead of closed'),
  ).toBeVisible()
})

test('the dialog on closing can be cancelled, and a setting makes closing quit the app, also at once', async ({
  tondesk,
}) => {
  await setTrayHost(tondesk, true)
  await watch(tondesk, 2)
  await closeWindow(tondesk)
  await expect.poll(() => messages(tondesk)).toHaveLength(1)
  const { page } = tondesk
  await openPage(page, 'settings')
  const settings = desktopSettings(page)
  await expect(settings.onClose('Ask the next time')).toBeChecked()
  await settings.chooseOnClose('Quit Tondesk')
  const ask = await connectRequests(tondesk)
  await expect.poll(async () => (await ask('settings.get')).desktop.closeWindow).toBe('quit')
  await ask('settings.change', { desktop: { closeWindow: 'ask' } })
  await closeWindow(tondesk)
  await expect.poll(() => messages(tondesk)).toHaveLength(2)
  // Events come in batches, so a second change may be reported after the window has closed.
  await ask('settings.change', { desktop: { closeWindow: 'ask' } })
  await ask('settings.change', { desktop: { closeWindow: 'quit' } })
  await closeWindow(tondesk).catch(() => undefined)
  expect(await tondesk.running.exit).toBe(0)
})

test('the tray’s menu shows the state, pauses the receiver, copies its URL and opens incidents', async ({
  tondesk,
}) => {
  const ask = await connectRequests(tondesk)
  await setTrayHost(tondesk, true)
  await watch(tondesk)
  // The icon is created when the panel is found.
  await ask('desktop.state')
  await ask('settings.change', {
    monitoring: { failedAttempts: 1 },
    receiver: { publicUrl: 'http://127.0.0.1:9' },
  })
  await ask('tunnel.check')
  const incident = 'The public URL 127.0.0.1:9 does not lead to the receiver'
  await expect.poll(() => labels(tondesk)).toContain(incident)
  const port = new URL(tondesk.receiverUrl).port
  expect(await labels(tondesk)).toEqual([
    `Receiving on port ${port}, 1 open incident`,
    'Open Tondesk',
    'Copy receiver URL',
    'Pause receiving',
    '',
    incident,
    '',
    'Quit Tondesk',
  ])
  if (process.platform !== 'win32') {
    expect(await mainProcess(tondesk).evaluate(() => globalThis.seen.badge)).toBe(1)
  }
  await choose(tondesk, incident)
  await expect
    .poll(() => tondesk.page.evaluate(() => location.hash))
    .toMatch(/^#\/inspector\/tunnels/)
  await choose(tondesk, 'Pause receiving')
  await expect.poll(async () => (await ask('receiver.state')).status).toBe('stopped')
  await expect.poll(() => labels(tondesk)).toContain('Resume receiving')
  await choose(tondesk, 'Resume receiving')
  await expect.poll(async () => (await ask('receiver.state')).status).toBe('listening')
})

test('a second start passes its arguments on, and --no-open does not show the window', async ({
  tondesk,
}) => {
  const main = mainProcess(tondesk)
  const start = (args: readonly string[]) =>
    main.evaluate(({ app }, sent) => {
      // Chromium adds its own switches to argv.
      const argv = ['tondesk', '--original-process-start-time=1', ...sent]
      app.emit('second-instance', {}, argv, '/', { args: sent })
    }, args)
  const isMinimized = () =>
    main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())
  await main.evaluate(({ BrowserWindow, clipboard }) => {
    BrowserWindow.getAllWindows()[0]?.minimize()
    clipboard.writeText = (text) => {
      Object.assign(globalThis, { copied: text })
      return Promise.resolve()
    }
  })
  await expect.poll(isMinimized).toBe(true)
  await start(['--no-open', '--copy-receiver-url'])
  await expect
    .poll(() => main.evaluate(() => Reflect.get(globalThis, 'copied') as unknown))
    .toBe(tondesk.receiverUrl)
  expect(await isMinimized()).toBe(true)
  await start([])
  await expect.poll(isMinimized).toBe(false)
})

test('sleep is reported once, and deliveries are received while the screen is locked', async ({
  tondesk,
}) => {
  const ask = await connectRequests(tondesk)
  await mainProcess(tondesk).evaluate(({ powerMonitor }) => {
    powerMonitor.emit('lock-screen')
    powerMonitor.emit('suspend')
    powerMonitor.emit('resume')
    powerMonitor.emit('suspend')
    powerMonitor.emit('resume')
  })
  expect(await ask('notice.list')).toMatchObject([
    { id: 'computer.slept', title: expect.stringMatching(/^The computer slept from /) },
  ])
  expect(await postDelivery(tondesk.receiverUrl, '{}')).toBe(200)
})

// Detects a process that the system ends before running deliveries have their responses.
test('the end of the session ends the app after its running work', async ({ tondesk }) => {
  const isPrevented = await mainProcess(tondesk).evaluate(({ powerMonitor }) => {
    let prevented = false
    powerMonitor.emit('shutdown', { preventDefault: () => (prevented = true) })
    return prevented
  })
  expect(isPrevented).toBe(true)
  expect(await tondesk.running.exit).toBe(0)
})

test('the end of a Windows session ends the app after its running work', async ({ tondesk }) => {
  await mainProcess(tondesk).evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.emit('session-end', { reasons: ['logoff'] })
  })
  expect(await tondesk.running.exit).toBe(0)
})

test('start at login writes and removes an autostart file, and reports a failure', async ({
  tondesk,
}) => {
  test.skip(process.platform !== 'linux', 'A test must not change the login items of its computer.')
  const { page, dataDirectory } = tondesk
  const folder = join(dataDirectory, 'config')
  const setFolder = (path: string) =>
    mainProcess(tondesk).evaluate((_electron, config) => {
      process.env['XDG_CONFIG_HOME'] = config
    }, path)
  await setFolder(folder)
  await openPage(page, 'settings')
  const { startAtLogin, error } = desktopSettings(page)
  await expect(startAtLogin).not.toBeChecked()
  await startAtLogin.click()
  await expect(startAtLogin).toBeChecked()
  const file = join(folder, 'autostart', 'org.tondesk.Tondesk.desktop')
  await expect.poll(() => existsSync(file)).toBe(true)
  expect(readFileSync(file, 'utf8')).toMatch(
    new RegExp(`^Exec=\\S+ .*--data-dir ${dataDirectory} --no-open$`, 'm'),
  )
  await startAtLogin.click()
  await expect(startAtLogin).not.toBeChecked()
  await expect.poll(() => existsSync(file)).toBe(false)

  await setFolder(file.replace('autostart', 'a-file'))
  writeFileSync(join(folder, 'a-file'), '')
  await startAtLogin.click()
  await expect(error).toContainText('Start at login could not be turned on.')
  await expect(startAtLogin).not.toBeChecked()
})
