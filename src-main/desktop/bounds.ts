/** Where the window was left. Pure; `bounds-file.ts` keeps it. */
import { z } from 'zod'

const coordinate = z.int().min(-100_000).max(100_000)
const length = z.int().min(1).max(100_000)

export const windowBounds = z.object({
  x: coordinate,
  y: coordinate,
  width: length,
  height: length,
  maximized: z.boolean(),
})
export type WindowBounds = z.infer<typeof windowBounds>

type Area = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const smallest = { width: 800, height: 520 } as const
const usual = { width: 1280, height: 820 } as const
/** So much of the window's top edge must be on a display to be taken hold of. */
const grip = { width: 120, height: 40 } as const

/**
 * What to open with: as it was left, if a display still shows it there; else in the middle of the
 * first display, as large as it was, where that fits.
 */
export function placeWindow(
  remembered: WindowBounds | null,
  workAreas: readonly Area[],
): Partial<Area> & { width: number; height: number } {
  const first = workAreas[0]
  const size = {
    width: Math.max(remembered?.width ?? usual.width, smallest.width),
    height: Math.max(remembered?.height ?? usual.height, smallest.height),
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
  const seen = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x)
  return (
    seen >= Math.min(grip.width, bounds.width) &&
    bounds.y >= area.y &&
    bounds.y + grip.height <= area.y + area.height
  )
}
