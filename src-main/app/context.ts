import { statSync } from 'node:fs'
import { release } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { AccountRef } from '../../src-preload/contract/chain/references.ts'
import type { DesktopState } from '../../src-preload/contract/desktop.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers, Output, Parsed, RouteName } from '../../src-preload/contract/routes.ts'
import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import type { Database } from '../database/database.ts'
import { openStore } from '../database/open-store.ts'
import type { RescueProgress } from '../database/rescue.ts'
import type { AgentPorts } from '../delivery/tunnels/agents.ts'
import { type Labels, createLabels } from '../chain/store/labels.ts'
import { type ExportFiles, createExportFiles } from '../exports/export-files.ts'
import { type FindProxy, exceptLoopback, proxyFromEnvironment } from '../gateway/proxy.ts'
import { type Incidents, createIncidents } from '../incidents/incidents.ts'
import { createIncidentStore } from '../incidents/store/incidents.ts'
import { type Jobs, createJobs } from '../jobs/jobs.ts'
import { type StartWork, createStartWork } from '../threads/rpc.ts'
import type { Networks } from '../networks/networks.ts'
import { type StartProcess, forkProcess } from '../networks/sandbox-process.ts'
import type { Receiver } from '../receiver/receiver.ts'
import { type AppEvents, createAppEvents } from './app-events.ts'
import { reportCrash } from './crash-report.ts'
import type { FilePurpose } from '../../src-preload/domain/opened-files.ts'
import { type Log, createLog } from './log.ts'
import { type Notices, createNotices } from './notices.ts'
import { dataPaths, holdDirectory } from './paths.ts'
import { beginRun, endRun, updateRun } from './run-record.ts'
import { clearIfPrivate, notifyOfStart, notifyOfStates } from './start-notices.ts'
import { type Values, createSettings, createValues } from './store/settings.ts'

export type AppConfig = {
  /** The directory is created with mode 0700 if it is missing. Only one process holds it at a time. */
  readonly dataDirectory: string
  readonly host: 'electron' | 'browser' | 'cli'
  readonly version: string
  /** Validates each output with its schema; on in tests only. */
  readonly checkOutput?: boolean
  /** Overrides the stored receiver port for this run; 0 means any free port. */
  readonly receiverPort?: number
  readonly receive?: boolean
  /** True for a long-running command, which processes captures as the app does. */
  readonly worksOn?: boolean
  /**
   * True for a process that holds the data directory for one call. It has no local socket, so other
   * processes wait until it ends, and it reads no keys from the keychain.
   */
  readonly forOneCall?: boolean
  /**
   * True starts the sandbox with the app, false never starts it automatically. By default it starts
   * if it is the selected network and the setting allows it; the host `cli` never starts it.
   */
  readonly startSandbox?: boolean
  /** Overrides the sandbox port of the settings for this run; 0 means any free port. */
  readonly sandboxPort?: number
  readonly tunnelAgentPorts?: AgentPorts
  readonly startProcess?: StartProcess
  /** Returns the system's proxy for a URL; without this function the environment variables apply. */
  readonly proxyFor?: FindProxy
  readonly writeClipboard?: (text: string) => Promise<void>
  /**
   * Shows the system's dialog for a folder, which opens at `from`. Returns null if the user
   * cancels. Only Electron has this function.
   */
  readonly chooseFolder?: (from: string | null) => Promise<string | null>
  /** Shows a folder in the file manager. Only Electron has this function. */
  readonly openFolder?: (path: string) => Promise<void>
  /** Functions of the operating system that only the installed app has. */
  readonly desktop?: {
    readonly state: () => Promise<DesktopState>
    /** @throws AppError START_AT_LOGIN_REFUSED */
    readonly setStartAtLogin: (isOn: boolean) => Promise<void>
  }
  /** True if this computer has a network connection; without this function, the network interfaces decide. */
  readonly isOnline?: () => boolean
  readonly fileDialogs?: FileDialogs
  /** Functions for windows that only the desktop app provides for its page. */
  readonly windows?: {
    /** Opens the page's address, from `#` on, in a further window. @throws AppError WINDOWS_TOO_MANY */
    readonly open: (hash: string) => void
    /** Resolves with false if the user cancels. @throws AppError PRINT_FAILED */
    readonly print: () => Promise<boolean>
  }
  /** Aborts a long start, such as the rescue of a damaged database; ignored after the start. */
  readonly signal?: AbortSignal
  readonly onRescueProgress?: (progress: RescueProgress) => void
  readonly restart?: () => void
  /** Checks for newer versions; without it the app does not check. */
  readonly updates?: UpdateHost
  /**
   * Asks the user, outside the window, whether alerts may start a program.
   * @returns a sentence that says why not; null if the user agrees
   */
  readonly confirmProgram?: (program: string, args: readonly string[]) => Promise<string | null>
  /**
   * Called for `tondesk open` and a second start. Browser mode returns a new start URL; Electron shows
   * its window and returns null.
   */
  readonly open?: () => Promise<{ url: string | null }>
}

/**
 * File functions that only Electron has. Its dialogs open in the folder of the last dialog with
 * this purpose.
 */
export type FileDialogs = {
  /** Returns null if the user cancels. `extensions` have no dots. */
  readonly chooseFile: (
    purpose: FilePurpose,
    extensions: readonly string[],
  ) => Promise<string | null>
  /** Lets the user choose the path to save a file at. */
  readonly chooseTarget: (purpose: FilePurpose, name: string) => Promise<string | null>
  /** Lets the user drag this file into another program. */
  readonly startDrag: (path: string) => void
}

/**
 * Finds and installs newer versions. Only an installed desktop app whose build names an update feed
 * has this host.
 */
export type UpdateHost = {
  /** @returns the newer version, or null. Throws an error with a sentence for the user. */
  check(): Promise<{ readonly version: string; readonly notes: string | null } | null>
  /** Resolves when the checked download is on disk; the host installs it when the app quits. */
  download(onPercent: (percent: number) => void): Promise<void>
}

export type BaseContext = {
  readonly config: AppConfig
  readonly paths: ReturnType<typeof dataPaths>
  readonly log: Log
  readonly events: AppEvents
  readonly notices: Notices
  readonly database: Database
  readonly values: Values
  readonly settings: ReturnType<typeof createAppSettings>
  readonly files: ExportFiles
  readonly incidents: Incidents
  readonly jobs: Jobs
  readonly labels: Labels
  readonly labelsOf: Labels['namesOf']
  readonly proxyFor: FindProxy
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
  /** Disposed in reverse order when the app ends or its start fails. */
  readonly resources: AsyncDisposableStack
  startWork(entry: URL, maxHeapMb: number): StartWork
  /** Calls another feature's route. Call this only after all features are registered. */
  request<N extends RouteName>(name: N, input: Parsed<N>): Promise<Output<N>>
}

/** @returns the address; null if several accounts have the name, undefined if none has */
export type AccountNamed = (name: string) => string | null | undefined

export type AppContext = BaseContext & {
  readonly receiver: Receiver
  readonly networks: Networks
  readonly access: Networks['access']
  /** The time of the network's blocks; the sandbox's clock may differ from the computer's. */
  readonly chainNow: (network: NetworkId) => Promise<number>
  /**
   * Names an account in texts of the main process as the window does: by its label, else its name at the
   * gateway, else its shortened address. `isWallet` is used if no stored response says what the account is.
   */
  readonly nameAccount: (
    network: NetworkId,
    account: Pick<AccountRef, 'address'> & Partial<Pick<AccountRef, 'name' | 'isWallet'>>,
  ) => string
  /** Finds an address by its label, or by the name of a wallet of the sandbox. */
  readonly accountsNamed: (network: NetworkId) => Promise<AccountNamed>
  /**
   * `forget` is called when a network is removed or leads to another gateway, and must delete the
   * stored data of this part.
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
  if (config.host !== 'cli') recordRun(config, config.host, { paths, events, notices, resources })
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
  const timer = setInterval(() => clearIfPrivate(notices, paths.directory), 30_000)
  timer.unref()
  resources.defer(() => clearInterval(timer))
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
  const settings = createAppSettings(values, events)
  const incidents = createIncidents(createIncidentStore(database), events, {
    settings: () => settings.get().monitoring,
    onBug: (error) => log.failure('incidents', error),
  })
  resources.defer(() => incidents.stop())
  return {
    config,
    paths,
    log,
    events,
    notices,
    database,
    values,
    settings,
    incidents,
    files,
    labels,
    labelsOf: (network, addresses) => labels.namesOf(network, addresses),
    proxyFor: exceptLoopback(config.proxyFor ?? proxyFromEnvironment(process.env)),
    ...clock,
    jobs: createJobs({ ...clock, events, resources, onBug }),
    onBug: (error) => log.failure('app', error),
    resources,
    startWork: (entry, maxHeapMb) =>
      createStartWork((flags) => startProcess(entry, [], flags), maxHeapMb),
    async request(name, input) {
      return handlersOf()[name](input)
    },
  }
}

/** Reports a crash of the previous run, and records this run so that the next start can detect how it ended. */
function recordRun(
  { version }: Pick<AppConfig, 'version'>,
  host: 'electron' | 'browser',
  {
    paths,
    events,
    notices,
    resources,
  }: Pick<BaseContext, 'paths' | 'events' | 'notices' | 'resources'>,
): void {
  const { directory } = paths
  reportCrash(notices, paths, Date.now())
  const { node, electron } = hostVersions()
  const runtime =
    electron === undefined ? `Node.js ${node}` : `Node.js ${node}, Electron ${electron}`
  const system = `${process.platform} ${process.arch} ${release()}, ${runtime}`
  beginRun(directory, { version, host, system }, Date.now())
  resources.defer(() => endRun(directory))
  events.on('receiver.changed', ({ port, isPortForRun, wantedPort }) => {
    // Only a port that differs from the settings is recorded.
    const receiverPort = isPortForRun || wantedPort !== null ? port : null
    updateRun(directory, { receiverPort })
  })
  events.on('window.served', ({ port }) => void updateRun(directory, { windowPort: port }))
}

export function hostVersions(): { readonly node: string; readonly electron?: string } {
  // Node's types lack the `electron` entry, which exists only in Electron.
  const versions: Readonly<Record<string, string | undefined>> = process.versions
  const { electron } = versions
  return { node: process.versions.node, ...(electron !== undefined && { electron }) }
}

function createAppSettings(values: Values, events: AppEvents) {
  const store = createSettings(values)
  // Cached, since each delivery reads the settings.
  let current = store.get()
  const listeners: ((after: Settings, before: Settings) => unknown)[] = []
  const checks: ((patch: SettingsPatch) => void)[] = []
  return {
    get: () => current,
    /** @param check throws an AppError for a change that does not fit stored data */
    refuse: (check: (patch: SettingsPatch) => void) => void checks.push(check),
    /** Resolves when the settings are stored and all listeners of `on` have finished. */
    async change(patch: SettingsPatch): Promise<Settings> {
      for (const check of checks) check(patch)
      const before = current
      const after = store.change(patch)
      current = after
      events.emit('settings.changed', after)
      await Promise.all(listeners.map((listener) => listener(after, before)))
      return after
    },
    on<T>(select: (settings: Settings) => T, listener: (value: T, before: T) => unknown): void {
      listeners.push((after, before) => {
        const [value, old] = [select(after), select(before)]
        return isDeepStrictEqual(value, old) ? null : listener(value, old)
      })
    },
  }
}
