import type { App } from 'electron'
import type { Log } from '../app/log.ts'

const deadlineMs = 3000

/**
 * Once the windows are closed, lets the app finish what it has accepted, for at most three seconds,
 * and ends the process. Deliveries answered are on disk already; those in the air get their answer.
 */
export function drainOnQuit(app: App, drain: () => Promise<void>, log: Log): void {
  let isDraining = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isDraining) return
    isDraining = true
    const deadline = setTimeout(() => {
      log.write('warn', 'Quit without waiting any longer for what was still under way.')
      app.exit(0)
    }, deadlineMs)
    drain()
      .catch((error: unknown) => log.failure('Closing down went wrong.', error))
      .finally(() => {
        clearTimeout(deadline)
        app.exit(0)
      })
  })
}
