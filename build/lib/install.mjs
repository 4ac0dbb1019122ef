import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runQuietly } from './child.mjs'
import { withLock } from './lock.mjs'
import { asProblem, Problem } from './problem.mjs'
import { createProgress } from './progress.mjs'
import { nodeBinary, npmCommand, root } from './runtime.mjs'

const stampOf = (folder) => join(folder, 'node_modules', '.tondesk-installed')

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** The key of an installation depends on the lockfile and on the platform of its binaries. */
export function installKey(lockText, platform = `${process.platform}-${process.arch}`) {
  return createHash('sha256').update(`${platform}\n${lockText}`).digest('hex')
}

/**
 * True if npm's own record of the installation fits the lockfile, so that a manual `npm ci` is not
 * repeated. Optional packages may be absent, because they may be for another platform.
 */
export function recordMatches(lockText, recordText) {
  const wanted = JSON.parse(lockText).packages ?? {}
  const installed = JSON.parse(recordText).packages ?? {}
  const same = (path) => installed[path]?.version === wanted[path]?.version
  return (
    Object.keys(installed).every((path) => wanted[path] && same(path)) &&
    Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || same(path))
  )
}

function isInstalled(folder, key, lockText) {
  if (read(stampOf(folder)) === key) return true
  const record = read(join(folder, 'node_modules', '.package-lock.json'))
  return record !== undefined && recordMatches(lockText, record)
}

/** Explains why npm failed, in a sentence with the next step. */
export function explainInstall(output, folder) {
  const unreachable =
    /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT)\b/
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) return asProblem({ code: 'EACCES' }, folder)
  if (/\bENOSPC\b/.test(output)) return asProblem({ code: 'ENOSPC' }, folder)
  if (unreachable.test(output)) {
    return new Problem(
      "npm's package registry cannot be reached, so what Tondesk is built from could not be installed.",
      'Check the network (`npm ping`), a proxy (`npm config get proxy`) or another registry (`npm config get registry`), and run this again.',
    )
  }
  const tail = output.trim().split('\n').slice(-12).join('\n')
  return new Problem(
    `npm could not install what Tondesk is built from:\n${tail}`,
    'Run `npm ci` to see all it says; deleting node_modules often helps.',
  )
}

async function npmCi(folder, title, quiet) {
  const npm = npmCommand([
    'ci',
    '--include=dev',
    '--include=optional',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--fetch-retry-mintimeout=2000',
    '--fetch-retry-maxtimeout=20000',
  ])
  const progress = createProgress(title, { quiet })
  try {
    const result = await runQuietly(npm.command, npm.args, { cwd: folder, ...npm.options })
    if (result.signal) throw new Problem('Installing was interrupted.', 'Run this again.')
    if (result.exitCode !== 0) throw explainInstall(result.output, folder)
  } catch (error) {
    if (error?.code !== 'ENOENT') throw error
    throw new Problem(
      'npm is not on this computer (or not on the PATH).',
      'It comes with Node: install Node from https://nodejs.org, or your system’s package `npm`.',
    )
  } finally {
    progress.end()
  }
}

function demandWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    const modules = join(folder, 'node_modules')
    if (existsSync(modules)) accessSync(modules, constants.W_OK)
  } catch (error) {
    throw asProblem(error, folder)
  }
}

/** Installs a folder's locked dependencies unless they are installed; returns true if it installed any. */
export async function ensureInstalled({ folder = root, title, quiet = false } = {}) {
  const lockText = read(join(folder, 'package-lock.json'))
  if (lockText === undefined) {
    throw new Problem(`${folder} has no package-lock.json.`, 'Clone the repository again.')
  }
  const key = installKey(lockText)
  const isReady = () => isInstalled(folder, key, lockText) && nodeBinary() !== undefined
  if (isReady()) return false
  demandWritable(folder)
  return withLock(join(root, '.cache', 'prepare.lock'), async () => {
    if (isReady()) return false
    await npmCi(folder, title ?? 'Installing what Tondesk is built from (once)', quiet)
    if (nodeBinary() === undefined) {
      throw new Problem(
        'npm is configured to skip install scripts, so the Node 24 that Tondesk runs on is missing.',
        'Run `npm rebuild node --ignore-scripts=false`, or use Node 24 or newer.',
      )
    }
    writeFileSync(stampOf(folder), key)
    return true
  })
}
