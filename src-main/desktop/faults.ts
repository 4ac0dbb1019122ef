/**
 * Reacts to failures of the desktop app's processes: the main process, the window's process and
 * child processes.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type BrowserWindow,
  type MessageBoxOptions,
  type RenderProcessGoneDetails,
  app,
  clipboard,
  dialog,
} from 'electron'
import { z } from 'zod'
import { describeCrash } from '../app/crash-report.ts'
import { beforeLink } from './arguments.ts'
import type { Log } from '../app/log.ts'
import type { Notices } from '../app/notices.ts'
import { dataPaths } from '../app/paths.ts'
import { planRestart, readRunRecord, recordCrash } from '../app/run-record.ts'
import { connectionErrorMessage, handleUncaughtErrors } from '../app/uncaught-errors.ts'
import { appVersion } from '../app/version.ts'
import { createStateFile } from '../app/state-file.ts'

const afterCrash = '--after-crash'

/**
 * After a bug the state of the main process is unknown: the app ends and starts again in a new
 * process, which decides whether there were too many crashes (`mayStartAfterCrash`).
 */
export function restartOnBug(log: Log, dataDirectory: string): void {
  handleUncaughtErrors({
    onConnectionError: (error) => log.failure(connectionErrorMessage, error),
    onBug(error) {
      log.fatal('The app stopped because of an unexpected error.', error)
      if (recordCrash(dataDirectory, error)) {
        const args = beforeLink(process.argv.slice(1)).filter((each) => each !== afterCrash)
        app.relaunch({ args: [...args, afterCrash] })
      } else {
        dialog.showErrorBox(
          'Tondesk must close',
          'An unexpected error occurred. All deliveries that got the response 200 are stored. ' +
            'The log in the data directory has the details.',
        )
      }
      app.exit(1)
    },
  })
}

/**
 * Call this in a process that was started after a crash. Resolves when the app may start, after a pause
 * for the second crash; resolves with false if the app crashed several times and the user ends it.
 */
export async function mayStartAfterCrash(dataDirectory: string, log: Log): Promise<boolean> {
  const record = readRunRecord(dataDirectory)
  // When the app later restarts itself, its arguments still say that a process crashed.
  if (record === null) return true
  const plan = planRestart(record, Date.now())
  log.write('info', 'Restarted after an unexpected error.', { plan: plan.kind })
  if (plan.kind === 'wait') await wait(plan.ms)
  if (plan.kind !== 'ask') return true
  const { error, report } = describeCrash(record, dataPaths(dataDirectory).logs, Date.now())
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      message: 'Tondesk ended unexpectedly several times.',
      detail: `${error ?? 'The cause is unknown.'}\n\nTondesk receives no deliveries until you start it again. All deliveries that got the response 200 are stored.`,
      buttons: ['Quit', 'Copy Report', 'Start Tondesk'],
      defaultId: 2,
      cancelId: 0,
      noLink: true,
    })
    if (response !== 1) return response === 2
    await clipboard.writeText(report)
  }
}

const reloadIntervalMs = 60_000
/** The time between questions after the user chose to wait for an unresponsive window. */
const patienceMs = 60_000

/**
 * Reloads a window whose process has ended, at most once a minute; after that the user decides. Also offers to
 * reload a window that does not respond. At most one question is open.
 */
export function recoverWindow(window: BrowserWindow, log: Log): void {
  const { webContents } = window
  let lastReload = -Infinity
  let lastWait = -Infinity
  let isAsking = false
  let isEndedByUs = false
  let responding = new AbortController()

  /** @returns the button; null if another question is open or the window is closed meanwhile */
  async function ask(question: MessageBoxOptions): Promise<number | null> {
    if (isAsking || window.isDestroyed()) return null
    isAsking = true
    try {
      const { response } = await dialog.showMessageBox(window, { noLink: true, ...question })
      return window.isDestroyed() ? null : response
    } catch (error) {
      log.failure('The dialog could not be shown.', error)
      return null
    } finally {
      isAsking = false
    }
  }

  async function recover(): Promise<void> {
    if (window.isDestroyed()) return
    const now = performance.now()
    if (now - lastReload > reloadIntervalMs) {
      lastReload = now
      webContents.reload()
      return
    }
    const button = await ask({
      type: 'error',
      message: 'The Tondesk window failed several times.',
      detail: 'Webhooks are still received and stored. The log has the details.',
      buttons: ['Quit', 'Reload'],
      defaultId: 1,
      cancelId: 1,
    })
    if (button === 1) webContents.reload()
    if (button === 0) app.quit()
  }

  async function askToWait(): Promise<void> {
    if (performance.now() - lastWait < patienceMs) return
    log.write('warn', 'The window does not respond.')
    responding = new AbortController()
    const button = await ask({
      type: 'warning',
      message: 'The Tondesk window does not respond.',
      detail:
        'Webhooks are still received and stored. You can wait, or reload the window. What you have entered in its forms is then lost.',
      buttons: ['Wait', 'Reload'],
      defaultId: 0,
      cancelId: 0,
      // Closes the question when the window responds again.
      signal: responding.signal,
    })
    if (button === 0 && !responding.signal.aborted) lastWait = performance.now()
    if (button !== 1) return
    isEndedByUs = true
    webContents.forcefullyCrashRenderer()
    webContents.reload()
  }

  webContents.on('render-process-gone', (_event, details: RenderProcessGoneDetails) => {
    const { reason, exitCode } = details
    responding.abort()
    if (reason === 'clean-exit') return
    log.write('error', 'The window’s process has ended.', { reason, exitCode })
    if (isEndedByUs) isEndedByUs = false
    else void recover()
  })
  webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    // -3 (ERR_ABORTED) is a load that another one replaced, such as a denied navigation.
    if (!isMainFrame || code === -3) return
    log.write('error', 'The window could not be loaded.', { code, description })
    void recover()
  })
  window.on('unresponsive', () => void askToWait())
  window.on('responsive', () => responding.abort())
}

/** Logs the end of child processes. The code that started a process restarts it. */
export function watchChildProcesses(graphics: Graphics, log: Log): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name, serviceName }) => {
    if (reason === 'clean-exit') return
    // The app itself ends the processes of its tasks, with a signal.
    const level = reason === 'killed' ? 'info' : 'error'
    const fields = { type, reason, exitCode, name: name ?? serviceName }
    log.write(level, 'A child process has ended.', fields)
    if (type === 'GPU') graphics.noteCrash()
  })
}

/** Chromium itself gives up after about six crashes of the graphics process, and may end the app. */
const maxGraphicsCrashes = 3

const graphicsFile = z.object({ version: z.string() })

export type Graphics = ReturnType<typeof chooseGraphics>

/**
 * Disables the graphics card after its process crashed several times in an earlier run, until
 * Tondesk is updated or started with `--with-gpu`. Call this before the app is ready.
 */
export function chooseGraphics(directory: string, withGpu: boolean, log: Log) {
  const file = createStateFile(join(directory, 'software-drawing.json'), graphicsFile)
  let crashes = 0
  if (withGpu) file.remove()
  const isSoftware = file.read()?.version === appVersion
  if (isSoftware) app.disableHardwareAcceleration()

  return {
    notify(notices: Notices): void {
      if (!isSoftware) return
      notices.raise({
        id: 'desktop.softwareDrawing',
        level: 'info',
        title: 'Tondesk draws without the graphics card',
        detail:
          'The process that uses the graphics card crashed several times in an earlier run. Tondesk uses the graphics card again after an update, or if you start it with --with-gpu.',
        dismissible: true,
      })
    },
    noteCrash(): void {
      crashes += 1
      if (crashes !== maxGraphicsCrashes) return
      file.write({ version: appVersion })
      log.write('warn', 'From the next start on, Tondesk draws without the graphics card.')
    },
  }
}
