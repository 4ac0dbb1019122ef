/**
 * The app's identity for the operating system. Packages carry the same ids
 * (build/electron-builder.config.cjs, package.json).
 */
import { app } from 'electron'

/**
 * A reverse DNS name, used by the desktop entry on Linux, the bundle on macOS and the Start menu
 * entry on Windows.
 */
export const applicationId = 'org.tondesk.Tondesk'

/** Call this before the app is ready. */
export function setIdentity(): void {
  app.setName('Tondesk')
  // Windows knows only the id of the Start menu entry, which the installer creates. Without this id
  // it shows no notifications, and a second taskbar button beside the pinned one.
  if (process.platform === 'win32') app.setAppUserModelId(applicationId)
  // The value equals `desktopName` of package.json, which Electron does not read when it starts the
  // sources from another folder.
  if (process.platform === 'linux') app.setDesktopName(`${applicationId}.desktop`)
}
