/** The app's menu: at the top of the screen on macOS, in each window elsewhere. */
import { BrowserWindow, Menu, type MenuItemConstructorOptions, app } from 'electron'
import { type ZoomStep, zoomWindow } from './zoom.ts'

type MenuActions = {
  readonly openDocumentation: () => void
  readonly openAbout: () => void
  readonly print: () => void
}

export function setMenu({ openDocumentation, openAbout, print }: MenuActions): void {
  const isMac = process.platform === 'darwin'
  const development: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [{ role: 'reload' }, { role: 'toggleDevTools' }, { type: 'separator' }]
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        { label: 'Print…', accelerator: 'CommandOrControl+P', click: print },
        { type: 'separator' },
        // Closing a further window does not end the app.
        { role: 'close' },
        ...(isMac ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        ...development,
        zoomItem('Actual Size', 'CommandOrControl+0', 'reset'),
        zoomItem('Zoom In', 'CommandOrControl+Plus', 'in'),
        zoomItem('Zoom Out', 'CommandOrControl+-', 'out'),
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Gateway Documentation', click: openDocumentation },
        { label: 'Release Notes and Licences', click: openAbout },
      ],
    },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}

/** Electron's role of the same name would zoom without showing or remembering the zoom. */
const zoomItem = (
  label: string,
  accelerator: string,
  step: ZoomStep,
): MenuItemConstructorOptions => ({
  label,
  accelerator,
  click() {
    const window = BrowserWindow.getFocusedWindow()
    if (window !== null) zoomWindow(window, step)
  },
})
