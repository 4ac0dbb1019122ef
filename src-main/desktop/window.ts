/** Opens the app's window, sandboxed and isolated, at the bounds it had before. */
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import { z } from 'zod'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The value of `--bg` in the page's design tokens, so that nothing flashes before the first paint. */
const background = { light: '#ffffff', dark: '#101214' } as const
const boundsSettleMs = 500

export function openWindow(preload: string, url: string, boundsFile: BoundsFile): BrowserWindow {
  const remembered = boundsFile.read()
  const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
  const window = new BrowserWindow({
    ...placeWindow(remembered, areas),
    minWidth: minSize.width,
    minHeight: minSize.height,
    title: 'Tondesk',
    show: false,
    backgroundColor: currentBackground(),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      devTools: !app.isPackaged,
      // Electron would download its dictionaries.
      spellcheck: false,
    },
  })
  if (remembered?.maximized) window.maximize()
  rememberBounds(window, boundsFile)

  const followTheme = () => window.setBackgroundColor(currentBackground())
  nativeTheme.on('updated', followTheme)
  window.once('closed', () => nativeTheme.off('updated', followTheme))
  window.once('ready-to-show', () => window.show())
  // `recoverWindow` handles a failed load by `did-fail-load`.
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
  // Also while the window is open, so that the bounds survive a killed process.
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

const coordinate = z.int().min(-100_000).max(100_000)
const length = z.int().min(1).max(100_000)

export const windowBounds = z.object({
  x: coordinate,
  y: coordinate,
  width: length,
  height: length,
  maximized: z.boolean(),
})
type WindowBounds = z.infer<typeof windowBounds>

type Area = Readonly<Omit<WindowBounds, 'maximized'>>

const minSize = { width: 800, height: 520 } as const
const defaultSize = { width: 1280, height: 820 } as const
/** The part of the window's top edge that must be on a display, so that the user can drag it. */
const minVisible = { width: 120, height: 40 } as const

/**
 * The bounds to open the window with: those of last time if a display still shows them, else the same
 * size, if it fits, in the middle of the first display.
 */
export function placeWindow(
  remembered: WindowBounds | null,
  workAreas: readonly Area[],
): Partial<Area> & { width: number; height: number } {
  const first = workAreas[0]
  const size = {
    width: Math.max(remembered?.width ?? defaultSize.width, minSize.width),
    height: Math.max(remembered?.height ?? defaultSize.height, minSize.height),
  }
  if (remembered !== null && workAreas.some((area) => isReachable(remembered, area))) {
    return { x: remembered.x, y: remembered.y, ...size }
  }
  if (first === undefined) return size
  const width = Math.min(size.width, first.width)
  const height = Math.min(size.height, first.height)
  return {
    x: first.x + Math.round((first.width - width) / 2),
    y: first.y + Math.round((first.height - height) / 2),
    width,
    height,
  }
}

function isReachable(bounds: Area, area: Area): boolean {
  const visible =
    Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x)
  return (
    visible >= Math.min(minVisible.width, bounds.width) &&
    bounds.y >= area.y &&
    bounds.y + minVisible.height <= area.y + area.height
  )
}

type BoundsFile = ReturnType<typeof createBoundsFile>

export const createBoundsFile = (directory: string) =>
  createStateFile(join(directory, 'window.json'), windowBounds)

/** A small file for what Electron's part of the app remembers. */
export function createStateFile<S extends z.ZodType>(path: string, shape: S) {
  return {
    /** Null when the file does not exist or is invalid. */
    read(): z.infer<S> | null {
      try {
        return shape.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch {
        return null
      }
    },
    /** Never throws: it is no reason for an error that a little is forgotten. */
    write(state: z.infer<S>): void {
      try {
        const fresh = `${path}.new`
        writeFileSync(fresh, JSON.stringify(state), { mode: 0o600 })
        renameSync(fresh, path)
      } catch {
        // The disk is full or read-only: next time the defaults apply.
      }
    },
  }
}
