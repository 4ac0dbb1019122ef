import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/electron/', import.meta.url))

/** Returns the path of Electron’s binary. Loading the package itself would start a download. */
export function electronBinary(): string | null {
  try {
    const name = readFileSync(join(folder, 'path.txt'), 'utf8')
    const binary = join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist'), name)
    return existsSync(binary) ? binary : null
  } catch {
    return null
  }
}

/** The reason why the real Electron cannot be tested on this computer; null if it can. */
export function electronProblem(): string | null {
  if (electronBinary() === null) {
    return "Electron's binary is not installed: `npx install-electron` fetches it."
  }
  if (process.platform !== 'linux') return null
  if (process.getuid?.() === 0) return "Electron's sandbox stays on, and that does not run as root."
  if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) {
    return 'There is no display: run this under xvfb-run.'
  }
  return null
}
