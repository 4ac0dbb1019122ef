import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Dispatch, createDispatch } from '../bridge/dispatch.ts'
import type { EventHub } from '../bridge/events.ts'
import { localSocketPath, serveLocalSocket } from '../bridge/local-socket.ts'
import { openCaptureLog } from '../captures/capture-log.ts'
import { registerCaptures } from '../captures/register.ts'
import { isDamage } from '../database/database.ts'
import { confirmFirstStart, noteFailedStart } from '../database/restore.ts'
import { registerDelivery } from '../delivery/register.ts'
import { registerExplorer } from '../explorer/register.ts'
import { registerInvoices } from '../invoices/register.ts'
import { registerLookups } from '../lookups/register.ts'
import { registerNetworks } from '../networks/register.ts'
import { registerReceiver } from '../receiver/register.ts'
import { registerSecrets } from '../secrets/register.ts'
import { registerWebhooks } from '../webhooks/register.ts'
import { createAppHandlers } from './app-handlers.ts'
import { type AppConfig, openContext } from './context.ts'
import { explainStorageError, watchDamage } from './damage.ts'
import { keepHeapSmall } from './heap-settings.ts'
import { dataPaths } from './paths.ts'

export type App = {
  readonly dispatch: Dispatch
  readonly events: EventHub
  /** The window of browser mode is served on this port: nothing is ever sent there. */
  windowOn(port: number): void
  /** Stops accepting, drains what was accepted, closes everything. Safe to call twice. */
  dispose(): Promise<void>
}

/**
 * Opens the data directory (lock, migrations, rescue), starts the receiver and answers for all routes.
 * @throws AppError DATA_DIRECTORY_HELD, DATABASE_TOO_NEW, DATABASE_UNWRITABLE
 */
export async function createApp(config: AppConfig): Promise<App> {
  try {
    return await startApp(config)
  } catch (error) {
    const isHeld = error instanceof AppError && error.code === appCodes.dataDirectoryHeld
    if (isHeld || !noteFailedStart(dataPaths(config.dataDirectory), error)) throw error
    // The first start with a restored backup: this one goes back to the data from before.
    return startApp(config)
  }
}

/** What is opened or registered later uses what was before it, and ends before it. */
async function startApp(config: AppConfig): Promise<App> {
  await using resources = new AsyncDisposableStack()
  keepHeapSmall()
  const base = await openContext(config, resources, () => handlers)
  const { events, log, paths } = base
  const damage = watchDamage(base)
  const captureLog = await openCaptureLog(base)
  damage.askIndex(captureLog.index)

  const incoming = registerReceiver(base, captureLog)
  const kept = registerSecrets(base, incoming.tokens)
  const networks = registerNetworks(base, incoming.receiver, kept)
  const { context } = networks
  const lookups = registerLookups(context, networks.traffic)
  const explorer = registerExplorer(context)
  const webhooks = registerWebhooks(context, captureLog, kept.webhookTokens, lookups.takeDraft)
  const { networkSecrets, sandbox } = networks
  const invoices = registerInvoices(context, captureLog, networkSecrets, sandbox.invoices)
  const captures = registerCaptures(context, captureLog, explorer.stored)
  const delivery = registerDelivery(context, captureLog, captures, networks.ownPlaces)
  incoming.respondBy(delivery.responses)

  // A route without a handler does not compile.
  const handlers: Handlers = {
    ...createAppHandlers(base, captureLog),
    ...incoming.handlers,
    ...kept.handlers,
    ...networks.handlers,
    ...lookups.handlers,
    ...explorer.handlers,
    ...webhooks.handlers,
    ...invoices.handlers,
    ...captures.handlers,
    ...delivery.handlers,
  }
  const dispatch = createDispatch(handlers, {
    explain: (error) => explainStorageError(error, paths.directory),
    checkOutput: config.checkOutput ?? false,
    onBug(route, error) {
      log.failure('a handler failed', error, { route })
      const message = error instanceof Error ? error.message : String(error)
      if (isDamage(error)) events.emit('database.damageSuspected', { message })
    },
  })
  // Before anyone can ask for a job: one begun meanwhile would be taken for what was left behind.
  // Not for a command, which is there for what it was asked, and soon gone.
  if (config.host !== 'cli') {
    base.jobs.resumeAll()
    webhooks.start()
    invoices.start()
  }
  if (config.host !== 'cli' || config.worksOn === true) {
    captures.start()
    delivery.start()
  }
  const path = localSocketPath(paths.directory)
  resources.use(await serveLocalSocket({ path, dispatch, events, open: config.open }))

  // Before anything can be captured that going back would lose.
  confirmFirstStart(paths)
  await incoming.start()
  // After the receiver: a keychain may show a dialog, and deliveries do not wait for that.
  kept.start()
  captures.prune()
  // Last, and waited for by nobody: the app is ready before the sandbox is.
  networks.start()
  log.write('info', 'started', { version: config.version, host: config.host })

  const ending = resources.move()
  let disposing: Promise<void> | null = null
  return {
    dispatch,
    events,
    windowOn: (port) => events.emit('window.served', { port }),
    dispose() {
      disposing ??= ending.disposeAsync()
      return disposing
    },
  }
}
