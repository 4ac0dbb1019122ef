/** What happens when something breaks that should not: it is logged, told, and not hidden. */
import { type BrowserWindow, app, dialog } from 'electron'
import type { Log } from '../app/log.ts'
import { connectionErrorMessage, handleUncaughtErrors } from '../app/uncaught-errors.ts'

const quietMs = 60_000

/** A window whose process is gone is loaded again, once a minute; after that the person decides. */
export function recoverWindow(window: BrowserWindow, log: Log): void {
  let lastReload = -Infinity

  async function ask(): Promise<void> {
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message: "Tondesk's window keeps failing.",
      detail: 'Webhooks are still being received and kept. The log has the details.',
      buttons: ['Quit', 'Load Again'],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    })
    if (window.isDestroyed()) return
    if (response === 1) window.webContents.reload()
    else app.quit()
  }

  function recover(): void {
    if (window.isDestroyed()) return
    const now = performance.now()
    if (now - lastReload > quietMs) {
      lastReload = now
      window.webContents.reload()
      return
    }
    ask().catch((error: unknown) => log.failure('The question could not be shown.', error))
  }

  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    log.write('error', 'The window’s process is gone.', { reason, exitCode })
    recover()
  })
  window.webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    // -3 is a load given up for another, such as a denied navigation.
    if (!isMainFrame || code === -3) return
    log.write('error', 'The window could not be loaded.', { code, description })
    recover()
  })
}

/** After a bug in the main process its state is unknown: the app tells the user and ends. */
export function endOnBug(log: Log): void {
  handleUncaughtErrors({
    onConnectionError: (error) => log.failure(connectionErrorMessage, error),
    onBug(error) {
      log.fatal('An unexpected error ended the app.', error)
      dialog.showErrorBox(
        'Tondesk has to close',
        'Something went wrong that it cannot recover from. Webhooks already answered are safe. ' +
          'The log in the data directory has the details.',
      )
      app.exit(1)
    },
  })
}
