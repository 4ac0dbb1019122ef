/** Creates and disposes of all parts of the sandbox. */
import process from 'node:process'
import { join } from 'node:path'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createActions, createActivity } from './actions.ts'
import { createCalls } from './calls.ts'
import type { NetworkName } from './chain/chain.ts'
import { createChain } from './chain/create-chain.ts'
import { usdtMaster } from './chain/contracts.ts'
import { developmentWallets, walletNamed } from './chain/wallets.ts'
import { createControl } from './control/create-control.ts'
import { whyUndeliverable } from './deliver/poster.ts'
import { DeliveryQueue } from './deliver/create-delivery-queue.ts'
import {
  type DeliveryTargets,
  type Policy,
  createPolicy,
  joinTargets,
} from './deliver/delivery-queue.ts'
import { createErrorLog, SandboxError, sandboxCodes } from './errors.ts'
import { type Fault, createFaults, createRoots } from './roots.ts'
import { type Gate, createGate, createSnapshots, createState } from './snapshots.ts'
import { createInvoices } from './invoices/create-invoices.ts'
import { type Keys, keysOf, type SandboxConfig } from './start-options.ts'
import { createListener } from './listener.ts'
import type { Networks } from './control/control-api.ts'
import { createQuery } from './query/create-query.ts'
import { type DueSource, Scheduler, createSandboxClock } from './clock.ts'
import {
  type ControlStore,
  createControlStore,
  type Database,
  NewerDatabaseError,
  openDatabase,
} from './store/database.ts'
import { createCallStore } from './store/calls.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import { lockDirectory } from '../database/directory-lock.ts'

type DataDirectory = {
  readonly path: string
  readonly isEphemeral: boolean
  /** Releases the lock; an ephemeral directory is deleted. */
  release(): void
}

const prefix = 'tondesk-sandbox-'
/** A younger directory may not have its lock yet. */
const settledMs = 60_000

/** @throws SandboxError if another sandbox holds it or if it cannot be used */
export function holdDirectory(path: string): DataDirectory {
  let release: (() => void) | null
  try {
    makePrivate(path)
    release = lockDirectory(join(path, 'lock.db'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SandboxError(
      sandboxCodes.unreadable,
      `The sandbox data in ${path} cannot be used (${why.replace(/\.$/, '')}).`,
      { cause: error },
    )
  }
  if (release === null) {
    throw new SandboxError(
      sandboxCodes.held,
      `Another sandbox uses ${path}. Stop it, or choose another directory with --data-dir or --ephemeral.`,
    )
  }
  return { path, isEphemeral: false, release }
}

/** Creates a directory for one run. Directories of killed sandboxes are deleted first. */
export function holdEphemeralDirectory(parent: string = tmpdir()): DataDirectory {
  sweep(parent)
  const locked = holdDirectory(mkdtempSync(join(parent, prefix)))
  return {
    path: locked.path,
    isEphemeral: true,
    release() {
      locked.release()
      remove(locked.path)
    },
  }
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    try {
      const { mtimeMs, uid } = statSync(path)
      if (Date.now() - mtimeMs < settledMs || uid !== (process.getuid?.() ?? uid)) continue
      const release = lockDirectory(join(path, 'lock.db'))
      if (release === null) continue
      release()
      remove(path)
    } catch {
      // Another process owns this directory or is deleting it.
    }
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  // The directory contains keys, so the permissions of an existing one are restricted.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700)
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

export type ReadyLine = Sandbox['ready']

const defaultSeed = 'tondesk'
const defaultPort = 4810

export async function createSandbox(config: SandboxConfig) {
  checkSeed(config.seed)
  const directory = lock(config)
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => directory.release())
  const keys = keysOf(directory.path, config.keys)
  const { webhookToken } = config.keys ?? {}
  const onError = createErrorLog([...Object.values(keys), webhookToken ?? []].flat())

  const { databases, snapshots, store, seed, clock } = openStore(directory.path, config, cleanup)
  const gate = createGate()
  const policy = createPolicy(store)
  const sources: DueSource[] = []
  const scheduler = new Scheduler({ clock, sources })
  const allowed = new Set(config.allowHosts)
  const allowHost = (host: string) => allowed.has(host)
  const common = { store, seed, clock, gate, policy, scheduler, allowHost, webhookToken, onError }
  const [mainnet, testnet] = await Promise.all([
    createNetwork('mainnet', databases.mainnet, common, () => ({ invoices: invoices.targets })),
    createNetwork('testnet', databases.testnet, common, () => ({})),
  ])
  const networks: Networks = { mainnet, testnet }
  const all = [mainnet, testnet]
  cleanup.defer(async () => {
    await Promise.all(all.map(({ chain }) => chain.close()))
  })
  cleanup.defer(async () => {
    await Promise.all(all.map(({ queue }) => queue.close()))
  })
  const invoices = createInvoices({
    database: databases.mainnet,
    chain: mainnet.chain,
    clock,
    queue: mainnet.queue,
    seed,
    recipient: walletNamed('merchant').address.toRawString(),
    initialToken: keys.invoicesToken,
    givenToken: config.keys?.invoicesToken,
    onError,
  })
  if (config.activityPerMinute !== undefined) mainnet.activity.setRate(config.activityPerMinute)
  const faults = createFaults()
  const readFaults = () => faults.set((store.get('faults') as readonly Fault[] | undefined) ?? [])
  readFaults()
  const createQueries = () => ({ mainnet: createQuery(mainnet), testnet: createQuery(testnet) })
  let queries = createQueries()
  sources.push(invoices.due, ...all.flatMap(({ queue, activity }) => [queue, activity]))
  const state = createState({
    snapshots,
    store,
    clock,
    gate,
    scheduler,
    head: () => mainnet.chain.head().seqno,
    async suspendDeliveries() {
      await Promise.all(all.map(({ queue }) => queue.suspend()))
    },
    reload() {
      policy.reload()
      readFaults()
      for (const { chain, queue, webhooks, activity } of all) {
        for (const each of [chain, queue, webhooks, activity]) each.reload()
      }
      invoices.reload()
      // The queries remember messages of the last minute, which the revert has undone, so they are
      // created again.
      queries = createQueries()
    },
  })
  state.begin()

  const calls = createCalls({
    store: directory.isEphemeral ? null : createCallStore(databases.mainnet),
    clock,
    secrets: () =>
      [...Object.values(keys), webhookToken ?? [], invoices.access.token() ?? []].flat(),
    openDeliveries: (network) => networks[network].queue.underWay(),
    onError,
  })
  cleanup.defer(() => calls.close())
  const control = createControl({
    networks,
    invoices,
    calls,
    clock,
    scheduler,
    policy,
    faults,
    setFaults(next) {
      store.set('faults', next)
      faults.set(next)
    },
    gate,
    state,
    whyUndeliverable: (url) => whyUndeliverable(url, allowHost),
    about: {
      seed,
      ephemeral: directory.isEphemeral,
      keysHint: 'keys.json in the data directory, unless they were given',
    },
  })
  const roots = createRoots(
    {
      query: () => queries.mainnet,
      'testnet-query': () => queries.testnet,
      webhooks: () => mainnet.webhooks.routes,
      'testnet-webhooks': () => testnet.webhooks.routes,
      invoices: () => invoices.routes,
      control: () => control.routes,
    },
    keys,
    { faults, gate, onServed: () => scheduler.poke(), onError },
  )
  const listener = await createListener({
    ...portOf(store, config.port),
    roots,
    onRequest: calls.record,
  })
  cleanup.defer(async () => {
    await scheduler.stop()
    await Promise.all(all.map(({ activity }) => activity.settled()))
  })
  cleanup.defer(() => listener.close())
  cleanup.defer(() => control.events.close())
  if (config.port === undefined && store.get('port') === undefined) store.set('port', listener.port)

  for (const { queue } of all) queue.wake()
  scheduler.start()
  const running = cleanup.move()
  let disposing: Promise<void> | undefined
  return {
    ready: readyLine(
      listener.port,
      { ...keys, invoicesToken: invoices.access.token() ?? '' },
      {
        seed,
        clock: { mode: clock.mode, now: clock.now() },
        version: config.version ?? null,
        dataDirectory: directory.path,
        ephemeral: directory.isEphemeral,
      },
    ),
    /** Finishes requests, aborts deliveries and releases the data directory. */
    dispose: () => (disposing ??= running.disposeAsync()),
  }
}

/** Opens the data of both networks and continues an interrupted revert. */
function openStore(path: string, config: SandboxConfig, cleanup: AsyncDisposableStack) {
  const open = (network: NetworkName) => {
    const database = openNetwork(path, network)
    cleanup.defer(() => database.close())
    return database
  }
  const databases = { mainnet: open('mainnet'), testnet: open('testnet') }
  const snapshots = createSnapshots({ dataDirectory: path, databases })
  const interrupted = snapshots.finishRevert()
  const store = createControlStore(databases.mainnet)
  const seed = seedOf(store, config.seed)
  checkStart(store, config.now)
  const clock = createSandboxClock({ store, first: config.clock ?? 'real', start: config.now })
  if (interrupted !== null) clock.returnTo(interrupted.createdAt)
  if (config.clock !== undefined) clock.setMode(config.clock)
  return { databases, snapshots, store, seed, clock }
}

async function createNetwork(
  network: NetworkName,
  database: Database,
  common: Omit<ReturnType<typeof openStore>, 'databases' | 'snapshots'> & {
    readonly gate: Gate
    readonly policy: Policy
    readonly scheduler: Scheduler
    readonly allowHost: (host: string) => boolean
    readonly webhookToken: string | undefined
    readonly onError: (error: unknown) => void
  },
  otherTargets: () => Readonly<Record<string, DeliveryTargets>>,
): Promise<Networks[NetworkName]> {
  const { store, seed, clock, gate, allowHost, onError } = common
  const policy = common.policy.get
  const chain = await createChain({ database, network, clock, seed })
  const queue = new DeliveryQueue({
    database,
    clock,
    policy,
    targets: () => joinTargets({ webhook: webhooks.targets, ...otherTargets() }),
    allowHost,
    onPlanned: () => common.scheduler.poke(),
    onError,
  })
  const givenToken = common.webhookToken
  const webhooks = createWebhooks({ database, chain, clock, queue, policy, givenToken })
  const actions = createActions(chain, store)
  const activity = createActivity({ network, seed, store, clock, actions, gate, onError })
  return { chain, queue, webhooks, actions, activity }
}

function lock({ dataDirectory, ephemeral = false }: SandboxConfig): DataDirectory {
  if (ephemeral) return holdEphemeralDirectory()
  if (dataDirectory === undefined) throw new Error('a sandbox needs a data directory')
  return holdDirectory(dataDirectory)
}

function openNetwork(path: string, network: NetworkName): Database {
  try {
    return openDatabase(join(path, `${network}.db`))
  } catch (cause) {
    const isNewer = cause instanceof NewerDatabaseError
    throw new SandboxError(
      isNewer ? sandboxCodes.newer : sandboxCodes.unreadable,
      isNewer
        ? `The sandbox data in ${path} was written by a newer Tondesk. Use that version, or another directory.`
        : `The sandbox data in ${path} cannot be read (${messageOf(cause)}). Remove the directory to start again.`,
      { cause },
    )
  }
}

function checkSeed(seed: string | undefined): void {
  if (seed === undefined || /^[\w.:-]{1,64}$/.test(seed)) return
  throw new SandboxError(
    sandboxCodes.badSeed,
    'A seed has 1 to 64 letters, digits, dots, colons, dashes and underscores.',
  )
}

/** @throws SandboxError SANDBOX_BAD_SEED if the chain has another seed */
function seedOf(store: ControlStore, requested: string | undefined): string {
  const stored = store.get('seed')
  if (typeof stored !== 'string') {
    const seed = requested ?? defaultSeed
    store.set('seed', seed)
    return seed
  }
  if (requested !== undefined && requested !== stored) {
    throw new SandboxError(
      sandboxCodes.badSeed,
      `The chain in this data directory was created with the seed "${stored}", not "${requested}". Use another directory or --ephemeral.`,
    )
  }
  return stored
}

/**
 * A script may run again with the same start; a different start would have no effect.
 * @throws SandboxError SANDBOX_BAD_NOW
 */
function checkStart(store: ControlStore, requested: number | undefined): void {
  if (store.get('clock') === undefined) store.set('startedAt', requested ?? null)
  else if (requested !== undefined && requested !== store.get('startedAt')) {
    throw new SandboxError(
      sandboxCodes.badNow,
      '--now sets the start of a new chain’s clock, but this chain started at another time. Use another directory or --ephemeral, or advance the clock.',
    )
  }
}

function portOf(store: ControlStore, requested: number | undefined) {
  const stored = store.get('port')
  const preferred = typeof stored === 'number' ? stored : defaultPort
  return { port: requested ?? preferred, orNearby: requested === undefined }
}

/** Base URLs have no `/v2` or `/webhooks`. */
function readyLine<Run extends object>(port: number, keys: Keys, run: Run) {
  const base = `http://127.0.0.1:${port}`
  return {
    event: 'ready' as const,
    queryUrl: base,
    webhooksUrl: base,
    testnetQueryUrl: `${base}/testnet`,
    testnetWebhooksUrl: `${base}/testnet`,
    consoleUrl: base,
    controlUrl: `${base}/sandbox`,
    ...keys,
    usdtMaster: usdtMaster.toRawString(),
    usdtMasterFriendly: usdtMaster.toString(),
    ...run,
    pid: process.pid,
    wallets: developmentWallets.map(({ name, address, publicKey, mnemonic }) => ({
      name,
      address: address.toRawString(),
      friendly: address.toString({ bounceable: false }),
      publicKey: publicKey.toString('hex'),
      mnemonic,
    })),
  }
}
