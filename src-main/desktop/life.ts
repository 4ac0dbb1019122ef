/** The app's life cycle without a window: closing, a second start, sleep and the end of the session. */
import { app, BrowserWindow, dialog, powerMonitor, type Task } from 'electron'
import type { App } from '../app/create-app.ts'
import type { Log } from '../app/log.ts'
import { caller } from '../bridge/dispatch.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { parseDesktopArguments, secondArguments } from './arguments.ts'
import { launchOf, quoteForWindows } from './start-at-login.ts'
import { type AppTray, createTray } from './tray.ts'

type CloseWindow = Settings['desktop']['closeWindow']

type LifeDeps = {
  readonly composed: App
  /** Opens the window, on the page of `hash` if it is set. */
  readonly show: (hash?: string) => void
  /** Opens the link or file that a command line names. @returns false if the command line names none */
  readonly openNamed?: (args: readonly string[], directory: string) => boolean
  /** Arguments that select the data; without them the app would start with other data. */
  readonly dataArguments: readonly string[]
  readonly log: Log
}

/** Call this when the receiver is running, before the first window opens. */
export async function startLife({ composed, show, openNamed, dataArguments, log }: LifeDeps) {
  const call = caller(composed.dispatch)
  const tray = createTray({ call, events: composed.events, show, log })
  const followClose = await decideOnClose(composed, tray, log)
  function follow(window: BrowserWindow): void {
    followClose(window)
    // Windows ends the process soon after this event. Without a window there is no such event;
    // acknowledged deliveries are on disk in either case.
    window.on('session-end', () => app.quit())
  }
  BrowserWindow.getAllWindows().forEach(follow)
  app.on('browser-window-created', (_event, window) => follow(window))
  app.on('activate', () => show())
  followPower(composed)
  offerTasks(dataArguments, log)
  tray.start()
  return {
    tray,
    /** Carries out the arguments of the first start or of a second start. */
    handleStart: (args: readonly string[], directory: string) => {
      const { copiesUrl, opensWindow } = parseDesktopArguments(args)
      if (copiesUrl) tray.copyUrl()
      if (openNamed?.(args, directory) !== true && opensWindow) show()
    },
  }
}

/** @returns a function that sets for each new window what closing it does */
async function decideOnClose(
  { dispatch, events, notices }: App,
  tray: AppTray,
  log: Log,
): Promise<(window: BrowserWindow) => void> {
  const call = caller(dispatch)
  let { closeWindow } = (await call('settings.get')).desktop
  events.subscribe((messages) => {
    for (const message of messages) {
      if (message.name === 'settings.changed') closeWindow = message.payload.desktop.closeWindow
    }
  })
  let isQuitting = false
  let isDeciding = false
  const closing = new WeakSet<BrowserWindow>()
  app.on('before-quit', () => (isQuitting = true))
  app.on('window-all-closed', () => {
    if (closeWindow === 'quit') app.quit()
  })

  async function decide(window: BrowserWindow): Promise<void> {
    const hasTray = await tray.isShown()
    // Events arrive in batches, so a choice that was made just now is read from the settings.
    closeWindow = (await call('settings.get')).desktop.closeWindow
    const choice = closeWindow === 'ask' ? await askOnClose(window, hasTray) : closeWindow
    if (choice === null) return
    if (choice !== closeWindow) {
      closeWindow = choice
      await call('settings.change', { desktop: { closeWindow: choice } }).catch((error: unknown) =>
        log.failure('The choice for closing the window was not saved.', error),
      )
    }
    if (choice === 'quit') {
      app.quit()
    } else if (hasTray) {
      notices.clear(noTrayNotice.id)
      closing.add(window)
      window.close()
    } else {
      notices.raise(noTrayNotice)
      window.minimize()
    }
  }

  return (window) => {
    window.on('close', (event) => {
      const isFree = isQuitting || closing.has(window)
      if (isFree || !isShown(window) || hasOthers(window)) return
      event.preventDefault()
      if (isDeciding) return
      isDeciding = true
      decide(window)
        .catch((error: unknown) => log.failure('The window could not be closed.', error))
        .finally(() => (isDeciding = false))
    })
  }
}

const isShown = (window: BrowserWindow) => window.isVisible() || window.isMinimized()

const hasOthers = (window: BrowserWindow): boolean =>
  BrowserWindow.getAllWindows().some((other) => other !== window && isShown(other))

const noTrayNotice = {
  id: 'desktop.noTray',
  level: 'info',
  title: 'The window is minimized instead of closed',
  detail:
    'This desktop shows no tray icons, so you could not open the window again. Tondesk continues to receive webhooks. To end it, choose Quit in the File menu.',
  dismissible: true,
} as const

const iconPlaces: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'menu bar',
  win32: 'notification area of the taskbar',
}

/** Asks the user once: the choice becomes the setting. @returns null if the window stays open */
async function askOnClose(
  window: BrowserWindow,
  hasTray: boolean,
): Promise<Exclude<CloseWindow, 'ask'> | null> {
  const place = iconPlaces[process.platform] ?? 'system tray'
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: 'Keep receiving webhooks when the window is closed?',
    detail: hasTray
      ? `Tondesk stays in the ${place}. Click its icon there to open the window again or to quit. You can change your choice in Settings, under Desktop app.`
      : 'This desktop shows no tray icons, so Tondesk minimizes its window instead of closing it. To end it, choose Quit in the File menu. You can change your choice in Settings, under Desktop app.',
    buttons: ['Keep receiving', 'Quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  })
  return (['keep', 'quit'] as const)[response] ?? null
}

/** A locked screen needs no handling, because receiving continues. */
function followPower({ interruptions }: App): void {
  powerMonitor.on('suspend', () => interruptions.suspended())
  powerMonitor.on('resume', () => interruptions.resumed())
  // Electron's types lack this event. By default it ends the process before the process has finished its work.
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    app.quit()
  })
}

function offerTasks(dataArguments: readonly string[], log: Log): void {
  if (process.platform !== 'win32') return
  if (!app.setUserTasks(userTasks(dataArguments))) {
    log.write('warn', 'The menu of the taskbar was not set.')
  }
}

/**
 * Entries of the taskbar's menu on Windows. Each entry starts the app again, and that start passes
 * its arguments to this process.
 */
export function userTasks(dataArguments: readonly string[]): Task[] {
  const { program, args } = launchOf(dataArguments)
  const task = (title: string, description: string, more: readonly string[]): Task => ({
    program,
    title,
    description,
    iconPath: process.execPath,
    iconIndex: 0,
    arguments: [...args, ...more].map(quoteForWindows).join(' '),
  })
  return [
    task('Open Tondesk', 'Opens the window', []),
    task('Copy receiver URL', 'Copies the URL that webhooks are sent to', [
      '--no-open',
      '--copy-receiver-url',
    ]),
  ]
}

type StartHandler = (args: readonly string[], directory: string) => void

/**
 * Listens for second starts at once and handles them when the app is ready: a second start may come while a large
 * database is still being opened.
 * @returns a function that sets the handler
 */
export function listenToSecondStarts(): (handle: StartHandler) => void {
  const ready = Promise.withResolvers<StartHandler>()
  app.on('second-instance', (_event, argv, directory, sent) => {
    void ready.promise.then((handle) => handle(secondArguments(argv, sent), directory))
  })
  return ready.resolve
}
