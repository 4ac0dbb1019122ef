import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { runQuietly } from './child.mjs'
import { createProgress } from './progress.mjs'
import { nodeBinary, root, toolEnvironment } from './runtime.mjs'

const stallMs = 60_000
const dayMs = 24 * 60 * 60 * 1000
const memory = join(root, '.cache', 'electron-fetch.json')
const electronFolder = join(root, 'node_modules', 'electron')

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the path of Electron's binary, or undefined. The package's own function would start a download. */
export function electronBinary(folder = electronFolder) {
  const name = readText(join(folder, 'path.txt'))
  const binary = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist'), name)
  return name !== '' && existsSync(binary) ? binary : undefined
}

/** True if a library is missing on this computer (127), or if Electron aborted before it printed anything. */
export const failedToStart = ({ exitCode, signal }) =>
  exitCode === 127 || ['SIGTRAP', 'SIGABRT', 'SIGSEGV', 'SIGILL'].includes(signal)

/**
 * The reason why Electron cannot open a window on this computer, as the end of "Opening in the
 * browser: ..."; undefined if it can. The sandbox is never switched off.
 */
export function electronObstacle(system) {
  if (system.platform !== 'linux') return undefined
  if (!system.display) return 'there is no display here'
  if (system.uid === 0) return 'Electron keeps its sandbox on, and that does not run as root'
  if (system.namespacesRestricted && !system.sandboxHelperReady) {
    const helper = 'node_modules/electron/dist/chrome-sandbox'
    return `this Linux restricts user namespaces, so Electron's sandbox needs \`sudo chown root ${helper} && sudo chmod 4755 ${helper}\``
  }
  return undefined
}

/** Collects the facts that `electronObstacle` needs. */
export function readSystem(folder = electronFolder) {
  const switchIs = (name, value) => readText(`/proc/sys/kernel/${name}`).trim() === value
  const helper = statSync(join(folder, 'dist', 'chrome-sandbox'), { throwIfNoEntry: false })
  return {
    platform: process.platform,
    uid: process.getuid?.(),
    display: Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY),
    namespacesRestricted:
      switchIs('apparmor_restrict_unprivileged_userns', '1') ||
      switchIs('unprivileged_userns_clone', '0'),
    // The sandbox helper is only wrong if it exists, which is after the download.
    sandboxHelperReady: !helper || (helper.uid === 0 && (helper.mode & 0o4000) !== 0),
  }
}

/** The reason of a failed download less than a day ago for this version; undefined if a new attempt is due. */
export function rememberedFailure(text, version, now) {
  try {
    const { version: failed, at, reason } = JSON.parse(text)
    return failed === version && now - at >= 0 && now - at < dayMs ? String(reason) : undefined
  } catch {
    return undefined
  }
}

async function download(progress) {
  const stalled = new AbortController()
  let timer
  const live = () => {
    clearTimeout(timer)
    timer = setTimeout(() => stalled.abort(), stallMs)
  }
  live()
  let reason
  const onOutput = (chunk) => {
    live()
    for (const line of chunk.split('\n').filter((text) => text.startsWith('{'))) {
      const told = JSON.parse(line)
      if (told.progress) progress.update(told.progress)
      reason = told.reason ?? reason
    }
  }
  const steps = [join(root, 'build', 'fetch-electron.mjs'), join(electronFolder, 'install.js')]
  try {
    for (const script of steps) {
      const result = await runQuietly(nodeBinary(), [script], {
        cwd: root,
        // Node's fetch uses HTTPS_PROXY only if this variable is set.
        env: toolEnvironment({ NODE_USE_ENV_PROXY: '1' }),
        signal: stalled.signal,
        onOutput,
      })
      if (result.signal) return { interrupted: true }
      if (result.exitCode !== 0) return { reason: reason ?? 'its installer failed' }
    }
    return {}
  } catch (error) {
    if (error.name !== 'AbortError') throw error
    return { reason: `no progress for ${stallMs / 1000} s` }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Downloads Electron's binary; returns the reason of a failure, or undefined once the binary
 * exists. A failure is stored for a day, so that not every start waits for the same failure.
 */
export async function fetchElectron() {
  const { version } = JSON.parse(readText(join(electronFolder, 'package.json')))
  const failed = rememberedFailure(readText(memory), version, Date.now())
  const again = 'to try now: `npx install-electron`'
  if (failed)
    return `Electron's binary could not be fetched (${failed}; tried within the last day; ${again})`
  const progress = createProgress("Fetching Electron's binary (once, about 120 MB)")
  const { reason, interrupted } = await download(progress)
  progress.end()
  if (interrupted) return 'fetching Electron was interrupted'
  if (!reason && electronBinary()) {
    rmSync(memory, { force: true })
    return undefined
  }
  const said = reason ?? 'it did not arrive'
  mkdirSync(dirname(memory), { recursive: true })
  writeFileSync(memory, JSON.stringify({ version, at: Date.now(), reason: said }))
  return `Electron's binary could not be fetched (${said}; next try in a day; ${again})`
}
