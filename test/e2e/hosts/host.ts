import type { ElectronApplication, Page } from '@playwright/test'
import type * as Electron from 'electron'
import { deadlines } from '../../deadlines.ts'
import type { StandIn } from '../../stand-in/launch.ts'

export type HostName = 'browser' | 'stand-in' | 'electron'

export type StartOptions = {
  readonly dataDirectory: string
  readonly args: readonly string[]
  /** Told of each console error, uncaught error and Content-Security-Policy violation of the page. */
  readonly onProblem: (text: string) => void
  /** Ends what was started, at once, also when its start has failed or is still under way. */
  readonly signal?: AbortSignal
}

/** The app's main process, as Playwright's `ElectronApplication` shows it; the stand-in does the same. */
export type MainProcess = {
  /**
   * Calls the function in the main process and resolves with what it returns. It is sent as its source, so it
   * sees only its parameters; `arg` and the result travel as JSON.
   */
  evaluate<R, A>(call: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R>
  evaluate<R>(call: (electron: typeof Electron) => R | Promise<R>): Promise<R>
  /** Does something that opens a window, and attaches to its page. */
  windowOpenedBy(act: () => Promise<unknown>): Promise<Page>
}

/** A started app with its window open. */
export type Running = {
  readonly page: Page
  readonly receiverUrl: string | null
  readonly processId: number
  /** Resolves to the exit code when the process has ended, whoever ended it. */
  readonly exit: Promise<number | null>
  /** As `kill -9`: nothing gets a chance to finish. */
  readonly kill: () => Promise<void>
  /** Ends it as a person would; resolves to the exit code. */
  readonly quit: () => Promise<number | null>
  readonly readClipboard: () => Promise<string>
  /** Does something that opens a further window or tab, and resolves to its page. */
  readonly opened: (act: () => Promise<unknown>) => Promise<Page>
  /** After `app.restart`: the app that was started in its place. */
  readonly afterRestart: () => Promise<Running>
  /** Only where the app has Electron's main process. */
  readonly mainProcess?: MainProcess
  readonly standIn?: StandIn
  readonly electron?: ElectronApplication
}

export type Start = (options: StartOptions) => Promise<Running>

/** What a page says is wrong with it. */
export function watchPage(page: Page, onProblem: (text: string) => void): void {
  page.on('console', (message) => {
    if (message.type() === 'error') onProblem(message.text())
  })
  page.on('pageerror', (error) => onProblem(String(error)))
}

export const bounded = async <T>(work: Promise<T>, what: string): Promise<T> => {
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
