import { describe, expect, test, vi } from 'vitest'
import { isTrustedFrame } from '../../../src-main/bridge/electron.ts'
import { isAppUrl, pageOrigin, resolveAppResource } from '../../../src-main/desktop/app-protocol.ts'
import {
  enablesRemoteDebugging,
  parseDesktopArguments,
} from '../../../src-main/desktop/arguments.ts'
import { formatCommand } from '../../../src-main/desktop/confirm.ts'
import { applicationId } from '../../../src-main/desktop/identity.ts'
import {
  cascadeBounds,
  normalBounds,
  chooseWindowBounds,
  windowBounds,
} from '../../../src-main/desktop/window.ts'
import { nextZoom, zoomStepOf } from '../../../src-main/desktop/zoom.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  decideExternal,
  isBrowserModeUrl,
  isPermitted,
} from '../../../src-main/desktop/navigation.ts'

// The functions under test need no Electron, but their modules import it.
vi.mock('electron', () => ({}))

describe("the app's own address", () => {
  test.each(['app://tondesk/', 'app://tondesk', 'app://tondesk/a/b?c#d', 'APP://tondesk/'])(
    '%s is an address of the app',
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
  ])('%j is not an address of the app', (url) => expect(isAppUrl(url)).toBe(false))

  test('the development server is an address of the app only in development and only on this computer', () => {
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

  test('a file of the app scheme has its own content type', () => {
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

  // URL parsing itself removes `..`; the remaining path must not leave the directory either.
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
  ])("a path outside the window's files is refused: %s", (url) =>
    expect([400, 403]).toContain(status(url)),
  )

  test('a file type that the window does not use responds 404', () => {
    for (const name of ['x.map', 'x.exe', 'x', 'assets/', '.js/']) {
      expect(status(`app://tondesk/${name}`)).toBe(404)
    }
  })

  test.each(['POST', 'PUT', 'HEAD', 'get', 'OPTIONS'])(
    'a %s request to the app scheme responds 405',
    (method) => expect(status('app://tondesk/', method)).toBe(405),
  )
})

describe('the sender of a request over IPC', () => {
  const trust = { origin: 'app://tondesk', isOurs: (id: number) => id === 7 }
  const event = (part: object) => ({
    sender: { id: 7 },
    senderFrame: { origin: 'app://tondesk', parent: null, ...part },
  })

  test('a request over IPC is trusted from the top frame of our window on our page', () =>
    expect(isTrustedFrame(event({}), trust)).toBe(true))

  test.each([
    ['a frame inside the page', event({ parent: {} })],
    ['another origin', event({ origin: 'https://evil.test' })],
    ['an opaque origin', event({ origin: 'null' })],
    ['an origin that begins like ours', event({ origin: 'app://tondesk.evil' })],
    ['another window', { ...event({}), sender: { id: 8 } }],
    ['a frame that has been removed', { sender: { id: 7 }, senderFrame: null }],
  ])('a request over IPC is not trusted from %s', (_what, sender) =>
    expect(isTrustedFrame(sender, trust)).toBe(false),
  )
})

describe('an external address', () => {
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
    // This URL exceeds the limit only once it is escaped.
    [`https://tonviewer.com/${'é'.repeat(1000)}`, 'refuse'],
  ])('the external address %.60j leads to the decision %s', (address, verdict) =>
    expect(decideExternal(address).verdict).toBe(verdict),
  )

  test('an external address is opened as it was parsed, not as it was written', () =>
    expect(decideExternal('HTTPS://EVIL.test\\@tonviewer.com').url).toBe(
      'https://evil.test/@tonviewer.com',
    ))

  test('only a loopback address with a start token is an address of browser mode', () => {
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

// A command must not look like another command in the dialog.
test('a command is shown one argument per line, with invisible characters escaped', () => {
  expect(formatCommand('/opt/ü/on-incident', ['--to', 'a b', '', 'x\ny', '\u202egpj.exe'])).toBe(
    ['/opt/ü/on-incident', '--to', '"a b"', '""', '"x\\u{a}y"', '\\u{202e}gpj.exe'].join('\n'),
  )
})

describe('a permission', () => {
  const ours = { isMainFrame: true, url: 'app://tondesk/', isOurWindow: true }
  const origin = 'app://tondesk'

  test('only our page may write text to the clipboard', () => {
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
    'no page has the permission %s',
    (permission) => expect(isPermitted(permission, ours, origin)).toBe(false),
  )
})

describe("the window's position", () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1040 }
  const left = { x: 100, y: 80, width: 1000, height: 700, maximized: false }

  test('a window opens where it was closed', () =>
    expect(chooseWindowBounds(left, [screen])).toEqual({ x: 100, y: 80, width: 1000, height: 700 }))

  test.each([
    ['on a display that is gone', { ...left, x: 2500 }],
    ['with its top edge above the display', { ...left, y: -500 }],
    ['with its top edge below the display', { ...left, y: 1030 }],
    ['with too little of it visible', { ...left, x: 1900 }],
  ])('a window opens in the middle of the first display when it was closed %s', (_what, bounds) =>
    expect(chooseWindowBounds(bounds, [screen])).toEqual({
      x: 460,
      y: 170,
      width: 1000,
      height: 700,
    }),
  )

  test('a window fits into a display that is smaller than the window', () => {
    const small = { x: 0, y: 30, width: 1024, height: 600 }
    expect(chooseWindowBounds(null, [small])).toEqual({ x: 0, y: 30, width: 1024, height: 600 })
  })

  // A window must not be mostly out of sight after the display became smaller.
  test('a window of which less than half would be visible is moved and made smaller', () => {
    const large = { ...left, x: 1100, y: 700, width: 2000, height: 1200 }
    expect(chooseWindowBounds(large, [screen])).toEqual({ x: 0, y: 0, width: 1920, height: 1040 })
    expect(chooseWindowBounds({ ...left, x: 1700 }, [screen]).x).toBe(920)
  })

  test('a window across two displays stays in place', () => {
    const second = { x: 1920, y: 0, width: 1280, height: 800 }
    expect(chooseWindowBounds({ ...left, x: 1500 }, [screen, second]).x).toBe(1500)
  })

  test("a new window opens a step beside the front window, or at the display's corner where that does not fit", () => {
    expect(cascadeBounds(left, [screen])).toEqual({ x: 128, y: 108, width: 1000, height: 700 })
    expect(cascadeBounds({ ...left, x: 910 }, [screen])).toMatchObject({ x: 0, y: 0 })
    const second = { x: 1920, y: 100, width: 1280, height: 800 }
    const there = { x: 2180, y: 190, width: 1000, height: 700 }
    expect(cascadeBounds(there, [screen, second])).toMatchObject({ x: 1920, y: 100 })
    expect(cascadeBounds(null, [screen])).toEqual(chooseWindowBounds(null, [screen]))
  })

  // A window that was maximized on the second display must not open on the first.
  test('a maximized window reopens on the display that showed it', () => {
    const second = { x: 1920, y: 0, width: 1280, height: 800 }
    expect(normalBounds(left, second, true)).toMatchObject({ x: 1920, y: 0, width: 1000 })
    expect(normalBounds(left, screen, true)).toEqual(left)
    expect(normalBounds(left, second, false)).toEqual(left)
  })

  test('a window position of a version without zoom is accepted', () =>
    expect(windowBounds.parse(left)).toMatchObject({ zoomPercent: 100 }))

  test('a window position on a second display is restored', () => {
    const second = { x: -1280, y: 0, width: 1280, height: 800 }
    expect(chooseWindowBounds({ ...left, x: -1200 }, [screen, second]).x).toBe(-1200)
  })

  test('an invalid window position is discarded', () => {
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
  test("zooming steps through Chromium's levels from any level and stops at the last level", () => {
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
    ['Cmd, which macOS uses', { key: '+', control: false, meta: true }, null],
    ['a key that is released', { key: '+', type: 'keyUp' }, null],
  ] as const)(
    'a zoom shortcut depends on the key, not on the keyboard layout: %s, %j',
    (_where, key, step) => expect(zoomStepOf({ ...pressed, ...key }, 'linux')).toBe(step),
  )

  test('Cmd zooms on macOS, and Ctrl does not', () => {
    const key = { ...pressed, key: '=', control: false, meta: true }
    expect(zoomStepOf(key, 'darwin')).toBe('in')
    expect(zoomStepOf({ ...key, control: true, meta: false }, 'darwin')).toBe(null)
  })
})

// Without this, the taskbar button has no icon and Windows shows no notifications.
test('the app has the same id in its packages, its desktop entry and at run time', () => {
  const packaged = createRequire(import.meta.url)('../../../build/electron-builder.config.cjs') as {
    appId: string
  }
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { desktopName: string }
  expect(packaged.appId).toBe(applicationId)
  expect(manifest.desktopName).toBe(`${applicationId}.desktop`)
  // The id is a reverse DNS name, as the portals of Linux require.
  expect(applicationId).toMatch(/^([A-Za-z][A-Za-z0-9]*\.){2,}[A-Za-z][A-Za-z0-9]*$/)
})

describe('the command line of the desktop app', () => {
  test("the app's options are parsed among switches of Chromium", () =>
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

  test('--no-sandbox of Chromium does not disable the sandbox gateway', () =>
    expect(parseDesktopArguments(['--no-sandbox'])).toMatchObject({ startsSandbox: true }))

  test('invalid options of the desktop app are ignored', () =>
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
    'an argument that enables remote debugging is detected: %s',
    (arg) => expect(enablesRemoteDebugging(['.', arg])).toBe(true),
  )

  test('an argument that only contains the words remote debugging is accepted', () =>
    expect(enablesRemoteDebugging(['.', '--data-dir=/remote-debugging-port', 'x'])).toBe(false))
})
