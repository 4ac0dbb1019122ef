/** Keeps a separate zoom for each window; Chromium would use the same zoom in all windows. */
import type { BrowserWindow, Input, WebContents } from 'electron'

export type ZoomStep = 'in' | 'out' | 'reset'

/** Chromium's own steps, in percent. */
const steps = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300] as const

/** @returns the next step in percent, from any zoom; at the last step the zoom stays */
export function nextZoom(percent: number, step: ZoomStep): number {
  if (step === 'reset') return 100
  return step === 'in'
    ? (steps.find((each) => each > percent) ?? steps[steps.length - 1] ?? 100)
    : (steps.findLast((each) => each < percent) ?? steps[0])
}

type Key = Pick<Input, 'type' | 'key' | 'code' | 'control' | 'meta' | 'alt'>

/**
 * The zoom step for a pressed key. A menu's shortcut names one key of one keyboard, but `+` is typed
 * with Shift on a US keyboard and without on a German one, and `0` is typed with Shift on a French one.
 */
export function zoomStepOf(input: Key, platform: NodeJS.Platform): ZoomStep | null {
  const { type, key, code, control, meta, alt } = input
  const hasMod = platform === 'darwin' ? meta && !control : control && !meta
  // Windows reports AltGr as Ctrl and Alt together.
  if (type !== 'keyDown' || !hasMod || alt) return null
  if (key === '+' || key === '=') return 'in'
  if (key === '-' || key === '_') return 'out'
  return key === '0' || code === 'Digit0' ? 'reset' : null
}

/** Functions that zoom the windows that `keepZoom` has prepared. */
const zoomed = new WeakMap<WebContents, () => void>()

/** The window's zoom in percent. */
export const zoomOf = (window: BrowserWindow): number =>
  Math.round(window.webContents.getZoomFactor() * 100)

export function zoomWindow(window: BrowserWindow, step: ZoomStep): void {
  const { webContents } = window
  webContents.setZoomFactor(nextZoom(zoomOf(window), step) / 100)
  zoomed.get(webContents)?.()
}

/**
 * Gives a window its own zoom, which keys and the mouse wheel with Ctrl change.
 * @param percent the first zoom
 * @param onZoomed called after each change by the user
 */
export function keepZoom(
  window: BrowserWindow,
  percent: number,
  onZoomed: (percent: number) => void,
): void {
  const { webContents } = window
  let current = percent
  zoomed.set(webContents, () => {
    current = zoomOf(window)
    onZoomed(current)
  })
  webContents.setZoomMode('isolated')
  // The zoom is set again after a crash, because the new process starts without it.
  webContents.on('did-finish-load', () => webContents.setZoomFactor(current / 100))
  webContents.on('zoom-changed', (_event, direction) => zoomWindow(window, direction))
  webContents.on('before-input-event', (event, input) => {
    const step = zoomStepOf(input, process.platform)
    if (step === null) return
    // Without this the menu would zoom a second time.
    event.preventDefault()
    zoomWindow(window, step)
  })
}
