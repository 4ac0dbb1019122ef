/** Puts the desktop app together: the composed app, its transport, its guards, its window. */
import { type BrowserWindow, app, BrowserWindow as Windows, clipboard, session } from 'electron'
import { serveElectronBridge } from '../bridge/electron.ts'
import { createApp } from '../app/create-app.ts'
import type { Log } from '../app/log.ts'
import { appVersion } from '../app/version.ts'
import { announce } from './announce.ts'
import { serveAppScheme } from './app-protocol.ts'
import { pageOrigin } from './app-url.ts'
import { createBoundsFile } from './bounds-file.ts'
import { recoverWindow } from './crash.ts'
import { setMenu } from './menu.ts'
import { guardNavigation } from './navigation.ts'
import { showNotifications } from './notifications.ts'
import { createOpenExternal } from './open-external.ts'
import { restrictPermissions } from './permissions.ts'
import { readProxyWords } from './proxy-words.ts'
import { drainOnQuit } from './quit.ts'
import { followTheme } from './theme.ts'
import { startUtilityProcess } from './utility-process.ts'
import { focusWindow, openWindow } from './window.ts'

type DesktopOptions = {
  readonly dataDirectory: string
  readonly opensWindow: boolean
  readonly receiverPort: number | undefined
  readonly sandboxPort: number | undefined
  readonly startsSandbox: boolean
  readonly json: boolean
  readonly rendererDirectory: string
  readonly preload: string
  /** electron-vite's server in development. */
  readonly developmentUrl: string | undefined
  readonly log: Log
}

/** To be called when Electron is ready. */
export async function openDesktop(options: DesktopOptions): Promise<void> {
  const { log, preload } = options
  const origin = pageOrigin(options.developmentUrl, app.isPackaged)
  const boundsFile = createBoundsFile(app.getPath('userData'))
  let window: BrowserWindow | undefined

  const windows = () => Windows.getAllWindows().map(({ webContents }) => webContents)
  const isOurs = (id: number) => windows().some((contents) => contents.id === id)
  const openExternal = createOpenExternal(log)

  /** @param hash a page of the window's own; without one it stays where it is */
  function show(hash?: string): void {
    if (window) {
      focusWindow(window)
      // Another hash of the page that is there: nothing is loaded again.
      if (hash !== undefined) window.loadURL(`${origin}/${hash}`).catch(() => undefined)
      return
    }
    window = openWindow({ preload, url: `${origin}/${hash ?? ''}`, boundsFile })
    recoverWindow(window, log)
    window.once('closed', () => (window = undefined))
  }

  app.on('web-contents-created', (_event, contents) =>
    guardNavigation(contents, { origin, openExternal, log }),
  )
  restrictPermissions(session.defaultSession, { origin, isOurs })
  serveAppScheme(options.rendererDirectory)

  const composed = await createApp({
    dataDirectory: options.dataDirectory,
    host: 'electron',
    version: appVersion,
    checkOutput: process.env['TONDESK_CHECK_OUTPUT'] === '1',
    ...(options.receiverPort === undefined ? {} : { receiverPort: options.receiverPort }),
    ...(options.sandboxPort === undefined ? {} : { sandboxPort: options.sandboxPort }),
    ...(options.startsSandbox ? {} : { startSandbox: false }),
    startProcess: startUtilityProcess,
    proxyFor: async (url) => readProxyWords(await session.defaultSession.resolveProxy(url)),
    writeClipboard: (text) => clipboard.writeText(text),
    restart() {
      app.relaunch()
      app.quit()
    },
    open() {
      show()
      return Promise.resolve({ url: null })
    },
  })
  drainOnQuit(app, () => composed.dispose(), log)
  await followTheme(composed.dispatch, composed.events)
  serveElectronBridge({
    dispatch: composed.dispatch,
    events: composed.events,
    origin,
    windows,
    log: log.scope('bridge'),
  })
  showNotifications({
    events: composed.events,
    open: ({ network, webhook }) => show(`#/webhooks/${webhook}/failures?network=${network}`),
    log,
  })
  setMenu({
    platform: process.platform,
    isPackaged: app.isPackaged,
    openDocumentation: () => openExternal('https://docs.tonconsole.com/'),
  })

  // What another start was called with is not looked at: it only brings the window up.
  app.on('second-instance', () => show())
  app.on('activate', () => show())
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  await announce(composed.dispatch, { json: options.json })
  if (options.opensWindow) show()
}
