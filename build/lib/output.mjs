import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { runQuietly } from './child.mjs'
import { withLock } from './lock.mjs'
import { asProblem, Problem } from './problem.mjs'
import { createProgress } from './progress.mjs'
import { nodeBinary, root, toolEnvironment } from './runtime.mjs'

const sources = ['src-main', 'src-preload', 'src-renderer']
const configs = [
  'build/lib/bundled-packages.ts',
  'CHANGELOG.md',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'tsconfig.node.json',
  'tsconfig.web.json',
]

/** Files that start a host; a build without one of them is incomplete. */
export const entries = [
  'main/main.js',
  'main/serve.js',
  'main/cli.js',
  'main/sandbox-process.js',
  'preload/preload.cjs',
  'renderer/index.html',
]

/**
 * A key of the names and contents of all sources, so that neither a touched file nor another branch
 * with the same text causes a build.
 */
export function sourceKey(folder) {
  const hash = createHash('sha256')
  const add = (file) => {
    hash.update(`${relative(folder, file).split(sep).join('/')}\0`)
    hash.update(readFileSync(file)).update('\0')
  }
  for (const source of sources) {
    const base = join(folder, source)
    if (!existsSync(base)) continue
    const files = readdirSync(base, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    for (const file of files.sort()) add(file)
  }
  for (const config of configs) if (existsSync(join(folder, config))) add(join(folder, config))
  return hash.digest('hex')
}

/** True if out/ is complete and was built from these sources. */
export function isBuilt(folder, key) {
  const out = join(folder, 'out')
  const stamp = join(out, '.stamp')
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === key &&
    entries.every((entry) => existsSync(join(out, entry)))
  )
}

async function build(quiet) {
  const stamp = join(root, 'out', '.stamp')
  const key = sourceKey(root)
  rmSync(stamp, { force: true })
  const progress = createProgress('Building', { quiet })
  const tool = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const result = await runQuietly(nodeBinary(), [tool, 'build', '--logLevel', 'warn'], {
    cwd: root,
    env: toolEnvironment(),
  })
  progress.end()
  if (result.signal) throw new Problem('Building was interrupted.', 'Run this again.')
  const missing = entries.filter((entry) => !existsSync(join(root, 'out', entry)))
  if (result.exitCode !== 0 || missing.length > 0) {
    const said = stripVTControlCharacters(result.output)
      .split('\n')
      .filter((line) => line.trim() && !/^\s+at /.test(line))
    throw new Problem(
      `The build failed:\n${said.slice(-20).join('\n')}`,
      'Fix the named problem, or check out a commit that builds.',
    )
  }
  writeFileSync(stamp, key)
}

/** Builds out/ if it is outdated, or always with `force`; returns true if it was built. */
export async function ensureBuilt({ quiet = false, force = false } = {}) {
  if (!force && isBuilt(root, sourceKey(root))) return false
  try {
    return await withLock(join(root, '.cache', 'prepare.lock'), async () => {
      if (!force && isBuilt(root, sourceKey(root))) return false
      await build(quiet)
      return true
    })
  } catch (error) {
    throw asProblem(error, root)
  }
}
