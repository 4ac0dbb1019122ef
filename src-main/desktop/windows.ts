/** Opens further windows for single objects and prints the content of the front window. */
import { BrowserWindow, dialog } from 'electron'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { Log } from '../app/log.ts'
import { recoverWindow } from './faults.ts'
import { type BoundsFile, focusWindow, openFurtherWindow } from './window.ts'

export type WindowsDeps = {
  readonly preload: string
  /** The origin of the app's own page; a further window shows no other page. */
  readonly origin: string
  readonly boundsFile: BoundsFile
  readonly log: Log
}

/** The limit exists because each window is a process with 60 to 100 MB of memory. */
const maxFurther = 12
/** The reason that Chromium reports when the user closes the dialog. */
const cancelled = 'Print job canceled'

export function createWindows({ preload, origin, boundsFile, log }: WindowsDeps) {
  const further = new Set<BrowserWindow>()

  function open(hash: string): void {
    const url = `${origin}/${hash}`
    const shown = [...further].find(({ webContents }) => webContents.getURL() === url)
    if (shown !== undefined) {
      focusWindow(shown)
      return
    }
    if (further.size >= maxFurther) {
      throw new AppError(
        appCodes.windowsTooMany,
        `${maxFurther} further windows are open. Close one of them first.`,
      )
    }
    const window = openFurtherWindow({ preload, url, boundsFile })
    further.add(window)
    window.once('closed', () => further.delete(window))
    recoverWindow(window, log)
  }

  function print(): Promise<boolean> {
    const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0]
    return new Promise((resolve, reject) => {
      if (window === undefined) {
        resolve(false)
        return
      }
      window.webContents.print({}, (success, reason) => {
        if (success || reason === cancelled) resolve(success)
        else {
          const problem = `The system could not print: ${reason}. Check that a printer is set up.`
          reject(new AppError(appCodes.printFailed, problem))
        }
      })
    })
  }

  return {
    open,
    print,
    /** Like `print`, for the menu: a failure is shown in a dialog. */
    printOrTell: (): void => {
      print().catch((error: unknown) => {
        log.failure('The window was not printed.', error)
        const detail = error instanceof AppError ? error.message : undefined
        void dialog.showMessageBox({
          type: 'error',
          message: 'Could not print.',
          ...(detail !== undefined && { detail }),
        })
      })
    },
  }
}
