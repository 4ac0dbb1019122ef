import { basename } from 'node:path'
import { appCodes, desktopCodes } from '../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { type Dispatch, createDispatch } from '../bridge/dispatch.ts'
import type { EventHub } from '../bridge/events.ts'
import { localSocketPath, serveLocalSocket } from '../bridge/local-socket.ts'
import { openCaptureLog, type CaptureLog } from '../captures/capture-log.ts'
import { registerAlerts } from '../alerts/register.ts'
import { registerCaptures } from '../captures/register.ts'
import {
  isDamage,
  isDiskError,
  isDiskFull,
  releaseReserve,
  usedBytes,
} from '../database/database.ts'
import { confirmFirstStart, noteFailedStart } from '../database/restore.ts'
import { explainFailedStart } from '../database/open-store.ts'
import { registerDelivery } from '../delivery/register.ts'
import { createForwardViews } from '../delivery/store/forward-rows.ts'
import { createResponseRules } from '../delivery/store/response-rules.ts'
import { registerExplorer } from '../explorer/register.ts'
import { registerHistory } from '../explorer/history-export/register.ts'
import { registerIncidents } from '../incidents/register.ts'
import { registerInvoices } from '../invoices/register.ts'
import { createJobRoutes } from '../jobs/routes.ts'
import { registerLookups } from '../lookups/register.ts'
import { registerNetworks } from '../networks/register.ts'
import { registerReceiver } from '../receiver/register.ts'
import { registerSecrets } from '../secrets/register.ts'
import { registerWatches } from '../watches/register.ts'
import { registerWebhooks } from '../webhooks/register.ts'
import { createBackups } from './backups.ts'
import {
  type AppConfig,
  type BaseContext,
  type FileDialogs,
  hostVersions,
  openContext,
} from './context.ts'
import { dismissCrashReport, readCrashReport } from './crash-report.ts'
import { explainStorageError, watchDamage } from './damage.ts'
import { clearIfPrivate } from './start-notices.ts'
import { keepHeapSmall } from './heap-settings.ts'
import { readLog } from './log-file.ts'
import { type Interruptions, registerInterruptions } from './interruptions.ts'
import type { Notices } from './notices.ts'
import { type OpenedFiles, createOpenedFiles } from './opened-files.ts'
import { createAlertRequests, createPictureRequest } from './outgoing.ts'
import { dataPaths } from './paths.ts'
import { endRun } from './run-record.ts'
import { createUpdates } from './updates.ts'

export type App = {
  readonly dispatch: Dispatch
  readonly events: EventHub
  windowOn(port: number): void
  /** For the host's events: the computer sleeps or wakes, and notices about the window. */
  readonly interruptions: Interruptions
  readonly notices: Notices
  /** For files and links that the system passes to the app. */
  readonly opened: Pick<OpenedFiles, 'open' | 'refuseLink'>
  /** Stops accepting requests, drains accepted ones and closes everything. A second call does nothing. */
  dispose(): Promise<void>
}

/** @throws AppError DATA_DIRECTORY_HELD, DATABASE_TOO_NEW, DATABASE_UNWRITABLE, DISK_FULL */
export async function createApp(config: AppConfig): Promise<App> {
  const paths = dataPaths(config.dataDirectory)
  try {
    return await startApp(config)
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : error
    const isFull = isDiskFull(cause, [paths.directory])
    // The reserved space lets the app start on a full disk, so that captures can be deleted.
    if (isFull && releaseReserve(paths.reserve)) return createApp(config)
    const isDisk = isFull || isDiskError(cause)
    const failure = isDisk ? explainFailedStart(cause, paths.directory) : error
    const isHeld = error instanceof AppError && error.code === appCodes.dataDirectoryHeld
    if (isHeld || !noteFailedStart(paths, failure)) throw failure
    // The first start with a restored backup failed, so this start returns to the previous data.
    return startApp(config)
  }
}

/** Resources that are opened later use earlier ones, so they are closed first. */
async function startApp(config: AppConfig): Promise<App> {
  await using resources = new AsyncDisposableStack()
  keepHeapSmall()
  const base = await openContext(config, resources, () => handlers)
  const { events, log, paths } = base
  const damage = watchDamage(base)
  const captureLog = await openCaptureLog(base)
  damage.askIndex(captureLog.index)

  const features = registerFeatures(base, captureLog)
  const { incoming, networks } = features
  const handlers: Handlers = {
    ...createAppHandlers(base, captureLog, features.opened),
    ...features.handlers,
  }
  const dispatch = createDispatch(handlers, {
    explain: (error, route) => explainStorageError(error, paths.directory, route),
    checkOutput: config.checkOutput ?? false,
    onBug(route, error) {
      log.failure('a handler failed', error, { route })
      const message = messageOf(error)
      if (isDamage(error)) events.emit('database.damageSuspected', { message })
    },
  })
  // Jobs are resumed before any request, because a job started by a request would count as left
  // behind. A command resumes no jobs, because it ends soon.
  if (config.host !== 'cli') {
    base.jobs.resumeAll()
    features.startRequests()
  }
  if (config.host !== 'cli' || config.worksOn === true) features.startProcessing()
  if (config.forOneCall !== true) {
    const path = localSocketPath(paths.directory)
    resources.use(await serveLocalSocket({ path, dispatch, events, open: config.open }))
  }

  // The start is confirmed before the first capture, because a later return to the previous data
  // would lose that capture.
  confirmFirstStart(paths)
  await incoming.start()
  // The keychain is read after the receiver has started, because a keychain may show a dialog and
  // deliveries must not wait for it.
  if (config.forOneCall === true)
    await features.secrets.handlers['secrets.useSessionOnly'](undefined)
  else features.secrets.start()
  features.captures.prune()
  // The app does not wait for the sandbox.
  networks.start()
  features.updates.start()
  log.write('info', 'started', { version: config.version, host: config.host })

  const ending = resources.move()
  let disposing: Promise<void> | null = null
  return {
    dispatch,
    events,
    windowOn: (port) => events.emit('window.served', { port }),
    interruptions: features.interruptions,
    notices: base.notices,
    opened: features.opened,
    dispose() {
      endRun(paths.directory)
      disposing ??= ending.disposeAsync()
      return disposing
    },
  }
}

/** Registers the rooms in the order of their dependencies. */
function registerFeatures(base: BaseContext, captureLog: CaptureLog) {
  const incidents = registerIncidents(base)
  const interruptions = registerInterruptions(base)
  const updates = createUpdates(base)
  const incoming = registerReceiver(base, captureLog, createResponseRules(base.database))
  const kept = registerSecrets(base, incoming.tokens)
  const networks = registerNetworks(base, incoming.receiver, kept)
  const { context } = networks
  const lookups = registerLookups(context, networks.traffic)
  const explorer = registerExplorer(context, createPictureRequest(networks.ownPlaces))
  const history = registerHistory(context)
  const webhooks = registerWebhooks(context, captureLog, kept.webhookTokens, lookups.takeDraft)
  const invoices = registerInvoices(context, captureLog, {
    secrets: networks.networkSecrets,
    sandbox: networks.sandbox.invoices,
  })
  const captures = registerCaptures(context, captureLog, {
    forwards: createForwardViews(base.database),
    hooks: () => webhooks.hooks.list(),
    invoices,
    operations: explorer.operations,
    reader: explorer.createReader(),
    tokens: kept.listedTokens,
  })
  const watches = registerWatches(context, captureLog)
  const delivery = registerDelivery(context, captureLog, captures, {
    own: networks.ownPlaces,
    onRules: incoming.reload,
    webhooks: webhooks.book,
  })
  incoming.passBy(delivery.pass)
  const alerts = registerAlerts(context, kept, createAlertRequests(base, networks.ownPlaces))
  const opened = createOpenedFiles(base.events)

  return {
    captures,
    incoming,
    interruptions,
    networks,
    opened,
    secrets: kept,
    updates,
    handlers: {
      ...createJobRoutes(base.jobs, { replay: delivery.callReplays }),
      ...incidents.handlers,
      ...updates.handlers,
      ...incoming.handlers,
      ...kept.handlers,
      ...networks.handlers,
      ...lookups.handlers,
      ...explorer.handlers,
      ...history.handlers,
      ...watches.handlers,
      ...webhooks.handlers,
      ...invoices.handlers,
      ...captures.handlers,
      ...delivery.handlers,
      ...alerts.handlers,
    },
    /** Starts the rooms that send requests to the networks. */
    startRequests(): void {
      webhooks.start()
      invoices.start()
      watches.start()
    },
    /** Starts the rooms that process captures and report incidents. */
    startProcessing(): void {
      alerts.start()
      incidents.start()
      interruptions.start()
      captures.start()
      delivery.start()
    },
  }
}

type Domain =
  | 'app'
  | 'desktop'
  | 'notice'
  | 'settings'
  | 'backup'
  | 'export'
  | 'file'
  | 'log'
  | 'window'

function createAppHandlers(
  context: BaseContext,
  { index, indexDatabase, writer }: CaptureLog,
  opened: OpenedFiles,
): Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>> {
  const { config, database, events, files, notices, paths, settings } = context
  return {
    ...files.handlers,
    ...opened.handlers,
    ...createFileDialogHandlers(context, opened),
    ...createBackups(context, (to) => index.ask('copyDatabase', { to })),
    'app.info': () => ({
      version: config.version,
      host: config.host,
      dataDirectory: paths.directory,
      platform: `${process.platform} ${process.arch}`,
      ...hostVersions(),
      sqlite: process.versions['sqlite'] ?? '',
      processId: process.pid,
      forRun: {
        sandboxPort: config.sandboxPort ?? null,
        startSandbox: config.startSandbox ?? null,
      },
    }),
    async 'app.checkIntegrity'() {
      const problems = await index.ask('checkIntegrity')
      const [message] = problems
      if (message !== undefined) events.emit('database.damaged', { message })
      return {
        ok: problems.length === 0,
        problems,
        captures: writer.state().total,
        databaseBytes: usedBytes(database),
        indexBytes: usedBytes(indexDatabase),
      }
    },
    'app.restart'() {
      config.restart?.()
      return {}
    },
    'desktop.state': () => config.desktop?.state() ?? null,
    async 'desktop.setStartAtLogin'({ isOn }) {
      if (config.desktop === undefined) {
        const message =
          'Only the installed app can start at login. This Tondesk runs in browser mode.'
        throw new AppError(desktopCodes.unavailable, message)
      }
      await config.desktop.setStartAtLogin(isOn)
      return config.desktop.state()
    },
    'notice.list'() {
      clearIfPrivate(notices, paths.directory)
      return notices.list()
    },
    'notice.dismiss'({ id }) {
      notices.dismiss(id)
      dismissCrashReport(paths.directory, id)
      return {}
    },
    'log.list': (filter) => ({
      entries: readLog(paths.logs, filter),
      folder: paths.logs,
      canOpenFolder: config.openFolder !== undefined,
    }),
    async 'log.openFolder'() {
      if (config.openFolder === undefined) {
        throw new AppError(
          desktopCodes.unavailable,
          `Only the desktop app can open a folder. You can find the log in ${paths.logs}.`,
        )
      }
      await config.openFolder(paths.logs)
      return {}
    },
    'log.crash': () => {
      const found = readCrashReport(paths.directory)
      if (found === null) return { crash: null }
      const { at, error, report } = found
      return { crash: { at, error, report } }
    },
    'settings.get': () => settings.get(),
    'settings.change': (patch) => settings.change(patch),
    'window.open'({ hash }) {
      windowsOf(config).open(hash)
      return {}
    },
    'window.print': async () => ({ printed: await windowsOf(config).print() }),
  }
}

function createFileDialogHandlers({ config, files }: BaseContext, opened: OpenedFiles) {
  function dialogs(): FileDialogs {
    if (config.fileDialogs !== undefined) return config.fileDialogs
    const message = 'Only the desktop app can show the system’s dialogs for files and drag files.'
    throw new AppError(desktopCodes.unavailable, message)
  }
  return {
    async 'file.choose'({ purpose, extensions }) {
      const plain = extensions.map((extension) => extension.slice(1))
      const path = await dialogs().chooseFile(purpose, plain)
      return { file: path === null ? null : await opened.add(path) }
    },
    async 'export.save'({ id, purpose }) {
      const { chooseTarget } = dialogs()
      const path = await chooseTarget(purpose, files.nameOf(id))
      if (path !== null) await files.save(id, path)
      return { name: path === null ? null : basename(path) }
    },
    async 'export.drag'({ id }) {
      const { startDrag } = dialogs()
      startDrag(await files.named(id))
      return {}
    },
  } satisfies Partial<Handlers>
}

function windowsOf({ windows }: BaseContext['config']): NonNullable<typeof windows> {
  if (windows !== undefined) return windows
  throw new AppError(desktopCodes.unavailable, 'Only the desktop app can do this.')
}
