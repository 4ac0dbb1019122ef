import { z } from 'zod'
import { returns, takes } from './route.ts'

/** Functions that only the desktop app provides; in a browser the page has them itself. */
export const windowRoutes = {
  /**
   * Opens an address of the page, from `#` on, in a separate window, or shows the window that
   * already has it.
   */
  'window.open': takes({
    hash: z
      .string()
      .max(2000)
      .regex(/^#\/[^\s\p{Cc}]*$/u, 'An address of the page begins with “#/”.'),
  }).returns({}),
  /** Shows the system's dialog and resolves when it is closed. `printed` is false if the user cancelled. */
  'window.print': returns({ printed: z.boolean() }),
} as const
