/** Dialogs about problems: the app cannot start, the window's process fails, or a bug ends the app. */
import { dialog, type BrowserWindow, app } from 'electron'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import { openBrowserMode } from './navigation.ts'
import type { Log } from '../app/log.ts'
import { connectionErrorMessage, handleUncaughtErrors } from '../app/uncaught-errors.ts'

/** Shows why the app cannot start, and what the user can do about it. */
export async function explainStartProblem(error: unknown, dataDirectory: string): Promise<void> {
  if (error instanceof AppError && error.code === appCodes.dataDirectoryHeld) {
    await explainHeld(error, dataDirectory)
    return
  }
  const sentence =
    error instanceof AppError
      ? error.message
      : 'Tondesk could not start because of an unexpected error. The log in the data directory has the details.'
  await showProblem(sentence, `Data directory: ${dataDirectory}`)
}

/** Another Tondesk uses the data directory: it is shown instead of this one, if it has a window. */
async function explainHeld(error: AppError, dataDirectory: string): Promise<void> {
  const holder = await openHolder(dataDirectory)
  if (holder?.opened && holder.url === null) return
  const who = holder ? ` (process ${holder.processId})` : ''
  if (holder?.url) {
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `Tondesk is already running in browser mode${who}.`,
      detail:
        'It continues to receive deliveries. Open it in your browser, or quit it to use this window.',
      buttons: ['Quit', 'Open in Browser'],
      defaultId: 1,
      cancelId: 0,
      noLink: true,
    })
    if (response === 1) await openBrowserMode(holder.url)
    return
  }
  const sentence = holder ? `Another Tondesk${who} is using this data directory.` : error.message
  await showProblem(sentence, holder?.problem ?? `Data directory: ${dataDirectory}`)
}

async function openHolder(dataDirectory: string) {
  const client = await connectLocalSocket(localSocketPath(dataDirectory)).catch(() => null)
  if (!client) return null
  const { processId } = client
  try {
    return { processId, opened: true, url: (await client.open()).url, problem: null }
  } catch (error) {
    const problem = error instanceof AppError ? error.message : null
    return { processId, opened: false, url: null, problem }
  } finally {
    client.dispose()
  }
}

async function showProblem(message: string, detail: string): Promise<void> {
  await dialog.showMessageBox({
    type: 'error',
    message: 'Tondesk cannot start.',
    detail: `${message}\n\n${detail}`,
    buttons: ['Quit'],
  })
}

const reloadIntervalMs = 60_000

/** Reloads a window whose process has ended, at most once a minute; after that the user decides. */
export function recoverWindow(window: BrowserWindow, log: Log): void {
  let lastReload = -Infinity

  async function askUser(): Promise<void> {
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message: 'The Tondesk window failed several times.',
      detail: 'Webhooks are still received and stored. The log has the details.',
      buttons: ['Quit', 'Reload'],
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
    if (now - lastReload > reloadIntervalMs) {
      lastReload = now
      window.webContents.reload()
      return
    }
    askUser().catch((error: unknown) => log.failure('The dialog could not be shown.', error))
  }

  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    log.write('error', 'The window’s process has ended.', { reason, exitCode })
    recover()
  })
  window.webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    // -3 (ERR_ABORTED) is a load that another one replaced, such as a denied navigation.
    if (!isMainFrame || code === -3) return
    log.write('error', 'The window could not be loaded.', { code, description })
    recover()
  })
}

/** After a bug in the main process its state is unknown: the app shows an error and ends. */
export function endOnBug(log: Log): void {
  handleUncaughtErrors({
    onConnectionError: (error) => log.failure(connectionErrorMessage, error),
    onBug(error) {
      log.fatal('The app stopped because of an unexpected error.', error)
      dialog.showErrorBox(
        'Tondesk must close',
        'An unexpected error occurred. All deliveries that got the response 200 are stored. ' +
          'The log in the data directory has the details.',
      )
      app.exit(1)
    },
  })
}
