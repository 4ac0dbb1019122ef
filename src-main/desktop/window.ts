/** Opens the app's windows, sandboxed and isolated, the first one at the bounds it had before. */
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import { z } from 'zod'
import { join } from 'node:path'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { createStateFile } from '../app/state-file.ts'
import { keepZoom, zoomOf } from './zoom.ts'

/** The value of `--bg` in the page's design tokens, so that nothing flashes before the first paint. */
const background = { light: '#ffffff', dark: '#101214' } as const
const boundsSettleMs = 500

type OpenedWindow = {
  readonly preload: string
  readonly url: string
  /** The file of the first window's bounds and zoom. */
  readonly boundsFile: BoundsFile
}

/** Opens the app's first window at the bounds it had last time. */
export function openWindow({ preload, url, boundsFile }: OpenedWindow): BrowserWindow {
  const remembered = boundsFile.read()
  const window = createWindow(preload, chooseWindowBounds(remembered, workAreas()))
  if (remembered?.maximized) window.maximize()
  const saveSoon = rememberBounds(window, boundsFile)
  keepZoom(window, remembered?.zoomPercent ?? 100, (percent) => {
    saveSoon()
    reportZoom(window, percent)
  })
  load(window, url)
  return window
}

/**
 * Opens a further window for one object, a step below and to the right of the front window and with the
 * same zoom. Its bounds are not remembered, because the first window would open there next time.
 */
export function openFurtherWindow({ preload, url, boundsFile }: OpenedWindow): BrowserWindow {
  const front = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows().at(-1) ?? null
  const beside = front?.getNormalBounds() ?? boundsFile.read()
  const window = createWindow(preload, cascadeBounds(beside, workAreas()))
  const percent = front === null ? (boundsFile.read()?.zoomPercent ?? 100) : zoomOf(front)
  keepZoom(window, percent, (now) => reportZoom(window, now))
  load(window, url)
  return window
}

function createWindow(preload: string, bounds: Partial<Area> & Size): BrowserWindow {
  const window = new BrowserWindow({
    ...bounds,
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
      // For the spellchecker, Electron would download dictionaries.
      spellcheck: false,
    },
  })
  // Windows sizes a new window by the scale of the first display, even when it opens on another one.
  if (bounds.x !== undefined && bounds.y !== undefined) window.setBounds({ ...bounds })
  const followTheme = () => window.setBackgroundColor(currentBackground())
  nativeTheme.on('updated', followTheme)
  window.once('closed', () => nativeTheme.off('updated', followTheme))
  window.once('ready-to-show', () => window.show())
  return window
}

function load(window: BrowserWindow, url: string): void {
  // `recoverWindow` handles a failed load on `did-fail-load`.
  window.loadURL(url).catch(() => undefined)
}

/** The window shows its zoom for a moment, as browsers do. */
function reportZoom({ webContents }: BrowserWindow, percent: number): void {
  const message: EventMessage = { name: 'window.zoomed', payload: { percent } }
  webContents.send('events', [message])
}

const workAreas = (): Area[] => screen.getAllDisplays().map(({ workArea }) => workArea)

/**
 * Moves windows back that no display shows any more, after a display was unplugged or changed its resolution.
 * Most systems move such windows; some window managers on Linux do not. Call this when the app is ready.
 */
export function keepOnDisplays(): void {
  const bringBack = () => {
    const areas = workAreas()
    for (const window of BrowserWindow.getAllWindows()) {
      const bounds = window.getBounds()
      // A display is missing for a moment while its resolution changes.
      if (areas.length === 0 || isSeen(bounds, areas)) continue
      window.setBounds(chooseWindowBounds(bounds, areas))
    }
  }
  screen.on('display-removed', bringBack)
  screen.on('display-metrics-changed', bringBack)
}

export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

const currentBackground = (): string =>
  nativeTheme.shouldUseDarkColors ? background.dark : background.light

/** @returns a function that saves soon, for changes other than those of the bounds */
function rememberBounds(window: BrowserWindow, file: BoundsFile): () => void {
  let timer: NodeJS.Timeout | undefined
  const save = () => {
    clearTimeout(timer)
    if (window.isDestroyed()) return
    const maximized = window.isMaximized()
    const bounds = normalBounds(window.getNormalBounds(), window.getBounds(), maximized)
    file.write({ ...bounds, maximized, zoomPercent: zoomOf(window) })
  }
  // Bounds are also saved while the window is open, so that they survive a killed process.
  const saveSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(save, boundsSettleMs)
    timer.unref()
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
  window.on('close', save)
  window.on('closed', () => clearTimeout(timer))
  return saveSoon
}

const coordinate = z.int().min(-100_000).max(100_000)
const length = z.int().min(1).max(100_000)

export const windowBounds = z.object({
  x: coordinate,
  y: coordinate,
  width: length,
  height: length,
  maximized: z.boolean(),
  /** Files of versions without zoom lack this field. */
  zoomPercent: z.int().min(25).max(500).default(100),
})
type WindowBounds = z.infer<typeof windowBounds>

type Area = Readonly<Pick<WindowBounds, 'x' | 'y' | 'width' | 'height'>>
type Size = Readonly<Pick<WindowBounds, 'width' | 'height'>>

const minSize = { width: 800, height: 520 } as const
const defaultSize = { width: 1280, height: 820 } as const
/** The part of the window's top edge that must be on a display, so that the user can drag it. */
const minVisible = { width: 120, height: 40 } as const

/** The distance between the corners of a window and of the next window opened from it. */
const cascadeStep = 28

/**
 * The bounds to open the window with: the last ones if a display still shows them, else the same size
 * in the middle of the first display. A window that is too large for its display is made smaller.
 */
export function chooseWindowBounds(
  remembered: Area | null,
  areas: readonly Area[],
): Partial<Area> & { width: number; height: number } {
  const [first] = areas
  const size = {
    width: Math.max(remembered?.width ?? defaultSize.width, minSize.width),
    height: Math.max(remembered?.height ?? defaultSize.height, minSize.height),
  }
  if (remembered !== null && areas.some((area) => isReachable(remembered, area))) {
    const at = { x: remembered.x, y: remembered.y, ...size }
    // Most of the window is off screen: the display has become smaller, or another display is missing.
    return isSeen(at, areas) ? at : within(at, displayOf(at, areas))
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

/** The bounds of a window that is opened from another one, on the same display. */
export function cascadeBounds(
  from: Area | null,
  areas: readonly Area[],
): Partial<Area> & { width: number; height: number } {
  if (from === null) return chooseWindowBounds(null, areas)
  const area = displayOf(from, areas)
  const { width, height } = within(from, area)
  const next = { x: from.x + cascadeStep, y: from.y + cascadeStep, width, height }
  const fits =
    area === undefined ||
    (next.x + width <= area.x + area.width && next.y + height <= area.y + area.height)
  // The next row of windows begins at the display's corner.
  return fits ? next : within({ ...next, x: area.x, y: area.y }, area)
}

/**
 * The bounds to remember. If a maximized window was moved, some systems still report normal bounds
 * on its previous display; the window must be maximized again on the display that showed it.
 */
export function normalBounds(normal: Area, shown: Area, maximized: boolean): Area {
  const isThere = overlap(normal, shown) * 2 >= normal.width * normal.height
  if (!maximized || isThere) return normal
  return within({ ...normal, x: shown.x, y: shown.y }, shown)
}

/** Moves and shrinks a window until it is inside the area. */
function within({ x, y, width, height }: Area, area: Area | undefined): Area {
  if (area === undefined) return { x, y, width, height }
  const size = { width: Math.min(width, area.width), height: Math.min(height, area.height) }
  return {
    x: Math.min(Math.max(x, area.x), area.x + area.width - size.width),
    y: Math.min(Math.max(y, area.y), area.y + area.height - size.height),
    ...size,
  }
}

/** The display that shows the largest part of the window. */
const displayOf = (bounds: Area, areas: readonly Area[]): Area | undefined =>
  areas.toSorted((a, b) => overlap(bounds, b) - overlap(bounds, a))[0]

/** True if the window can be dragged and at least half of it is visible. */
function isSeen(bounds: Area, areas: readonly Area[]): boolean {
  const seen = areas.reduce((sum, area) => sum + overlap(bounds, area), 0)
  return seen * 2 >= bounds.width * bounds.height && areas.some((area) => isReachable(bounds, area))
}

/** The common area of both rectangles, in square pixels. */
function overlap(a: Area, b: Area): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return Math.max(0, width) * Math.max(0, height)
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

export type BoundsFile = ReturnType<typeof createBoundsFile>

export const createBoundsFile = (directory: string) =>
  createStateFile(join(directory, 'window.json'), windowBounds)
