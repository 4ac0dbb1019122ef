import { asking } from '../ask.ts'
import { expect, test, type Tondesk } from '../fixture.ts'
import type { StandIn } from '../../stand-in/launch.ts'
import { frame, insertLink } from '../pages/frame.ts'

function standInOf({ running }: Tondesk): StandIn {
  if (!running.standIn) throw new Error('This test is about the stand-in.')
  return running.standIn
}

/** Addresses a text check would let through, or that start a program. */
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

test('the window stays on its page whatever a link or a script says', async ({ tondesk }) => {
  const { page } = tondesk
  tondesk.expectProblem(/Not allowed to|Failed to launch|navigate|scheme does not have/)
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
  const { opened, strayRequests, windows } = await standInOf(tondesk).ask('report')
  expect(opened).toEqual([])
  expect(strayRequests).toEqual([])
  expect(windows).toHaveLength(1)
})

test('no new window is ever opened; only an https address goes outside, after a question', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const standIn = standInOf(tondesk)
  tondesk.expectProblem(/Not allowed to/)
  const open = (url: string) => page.evaluate((target) => void window.open(target), url)

  await open('http://evil.test/')
  await open('https://user:password@tonviewer.com/')
  await open('file:///etc/passwd')
  await open(`https://tonviewer.com/${'a'.repeat(2100)}`)
  await open('https://tonviewer.com/transaction/1')
  await expect
    .poll(async () => (await standIn.ask('report')).opened)
    .toEqual(['https://tonviewer.com/transaction/1'])

  await open('https://evil.test/asked')
  expect(await standIn.dialog()).toMatchObject({
    detail: 'https://evil.test/asked',
    buttons: ['Cancel', 'Open'],
  })
  await standIn.ask('answerDialog', { button: 0 })
  await open('https://evil.test/allowed')
  await standIn.dialog()
  await standIn.ask('answerDialog', { button: 1 })
  await expect
    .poll(async () => (await standIn.ask('report')).opened)
    .toEqual(['https://tonviewer.com/transaction/1', 'https://evil.test/allowed'])
  expect((await standIn.ask('report')).windows).toHaveLength(1)
  // Closing a page that was opened takes a moment; it must not stay.
  await expect
    .poll(
      () =>
        page
          .context()
          .pages()
          .filter((each) => /evil|tonviewer/.test(each.url())).length,
    )
    .toBe(0)
})

test('a program for alerts is saved only after the user allowed it in a dialog', async ({
  tondesk,
}) => {
  const standIn = standInOf(tondesk)
  const ask = await asking(tondesk)
  const save = () =>
    ask('alert.save', {
      ...{ id: null, kind: 'command', program: '/bin/sh', args: ['-c', 'exit 0'] },
      ...{ secret: null, enabled: false, events: ['opened'], networks: null },
    })
  const refused = expect(save()).rejects.toThrow(/did not allow/)
  expect(await standIn.dialog()).toMatchObject({
    detail: '/bin/sh\n-c\n"exit 0"',
    buttons: ['Cancel', 'Allow'],
  })
  await standIn.ask('answerDialog', { button: 0 })
  await refused
  expect(await ask('alert.list')).toEqual([])

  const saved = save()
  await standIn.dialog()
  await standIn.ask('answerDialog', { button: 1 })
  expect(await saved).toMatchObject({ program: '/bin/sh', enabled: false })
})

test('every permission is refused but writing text to the clipboard, and that to our page only', async ({
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
  // Chromium has been told the same.
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

// None of these changes anything, so one app serves them all.
test('callers, webviews, files and the page get what is theirs and nothing else', async ({
  tondesk,
}) => {
  const standIn = standInOf(tondesk)

  await test.step('only our own top frame is answered over IPC', async () => {
    const ask = (part: object) =>
      standIn.ask('invokeAs', {
        origin: 'app://tondesk',
        isTop: true,
        ownWindow: true,
        name: 'app.info',
        ...part,
      })
    const forbidden = { ok: false, error: { code: 'FORBIDDEN_SENDER' } }
    expect(await ask({})).toMatchObject({ ok: true })
    expect(await ask({ isTop: false })).toMatchObject(forbidden)
    expect(await ask({ ownWindow: false })).toMatchObject(forbidden)
    for (const origin of ['https://evil.test', 'null', 'app://tondesk.evil.test', 'file://', '']) {
      expect(await ask({ origin })).toMatchObject(forbidden)
    }
  })

  await test.step('a webview is never attached', async () => {
    expect(await standIn.ask('attachWebview')).toEqual({ prevented: true })
  })

  await test.step('the app scheme gives out files of the window and nothing else', async () => {
    const status = async (url: string, method = 'GET') =>
      (await standIn.ask('fetch', { url, method })).status
    expect(await status('app://tondesk/')).toBe(200)
    expect(await status('app://tondesk/index.html?x=1#y')).toBe(200)
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
      expect([400, 403, 404], url).toContain(await status(url))
    }
    expect(await status('app://tondesk/', 'POST')).toBe(405)
    const { headers } = await standIn.ask('fetch', { url: 'app://tondesk/', method: 'GET' })
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  await test.step('the page has the bridge and nothing of Node or Electron', async () => {
    const found = await tondesk.page.evaluate(() => ({
      bridge: Object.keys(window.bridge ?? {}).sort(),
      frozen: Object.isFrozen(window.bridge),
      leaks: ['process', 'require', 'module', 'Buffer', 'ipcRenderer', 'standInPost'].filter(
        (name) => name in window,
      ),
    }))
    expect(found).toEqual({ bridge: ['on', 'request'], frozen: true, leaks: [] })
    const [opened] = (await standIn.ask('report')).windows
    expect(opened?.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
    })
    expect(opened?.webPreferences).not.toHaveProperty('webSecurity')
    expect(opened?.webPreferences).not.toHaveProperty('webviewTag')
  })
})
