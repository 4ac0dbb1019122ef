/** Tests the guards that keep pages, links and other programs out of the app. */
import { connectRequests } from '../send-request.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { frame, insertLink } from '../pages/frame.ts'
import { holdDialogs, mainProcess, recordOpened } from './main-process.ts'

const countWindows = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

/** Addresses that a check of the plain text would accept, or that start a program. */
const hostile = [
  'https://evil.test/?next=app://tondesk',
  'https://evil.test/app://tondesk/',
  'https://tondesk@evil.test/',
  'https://tondesk.evil.test/',
  'https://tondesk.app.test.evil.test/',
  'http://127.0.0.1:1/',
  'app://tondesk@evil.test/',
  'app://tondesk.evil.test/',
  'app://other/',
  'file:///etc/passwd',
  'data:text/html,<h1>data</h1>',
  'tonkeeper://transfer/x',
]

test('no link or script leads the window to another page', async ({ tondesk }) => {
  const { page } = tondesk
  tondesk.expectProblem(/Not allowed|Failed to (launch|load)|navigate|scheme does not have/)
  const opened = await recordOpened(tondesk)
  const before = page.url()
  const link = await insertLink(page)
  for (const url of hostile) {
    await test.step(url, async () => {
      await link.evaluate((element, target) => {
        element.setAttribute('href', target)
      }, url)
      await link.click()
      await page.evaluate((target) => {
        location.assign(target)
      }, url)
      await expect(frame(page).navigation).toBeVisible()
      expect(page.url()).toBe(before)
    })
  }
  expect(await opened()).toEqual([])
  expect(await countWindows(tondesk)).toBe(1)
  // Electron does not report requests; the stand-in counts requests to other addresses.
  const report = await tondesk.running.standIn?.ask('report')
  expect(report?.strayRequests ?? []).toEqual([])
})

test('no new window is opened, and other https addresses open outside only after a confirmation', async ({
  tondesk,
}) => {
  const { page } = tondesk
  tondesk.expectProblem(/Not allowed/)
  const opened = await recordOpened(tondesk)
  const { shown, answer } = await holdDialogs(tondesk)
  const open = (url: string) => page.evaluate((target) => void window.open(target), url)

  await open('http://evil.test/')
  await open('https://user:password@tonviewer.com/')
  await open('file:///etc/passwd')
  await open(`https://tonviewer.com/${'a'.repeat(2100)}`)
  await open('https://tonviewer.com/transaction/1')
  await expect.poll(opened).toEqual(['https://tonviewer.com/transaction/1'])

  await open('https://evil.test/asked')
  await expect
    .poll(shown)
    .toMatchObject([{ detail: 'https://evil.test/asked', buttons: ['Cancel', 'Open'] }])
  await answer(0)
  await open('https://evil.test/allowed')
  await expect.poll(shown).toHaveLength(2)
  await answer(1)
  await expect
    .poll(opened)
    .toEqual(['https://tonviewer.com/transaction/1', 'https://evil.test/allowed'])
  expect(await countWindows(tondesk)).toBe(1)
  // Closing a foreign page takes a moment, but the page must not stay open.
  const foreign = () =>
    page
      .context()
      .pages()
      .filter((each) => /evil|tonviewer/.test(each.url()))
  await expect.poll(() => foreign().length).toBe(0)
})

test('a program for alerts is saved only after the user allows it in a dialog', async ({
  tondesk,
}) => {
  const { shown, answer } = await holdDialogs(tondesk)
  const ask = await connectRequests(tondesk)
  const save = () =>
    ask('alert.save', {
      id: null,
      kind: 'command',
      program: '/bin/sh',
      args: ['-c', 'exit 0'],
      secret: null,
      enabled: false,
      events: ['opened'],
      networks: null,
    })
  const refused = expect(save()).rejects.toThrow(/did not allow/)
  await expect
    .poll(shown)
    .toMatchObject([{ detail: '/bin/sh\n-c\n"exit 0"', buttons: ['Cancel', 'Allow'] }])
  await answer(0)
  await refused
  expect(await ask('alert.list')).toEqual([])

  const saved = save()
  await expect.poll(shown).toHaveLength(2)
  await answer(1)
  expect(await saved).toMatchObject({ program: '/bin/sh', enabled: false })
})

// The tests do not change the app, so one app serves all of them.
test('webviews are refused, and files, permissions and the page’s bridge are limited to the app’s own', async ({
  tondesk,
}) => {
  const main = mainProcess(tondesk)

  await test.step('a webview is never attached', async () => {
    const isPrevented = await main.evaluate(({ BrowserWindow }) => {
      let prevented = false
      const event = { preventDefault: () => (prevented = true) }
      BrowserWindow.getAllWindows()[0]?.webContents.emit('will-attach-webview', event, {}, {})
      return prevented
    })
    expect(isPrevented).toBe(true)
  })

  await test.step('the app scheme serves only the files of the window', async () => {
    const get = (url: string, method = 'GET') =>
      main.evaluate(
        async ({ net }, asked) => {
          const { status, headers } = await net.fetch(asked.url, { method: asked.method })
          return { status, headers: Object.fromEntries(headers) }
        },
        { url, method },
      )
    expect(await get('app://tondesk/')).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
      },
    })
    expect((await get('app://tondesk/index.html?x=1#y')).status).toBe(200)
    for (const url of [
      'app://tondesk/../main/main.js',
      'app://tondesk/%2e%2e/main/main.js',
      'app://tondesk/..%2fmain%2fmain.js',
      'app://tondesk/%2e%2e%2f%2e%2e%2fpackage.json',
      'app://tondesk//etc/passwd',
      'app://tondesk/..\\main\\main.js',
      'app://tondesk/%5c..%5cmain%5cmain.js',
      'app://tondesk/assets/',
      'app://tondesk/%00index.html',
      'app://tondesk/%zz',
      'app://other/index.html',
      'app://tondesk:80/index.html',
    ]) {
      expect([400, 403, 404], url).toContain((await get(url)).status)
    }
    expect((await get('app://tondesk/', 'POST')).status).toBe(405)
  })

  await test.step('the page may write to the clipboard, and has no other permission', async () => {
    const states = await tondesk.page.evaluate(async () => {
      const query = async (name: string) =>
        (await navigator.permissions.query({ name: name as PermissionName })).state
      return {
        write: await query('clipboard-write'),
        read: await query('clipboard-read'),
        geolocation: await query('geolocation'),
        notifications: await query('notifications'),
      }
    })
    expect(states).toEqual({
      write: 'granted',
      read: 'denied',
      geolocation: 'denied',
      notifications: 'denied',
    })
  })

  await test.step('the page has the bridge, and no API of Node or Electron', async () => {
    const found = await tondesk.page.evaluate(() => ({
      bridge: Object.keys(window.bridge ?? {}).sort(),
      frozen: Object.isFrozen(window.bridge),
      leaks: ['process', 'require', 'module', 'Buffer', 'ipcRenderer', 'standInPost'].filter(
        (name) => name in window,
      ),
    }))
    expect(found).toEqual({ bridge: ['on', 'request'], frozen: true, leaks: [] })
  })
})
