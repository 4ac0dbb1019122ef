import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers, Output, Parsed, RouteName } from '../../src-preload/contract/routes.ts'
import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import type { Database } from '../database/database.ts'
import { openStore } from '../database/open-store.ts'
import type { RescueProgress } from '../database/rescue.ts'
import type { AgentPorts } from '../delivery/tunnels/agents.ts'
import { type Labels, createLabels } from '../explorer/store/labels.ts'
import { type ExportFiles, createExportFiles } from '../exports/export-files.ts'
import { type ProxyFor, exceptLoopback, proxyFromEnvironment } from '../gateway/proxy.ts'
import { type Jobs, createJobs } from '../jobs/jobs.ts'
import { type StartWork, createStartWork } from '../threads/rpc.ts'
import type { Networks } from '../networks/networks.ts'
import { type StartProcess, forkProcess } from '../networks/sandbox-process.ts'
import type { Receiver } from '../receiver/receiver.ts'
import { type AppEvents, createAppEvents } from './app-events.ts'
import { type Log, createLog } from './log.ts'
import { type Notices, createNotices } from './notices.ts'
import { dataPaths, holdDirectory } from './paths.ts'
import { notifyOfStart, notifyOfStates } from './start-notices.ts'
import { type SettingsStore, type Values, createSettings, createValues } from './store/settings.ts'

export type AppConfig = {
  /** Created with mode 0700 if absent. One process holds it at a time. */
  readonly dataDirectory: string
  readonly host: 'electron' | 'browser' | 'cli'
  readonly version: string
  /** Parse every answer with its schema; on in tests. */
  readonly checkOutput?: boolean
  /** Overrides the remembered receiver port, for this run only; 0 takes any free one. */
  readonly receiverPort?: number
  readonly receive?: boolean
  /** A command that stays: what is to be done with captures goes on, as in the other hosts. */
  readonly worksOn?: boolean
  /** Starts the sandbox, or leaves it, whatever the settings say. The command line leaves it. */
  readonly startSandbox?: boolean
  /** Overrides the sandbox's port of the settings, for this run only; 0 takes any free one. */
  readonly sandboxPort?: number
  readonly tunnelAgentPorts?: AgentPorts
  /** How a process is started; Electron has a way of its own. */
  readonly startProcess?: StartProcess
  /** The proxy that the system wants for a URL; the environment's word where the host knows of none. */
  readonly proxyFor?: ProxyFor
  /** This computer's clipboard, where the host has one of its own. */
  readonly writeClipboard?: (text: string) => Promise<void>
  /** Ends a start that takes long: a damaged database is rescued in it. Of no meaning afterwards. */
  readonly signal?: AbortSignal
  readonly onRescueProgress?: (progress: RescueProgress) => void
  /**
   * Asked by `app.restart`: end this app and start it again in the same data directory.
   */
  readonly restart?: () => void
  /**
   * Asked over the local socket by `tondesk open` and by a second start. Browser mode mints another
   * start URL, Electron brings its window to the front and answers null.
   */
  readonly open?: () => Promise<{ url: string | null }>
}

type AppSettings = Pick<SettingsStore, 'get'> & {
  /** Resolves when they are stored and every listener of `on` has finished. */
  change(patch: SettingsPatch): Promise<Settings>
  /** Calls the listener each time the part that `select` takes has become another. */
  on<T>(select: (settings: Settings) => T, listener: (value: T, before: T) => unknown): void
}

export type BaseContext = {
  readonly config: AppConfig
  readonly paths: ReturnType<typeof dataPaths>
  readonly log: Log
  readonly events: AppEvents
  readonly notices: Notices
  readonly database: Database
  readonly values: Values
  readonly settings: AppSettings
  readonly files: ExportFiles
  readonly jobs: Jobs
  readonly labels: Labels
  readonly labelsOf: Labels['namesOf']
  readonly proxyFor: ProxyFor
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** Logs an error that no user can do anything about. Each feature's log lines have its own words. */
  readonly onBug: (error: unknown) => void
  /** What is deferred here runs when the app ends, in reverse order; also when its start fails. */
  readonly resources: AsyncDisposableStack
  /** For work on content that others have made, in a process of its own. */
  startWork(entry: URL, maxHeapMb: number): StartWork
  /** Asks another feature by its route, as the window does. Not before all features are registered. */
  request<N extends RouteName>(name: N, input: Parsed<N>): Promise<Output<N>>
}

/** What every feature needs of the app. What only one feature needs is an argument of its own. */
export type AppContext = BaseContext & {
  readonly receiver: Receiver
  readonly networks: Networks
  readonly access: Networks['access']
  /** By the clock that dates the network's blocks: the sandbox's may have been turned. */
  readonly chainNow: (network: NetworkId) => Promise<number>
  /**
   * Called when a network leads to another gateway from now on, or is gone: nothing that was read of
   * this part of it may stay.
   */
  onForget(part: 'chain' | 'webhooks' | 'invoices', forget: ForgetNetwork): void
}

export type ForgetNetwork = (network: NetworkId) => Promise<void>

/**
 * Opens the data directory: lock, log, migrations, rescue.
 * @param handlersOf called by `request`
 * @throws AppError DATA_DIRECTORY_HELD, DATABASE_TOO_NEW, DATABASE_UNWRITABLE
 */
export async function openContext(
  config: AppConfig,
  resources: AsyncDisposableStack,
  handlersOf: () => Handlers,
): Promise<BaseContext> {
  const paths = dataPaths(config.dataDirectory)
  holdDirectory(resources, paths)
  const log = createLog(paths.logs)
  const events = createAppEvents()
  const notices = createNotices((all) => events.emit('notice.changed', { notices: all }), Date.now)
  const opened = await openStore(paths, new Date(), {
    signal: config.signal,
    onProgress({ table, rows }) {
      log.write('warn', 'rescuing a damaged database', { table, rows })
      config.onRescueProgress?.({ table, rows })
    },
  })
  const { database } = opened
  resources.defer(() => database.close())
  notifyOfStart(notices, opened, { path: paths.directory, mode: statSync(paths.directory).mode })
  notifyOfStates(notices, events)
  const files = createExportFiles(paths.exports)
  resources.defer(() => files.clear())
  const values = createValues(database)
  const labels = createLabels(database)
  const startProcess = config.startProcess ?? forkProcess
  const clock: Pick<BaseContext, 'now' | 'wait'> = {
    now: Date.now,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
  }
  const onBug = (error: unknown, noun: string) => log.failure(noun, error)
  return {
    config,
    paths,
    log,
    events,
    notices,
    database,
    values,
    settings: createAppSettings(values, events),
    files,
    labels,
    labelsOf: (network, addresses) => labels.namesOf(network, addresses),
    proxyFor: exceptLoopback(config.proxyFor ?? proxyFromEnvironment(process.env)),
    ...clock,
    jobs: createJobs({ ...clock, resources, onBug }),
    onBug: (error) => log.failure('app', error),
    resources,
    startWork: (entry, maxHeapMb) =>
      createStartWork((flags) => startProcess(entry, [], flags), maxHeapMb),
    async request(name, input) {
      return handlersOf()[name](input)
    },
  }
}

function createAppSettings(values: Values, events: AppEvents): AppSettings {
  const store = createSettings(values)
  // Read for each delivery, so kept at hand rather than parsed from the database each time.
  let current = store.get()
  const listeners: ((after: Settings, before: Settings) => unknown)[] = []
  return {
    get: () => current,
    async change(patch) {
      const before = current
      const after = store.change(patch)
      current = after
      events.emit('settings.changed', after)
      await Promise.all(listeners.map((listener) => listener(after, before)))
      return after
    },
    on(select, listener) {
      listeners.push((after, before) => {
        const [value, old] = [select(after), select(before)]
        return isDeepStrictEqual(value, old) ? null : listener(value, old)
      })
    },
  }
}
