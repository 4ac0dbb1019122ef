import { rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { run } from './child.mjs'
import {
  electronBinary,
  electronObstacle,
  failedToStart,
  fetchElectron,
  readSystem,
} from './electron.mjs'
import { ensureInstalled } from './install.mjs'
import { ensureBuilt } from './output.mjs'
import { appNodeFlags, nodeBinary, root, toolEnvironment } from './runtime.mjs'
import { supervise } from './supervise.mjs'

const help = `npm start [-- options]     open Tondesk; installs and builds what is missing first

  --browser              browser mode, even where Electron is there
  --no-open              browser mode without opening a browser; prints the URL to open
  --data-dir <folder>    data directory (or TONDESK_DATA_DIR)
  --port <number>        the port of browser mode
  --receiver-port <n>    the port webhooks are sent to, for this run
  --help                 this text

Anything else is passed on to the app. \`npm run dev\` shows changes of the window's source at once, starts the
app again after other changes, and opens a debugger's port with --inspect.
`

/** Separates this program's own flags from those of the app. */
export function parseStart(args) {
  const own = new Set(['--dev', '--browser', '--help', '-h'])
  return {
    dev: args.includes('--dev'),
    help: args.includes('--help') || args.includes('-h'),
    browser: args.includes('--browser') || args.includes('--no-open'),
    rest: args.filter((arg) => !own.has(arg)),
  }
}

const developScript = join(root, 'build', 'dev.mjs')

async function openElectron(rest, dev) {
  const result = dev
    ? await run(nodeBinary(), [developScript, '--electron', ...rest], { env: toolEnvironment() })
    : await run(electronBinary(), [root, ...rest], { cwd: process.cwd() })
  return failedToStart(result)
    ? { reason: `Electron did not start (exit code ${result.exitCode})` }
    : { exitCode: result.exitCode }
}

async function openBrowserMode(rest, dev) {
  const script = dev ? developScript : join(root, 'out', 'main', 'serve.js')
  // During development a crash must stay visible.
  const start = dev ? run : supervise
  const { exitCode } = await start(nodeBinary(), [...appNodeFlags, script, ...rest], {
    env: toolEnvironment(),
  })
  return exitCode
}

/** Prepares everything that is missing and runs the app in the best host of this computer. */
export async function start(args) {
  const { dev, help: wantsHelp, browser, rest } = parseStart(args)
  if (wantsHelp) {
    process.stdout.write(help)
    return 0
  }
  await ensureInstalled()
  await ensureBuilt()
  // A normal start must not use the files that development builds into out/.
  if (dev) rmSync(join(root, 'out', '.stamp'), { force: true })
  if (browser) return openBrowserMode(rest, dev)
  let reason = electronObstacle(readSystem())
  if (!reason && !electronBinary()) reason = await fetchElectron()
  if (!reason) {
    const opened = await openElectron(rest, dev)
    if (!opened.reason) return opened.exitCode
    reason = opened.reason
  }
  console.error(`Opening in the browser, because ${reason}.`)
  return openBrowserMode(rest, dev)
}
