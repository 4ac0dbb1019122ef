import { doubledPause } from '../../src-preload/domain/time-span.ts'
import { z } from 'zod'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import type { SandboxProcess, StartProcess } from './sandbox-process.ts'
import { isPortFree } from '../net/server.ts'
import { readJson } from '../../src-preload/domain/read-json.ts'

/** The parsed ready line of a started sandbox. Its keys stay in this process. */
export type ReadySandbox = ReturnType<typeof readReady>

export type LauncherState = {
  readonly status: 'stopped' | 'starting' | 'running' | 'failed'
  /** A sentence. While the sandbox is starting, it says why the previous start failed. */
  readonly problem: string | null
  readonly wantedPort: number | null
  readonly ready: ReadySandbox | null
}

export type LauncherDeps = {
  readonly entry: URL
  readonly startProcess: StartProcess
  readonly dataDirectory: string
  /** The value 0 takes any free port. If the port is in use, the next free one is taken. */
  readonly port: () => number
  /** Hosts other than this computer that the sandbox may deliver to; read at each start. */
  readonly allowHosts?: () => readonly string[]
  readonly onChanged: (state: LauncherState) => void
  readonly log: (message: string, fields: Record<string, string | number>) => void
  readonly backoff?: Partial<Backoff>
}

export type Backoff = Readonly<typeof defaultBackoff>

const defaultBackoff = {
  // A sandbox that cannot start ends itself, so this limit stops only a sandbox that hangs.
  readyMs: 180_000,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
  tries: 5,
  settledMs: 60_000,
  endMs: 20_000,
}

const readyLine = z.object({
  event: z.literal('ready'),
  queryUrl: z.string(),
  webhooksUrl: z.string(),
  testnetQueryUrl: z.string(),
  testnetWebhooksUrl: z.string(),
  consoleUrl: z.string(),
  controlUrl: z.string(),
  apiKey: z.string(),
  invoicesToken: z.string(),
  controlKey: z.string(),
})
const failedLine = z.object({ event: z.literal('failed'), message: z.string() })

const notReady = { problem: null, wantedPort: null, ready: null }

const maxStderr = 2000

/**
 * Restarts the sandbox with growing delays when it ends, and gives up after several failures in a
 * row. No function here throws or rejects: the state contains the outcome.
 */
export function createSandboxLauncher(deps: LauncherDeps) {
  const backoff = { ...defaultBackoff, ...deps.backoff }
  let state: LauncherState = { ...notReady, status: 'stopped' }
  let current: { process: SandboxProcess; ended: Promise<void> } | null = null
  let retry: NodeJS.Timeout | undefined
  let failures = 0
  /** Increases with each start and stop, so that events of an earlier process are ignored. */
  let launches = 0

  function setState(next: LauncherState): void {
    state = next
    deps.onChanged(next)
  }

  async function launch(problem: string | null): Promise<void> {
    launches += 1
    const own = launches
    setState({ ...notReady, status: 'starting', problem })
    const configuredPort = deps.port()
    const port = await freePort(configuredPort)
    if (own !== launches) return
    const wantedPort = configuredPort === port ? null : configuredPort
    let process: SandboxProcess
    try {
      process = deps.startProcess(deps.entry, argumentsOf(deps, port))
    } catch (error) {
      fail(own, messageOf(error))
      return
    }
    watch(process, own, wantedPort)
  }

  function watch(process: SandboxProcess, own: number, wantedPort: number | null): void {
    const ended = Promise.withResolvers<undefined>()
    current = { process, ended: ended.promise }
    let stderr = ''
    let failure: string | null = null
    let settledTimer: NodeJS.Timeout | undefined
    const readyTimer = setTimeout(() => {
      failure = `The sandbox did not start within ${backoff.readyMs / 1000} s.`
      process.kill()
    }, backoff.readyMs)

    process.onStderr((text) => {
      stderr = (stderr + text).slice(-maxStderr)
      deps.log('the sandbox reported an error', { stderr: text.trim() })
    })
    // The lines contain keys, so they are not logged.
    onLines(process, (text) => {
      const value = readJson(text)
      const failed = failedLine.safeParse(value)
      if (failed.success) failure = failed.data.message
      const line = readyLine.safeParse(value)
      if (!line.success || own !== launches) return
      clearTimeout(readyTimer)
      settledTimer = setTimeout(() => (failures = 0), backoff.settledMs)
      settledTimer.unref()
      setState({ status: 'running', problem: null, wantedPort, ready: readReady(line.data) })
    })
    process.onExit((how) => {
      clearTimeout(readyTimer)
      clearTimeout(settledTimer)
      ended.resolve(undefined)
      const lastLine = stderr.trim().split('\n').at(-1)?.trim()
      fail(own, failure ?? (lastLine || `The sandbox exited with ${how}.`))
    })
  }

  function fail(own: number, problem: string): void {
    if (own !== launches) return
    current = null
    failures += 1
    deps.log('the sandbox ended', { problem, failures })
    if (failures >= backoff.tries) {
      launches += 1
      setState({ ...notReady, status: 'failed', problem })
      return
    }
    const pause = doubledPause(failures, backoff.firstWaitMs, backoff.longestWaitMs)
    setState({ ...notReady, status: 'starting', problem })
    retry = setTimeout(() => void launch(problem), pause)
    retry.unref()
  }

  return {
    state: () => state,
    start(): void {
      if (state.status === 'starting' || state.status === 'running') return
      failures = 0
      void launch(null)
    },
    async stop(): Promise<void> {
      launches += 1
      clearTimeout(retry)
      const ending = current
      current = null
      if (state.status !== 'stopped') setState({ ...notReady, status: 'stopped' })
      if (ending === null) return
      ending.process.send('stop')
      const deadline = setTimeout(() => ending.process.kill(), backoff.endMs)
      await ending.ended
      clearTimeout(deadline)
    },
  }
}

function argumentsOf({ dataDirectory, allowHosts }: LauncherDeps, port: number): string[] {
  const hosts = allowHosts?.() ?? []
  const own = ['--data-dir', dataDirectory, '--port', String(port)]
  return hosts.length > 0 ? [...own, '--allow-host', hosts.join(',')] : own
}

function onLines(process: SandboxProcess, listener: (line: string) => void): void {
  let rest = ''
  process.onStdout((text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) listener(line)
  })
}

const readReady = (line: z.infer<typeof readyLine>) => ({
  urls: {
    query: line.queryUrl,
    webhooks: line.webhooksUrl,
    testnetQuery: line.testnetQueryUrl,
    testnetWebhooks: line.testnetWebhooksUrl,
    console: line.consoleUrl,
    control: line.controlUrl,
  },
  keys: { api: line.apiKey, invoices: line.invoicesToken, control: line.controlKey },
})

const triedPorts = 20

/** Another process may take the port before the sandbox does; then the next start searches again. */
async function freePort(configuredPort: number): Promise<number> {
  if (configuredPort === 0) return 0
  for (let port = configuredPort; port < Math.min(configuredPort + triedPorts, 65_536); port += 1) {
    if (await isPortFree(port)) return port
  }
  return 0
}
