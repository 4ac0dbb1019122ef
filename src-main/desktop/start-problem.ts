/** Shows dialogs about an app that cannot start. */
import { dialog } from 'electron'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import { openBrowserMode } from './navigation.ts'

/** Shows why the app cannot start, and what the user can do about it. */
export async function explainStartProblem(error: unknown, dataDirectory: string): Promise<void> {
  if (error instanceof AppError && error.code === appCodes.dataDirectoryHeld) {
    await explainLockedDirectory(error, dataDirectory)
    return
  }
  const sentence =
    error instanceof AppError
      ? error.message
      : 'Tondesk could not start because of an unexpected error. The log in the data directory has the details.'
  const code = error instanceof AppError ? `\nError code: ${error.code}` : ''
  await showProblem(sentence, `Data directory: ${dataDirectory}${code}`)
}

/** Shows the window of another Tondesk that uses the data directory, if that Tondesk has a window. */
async function explainLockedDirectory(error: AppError, dataDirectory: string): Promise<void> {
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
