import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** The root folder of this clone. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/**
 * The path of the Node that runs everything: the one among the dependencies, else this one if it is
 * new enough.
 */
export function nodeBinary() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const own = join(root, 'node_modules', 'node', 'bin', name)
  if (existsSync(own)) return own
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined
}

/**
 * Flags for the app's own process on Node. A small nursery reduces garbage, as in the sandbox: without
 * it a lookup of 100,000 addresses leaves 430 MB of garbage instead of 220, at the same speed. No
 * signal may open a debugger's port, through which any program of this user could read keys.
 */
export const appNodeFlags = ['--max-semi-space-size=4', '--disable-sigusr1']

/** This program's environment with the project's own tools, and so Node 24, first in the path. */
export function toolEnvironment(extra = {}) {
  const bin = join(root, 'node_modules', '.bin')
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return {
    ...process.env,
    [pathName]: [bin, process.env[pathName]].filter(Boolean).join(delimiter),
    ...extra,
  }
}

/** The command and arguments that start npm without a shell. */
export function npmCommand(args) {
  const script = process.env.npm_execpath
  if (script && /npm-cli\.c?js$/.test(script) && existsSync(script)) {
    return { command: process.execPath, args: [script, ...args], options: {} }
  }
  return process.platform === 'win32'
    ? { command: 'npm.cmd', args, options: { shell: true } }
    : { command: 'npm', args, options: {} }
}
