/** Carries out the commands of a test, which arrive over the channel of the process that started this one. */
import { runInThisContext } from 'node:vm'
import type { WebContents } from 'electron'
import { app } from './app.ts'
import { BrowserWindow } from './browser-window.ts'
import { chooseInDialog } from './dialog.ts'
import { clickNotification } from './notification.ts'
import { privilegedSchemes } from './protocol.ts'
import {
  type Commands,
  type Report,
  type ToStandIn,
  recordedActions,
  reportToTest,
} from './report.ts'
import { session } from './session.ts'
import { nativeTheme } from './system.ts'

type Answers = {
  [N in keyof Commands]: (
    input: Commands[N]['input'],
  ) => Commands[N]['output'] | Promise<Commands[N]['output']>
}

const answers: Answers = {
  report,
  quit() {
    // The app quits after the response has been sent.
    setImmediate(() => app.quit())
    return null
  },
  answerDialog({ button }) {
    chooseInDialog(button)
    return null
  },
  askPermission({ ownWindow, ...inquiry }) {
    const contents = ownWindow ? theWindow().webContents : { id: -1 }
    return session.inquire(contents as unknown as WebContents, inquiry)
  },
  invokeAs({ origin, isTop, ownWindow, name }) {
    const { webContents } = theWindow()
    const frame = { url: `${origin}/`, origin, isTop }
    return webContents.invoke('request', [name, undefined], frame, ownWindow ? undefined : -1)
  },
  clickNotification({ action }) {
    clickNotification(action)
    return null
  },
  async evaluate({ source, arg }) {
    const call = runInThisContext(`(${source})`) as (electron: unknown, arg: unknown) => unknown
    return call(await import('electron'), arg)
  },
  async readClipboard() {
    const page = await theWindow().webContents.page
    return page.readClipboard()
  },
}

/** Listens if a test started this process; listening does not keep the process alive. */
export function listenForCommands(): void {
  if (!process.send) return
  process.on('message', (message: ToStandIn) => {
    const { id, command, input } = message
    Promise.resolve()
      .then(() => (answers[command] as (input: unknown) => unknown)(input))
      .then(
        (output) => reportToTest({ event: 'answer', id, ok: true, output }),
        (error: unknown) =>
          reportToTest({ event: 'answer', id, ok: false, message: String(error) }),
      )
  })
  process.channel?.unref()
}

async function report(): Promise<Report> {
  const windows = await Promise.all(
    BrowserWindow.getAllWindows().map(async (window) => ({
      id: window.id,
      url: window.webContents.getURL(),
      title: await window.webContents.page.then((page) => page.title()),
      visible: window.isVisible(),
      focused: window.isFocused(),
      maximized: window.isMaximized(),
      backgroundColor: window.backgroundColor,
      bounds: window.getBounds(),
      webPreferences: { ...window.options.webPreferences },
    })),
  )
  const { dialogs, opened, strayRequests, notifications, written, menu } = recordedActions
  return {
    windows,
    dialogs,
    opened,
    strayRequests,
    notifications,
    written,
    menu,
    themeSource: nativeTheme.themeSource,
    sandboxEnabled: app.sandboxEnabled,
    schemes: privilegedSchemes(),
  }
}

function theWindow(): BrowserWindow {
  const [window] = BrowserWindow.getAllWindows()
  if (!window) throw new Error('There is no window.')
  return window
}
