import { describe, expect, test, vi } from 'vitest'
import { isTrustedFrame } from '../../src-main/bridge/electron.ts'
import { isAppUrl, pageOrigin, resolveAppResource } from '../../src-main/desktop/app-protocol.ts'
import { asksForRemoteDebugging, parseDesktopArguments } from '../../src-main/desktop/arguments.ts'
import { printCommand } from '../../src-main/desktop/confirm.ts'
import { applicationId } from '../../src-main/desktop/identity.ts'
import { cascade, normalBounds, placeWindow, windowBounds } from '../../src-main/desktop/window.ts'
import { nextZoom, zoomStepOf } from '../../src-main/desktop/zoom.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { decideExternal, isBrowserModeUrl, isPermitted } from '../../src-main/desktop/navigation.ts'

// The functions under test need no Electron, but their modules import it.
vi.mock('electron', () => ({}))

describe('our own address', () => {
  test.each(['app://tondesk/', 'app://tondesk', 'app://tondesk/a/b?c#d', 'APP://tondesk/'])(
    'is %s',
    (url) => expect(isAppUrl(url)).toBe(true),
  )

  test.each([
    'app://tondesk.evil.test/',
    'app://tondesk@evil.test/',
    'app://user:pass@tondesk/',
    'app://tondesk:80/',
    'app://evil.test/app://tondesk/',
    'https://evil.test/?app://tondesk/',
    'https://tondesk/',
    'app:tondesk',
    'app:///tondesk',
    'file:///tondesk',
    'javascript:alert(1)//app://tondesk/',
    ' ',
    '',
  ])('is not %j', (url) => expect(isAppUrl(url)).toBe(false))

  test('is electron-vite’s server only in development and only on this computer', () => {
    expect(pageOrigin('http://localhost:5173/', false)).toBe('http://localhost:5173')
    expect(pageOrigin('http://localhost:5173/', true)).toBe('app://tondesk')
    expect(pageOrigin('https://evil.test/', false)).toBe('app://tondesk')
    expect(pageOrigin('http://localhost.evil.test/', false)).toBe('app://tondesk')
    expect(pageOrigin('nonsense', false)).toBe('app://tondesk')
    expect(pageOrigin(undefined, false)).toBe('app://tondesk')
  })
})

describe('files of the app scheme', () => {
  const directory = '/opt/tondesk/out/renderer'
  const status = (url: string, method = 'GET') => resolveAppResource(method, url, directory).status

  test('come with their own type', () => {
    expect(resolveAppResource('GET', 'app://tondesk/', directory)).toMatchObject({
      status: 200,
      contentType: 'text/html; charset=utf-8',
    })
    expect(resolveAppResource('GET', 'app://tondesk/assets/a%20b.js?v=1', directory)).toMatchObject(
      {
        status: 200,
        contentType: 'text/javascript; charset=utf-8',
      },
    )
  })

  // URL parsing itself takes `..` out; what is left of it must not leave the directory.
  test.each([
    'app://tondesk/..%2f..%2fpackage.json',
    'app://tondesk/a%2f..%2f..%2f..%2fpackage.json',
    'app://tondesk/%5c..%5cx.js',
    'app://tondesk/%00.js',
    'app://tondesk/%0a.js',
    'app://tondesk/%zz.js',
    'app://tondesk/..%2frenderer-of-others/x.js',
    'app://evil/index.html',
    'app://tondesk@evil/index.html',
    'https://tondesk/index.html',
  ])('are not %s', (url) => expect([400, 403]).toContain(status(url)))

  test('of a type the window has none of do not exist', () => {
    for (const name of ['x.map', 'x.exe', 'x', 'assets/', '.js/']) {
      expect(status(`app://tondesk/${name}`)).toBe(404)
    }
  })

  test.each(['POST', 'PUT', 'HEAD', 'get', 'OPTIONS'])('are not given to %s', (method) =>
    expect(status('app://tondesk/', method)).toBe(405),
  )
})

describe('the sender of a request over IPC', () => {
  const trust = { origin: 'app://tondesk', isOurs: (id: number) => id === 7 }
  const event = (part: object) => ({
    sender: { id: 7 },
    senderFrame: { origin: 'app://tondesk', parent: null, ...part },
  })

  test('is trusted as the top frame of our window on our page', () =>
    expect(isTrustedFrame(event({}), trust)).toBe(true))

  test.each([
    ['a frame inside the page', event({ parent: {} })],
    ['another origin', event({ origin: 'https://evil.test' })],
    ['an opaque origin', event({ origin: 'null' })],
    ['an origin that begins like ours', event({ origin: 'app://tondesk.evil' })],
    ['another window', { ...event({}), sender: { id: 8 } }],
    ['a frame that is gone', { sender: { id: 7 }, senderFrame: null }],
  ])('is not %s', (_what, sender) => expect(isTrustedFrame(sender, trust)).toBe(false))
})

describe('an address for the browser outside', () => {
  test.each([
    ['https://tonviewer.com/transaction/1', 'open'],
    ['https://docs.tonconsole.com/', 'open'],
    ['https://tonviewer.com:8443/', 'ask'],
    ['https://tonviewer.com.evil.test/', 'ask'],
    ['https://evil.test/?https://tonviewer.com/', 'ask'],
    ['http://tonviewer.com/', 'refuse'],
    ['https://tonviewer.com@evil.test/', 'refuse'],
    ['https://a:b@tonviewer.com/', 'refuse'],
    ['file:///etc/passwd', 'refuse'],
    ['javascript:alert(1)', 'refuse'],
    ['data:text/html,x', 'refuse'],
    ['smb://server/share', 'refuse'],
    ['tonkeeper://transfer/x', 'refuse'],
    ['ms-settings:', 'refuse'],
    ['//tonviewer.com/', 'refuse'],
    ['', 'refuse'],
    [`https://tonviewer.com/${'a'.repeat(2048)}`, 'refuse'],
    // Short as given, long once escaped.
    [`https://tonviewer.com/${'é'.repeat(1000)}`, 'refuse'],
  ])('%.60j: %s', (address, verdict) => expect(decideExternal(address).verdict).toBe(verdict))

  test('is handed on as it was understood, not as it was written', () =>
    expect(decideExternal('HTTPS://EVIL.test\\@tonviewer.com').url).toBe(
      'https://evil.test/@tonviewer.com',
    ))

  test('of browser mode is exactly that', () => {
    expect(isBrowserModeUrl(`http://127.0.0.1:4800/#start=${'a'.repeat(43)}`)).toBe(true)
    for (const url of [
      `http://127.0.0.1:4800/x#start=${'a'.repeat(43)}`,
      `http://evil.test:4800/#start=${'a'.repeat(43)}`,
      `http://127.0.0.1:4800@evil.test/#start=${'a'.repeat(43)}`,
      'http://127.0.0.1:4800/',
      `file:///#start=${'a'.repeat(43)}`,
    ]) {
      expect(isBrowserModeUrl(url)).toBe(false)
    }
  })
})

// Catches a command that looks like another one in the dialog.
test('a program and its arguments are shown as they are, one per line, with invisible signs escaped', () => {
  expect(printCommand('/opt/ü/on-incident', ['--to', 'a b', '', 'x\ny', '\u202egpj.exe'])).toBe(
    ['/opt/ü/on-incident', '--to', '"a b"', '""', '"x\\u{a}y"', '\\u{202e}gpj.exe'].join('\n'),
  )
})

describe('a permission', () => {
  const ours = { isMainFrame: true, url: 'app://tondesk/', isOurWindow: true }
  const origin = 'app://tondesk'

  test('to write text to the clipboard is our page’s only', () => {
    expect(isPermitted('clipboard-sanitized-write', ours, origin)).toBe(true)
    for (const other of [
      { ...ours, isMainFrame: false },
      { ...ours, isOurWindow: false },
      { ...ours, url: 'https://evil.test/' },
      { ...ours, url: undefined },
    ]) {
      expect(isPermitted('clipboard-sanitized-write', other, origin)).toBe(false)
    }
  })

  test.each(['clipboard-read', 'media', 'openExternal', 'fileSystem', 'usb', 'unknown'] as const)(
    'for %s is nobody’s',
    (permission) => expect(isPermitted(permission, ours, origin)).toBe(false),
  )
})

describe('the window’s place', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1040 }
  const left = { x: 100, y: 80, width: 1000, height: 700, maximized: false }

  test('is where it was left', () =>
    expect(placeWindow(left, [screen])).toEqual({ x: 100, y: 80, width: 1000, height: 700 }))

  test.each([
    ['on a display that is gone', { ...left, x: 2500 }],
    ['with its top edge above the display', { ...left, y: -500 }],
    ['with its top edge below the display', { ...left, y: 1030 }],
    ['with too little of it to take hold of', { ...left, x: 1900 }],
  ])('is the middle of the first display when it was left %s', (_what, bounds) =>
    expect(placeWindow(bounds, [screen])).toEqual({ x: 460, y: 170, width: 1000, height: 700 }),
  )

  test('is within a display smaller than the window', () => {
    const small = { x: 0, y: 30, width: 1024, height: 600 }
    expect(placeWindow(null, [small])).toEqual({ x: 0, y: 30, width: 1024, height: 600 })
  })

  // Catches a window of which only a strip is left after the display became smaller.
  test('is moved and made smaller where less than half of it would be seen', () => {
    const large = { ...left, x: 1100, y: 700, width: 2000, height: 1200 }
    expect(placeWindow(large, [screen])).toEqual({ x: 0, y: 0, width: 1920, height: 1040 })
    expect(placeWindow({ ...left, x: 1700 }, [screen]).x).toBe(920)
  })

  test('across two displays stays', () => {
    const second = { x: 1920, y: 0, width: 1280, height: 800 }
    expect(placeWindow({ ...left, x: 1500 }, [screen, second]).x).toBe(1500)
  })

  test('is a step beside the window in front, and at the display’s corner where that does not fit', () => {
    expect(cascade(left, [screen])).toEqual({ x: 128, y: 108, width: 1000, height: 700 })
    expect(cascade({ ...left, x: 910 }, [screen])).toMatchObject({ x: 0, y: 0 })
    const second = { x: 1920, y: 100, width: 1280, height: 800 }
    const there = { x: 2180, y: 190, width: 1000, height: 700 }
    expect(cascade(there, [screen, second])).toMatchObject({ x: 1920, y: 100 })
    expect(cascade(null, [screen])).toEqual(placeWindow(null, [screen]))
  })

  // Catches a window that was maximized on the second display and opens maximized on the first one.
  test('is remembered on the display that showed it maximized', () => {
    const second = { x: 1920, y: 0, width: 1280, height: 800 }
    expect(normalBounds(left, second, true)).toMatchObject({ x: 1920, y: 0, width: 1000 })
    expect(normalBounds(left, screen, true)).toEqual(left)
    expect(normalBounds(left, second, false)).toEqual(left)
  })

  test('of a version without zoom is read', () =>
    expect(windowBounds.parse(left)).toMatchObject({ zoomPercent: 100 }))

  test('on a second display counts', () => {
    const second = { x: -1280, y: 0, width: 1280, height: 800 }
    expect(placeWindow({ ...left, x: -1200 }, [screen, second]).x).toBe(-1200)
  })

  test('is forgotten when it makes no sense', () => {
    for (const bounds of [
      { ...left, width: 0 },
      { ...left, x: 1e9 },
      { ...left, x: 0.5 },
      { ...left, maximized: 'yes' },
      { x: 1 },
      null,
    ]) {
      expect(windowBounds.safeParse(bounds).success).toBe(false)
    }
  })
})

describe('the zoom of a window', () => {
  test('goes by Chromium’s steps from any zoom, up to the last one', () => {
    expect(nextZoom(100, 'in')).toBe(110)
    expect(nextZoom(100, 'out')).toBe(90)
    expect(nextZoom(97, 'in')).toBe(100)
    expect(nextZoom(300, 'in')).toBe(300)
    expect(nextZoom(50, 'out')).toBe(50)
    expect(nextZoom(175, 'reset')).toBe(100)
  })

  const pressed = { type: 'keyDown', code: '', control: true, meta: false, alt: false } as const

  test.each([
    ['a German or a numeric keyboard', { key: '+' }, 'in'],
    ['a US keyboard, without Shift', { key: '=' }, 'in'],
    ['any keyboard', { key: '-' }, 'out'],
    ['a US keyboard, with Shift', { key: '_' }, 'out'],
    ['any keyboard', { key: '0' }, 'reset'],
    ['a French keyboard, without Shift', { key: 'à', code: 'Digit0' }, 'reset'],
    [
      'the numeric keys without NumLock, where Ctrl+Insert copies',
      { key: 'Insert', code: 'Numpad0' },
      null,
    ],
    ['AltGr, which Windows reports as Ctrl and Alt', { key: '+', alt: true }, null],
    ['no Ctrl', { key: '+', control: false }, null],
    ['Cmd, which is macOS’s', { key: '+', control: false, meta: true }, null],
    ['a key that is released', { key: '+', type: 'keyUp' }, null],
  ] as const)('on %s: %j', (_where, key, step) =>
    expect(zoomStepOf({ ...pressed, ...key }, 'linux')).toBe(step),
  )

  test('is changed with Cmd on macOS', () => {
    const key = { ...pressed, key: '=', control: false, meta: true }
    expect(zoomStepOf(key, 'darwin')).toBe('in')
    expect(zoomStepOf({ ...key, control: true, meta: false }, 'darwin')).toBe(null)
  })
})

// Catches a taskbar button without icon and notifications that Windows does not show.
test('the app has the same id in its packages, its desktop entry and at run time', () => {
  const packaged = createRequire(import.meta.url)('../../build/electron-builder.config.cjs') as {
    appId: string
  }
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { desktopName: string }
  expect(packaged.appId).toBe(applicationId)
  expect(manifest.desktopName).toBe(`${applicationId}.desktop`)
  // Reverse DNS, as the portals of Linux demand.
  expect(applicationId).toMatch(/^([A-Za-z][A-Za-z0-9]*\.){2,}[A-Za-z][A-Za-z0-9]*$/)
})

describe('the command line', () => {
  test('is read among switches of Chromium', () =>
    expect(
      parseDesktopArguments([
        '/opt/tondesk',
        '--inspect=0',
        '--data-dir',
        '/data',
        '--no-open',
        '--receiver-port=0',
        '--without-sandbox',
        '--enable-features=X',
      ]),
    ).toEqual({
      dataDirectory: '/data',
      opensWindow: false,
      copiesUrl: false,
      receiverPort: 0,
      sandboxPort: undefined,
      startsSandbox: false,
      json: false,
      afterCrash: false,
      withGpu: false,
    }))

  test("Chromium's own switch does not leave out the sandbox gateway", () =>
    expect(parseDesktopArguments(['--no-sandbox'])).toMatchObject({ startsSandbox: true }))

  test('that makes no sense is as if it were not there', () =>
    expect(
      parseDesktopArguments(['--data-dir', '--receiver-port=99999', '--', '--no-open']),
    ).toEqual({
      dataDirectory: undefined,
      opensWindow: true,
      copiesUrl: false,
      receiverPort: undefined,
      sandboxPort: undefined,
      startsSandbox: true,
      json: false,
      afterCrash: false,
      withGpu: false,
    }))

  test.each(['--remote-debugging-port=9222', '--remote-debugging-port', '-remote-debugging-pipe'])(
    'that asks for remote debugging is noticed: %s',
    (arg) => expect(asksForRemoteDebugging(['.', arg])).toBe(true),
  )

  test('without it is let through', () =>
    expect(asksForRemoteDebugging(['.', '--data-dir=/remote-debugging-port', 'x'])).toBe(false))
})
