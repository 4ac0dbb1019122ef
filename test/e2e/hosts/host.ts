import type { ElectronApplication, Page } from '@playwright/test'
import type * as Electron from 'electron'
import { deadlines } from '../../deadlines.ts'
import type { StandIn } from '../../stand-in/launch.ts'

export type HostName = 'browser' | 'stand-in' | 'electron'

export type StartOptions = {
  readonly dataDirectory: string
  readonly args: readonly string[]
  /**
   * Called with each console error, uncaught error and Content-Security-Policy violation of the
   * page.
   */
  readonly onProblem: (text: string) => void
  /** Ends the app at once, even if its start failed or is still running. */
  readonly signal?: AbortSignal
}

/**
 * The app’s main process with the interface of Playwright’s `ElectronApplication`, which the
 * stand-in implements too.
 */
export type MainProcess = {
  /**
   * Calls the function in the main process and resolves with its result. The function is sent as
   * source, so it can only use its parameters; `arg` and the result are sent as JSON.
   */
  evaluate<R, A>(call: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R>
  evaluate<R>(call: (electron: typeof Electron) => R | Promise<R>): Promise<R>
  /** Performs an action that opens a window, and attaches to its page. */
  windowOpenedBy(act: () => Promise<unknown>): Promise<Page>
}

/** A started app with its window open. */
export type Running = {
  readonly page: Page
  readonly receiverUrl: string | null
  readonly processId: number
  /** Resolves with the exit code when the process has ended for any reason. */
  readonly exit: Promise<number | null>
  /** Ends the app like `kill -9`: no work is finished. */
  readonly kill: () => Promise<void>
  /** Ends the app as a user would; resolves with the exit code. */
  readonly quit: () => Promise<number | null>
  readonly readClipboard: () => Promise<string>
  /** Performs an action that opens another window or tab, and resolves with its page. */
  readonly opened: (act: () => Promise<unknown>) => Promise<Page>
  /** Resolves with the app that `app.restart` has started. */
  readonly afterRestart: () => Promise<Running>
  /** Present only on hosts with Electron’s main process. */
  readonly mainProcess?: MainProcess
  readonly standIn?: StandIn
  readonly electron?: ElectronApplication
}

export type Start = (options: StartOptions) => Promise<Running>

/** Reports the problems of a page. */
export function watchPage(page: Page, onProblem: (text: string) => void): void {
  page.on('console', (message) => {
    if (message.type() === 'error') onProblem(message.text())
  })
  page.on('pageerror', (error) => onProblem(String(error)))
}

export const withDeadline = async <T>(work: Promise<T>, what: string): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const ms = deadlines.wait
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
