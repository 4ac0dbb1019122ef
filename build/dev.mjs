// Browser mode for development, on Node 24: rebuilds the window's files on every change (reload the
// page to see them) beside the app itself. A change to the main process needs a new start.
import { fileURLToPath } from 'node:url'
import { resolveConfig } from 'electron-vite'
import { build, mergeConfig } from 'vite'
import { run } from './lib/child.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

const { config } = await resolveConfig({ root, logLevel: 'warn' }, 'build', 'development')
const watcher = await build(
  mergeConfig(config.renderer, {
    configFile: false,
    clearScreen: false,
    logLevel: 'info',
    build: { watch: {}, minify: false, sourcemap: 'inline' },
  }),
)
const { exitCode } = await run(process.execPath, ['out/main/serve.js', ...process.argv.slice(2)])
await watcher.close()
process.exitCode = exitCode
