import { z } from 'zod'
import { returns, takes } from './route.ts'

const desktopState = z.object({
  /** The present value in the system, which may differ from the value that was set last. */
  startsAtLogin: z.boolean(),
  /** Why the app does not start at login although the user has turned it on. */
  problem: z.string().nullable(),
  /**
   * True if this desktop shows the app's tray icon. Without an icon, the window is minimized
   * instead of closed.
   */
  hasTray: z.boolean(),
})
export type DesktopState = z.infer<typeof desktopState>

export const desktopRoutes = {
  /** Null in browser mode and for a command. */
  'desktop.state': returns(desktopState.nullable()),
  'desktop.setStartAtLogin': takes({ isOn: z.boolean() }).returns(desktopState),
} as const
