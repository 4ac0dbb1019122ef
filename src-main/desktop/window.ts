/** The app's window: sandboxed, isolated, where it was left, shown once there is something to see. */
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import type { BoundsFile } from './bounds-file.ts'
import { placeWindow, smallest } from './bounds.ts'

type WindowOptions = {
  readonly preload: string
  /** The page to load. */
  readonly url: string
  readonly boundsFile: BoundsFile
}

/** As `--bg` in the window's own tokens, so that nothing flashes before the first paint. */
const background = { light: '#ffffff', dark: '#101214' } as const
const boundsSettleMs = 500

export function openWindow({ preload, url, boundsFile }: WindowOptions): BrowserWindow {
  const remembered = boundsFile.read()
  const window = new BrowserWindow({
    ...placeWindow(
      remembered,
      screen.getAllDisplays().map(({ workArea }) => workArea),
    ),
    minWidth: smallest.width,
    minHeight: smallest.height,
    title: 'Tondesk',
    show: false,
    backgroundColor: currentBackground(),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      devTools: !app.isPackaged,
      // Its dictionaries would be fetched from the network.
      spellcheck: false,
    },
  })
  if (remembered?.maximized) window.maximize()
  rememberBounds(window, boundsFile)

  const followTheme = () => window.setBackgroundColor(currentBackground())
  nativeTheme.on('updated', followTheme)
  window.once('closed', () => nativeTheme.off('updated', followTheme))
  window.once('ready-to-show', () => window.show())
  // A failed load is told by `did-fail-load`, which the crash guard listens to.
  window.loadURL(url).catch(() => undefined)
  return window
}

export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

function currentBackground(): string {
  return nativeTheme.shouldUseDarkColors ? background.dark : background.light
}

function rememberBounds(window: BrowserWindow, file: BoundsFile): void {
  let timer: NodeJS.Timeout | undefined
  const save = () => {
    clearTimeout(timer)
    if (!window.isDestroyed()) {
      file.write({ ...window.getNormalBounds(), maximized: window.isMaximized() })
    }
  }
  // Also while open, so that an app that is killed forgets little.
  const saveSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(save, boundsSettleMs)
    timer.unref()
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
  window.on('close', save)
  window.on('closed', () => clearTimeout(timer))
}
