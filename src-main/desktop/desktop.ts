/** Starts the desktop app: the main process's services, the IPC bridge, the security guards and the window. */
import {
  type BrowserWindow,
  app,
  BrowserWindow as Windows,
  clipboard,
  session,
  shell,
  nativeTheme,
  net,
  utilityProcess,
} from 'electron'
import { serveElectronBridge } from '../bridge/electron.ts'
import { isCompleted } from '../app/completion.ts'
import type { AppConfig } from '../app/context.ts'
import { type App, createApp } from '../app/create-app.ts'
import type { Log } from '../app/log.ts'
import { readRunRecord } from '../app/run-record.ts'
import { appVersion } from '../app/version.ts'
import { type DesktopArguments, type Handed, parseDesktopArguments } from './arguments.ts'
import { choosePath, createFileDialogs, createFolders, guideDownloads } from './files.ts'
import type { HandedOver } from './links.ts'
import { showProgress } from './progress.ts'
import { serveAppScheme, pageOrigin } from './app-protocol.ts'
import { setMenu } from './menu.ts'
import { type WindowsDeps, createWindows } from './windows.ts'
import { createBoundsFile, focusWindow, keepOnDisplays, openWindow } from './window.ts'
import { type Graphics, recoverWindow, watchChildProcesses } from './faults.ts'
import { showNotifications } from './notifications.ts'
import { confirmProgram } from './confirm.ts'
import { listenToSecondStarts, startLife } from './life.ts'
import { createStartAtLogin } from './start-at-login.ts'
import type { AppTray } from './tray.ts'
import { createUpdateHost } from './updater.ts'
import { guardNavigation, createOpenExternal, restrictPermissions } from './navigation.ts'
import { parseProxyList } from '../gateway/proxy.ts'
import { parseLink } from '../../src-preload/domain/links.ts'
import type { EventHub } from '../bridge/events.ts'
import { type Call, caller } from '../bridge/dispatch.ts'
import { findOrCreate } from '../bridge/find-or-create.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { fileURLToPath } from 'node:url'
import { type StartProcess, readText, sandboxNodeFlags } from '../networks/sandbox-process.ts'

type DesktopOptions = DesktopArguments & {
  readonly dataDirectory: string
  /** The arguments of the command line. */
  readonly args: readonly string[]
  readonly rendererDirectory: string
  readonly preload: string
  /** The URL of electron-vite's server in development. */
  readonly developmentUrl: string | undefined
  readonly graphics: Graphics
  readonly handedOver: HandedOver
  readonly log: Log
}

/** Call this when Electron is ready. */
export async function openDesktop(options: DesktopOptions): Promise<void> {
  const { graphics, log, preload } = options
  watchChildProcesses(graphics, log)
  const origin = pageOrigin(options.developmentUrl, app.isPackaged)
  const opening = { preload, origin, boundsFile: createBoundsFile(app.getPath('userData')), log }
  const { current, show } = createMainWindow(opening)
  const tray = Promise.withResolvers<AppTray>()
  const handleSecondStarts = listenToSecondStarts()
  const dataArguments =
    (parseDesktopArguments(options.args).dataDirectory ?? process.env['TONDESK_DATA_DIR'])
      ? ['--data-dir', options.dataDirectory]
      : []
  const startAtLogin = createStartAtLogin(dataArguments)

  const windows = () => Windows.getAllWindows().map(({ webContents }) => webContents)
  const isOurs = (id: number) => windows().some((contents) => contents.id === id)
  const openExternal = createOpenExternal(log)

  app.on('web-contents-created', (_event, contents) =>
    guardNavigation(contents, { origin, openExternal, log }),
  )
  restrictPermissions(session.defaultSession, origin, isOurs)
  serveAppScheme(options.rendererDirectory)
  const folders = createFolders()
  guideDownloads(session.defaultSession, { folders, origin, log })
  keepOnDisplays()
  const further = createWindows(opening)

  // After a crash, the receiver URL stays the same.
  const earlier = options.afterCrash ? readRunRecord(options.dataDirectory) : null
  const receiverPort = earlier?.receiverPort ?? options.receiverPort
  const updates = createUpdateHost(log)
  const composed = await createWhenFree({
    ...(updates && { updates }),
    dataDirectory: options.dataDirectory,
    host: 'electron',
    version: appVersion,
    checkOutput: process.env['TONDESK_CHECK_OUTPUT'] === '1',
    ...(receiverPort === undefined ? {} : { receiverPort }),
    ...(options.sandboxPort === undefined ? {} : { sandboxPort: options.sandboxPort }),
    ...(options.startsSandbox ? {} : { startSandbox: false }),
    startProcess: startUtilityProcess,
    proxyFor: async (url) => parseProxyList(await session.defaultSession.resolveProxy(url)),
    isOnline: () => net.isOnline(),
    desktop: {
      async state() {
        const [login, { isShown }] = await Promise.all([startAtLogin.state(), tray.promise])
        return { ...login, hasTray: await isShown() }
      },
      setStartAtLogin: startAtLogin.set,
    },
    writeClipboard: (text) => clipboard.writeText(text),
    confirmProgram,
    fileDialogs: createFileDialogs(folders, current),
    windows: further,
    chooseFolder: (from) => choosePath(current(), ['openDirectory', 'createDirectory'], from ?? ''),
    openFolder,
    restart,
    open() {
      show()
      return Promise.resolve({ url: null })
    },
  })
  drainOnQuit(() => composed.dispose(), log)
  const call = caller(composed.dispatch)
  await applyTheme(call, composed.events)
  serveElectronBridge({
    dispatch: composed.dispatch,
    events: composed.events,
    origin,
    windows,
    log: log.scope('bridge'),
  })
  showNotifications({ call, events: composed.events, open: show, log })
  graphics.notify(composed.notices)
  setMenu({
    openDocumentation: () => openExternal('https://docs.tonconsole.com/'),
    openAbout: () => show('#/settings/about'),
    print: () => further.printOrTell(),
  })

  showProgress(composed.events, () => Windows.getAllWindows())

  const { handedOver } = options
  const life = await startLife({
    composed,
    show,
    dataArguments,
    log,
    openNamed: handedOver.takeArguments,
  })
  tray.resolve(life.tray)
  handleSecondStarts(life.handleStart)
  await announce(call, options.json)
  handedOver.start((handed) => openHanded(handed, composed.opened, show, log))
  // macOS passes no arguments to an app that it opens at login.
  const isHidden = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
  if (!isHidden) life.handleStart(options.args, process.cwd())
}

/** A call of `tondesk mcp` holds the data directory for about a second. */
const maxWaitMs = 15_000

/** @throws AppError DATA_DIRECTORY_HELD if another app or command uses the data directory */
async function createWhenFree(config: AppConfig): Promise<App> {
  const { dataDirectory } = config
  const found = await findOrCreate(dataDirectory, () => createApp(config), maxWaitMs)
  if ('app' in found) return found.app
  found.client.dispose()
  const message = `Tondesk is already running with the data directory ${dataDirectory}.`
  throw new AppError(appCodes.dataDirectoryHeld, message)
}

function createMainWindow({ preload, origin, boundsFile, log }: WindowsDeps) {
  let window: BrowserWindow | undefined
  /** The page that the last window showed; the next window opens there. */
  let lastHash = ''
  return {
    current: () => window,
    /** @param hash the page to open; without it the window keeps its page */
    show: (hash?: string): void => {
      if (window) {
        focusWindow(window)
        const url = `${origin}/${hash ?? ''}`
        // A URL that differs only in its hash does not load the page again; the same URL would.
        if (hash !== undefined && window.webContents.getURL() !== url) {
          window.loadURL(url).catch(() => undefined)
        }
        return
      }
      window = openWindow({ preload, url: `${origin}/${hash ?? lastHash}`, boundsFile })
      const { webContents } = window
      window.on('close', () => (lastHash = URL.parse(webContents.getURL())?.hash ?? ''))
      recoverWindow(window, log)
      window.once('closed', () => (window = undefined))
    },
  }
}

async function openFolder(path: string): Promise<void> {
  const problem = await shell.openPath(path)
  if (problem !== '') throw new Error(problem)
}

function restart(): void {
  app.relaunch()
  app.quit()
}

/** Opens a file or link that the system hands to the app. */
function openHanded(
  handed: Handed,
  opened: App['opened'],
  show: (hash?: string) => void,
  log: Log,
): void {
  if (handed.kind === 'file') {
    opened
      .open(handed.path)
      .then(() => show())
      .catch((error: unknown) => log.failure('A file could not be opened.', error))
    return
  }
  const hash = parseLink(handed.link)
  if (hash === null) {
    log.write('warn', 'Refused a link that leads to no page.')
    opened.refuseLink()
  }
  show(hash ?? undefined)
}

/** Applies the theme setting to dialogs and menus, and to `prefers-color-scheme`. */
async function applyTheme(call: Call, events: EventHub): Promise<void> {
  events.subscribe((messages) => {
    for (const message of messages) {
      if (message.name === 'settings.changed') {
        nativeTheme.themeSource = message.payload.appearance.theme
      }
    }
  })
  nativeTheme.themeSource = (await call('settings.get')).appearance.theme
}

/** Writes the receiver's URL to the terminal that the app was started from. */
async function announce(call: Call, json: boolean): Promise<void> {
  const { url: receiverUrl, problem } = await call('receiver.state')
  process.stdout.write(
    json
      ? `${JSON.stringify({ event: 'ready', host: 'electron', receiverUrl })}\n`
      : `Post webhooks to ${receiverUrl ?? `nowhere yet: ${problem ?? 'the receiver is stopped.'}`}\n`,
  )
}

/**
 * Once all windows are closed, lets the app finish accepted work, unless it is stuck, and ends the
 * process. Acknowledged deliveries are on disk already; the others get their response.
 */
function drainOnQuit(drain: () => Promise<void>, log: Log): void {
  let isDraining = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isDraining) return
    isDraining = true
    isCompleted(drain())
      .then((isDone) => isDone || log.write('warn', 'Quit before all work had finished.'))
      .catch((error: unknown) => log.failure('Closing failed.', error))
      .finally(() => app.exit(0))
  })
}

/** Starts a process through Electron, because the installed app cannot run as Node. */
const startUtilityProcess: StartProcess = (entry, args, flags = sandboxNodeFlags) => {
  const child = utilityProcess.fork(fileURLToPath(entry), [...args], {
    serviceName: flags === sandboxNodeFlags ? 'Tondesk sandbox' : 'Tondesk files',
    // This switch is the only one that the process passes to V8 before it creates its heap.
    execArgv: [`--js-flags=${flags.join(' ')}`],
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The process exits after an error such as out of memory. Without a listener the error would end the app.
  child.on('error', () => undefined)
  return {
    onStdout: (listener) => readText(child.stdout, listener),
    onStderr: (listener) => readText(child.stderr, listener),
    onExit: (listener) => void child.once('exit', (code) => listener(`exit code ${code}`)),
    onMessage: (listener) => void child.on('message', listener),
    send: (message) => child.postMessage(message),
    kill() {
      // Electron's `kill` sends SIGTERM, which callers have already tried, so a signal of the system is needed.
      try {
        if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    },
  }
}
