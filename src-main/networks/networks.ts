/**
 * The networks one can work against: which there are, which is chosen, and the clients that ask them.
 * Keys are read here and go into clients, never into an answer.
 */
import { randomBytes } from 'node:crypto'
import type {
  CustomNetwork,
  Handlers,
  Network,
  NetworkId,
  NetworksState,
  NetworkUrls,
  SandboxState,
  SecretSlot,
} from '../../src-preload/contract/index.ts'
import {
  AppError,
  baseUrlProblem,
  bridgeCodes,
  networkCodes,
  secretSlot,
} from '../../src-preload/contract/index.ts'
import type { Http } from '../gateway/http.ts'
import type { InvoicesClient } from '../gateway/invoices.ts'
import { createInvoicesClient } from '../gateway/invoices.ts'
import type { QueryClient } from '../gateway/query.ts'
import { createQueryClient } from '../gateway/query.ts'
import type { WebhooksClient } from '../gateway/webhooks.ts'
import { createWebhooksClient } from '../gateway/webhooks.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import type { CustomNetworks } from '../store/networks.ts'
import { checkNetwork } from './check.ts'
import type { Endpoint, EndpointName } from './clients.ts'
import { createClientMaker, rootOf } from './clients.ts'
import { createInterest } from './interest.ts'
import { isLoopback, reachesNewOrigin, reachOf } from './origins.ts'
import { presets } from './presets.ts'
import type { ReadySandbox } from './sandbox-launcher.ts'

export type NetworkInfo = Pick<Network, 'id' | 'kind' | 'name' | 'testOnly'>

/**
 * What other rooms need of the networks. Nothing here waits; a client may be kept, for it goes by the
 * URL and key of the moment.
 */
export type NetworkAccess = {
  current(): NetworkId
  /** @throws AppError NETWORK_UNKNOWN */
  info(id: NetworkId): NetworkInfo
  /**
   * Its calls throw as `HttpClient.call` does, and as this.
   * @throws AppError NETWORK_UNKNOWN; NETWORK_UNAVAILABLE, with the way out
   */
  query(id: NetworkId): QueryClient
  /** @throws AppError as `query` does */
  webhooks(id: NetworkId, which?: 'main' | 'testnet'): WebhooksClient
  /** @throws AppError as `query` does */
  invoices(id: NetworkId): InvoicesClient
  /**
   * For questions somebody waits for at the window: aborted with NETWORK_SWITCHED as soon as another
   * network than this is chosen. Jobs go on without it.
   */
  interest(id: NetworkId): AbortSignal
}

export type NetworkDeps = {
  readonly http: Http
  readonly secrets: NetworkSecrets
  readonly custom: CustomNetworks
  readonly sandbox: { state(): SandboxState; ready(): ReadySandbox | null }
  /** Which network was chosen last; null at first. */
  readonly memory: { current(): NetworkId | null; setCurrent(id: NetworkId): void }
  readonly now: () => number
  readonly onChanged: (state: NetworksState) => void
}

type NetworkHandlers = Pick<Handlers, Extract<keyof Handlers, `network.${string}`>>

export type Networks = {
  readonly access: NetworkAccess
  readonly handlers: NetworkHandlers
  /** The sandbox has started, stopped or moved. */
  sandboxChanged(): void
  /** Reads the keys from the keychain (again). @throws AppError SECRETS_UNAVAILABLE */
  reloadSecrets(): Promise<void>
}

const keylessPerSecond = 0.25
/** Of the smallest plan; the clients learn what there is beyond. */
const keyedPerSecond = 1

export function createNetworks(deps: NetworkDeps): Networks {
  const { secrets } = deps
  const interest = createInterest()
  /** Of every sandbox seen since the start: they open nothing else. */
  const sandboxKeys = new Set<string>()
  let custom = deps.custom.list()
  let current = deps.memory.current() ?? 'sandbox'
  if (!isKnown(current)) current = 'sandbox'
  let told = ''

  function isKnown(id: NetworkId): boolean {
    return list().some((network) => network.id === id)
  }

  function list(): Network[] {
    return [
      readSandbox(deps.sandbox),
      ...presets.map((preset) => ({
        ...preset,
        kind: preset.id,
        secrets: secrets.kept(preset.id),
        problem: null,
      })),
      ...custom.map((network) => ({
        ...network,
        kind: 'custom' as const,
        secrets: secrets.kept(network.id),
        explorer: null,
        problem: urlsProblem(network.urls),
      })),
    ]
  }

  function find(id: NetworkId): Network {
    const found = list().find((network) => network.id === id)
    if (found !== undefined) return found
    throw new AppError(networkCodes.unknown, 'There is no such network. It may have been removed.')
  }

  function findCustom(id: NetworkId): Network & { urls: NetworkUrls } {
    const found = find(id)
    if (found.kind === 'custom' && found.urls !== null) return { ...found, urls: found.urls }
    throw new AppError(networkCodes.unknown, `${found.name} comes with Tondesk and stays as it is.`)
  }

  const state = (): NetworksState => ({ current, networks: list() })

  function tell(): NetworksState {
    const now = state()
    // The sandbox tells of itself with every block; what is told here changes far more rarely.
    const printed = JSON.stringify(now)
    if (printed !== told) deps.onChanged(now)
    told = printed
    return now
  }

  function endpoint(id: NetworkId, name: EndpointName): Endpoint {
    const network = find(id)
    const { urls, problem } = network
    if (urls === null || problem !== null) {
      throw new AppError(networkCodes.unavailable, problem ?? `${network.name} is not there.`)
    }
    const baseUrl = urlOf(urls, name)
    if (baseUrl === null) {
      throw new AppError(
        networkCodes.unavailable,
        `${network.name} has no address for ${words[name]}. Choose a network that has one.`,
      )
    }
    const slot = rootOf(name) === 'invoices' ? 'invoices' : 'api'
    if (network.kind === 'sandbox') {
      const key = deps.sandbox.ready()?.keys[slot] ?? null
      return { name: 'The sandbox', baseUrl, key, perSecond: null }
    }
    const key = secrets.get(id, slot)
    if (key !== null) refuseForeign(network, slot, key)
    const perSecond = key === null ? keylessPerSecond : keyedPerSecond
    return { name: network.name, baseUrl, key, perSecond: isLoopback(baseUrl) ? null : perSecond }
  }

  /** @throws AppError NETWORK_KEY_OF_ANOTHER */
  function refuseForeign({ id, name, urls }: Network, slot: SecretSlot, secret: string): void {
    if (urls === null) return
    const { here, away } = reachOf(slot, urls)
    if (away && sandboxKeys.has(secret)) {
      throw new AppError(
        networkCodes.wrongKind,
        `This is a key of the sandbox, and ${name} is not. Use a key that its console gave you.`,
      )
    }
    const owner = here ? ownerAway(id, secret) : undefined
    if (owner !== undefined) {
      throw new AppError(
        networkCodes.wrongKind,
        `This is the key kept for ${owner.name}, and ${name} is on this computer. ` +
          'Use the key that the gateway here was started with.',
      )
    }
  }

  /** The other network, off this computer, for which this very secret is kept. */
  function ownerAway(id: NetworkId, secret: string): Network | undefined {
    return list().find(
      (other) =>
        other.id !== id &&
        other.urls !== null &&
        secretSlot.options.some(
          (slot) =>
            secrets.get(other.id, slot) === secret &&
            other.urls !== null &&
            reachOf(slot, other.urls).away,
        ),
    )
  }

  /** @throws AppError INVALID_INPUT */
  function checkName(name: string, except: NetworkId | null): void {
    const isTaken = list().some(
      (other) => other.id !== except && other.name.toLowerCase() === name.toLowerCase(),
    )
    if (!isTaken) return
    const message = 'There is a network of this name already.'
    const data = [{ path: 'name', message }]
    throw new AppError(bridgeCodes.invalidInput, message, { data })
  }

  function checkUrls(urls: NetworkUrls): void {
    const problem = urlsProblem(urls)
    if (problem !== null) throw new AppError(bridgeCodes.invalidInput, problem)
  }

  function saveCustom(id: NetworkId, { name, urls, testOnly }: CustomNetwork, isNew: boolean) {
    if (isNew) deps.custom.add({ id, name, urls, testOnly }, deps.now())
    else deps.custom.change({ id, name, urls, testOnly })
    custom = deps.custom.list()
    tell()
    return find(id)
  }

  function choose(id: NetworkId): void {
    current = id
    deps.memory.setCurrent(id)
    interest.chosen(id)
  }

  const ask = createClientMaker({
    http: deps.http,
    endpoint,
    whenReady: () => secrets.whenRead(),
  })
  /** Fails at once where it can be known already that asking is of no use. */
  function client(id: NetworkId, name: EndpointName) {
    endpoint(id, name)
    return ask(id, name)
  }

  const handlers: NetworkHandlers = {
    'network.list': state,
    'network.select'({ id }) {
      choose(find(id).id)
      return tell()
    },
    'network.add'(added) {
      checkName(added.name, null)
      checkUrls(added.urls)
      return saveCustom(`custom-${randomBytes(4).toString('hex')}`, added, true)
    },
    async 'network.change'({ id, ...changed }) {
      const before = findCustom(id)
      checkName(changed.name, id)
      checkUrls(changed.urls)
      // A secret was given for whom the URLs named then, and for nobody else.
      for (const slot of secretSlot.options) {
        if (reachesNewOrigin(slot, before.urls, changed.urls)) await secrets.remove(id, slot)
      }
      return saveCustom(id, changed, false)
    },
    async 'network.remove'({ id }) {
      findCustom(id)
      for (const slot of secretSlot.options) await secrets.remove(id, slot)
      deps.custom.remove(id)
      custom = deps.custom.list()
      interest.gone(id)
      if (current === id) choose('sandbox')
      return tell()
    },
    async 'network.setSecret'({ id, slot, secret }) {
      const network = find(id)
      refuseSandbox(network)
      refuseForeign(network, slot, secret)
      await secrets.set(id, slot, secret)
      tell()
      return find(id)
    },
    async 'network.removeSecret'({ id, slot }) {
      refuseSandbox(find(id))
      await secrets.remove(id, slot)
      tell()
      return find(id)
    },
    async 'network.test'({ id }) {
      const network = find(id)
      await secrets.whenRead()
      return checkNetwork({ network, http: deps.http, endpoint: (root) => endpoint(id, root) })
    },
  }

  return {
    handlers,
    access: {
      current: () => current,
      info(id) {
        const { kind, name, testOnly } = find(id)
        return { id, kind, name, testOnly }
      },
      query: (id) => createQueryClient(client(id, 'query')),
      webhooks: (id, which = 'main') =>
        createWebhooksClient(client(id, which === 'main' ? 'webhooks' : 'testnet-webhooks')),
      invoices: (id) => createInvoicesClient(client(id, 'invoices')),
      interest: (id) => interest.of(id),
    },
    sandboxChanged() {
      for (const key of Object.values(deps.sandbox.ready()?.keys ?? {})) sandboxKeys.add(key)
      tell()
    },
    async reloadSecrets() {
      try {
        await secrets.reload()
      } finally {
        tell()
      }
    },
  }
}

const words: Readonly<Record<EndpointName, string>> = {
  query: 'the query API',
  webhooks: 'webhooks',
  'testnet-webhooks': 'webhooks of the test network',
  invoices: 'invoices',
}

function urlOf(urls: NetworkUrls, name: EndpointName): string | null {
  switch (name) {
    case 'query':
      return urls.query
    case 'webhooks':
      return urls.webhooks
    case 'testnet-webhooks':
      return urls.testnetWebhooks
    case 'invoices':
      return urls.console
  }
}

/** Why these cannot be used: the database may come from a backup that somebody has edited. */
function urlsProblem(urls: NetworkUrls): string | null {
  for (const url of Object.values(urls)) {
    const problem = url === null ? null : baseUrlProblem(url)
    if (problem !== null) return `The address ${url ?? ''} cannot be used. ${problem}`
  }
  return null
}

function readSandbox(sandbox: NetworkDeps['sandbox']): Network {
  const { status, problem, urls } = sandbox.state()
  return {
    id: 'sandbox',
    kind: 'sandbox',
    name: 'Sandbox',
    urls: urls && {
      query: urls.query,
      webhooks: urls.webhooks,
      testnetWebhooks: urls.testnetWebhooks,
      console: urls.console,
    },
    testOnly: false,
    secrets: { api: null, invoices: null },
    explorer: null,
    problem: status === 'running' ? null : sandboxProblem(status, problem),
  }
}

function sandboxProblem(status: Exclude<SandboxState['status'], 'running'>, why: string | null) {
  switch (status) {
    case 'starting':
      return `The sandbox is starting. Try again in a moment.`
    case 'stopped':
      return 'The sandbox is not running. Start it first.'
    case 'failed':
      return `The sandbox has failed: ${why ?? 'it does not say why.'} Restart it.`
  }
}

/** @throws AppError NETWORK_KEY_OF_ANOTHER */
function refuseSandbox({ kind }: Network): void {
  if (kind !== 'sandbox') return
  throw new AppError(
    networkCodes.wrongKind,
    'The sandbox has keys of its own and takes no other. Choose the network that the key is for.',
  )
}
