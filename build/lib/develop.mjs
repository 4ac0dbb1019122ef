/**
 * Development mode: Vite's server shows changes of the window in the open page, and the app is
 * rebuilt and restarted after changes of its own sources. In browser mode that server forwards the
 * page's requests to the app.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { resolveConfig } from 'electron-vite'
import { build, createLogger, createServer, mergeConfig } from 'vite'
import { resolveDataDirectory } from '../../src-main/app/paths.ts'
import { isFree } from '../../src-main/net/server.ts'
import { exitCodeOf, passSignals } from './child.mjs'
import { electronBinary, failedToStart } from './electron.mjs'
import { appNodeFlags, root } from './runtime.mjs'

/** @returns the exit code: 127 if Electron cannot start on this computer */
export async function develop(args) {
  const [isElectron, inspect] = [args.includes('--electron'), args.filter(isInspect)]
  const rest = args.filter((arg) => arg !== '--electron' && !isInspect(arg))
  process.chdir(root)
  const { config } = await resolveConfig({ root, logLevel: 'warn' }, 'serve', 'development')
  const app = isElectron ? createElectron(inspect, rest) : await createBrowserMode(inspect, rest)

  const window = await createServer(mergeConfig(config.renderer, windowConfig(app.proxy)))
  await window.listen()
  app.servedAt(window.resolvedUrls.local[0])
  const parts = isElectron ? [config.main, config.preload] : [config.main]
  const watchers = await Promise.all(parts.map((part) => watch(part, app.rebuilt)))
  try {
    return await app.run()
  } finally {
    await Promise.all([...watchers, window].map((each) => each.close()))
  }
}

const isInspect = (arg) => /^--inspect(-brk)?(=|$)/.test(arg)

/** The configuration of Vite's server, which listens only on this computer, like the app. */
export function windowConfig(proxy) {
  const customLogger = createLogger('info')
  const { error } = customLogger
  // A closed tab and a restarting app reset their connections, which is no error.
  customLogger.error = (text, options) => text.includes('ws proxy') || error(text, options)
  return {
    configFile: false,
    clearScreen: false,
    customLogger,
    // Without this, each page would reload when it first imports a package.
    optimizeDeps: { entries: ['index.html', '**/*.tsx'] },
    server: { host: '127.0.0.1', cors: false, proxy },
  }
}

/** Builds a part of the app, and rebuilds it after each change. Resolves after the first build. */
async function watch(part, onRebuilt) {
  // Old files stay, because the running app may still load them.
  const output = { watch: {}, sourcemap: true, emptyOutDir: false }
  const watcher = await build(mergeConfig(part, { configFile: false, build: output }))
  await new Promise((resolve) => {
    let hasFailed = false
    watcher.on('event', ({ code }) => {
      if (code === 'START') hasFailed = false
      // Vite prints the error, and the running app continues unchanged.
      if (code === 'ERROR') hasFailed = true
      if (code !== 'END' || hasFailed) return
      resolve()
      onRebuilt()
    })
  })
  return watcher
}

function createElectron(inspect, rest) {
  const env = { ...process.env }
  const loop = createRunLoop(() => {
    return { command: electronBinary(), args: [...inspect, root, ...rest], env }
  })
  return { ...loop, proxy: undefined, servedAt: (url) => (env.ELECTRON_RENDERER_URL = url) }
}

async function createBrowserMode(inspect, rest) {
  const options = { port: { type: 'string' }, 'data-dir': { type: 'string' } }
  const { values } = parseArgs({ args: rest, options, strict: false })
  let port = Number(values.port) || 4800
  while (!(await isFree(port))) port += 1
  const { env, platform } = process
  const directory = resolveDataDirectory({
    flag: values['data-dir'],
    env,
    platform,
    homedir: homedir(),
  })
  const flags = [...appNodeFlags, ...inspect, '--enable-source-maps']
  const target = `http://127.0.0.1:${port}`
  const { proxy, setOrigin, setServing } = createProxy(target)
  const loop = createRunLoop(
    (restarts) => ({
      command: process.execPath,
      args: [...flags, 'out/main/serve.js', ...rest, '--port', String(port)],
      env: { ...env, TONDESK_RESTARTS: String(restarts) },
    }),
    {
      onServing: () => setServing(true),
      onStop() {
        setServing(false)
        keepTabs(directory)
      },
    },
  )
  return {
    ...loop,
    proxy,
    /** The URLs that the app prints and opens lead to this page, which redirects to Vite's server. */
    servedAt(url) {
      setOrigin(new URL(url).origin)
      const script = `location.replace(${JSON.stringify(url)} + location.hash)\n`
      writeFileSync('out/renderer/to-development.js', script)
      const page = '<!doctype html><title>Tondesk</title><script src="/to-development.js"></script>'
      writeFileSync('out/renderer/index.html', `${page}\n`)
    },
  }
}

/**
 * Forwards the page's requests to the app. The app accepts only its own origin, so the page's origin is
 * replaced by the app's; any other origin stays and is refused. Requests wait while the app restarts.
 */
export function createProxy(target) {
  let origin
  let serving = Promise.withResolvers()
  const passOn = {
    target,
    changeOrigin: true,
    ws: true,
    async bypass({ headers }) {
      await serving.promise
      if (headers.origin === origin) headers.origin = target
    },
  }
  return {
    proxy: { '^/(session|request|events)$': passOn, '^/about/': passOn },
    setOrigin: (value) => (origin = value),
    setServing(isServing) {
      if (isServing) serving.resolve()
      else serving = Promise.withResolvers()
    },
  }
}

/**
 * Keeps the sessions of open tabs and the ports for the next start, as after a crash. The record of another
 * process survives a clean end, and an old record is not reported as a crash (src-main/app/run-record.ts).
 */
export function keepTabs(dataDirectory) {
  const file = join(dataDirectory, 'run.json')
  if (!existsSync(file)) return
  const record = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...record, processId: 0, startedAt: 0 }))
}

/** An app that has not ended after this time is killed, because a debugger may have stopped it. */
const endMs = 10_000

/**
 * Runs the app until the user ends it, and restarts it after each build. After a crash it waits for
 * the next build.
 */
function createRunLoop(describe, { onServing, onStop } = {}) {
  let rebuilt = Promise.withResolvers()
  const ending = new AbortController()
  const ended = once(ending.signal, 'abort')

  async function run() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ending.abort())
    for (let restarts = 0; ; restarts += 1) {
      rebuilt = Promise.withResolvers()
      const { command, args, env } = describe(restarts)
      const stdio = ['inherit', 'inherit', 'inherit', ...(onServing ? ['ipc'] : [])]
      const child = spawn(command, args, { env, stdio })
      const stopPassing = passSignals(child)
      child.on('message', ({ event }) => event === 'serving' && onServing())
      const closed = once(child, 'close').finally(stopPassing)
      const result = await Promise.race([closed, rebuilt.promise])
      if (result === undefined) {
        onStop?.()
        child.kill()
        const timer = setTimeout(() => child.kill('SIGKILL'), endMs)
        await closed
        clearTimeout(timer)
        continue
      }
      const [code, signal] = result
      const exitCode = exitCodeOf(code, signal)
      if (exitCode === 0 || ending.signal.aborted) return exitCode
      if (restarts === 0 && failedToStart({ exitCode, signal })) return 127
      console.error(`Tondesk ended with exit code ${exitCode}. It starts again after a change.`)
      onStop?.()
      await Promise.race([rebuilt.promise, ended])
      if (ending.signal.aborted) return exitCode
    }
  }
  return { run, rebuilt: () => rebuilt.resolve() }
}
