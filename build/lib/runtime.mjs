import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** The clone this file stands in. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** The Node everything of ours runs on: the one among the dependencies, else this one if it is new enough. */
export function nodeBinary() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const own = join(root, 'node_modules', 'node', 'bin', name)
  if (existsSync(own)) return own
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined
}

/**
 * For the app's own process on Node: a small nursery, as the sandbox has it. Without it a lookup of
 * 100,000 addresses leaves 430 MB of garbage where this leaves 220, at the same speed. And no signal
 * opens a debugger's port, through which any program of this user could read keys.
 */
export const appNodeFlags = ['--max-semi-space-size=4', '--disable-sigusr1']

/** This program's environment with the project's own tools (and so Node 24) found first. */
export function toolEnvironment(extra = {}) {
  const bin = join(root, 'node_modules', '.bin')
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return {
    ...process.env,
    [pathName]: [bin, process.env[pathName]].filter(Boolean).join(delimiter),
    ...extra,
  }
}

/** Command and arguments that start npm without a shell in between. */
export function npmCommand(args) {
  const script = process.env.npm_execpath
  if (script && /npm-cli\.c?js$/.test(script) && existsSync(script)) {
    return { command: process.execPath, args: [script, ...args], options: {} }
  }
  return process.platform === 'win32'
    ? { command: 'npm.cmd', args, options: { shell: true } }
    : { command: 'npm', args, options: {} }
}
