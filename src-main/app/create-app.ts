import { statSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { networkId } from '../../src-preload/contract/network.ts'
import { createAppHandlers } from './app-handlers.ts'
import { createBackups } from './backups.ts'
import { type Dispatch, createDispatch } from '../bridge/dispatch.ts'
import { type EventHub, createEventHub } from '../bridge/events.ts'
import { localSocketPath, serveLocalSocket } from '../bridge/local-socket.ts'
import { composeInvoices } from '../invoices/register.ts'
import { composeLookup } from '../lookups/register.ts'
import { composeSubscriptions } from '../webhooks/register.ts'
import { createExplorer } from '../explorer/explorer.ts'
import { createStoredChain } from '../explorer/stored-chain.ts'
import { createExportFiles } from '../exports/export-files.ts'
import { createHttp } from '../gateway/http.ts'
import { transactionAnswer } from '../gateway/query-answers.ts'
import { type ProxyFor, exceptLoopback, proxyFromEnvironment } from '../gateway/proxy.ts'
import { keepHeapSmall } from './heap-settings.ts'
import { createCaptureIndex } from '../captures/capture-index.ts'
import { gatewayAddressProblem } from '../delivery/sender/address.ts'
import { createInspector } from '../captures/inspector.ts'
import { createReadMark } from '../captures/read-mark.ts'
import type { AgentPorts } from '../delivery/tunnels/ask-agents.ts'
import { createRetention } from '../captures/retention.ts'
import { createStartWork } from '../jobs/work-process.ts'
import { createLog } from './log.ts'
import { createNetworks } from '../networks/networks.ts'
import { originsOf } from '../networks/origins.ts'
import { createSandboxNetwork } from '../networks/sandbox.ts'
import { type StartProcess, forkProcess } from '../networks/sandbox-process.ts'
import { createNotices } from './notices.ts'
import { gatewayPlaceProblem, ownPlaces } from './self-addresses.ts'
import { dataPaths, holdDirectory } from './paths.ts'
import { subpathOf } from '../receiver/hook-path.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { createTokenChecker } from '../receiver/token-check.ts'
import { readVia } from '../receiver/via.ts'
import { createKeychain, createSessionOnly } from '../secrets/keychain.ts'
import { createNetworkSecrets } from '../secrets/network-secrets.ts'
import { createSecretStore } from '../secrets/secret-store.ts'
import { createWebhookTokenKeeper } from '../secrets/webhook-tokens.ts'
import {
  notifyOfDamage,
  notifyOfIndexDamage,
  notifyOfOpenDirectory,
  notifyOfKeys,
  notifyOfReceiver,
  notifyOfSandbox,
  notifyOfStore,
  notifyOfWriting,
} from './start-notices.ts'
import { createArrivalRate, burstPerSecond } from '../captures/store/arrival-rate.ts'
import { createFactsReader } from '../captures/store/index/facts.ts'
import { createCaptureWriter } from '../captures/store/capture-writer.ts'
import { createCaptures } from '../captures/store/captures.ts'
import { createChainRecords } from '../explorer/store/chain.ts'
import { createAccountRecords } from '../explorer/store/chain-accounts.ts'
import { isDamage, isDiskFull, openDatabase, usedBytes } from '../database/database.ts'
import { forgetChain } from '../explorer/store/forget-chain.ts'
import { createForwardSummaries } from '../delivery/store/forward-rows.ts'
import { createLabels } from '../explorer/store/labels.ts'
import {
  createCustomNetworks,
  createNetworkSecretRecords,
  createWithheldKeys,
} from '../networks/store/networks.ts'
import { openStore } from '../database/open-store.ts'
import type { RescueProgress } from '../database/rescue.ts'
import { confirmFirstStart, noteFailedStart } from '../database/restore.ts'
import { createSettings, createValues } from './store/settings.ts'
import { createWebhookTokens } from '../webhooks/store/webhook-tokens.ts'
import { exchangeEntry, indexThread, sandboxEntry, writerThread } from '../threads/threads.ts'
import { createWorkbench } from '../captures/register.ts'

export type AppConfig = {
  /** Created with mode 0700 if absent. One process holds it at a time. */
  readonly dataDirectory: string
  readonly host: 'electron' | 'browser' | 'cli'
  readonly version: string
  /** Parse every answer with its schema; on in tests. */
  readonly checkOutput?: boolean
  /** Overrides the remembered receiver port, for this run only; 0 takes any free one. */
  readonly receiverPort?: number
  /** Starts the receiver, or leaves it closed, whatever the settings say. */
  readonly receive?: boolean
  /** A command that stays: what is to be done with captures goes on, as in the other hosts. */
  readonly worksOn?: boolean
  /** Starts the sandbox, or leaves it, whatever the settings say. The command line leaves it. */
  readonly startSandbox?: boolean
  /** Overrides the sandbox's port of the settings, for this run only; 0 takes any free one. */
  readonly sandboxPort?: number
  /** Where agents of tunnels are asked, instead of at their usual ports. */
  readonly tunnelAgentPorts?: AgentPorts
  /** How a process is started; Electron has a way of its own. */
  readonly startProcess?: StartProcess
  /** The proxy that the system wants for a URL; the environment's word where the host knows of none. */
  readonly proxyFor?: ProxyFor
  /** This computer's clipboard, where the host has one of its own. */
  readonly writeClipboard?: (text: string) => Promise<void>
  /** Ends a start that takes long: a damaged database is rescued in it. Of no meaning afterwards. */
  readonly signal?: AbortSignal
  /** Called every two seconds while a damaged database is rescued. */
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

/** The whole of Tondesk but for its transports. */
export type App = {
  readonly dispatch: Dispatch
  readonly events: EventHub
  /** The window of browser mode is served on this port: nothing is ever sent there. */
  windowOn(port: number): void
  /** Stops accepting, drains what was accepted, closes everything. Safe to call twice. */
  dispose(): Promise<void>
}

const retentionEveryMs = 60_000
/** So that a burst does not have to wait for the minute: captures, and a share of the limit by bytes. */
const retentionEveryCaptures = 20_000
const retentionEveryShare = 0.125
const digits = z.string().regex(/^\d+$/)

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

async function startApp(config: AppConfig): Promise<App> {
  await using started = new AsyncDisposableStack()
  keepHeapSmall()
  const paths = dataPaths(config.dataDirectory)
  holdDirectory(started, paths)
  const log = createLog(paths.logs)
  const events = createEventHub()
  const notices = createNotices((all) => events.emit('notice.changed', { notices: all }), Date.now)

  const opened = await openStore(paths, new Date(), {
    signal: config.signal,
    onProgress({ table, rows }) {
      log.write('warn', 'rescuing a damaged database', { table, rows })
      config.onRescueProgress?.({ table, rows })
    },
  })
  const { database } = opened
  started.defer(() => database.close())
  notifyOfStore(notices, opened)
  notifyOfOpenDirectory(notices, paths.directory, statSync(paths.directory).mode)
  const values = createValues(database)
  const settings = createSettings(values)

  function onDatabaseDamage(message: string): void {
    log.write('error', 'database damaged', { message })
    writeFileSync(paths.pendingRescue, '{}', { mode: 0o600 })
    notifyOfDamage(notices, message)
  }

  let isDamageLookedAt = false
  /** Damage of the database or of the search index, whichever it is. */
  async function onDamage(message: string): Promise<void> {
    if (isDamageLookedAt) return
    isDamageLookedAt = true
    try {
      if (await index.ask('isIndexDamaged')) {
        log.write('error', 'index damaged', { message })
        notifyOfIndexDamage(notices)
      } else onDatabaseDamage(message)
    } catch {
      // Without its thread the index says nothing; whether the database is sound shows at the next start.
      onDatabaseDamage(message)
    } finally {
      isDamageLookedAt = false
    }
  }

  const arrivals = createArrivalRate()
  // The writer can fail before there is a receiver: then the start fails, below.
  let setWritable: ((writable: boolean) => void) | null = null
  const sincePruned = { captures: 0, bytes: 0 }
  const writer = await createCaptureWriter(
    { database: paths.database, index: paths.index },
    writerThread,
    {
      onAppended({ total, others, newestId }, count, bytes) {
        sincePruned.captures += count
        sincePruned.bytes += bytes
        arrivals.add(count)
        readMark.grew(count)
        index.appended()
        events.emit('capture.added', {
          counts: { total, others, newestId, unread: readMark.unread(), pinned: pinnedCount },
        })
        const isBurst =
          sincePruned.captures >= retentionEveryCaptures ||
          sincePruned.bytes >= maxBytes * retentionEveryShare
        if (isBurst) void prune()
      },
      onTrouble(problem, forGood) {
        if (problem !== null) log.write('error', 'captures cannot be written', { problem })
        notifyOfWriting(notices, problem, forGood)
        setWritable?.(problem === null)
      },
      onDamage: onDatabaseDamage,
    },
  )
  started.defer(() => writer.close())

  /** False while a start that failed is undone: what the index reports then has no taker. */
  let isWired = false
  const index = await createCaptureIndex(
    { database: paths.database, index: paths.index },
    indexThread,
    {
      onIndexed(upTo) {
        if (!isWired) return
        events.emit('capture.classified', { upTo })
        invoices.classified(upTo)
        workbench.classified(upTo)
      },
      onDeletionsFollowed(upTo) {
        if (!isWired) return
        writer.forgetDeletions(upTo)
        workbench.deleted()
      },
      onTrouble(message, damage) {
        log.write('error', 'the index stopped', { message })
        if (damage) void onDamage(message)
      },
    },
  )
  started.defer(() => index.close())
  writer.checkRunning()
  const indexDatabase = openDatabase(paths.index, { readOnly: true })
  started.defer(() => indexDatabase.close())

  const captures = createCaptures(database)
  let pinnedCount = captures.countPinned()
  const readMark = createReadMark({
    load: () => Number(values.get('captures.readTo', digits, '0')),
    save: (upTo) => values.set('captures.readTo', String(upTo)),
    countAfter: (id) => captures.countAfter(id),
  })

  const tokens = createTokenChecker()
  const receiver = createReceiver({
    append: (records, onWritten) => writer.append(records, onWritten),
    tokens,
    settings: () => receiverSettings,
    memory: {
      token: () =>
        values.get(
          'receiver.token',
          z
            .string()
            .regex(/^[0-9a-f]{32}$/)
            .nullable(),
          null,
        ),
      setToken: (token) => values.set('receiver.token', token),
    },
    decide: () => workbench.decide(),
    onAnswered: (capture, status) => workbench.answered(capture, status),
    async keepTest(record) {
      const id = await writer.putOne(record, 'test', 'test delivery')
      wasPut()
      return id
    },
    onChanged(state) {
      notifyOfReceiver(notices, state)
      events.emit('receiver.changed', state)
      workbench.ownChanged()
    },
    onRequestRefused: () => events.emit('receiver.refused', {}),
  })
  setWritable = (writable) => receiver.setWritable(writable)
  // Read for each delivery, so kept at hand rather than parsed from the database each time.
  let receiverSettings = settings.get().receiver
  let { maxBytes } = settings.get().retention
  started.defer(async () => {
    await receiver.stop()
  })

  const inspector = createInspector({
    captures,
    writer,
    index,
    facts: createFactsReader(indexDatabase),
    readMark,
    meaningOf: (found, facts) => workbench.meaningOf(found, facts),
    forwardOf: createForwardSummaries(database),
    readQuery: (text) => workbench.readQuery(text),
    path: { subpathOf, readVia },
    receiverUrl: () => receiver.url(),
    onChanged(ids, counts) {
      pinnedCount = counts.pinned
      events.emit('capture.changed', { ids, counts })
    },
  })

  /** Captures came that nobody delivered. */
  function wasPut(): void {
    index.appended()
    events.emit('capture.added', { counts: inspector.counts() })
  }

  const retention = createRetention({
    settings: () => settings.get().retention,
    prune: (limits) => writer.prune(limits),
    onPruned: () => inspector.deleted(null),
    now: Date.now,
  })
  async function prune(): Promise<void> {
    Object.assign(sincePruned, { captures: 0, bytes: 0 })
    try {
      await retention.run()
    } catch (error) {
      log.failure('retention', error)
    }
  }
  const retentionTimer = setInterval(() => void prune(), retentionEveryMs)
  retentionTimer.unref()
  started.defer(() => clearInterval(retentionTimer))

  const secrets = createSecretStore({
    keychain: createKeychain(),
    session: createSessionOnly(),
    onChanged: (state) => events.emit('secrets.changed', state),
  })
  const webhookTokenRecords = createWebhookTokens(database)
  const webhookTokens = createWebhookTokenKeeper({
    secrets,
    records: webhookTokenRecords,
    now: Date.now,
    onTokens: (known) => tokens.setTokens(known),
    onChanged: () => events.emit('webhookToken.changed', {}),
  })
  const proxyFor = exceptLoopback(config.proxyFor ?? proxyFromEnvironment(process.env))
  const http = createHttp({
    proxyFor,
    addressProblem: gatewayAddressProblem,
    onTraffic: () => events.emit('traffic.changed', {}),
  })
  started.use(http)
  const startProcess = config.startProcess ?? forkProcess
  const startWork = (entry: URL, maxHeapMb: number) =>
    createStartWork((flags) => startProcess(entry, [], flags), maxHeapMb)
  let windowPort: number | null = null
  /** Where this app itself listens. */
  const own = () =>
    ownPlaces({
      receiver: receiver.url(),
      sandbox: Object.values(sandbox.state().urls ?? {}).map(String),
      sandboxPort: config.sandboxPort ?? settings.get().sandbox.port,
      windowPort,
      publicUrl: settings.get().receiver.publicUrl,
    })
  const sandbox = createSandboxNetwork({
    entry: sandboxEntry,
    startProcess,
    dataDirectory: paths.sandbox,
    port: () => config.sandboxPort ?? settings.get().sandbox.port,
    allowHosts: () => settings.get().sandbox.allowHosts,
    http,
    receiver: () => ({ url: receiver.url(), isListening: receiver.state().url !== null }),
    onTokens: (known) => webhookTokens.setSandboxTokens(known),
    async onReplaced() {
      await workbench.forget('sandbox', () => forgetChain(database, 'sandbox'))
      await subscriptions.forget('sandbox')
      await invoices.forget('sandbox')
    },
    onChanged(state) {
      notifyOfSandbox(notices, state)
      events.emit('sandbox.changed', state)
      networks.sandboxChanged()
      workbench.ownChanged()
    },
    writeClipboard: config.writeClipboard,
    log: (message, fields) => log.scope('sandbox').write('warn', message, fields),
  })
  started.defer(() => sandbox.stop())
  const customNetworks = createCustomNetworks(database)
  const networkSecrets = createNetworkSecrets({
    secrets,
    records: createNetworkSecretRecords(database),
    originsOf(network, slot) {
      const custom = customNetworks.list().find(({ id }) => id === network)
      return custom === undefined ? null : originsOf(slot, custom.urls)
    },
    withheld: createWithheldKeys(database),
    now: Date.now,
  })
  const networks = createNetworks({
    http,
    secrets: networkSecrets,
    custom: customNetworks,
    // The sandbox is a gateway, so its ports are none of these.
    placeProblem: (url) =>
      gatewayPlaceProblem(url, [
        { port: Number(new URL(receiver.url()).port), whose: 'the receiver' },
        { port: windowPort ?? 0, whose: 'the window' },
      ]),
    sandbox,
    memory: {
      current: () => values.get('network.current', networkId.nullable(), null),
      setCurrent: (id) => values.set('network.current', id),
    },
    now: Date.now,
    forgetChain: (id) => workbench.forget(id, () => forgetChain(database, id)),
    forgetWebhooks: (id) => subscriptions.forget(id),
    forgetInvoices: (id) => invoices.forget(id),
    onChanged(state) {
      notifyOfKeys(notices, state)
      events.emit('network.changed', state)
      workbench.networksChanged()
    },
  })
  const labels = createLabels(database)
  const exportFiles = createExportFiles(paths.exports)
  started.defer(() => exportFiles.clear())
  const lookup = composeLookup({
    database,
    values,
    networks,
    labels,
    files: exportFiles,
    traffic: () => http.traffic(),
    events,
    onBug: (error) => log.failure('lookup', error),
  })
  started.defer(() => lookup.stop())
  const reloadSecrets = () => Promise.all([webhookTokens.reload(), networks.reloadSecrets()])
  const stored = createStoredChain({
    records: createChainRecords(database),
    read: (json) => transactionAnswer.parse(json),
    now: Date.now,
  })
  const explorer = createExplorer({
    networks: networks.access,
    stored,
    accounts: createAccountRecords(database),
    labels,
    now: Date.now,
    onLabelsChanged: (network) => events.emit('label.changed', { network }),
  })

  /** Blocks of the sandbox are dated by its own clock, which a person may have turned. */
  async function chainNow(network: string): Promise<number> {
    if (network !== 'sandbox') return Date.now()
    return (await sandbox.handlers['sandbox.chain']({ network: 'mainnet' })).clock.now
  }
  const subscriptions = composeSubscriptions({
    startWork,
    database,
    indexDatabase,
    values,
    settings: () => settings.get(),
    networks,
    receiver,
    webhookTokens,
    labels,
    files: exportFiles,
    notices,
    captures,
    writer,
    index,
    getTransaction: explorer['transaction.get'],
    chainNow,
    takeDraft: (id) => lookup.takeDraft(id),
    onPut: wasPut,
    events,
    onBug: (error) => log.failure('subscriptions', error),
  })
  started.defer(() => subscriptions.stop())
  const invoices = composeInvoices({
    path: paths.database,
    database,
    indexDatabase,
    settings: () => settings.get(),
    networks,
    networkSecrets,
    sandbox: sandbox.invoices,
    receiver,
    labels,
    files: exportFiles,
    appVersion: config.version,
    chainNow,
    events,
    onBug: (error) => log.failure('invoices', error),
    onTrouble(message, damage) {
      log.write('error', 'invoices cannot be read', { message })
      if (damage) void onDamage(message)
    },
  })
  started.defer(() => invoices.stop())

  const workbench = createWorkbench({
    // Bodies of 64 MiB are printed as base64 and JSON one at a time.
    startExchange: startWork(exchangeEntry, 1024),
    paths: { database: paths.database, index: paths.index },
    database,
    indexDatabase,
    captures,
    writer,
    index,
    receiver,
    networks,
    stored,
    labels,
    settings: () => settings.get(),
    setPublicUrl: async (publicUrl) => handlers['settings.change']({ receiver: { publicUrl } }),
    values,
    tokenRecords: webhookTokenRecords,
    files: exportFiles,
    appVersion: config.version,
    proxyFor,
    tunnelAgentPorts: config.tunnelAgentPorts,
    isRush: () => arrivals.perSecond() > burstPerSecond,
    getInvoice: (asked) => invoices.handlers['invoice.get'](asked),
    own,
    events,
    onPut: wasPut,
    onChanged: (ids) => events.emit('capture.changed', { ids, counts: inspector.counts() }),
    onDeleted: (ids) => inspector.deleted(ids),
    onBug: (where, error) => log.failure(where, error),
    onTrouble(what, message, damage) {
      log.write('error', what, { message })
      if (damage) void onDamage(message)
    },
  })
  started.defer(() => workbench.stop())
  isWired = true

  const handlers: Handlers = {
    ...workbench.handlers,
    ...invoices.handlers,
    ...subscriptions.handlers,
    ...inspector.handlers,
    ...sandbox.handlers,
    ...networks.handlers,
    ...explorer,
    ...lookup.handlers,
    ...exportFiles.handlers,
    ...createBackups({
      paths,
      copyDatabase: (to) => index.ask('copyDatabase', { to }),
      now: () => new Date(),
    }),
    ...createAppHandlers({
      info: { version: config.version, host: config.host, dataDirectory: paths.directory },
      async checkIntegrity() {
        const problems = await index.ask('checkIntegrity')
        const [first] = problems
        if (first !== undefined) onDatabaseDamage(first)
        return {
          ok: problems.length === 0,
          problems,
          captures: writer.state().total,
          databaseBytes: usedBytes(database),
          indexBytes: usedBytes(indexDatabase),
        }
      },
      restart: config.restart,
      notices,
      traffic: () => http.traffic(),
      receiver,
      secrets,
      webhookTokens,
      reloadSecrets,
      settings,
      async onSettings(after, before) {
        receiverSettings = after.receiver
        maxBytes = after.retention.maxBytes
        events.emit('settings.changed', after)
        workbench.ownChanged()
        workbench.settingsChanged()
        workbench.publicUrlChanged(before.receiver.publicUrl)
        if (!isDeepStrictEqual(after.monitoring, before.monitoring)) {
          subscriptions.monitoringChanged()
        }
        if (after.receiver.port !== before.receiver.port && receiver.state().status !== 'stopped') {
          await receiver.stop()
          await receiver.start()
        }
        const isSandboxStale =
          after.sandbox.port !== before.sandbox.port ||
          after.sandbox.allowHosts.join() !== before.sandbox.allowHosts.join()
        if (isSandboxStale && sandbox.state().status !== 'stopped') {
          // In the background: it goes on by itself, and the page shows how.
          void sandbox.restart()
        }
      },
    }),
  }

  const dispatch = createDispatch(handlers, {
    explain: (error) => explainStorageError(error, paths.directory),
    checkOutput: config.checkOutput ?? false,
    onBug(route, error) {
      log.failure('a handler failed', error, { route })
      if (isDamage(error)) void onDamage(error instanceof Error ? error.message : String(error))
    },
  })
  // Before anyone can ask for a job: one begun meanwhile would be taken for what was left behind.
  // Not for a command, which is there for what it was asked, and soon gone.
  if (config.host !== 'cli') {
    lookup.resumeAll()
    subscriptions.start()
    invoices.start()
  }
  if (config.host !== 'cli' || config.worksOn === true) workbench.start()
  const socket = await serveLocalSocket({
    path: localSocketPath(paths.directory),
    dispatch,
    events,
    open: config.open,
  })
  started.use(socket)

  // Before anything can be captured that going back would lose.
  confirmFirstStart(paths)
  if (config.receive ?? receiverSettings.listenAtStart) {
    await receiver.start(config.receiverPort)
  }
  // After the receiver: a keychain may show a dialog, and deliveries do not wait for that.
  void secrets
    .retryKeychain()
    .then(reloadSecrets)
    .catch((error: unknown) => log.failure('keychain', error))
  void prune()
  // Last, and waited for by nobody: the app is ready before the sandbox is.
  const wantsSandbox = config.host !== 'cli' && settings.get().sandbox.startWithApp
  if (config.startSandbox ?? wantsSandbox) sandbox.start()
  log.write('info', 'started', { version: config.version, host: config.host })

  const resources = started.move()
  let disposing: Promise<void> | null = null
  return {
    dispatch,
    events,
    windowOn(port) {
      windowPort = port
      workbench.ownChanged()
    },
    dispose() {
      disposing ??= resources.disposeAsync()
      return disposing
    },
  }
}

function explainStorageError(error: unknown, directory: string): AppError | null {
  if (isDiskFull(error)) {
    return new AppError(
      appCodes.diskFull,
      `Nothing was changed: the disk with ${directory} is full. Free some space on it, or delete captures, and try again.`,
    )
  }
  if (isDamage(error)) {
    return new AppError(
      appCodes.dataDamaged,
      'Part of the data cannot be read, since a file is damaged. Restart Tondesk: it repairs what it can.',
    )
  }
  return null
}
