/** Exports everything that `import ... from 'electron'` provides for an app on the stand-in. */
import type * as Electron from 'electron'
import { app } from './app.ts'
import { BrowserWindow } from './browser-window.ts'
import { listenForCommands } from './control.ts'
import { dialog } from './dialog.ts'
import { net } from './net.ts'
import { Notification } from './notification.ts'
import { powerMonitor } from './power-monitor.ts'
import { protocol } from './protocol.ts'
import { session } from './session.ts'
import { clipboard, Menu, nativeTheme, screen, shell } from './system.ts'
import { nativeImage, Tray } from './tray.ts'
import { utilityProcess } from './utility-process.ts'
import { ipcMain } from './web-contents.ts'

listenForCommands()

/** Every name must be one of Electron's: if Electron removes a name, this does not compile. */
type PlayedNames = Extract<
  keyof typeof Electron,
  | 'app'
  | 'BrowserWindow'
  | 'clipboard'
  | 'dialog'
  | 'ipcMain'
  | 'Menu'
  | 'nativeImage'
  | 'nativeTheme'
  | 'net'
  | 'Notification'
  | 'powerMonitor'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'shell'
  | 'Tray'
  | 'utilityProcess'
>

const played = {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} satisfies Record<PlayedNames, unknown>

export {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
}
// `import electron from 'electron'` works in Electron as well.
// oxlint-disable-next-line no-restricted-exports -- it plays a module that has a default export
export default played
