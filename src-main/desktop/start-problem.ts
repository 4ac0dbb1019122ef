/** Says, in a dialog, why the app cannot start, and offers the way out where there is one. */
import { dialog } from 'electron'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import { openBrowserMode } from './open-external.ts'

export async function explainStartProblem(error: unknown, dataDirectory: string): Promise<void> {
  if (error instanceof AppError && error.code === appCodes.dataDirectoryHeld) {
    await explainHeld(error, dataDirectory)
    return
  }
  const sentence =
    error instanceof AppError
      ? error.message
      : 'Something went wrong at the start. The log in the data directory has the details.'
  await tell(sentence, `Data directory: ${dataDirectory}`)
}

/** Another host of ours holds the data directory: show it instead of this one, if it can be shown. */
async function explainHeld(error: AppError, dataDirectory: string): Promise<void> {
  const holder = await askHolder(dataDirectory)
  if (holder?.opened && holder.url === null) return
  const who = holder ? ` (process ${holder.processId})` : ''
  if (holder?.url) {
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `Tondesk is already running in browser mode${who}.`,
      detail: 'It keeps receiving. Open it in your browser, or end it to use this window instead.',
      buttons: ['Quit', 'Open in Browser'],
      defaultId: 1,
      cancelId: 0,
      noLink: true,
    })
    if (response === 1) await openBrowserMode(holder.url)
    return
  }
  const sentence = holder ? `Another Tondesk${who} is using this data directory.` : error.message
  await tell(sentence, holder?.problem ?? `Data directory: ${dataDirectory}`)
}

type Holder = {
  readonly processId: number
  /** It has shown itself, or says where. */
  readonly opened: boolean
  readonly url: string | null
  readonly problem?: string
}

async function askHolder(dataDirectory: string): Promise<Holder | null> {
  const client = await connectLocalSocket(localSocketPath(dataDirectory)).catch(() => null)
  if (!client) return null
  const { processId } = client
  try {
    return { processId, opened: true, url: (await client.open()).url }
  } catch (error) {
    const problem = error instanceof AppError ? { problem: error.message } : {}
    return { processId, opened: false, url: null, ...problem }
  } finally {
    client.dispose()
  }
}

async function tell(message: string, detail: string): Promise<void> {
  await dialog.showMessageBox({
    type: 'error',
    message: 'Tondesk cannot start.',
    detail: `${message}\n\n${detail}`,
    buttons: ['Quit'],
  })
}
