/**
 * The app's identity for the operating system. Packages carry the same ids
 * (build/electron-builder.config.cjs, package.json).
 */
import { app } from 'electron'

/** Reverse DNS: the desktop entry on Linux, the bundle on macOS and the Start menu entry on Windows have it. */
export const applicationId = 'org.tondesk.Tondesk'

/** Call this before the app is ready. */
export function identify(): void {
  app.setName('Tondesk')
  // Otherwise Windows shows no notification, and a taskbar button beside the pinned one: it knows only the
  // id of the Start menu entry, which the installer makes.
  if (process.platform === 'win32') app.setAppUserModelId(applicationId)
  // The same value as `desktopName` of package.json, which a start from the sources with another folder does
  // not read.
  if (process.platform === 'linux') app.setDesktopName(`${applicationId}.desktop`)
}
