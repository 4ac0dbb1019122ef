/** Reads the keys of networks and passes them to clients, never to a response. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import {
  type Network,
  type NetworkId,
  type NetworksState,
  type SecretSlot,
  secretSlot,
  type CustomNetwork,
  type NetworkUrls,
  baseUrlProblem,
} from '../../src-preload/contract/network.ts'
import type { SandboxState } from '../../src-preload/contract/sandbox.ts'
import type { GatewayRoot } from '../../src-preload/contract/traffic.ts'
import type { Http } from '../gateway/http.ts'
import { createInvoicesClient } from '../gateway/invoices.ts'
import { type QueryClient, createQueryClient } from '../gateway/query.ts'
import { createWebhooksClient } from '../gateway/webhooks.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import { type CustomNetworks, apiPresets } from './store/networks.ts'
import { checkNetwork } from './check.ts'
import {
  createClientMaker,
  type Endpoint,
  endpointOf,
  isLoopback,
  slotOf,
  createForeignKeys,
  belongsToAnotherGateway,
  reachesNewOrigin,
} from './endpoint.ts'
import type { ReadySandbox } from './sandbox-launcher.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { networkCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError, messageOf, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { randomBytes } from 'node:crypto'

type NetworkDeps = {
  readonly http: Http
  readonly secrets: NetworkSecrets
  readonly custom: CustomNetworks
  readonly sandbox: { state(): SandboxState; ready(): ReadySandbox | null }
  /** Called when the sandbox becomes the selected network. */
  readonly onSandboxChosen: () => void
  readonly memory: { current(): NetworkId | null; setCurrent(id: NetworkId): void }
  readonly placeProblem: NetworkListDeps['placeProblem']
  readonly now: () => number
  /** Deletes this part of the stored data of a network that was removed or now leads to another gateway. */
  readonly forget: (part: 'chain' | 'webhooks' | 'invoices', id: NetworkId) => Promise<void>
  readonly onChanged: (state: NetworksState) => void
}

type NetworkHandlers = Pick<Handlers, Extract<keyof Handlers, `network.${string}`>>

export type Networks = ReturnType<typeof createNetworks>

/** The parts of the stored data by the gateway's root that they come from. */
const storedParts = [
  { root: 'query', part: 'chain' },
  { root: 'webhooks', part: 'webhooks' },
  { root: 'console', part: 'invoices' },
] as const

export function createNetworks(deps: NetworkDeps) {
  const { secrets, sandbox } = deps
  const networkList = createNetworkList({ ...deps, sandboxState: () => sandbox.state() })
  const foreignKeys = createForeignKeys(() => networkList.list(), secrets)
  const interest = createInterest()
  const remembered = deps.memory.current()
  // A restored backup may not contain the network.
  const chosen = networkList.list().find(({ id }) => id === remembered)
  let current: NetworkId = chosen?.id ?? 'sandbox'
  let lastState = ''

  const state = (): NetworksState => ({ current, networks: networkList.list() })

  function notify(): NetworksState {
    const now = state()
    // The sandbox reports a change with every block, most of which do not change this state.
    const serialized = JSON.stringify(now)
    if (serialized !== lastState) deps.onChanged(now)
    lastState = serialized
    return now
  }

  function choose(id: NetworkId): void {
    current = id
    deps.memory.setCurrent(id)
    interest.chosen(id)
    if (id === 'sandbox') deps.onSandboxChosen()
  }

  function endpoint(id: NetworkId, which: GatewayRoot): Endpoint {
    const network = networkList.find(id)
    const slot = slotOf(which)
    if (id === 'sandbox') return endpointOf(network, which, sandbox.ready()?.keys[slot] || null)
    const key = secrets.get(id, slot)
    const found = endpointOf(network, which, key)
    if (key !== null) foreignKeys.refuse(network, slot, key)
    return found
  }

  /**
   * While the keychain stores a secret, its network must not be removed, and its URLs must not
   * change.
   */
  const { run: runExclusive } = createMutex()

  const { access, forgetClient } = createAccess({
    http: deps.http,
    secrets,
    endpoint,
    find: networkList.find,
    current: () => current,
    interest,
  })

  const handlers: NetworkHandlers = {
    'network.list': state,
    'network.select'({ id }) {
      choose(networkList.find(id).id)
      return notify()
    },
    'network.add'(added) {
      const network = networkList.add(added)
      notify()
      return network
    },
    'network.change': ({ id, ...changed }) =>
      runExclusive(async () => {
        const before = networkList.findCustom(id)
        networkList.check(id, changed)
        // A secret may be sent only to the origins for which it was entered.
        for (const slot of secretSlot.options) {
          if (reachesNewOrigin(slot, before.urls, changed.urls)) await secrets.remove(id, slot)
        }
        const network = networkList.change(id, changed)
        forgetClient(id)
        const isMoved = (root: (typeof storedParts)[number]['root']) =>
          belongsToAnotherGateway(root, before.urls, changed.urls)
        if (isMoved('query')) interest.moved(id)
        for (const { root, part } of storedParts) if (isMoved(root)) await deps.forget(part, id)
        notify()
        return network
      }),
    'network.remove': ({ id }) =>
      runExclusive(async () => {
        networkList.findCustom(id)
        for (const slot of secretSlot.options) await secrets.remove(id, slot)
        networkList.remove(id)
        forgetClient(id)
        interest.gone(id)
        if (current === id) choose('sandbox')
        await deps.forget('webhooks', id)
        await deps.forget('invoices', id)
        return notify()
      }),
    'network.setSecret': ({ id, slot, secret }) =>
      runExclusive(async () => {
        foreignKeys.refuse(networkList.find(id), slot, secret)
        await secrets.set(id, slot, secret)
        notify()
        return networkList.find(id)
      }),
    'network.removeSecret': ({ id, slot }) =>
      runExclusive(async () => {
        foreignKeys.refuseSandbox(networkList.find(id))
        await secrets.remove(id, slot)
        notify()
        return networkList.find(id)
      }),
    async 'network.test'({ id }) {
      const network = networkList.find(id)
      await secrets.whenRead()
      return checkNetwork(network, deps.http, (root) => endpoint(id, root))
    },
  }

  return {
    handlers,
    state,
    access,
    sandboxChanged(): void {
      foreignKeys.learnSandbox(Object.values(sandbox.ready()?.keys ?? {}))
      notify()
    },
    /**
     * Replaces a secret while no network can change. The response of `ask` makes the old secret invalid.
     * @returns why the new secret is kept for this session only; null when the keychain stores it
     * @throws the error of `ask`, and then nothing has changed
     */
    replaceSecret: (id: NetworkId, slot: SecretSlot, ask: () => Promise<string>) =>
      runExclusive(async () => {
        networkList.find(id)
        const secret = await ask()
        try {
          await secrets.set(id, slot, secret)
          return null
        } catch (error) {
          secrets.hold(id, slot, secret)
          return messageOf(error)
        } finally {
          notify()
        }
      }),
    /** Reads the keys from the keychain, also after a failure. @throws AppError SECRETS_UNAVAILABLE */
    async reloadSecrets(): Promise<void> {
      await secrets.reload().finally(notify)
    },
  }
}

type AccessDeps = {
  readonly http: Http
  readonly secrets: Pick<NetworkSecrets, 'whenRead'>
  readonly endpoint: (id: NetworkId, which: GatewayRoot) => Endpoint
  readonly find: (id: NetworkId) => Network
  readonly current: () => NetworkId
  readonly interest: Pick<ReturnType<typeof createInterest>, 'of'>
}

function createAccess({ http, secrets, endpoint, find, current, interest }: AccessDeps) {
  const client = createClientMaker(http, endpoint, () => secrets.whenRead())
  /** Query clients are reused, because each client learns which method its server accepts. */
  const queries = new Map<NetworkId, QueryClient>()

  function query(id: NetworkId): QueryClient {
    const queryHttp = client(id, 'query')
    const existing = queries.get(id) ?? createQueryClient(queryHttp)
    queries.set(id, existing)
    return existing
  }

  return {
    /** Call this for a network that was removed or has new URLs. */
    forgetClient: (id: NetworkId) => queries.delete(id),
    /** None of these functions waits. Clients may be stored, because they use the current URL and key. */
    access: {
      current,
      /** @throws AppError NETWORK_UNKNOWN */
      info(id: NetworkId): Pick<Network, 'id' | 'kind' | 'name' | 'testOnly'> & {
        readonly deliversFromHere?: boolean
      } {
        const { kind, name, testOnly, urls } = find(id)
        const deliversFromHere = urls !== null && isLoopback(urls.webhooks)
        return { id, kind, name, testOnly, deliversFromHere }
      },
      /**
       * @throws AppError NETWORK_UNKNOWN; NETWORK_UNAVAILABLE with what to do. Calls of the client
       * throw as `HttpClient.call` does.
       */
      query,
      /** @throws AppError as `query` does */
      webhooks: (id: NetworkId) => createWebhooksClient(client(id, 'webhooks')),
      /** @throws AppError as `query` does */
      invoices: (id: NetworkId) => createInvoicesClient(client(id, 'invoices')),
      /** Aborted with NETWORK_SWITCHED when the user selects another network. Jobs do not use this signal. */
      interest: (id: NetworkId) => interest.of(id),
    },
  }
}

function createInterest() {
  const controllers = new Map<NetworkId, AbortController>()

  function end(network: NetworkId, message: string): void {
    controllers.get(network)?.abort(new AppError(networkCodes.switched, message))
    controllers.delete(network)
  }

  return {
    of(network: NetworkId): AbortSignal {
      const controller = controllers.get(network) ?? new AbortController()
      controllers.set(network, controller)
      return controller.signal
    },
    chosen(network: NetworkId): void {
      for (const other of [...controllers.keys()]) {
        if (other !== network) end(other, 'Another network was selected.')
      }
    },
    gone: (network: NetworkId) => end(network, 'The network was removed.'),
    moved: (network: NetworkId) => end(network, 'The network’s URL has changed.'),
  }
}

type NetworkListDeps = {
  readonly secrets: Pick<NetworkSecrets, 'kept'>
  readonly custom: CustomNetworks
  readonly sandboxState: () => SandboxState
  /** Returns a sentence that says why no gateway can be at a URL; null if one can be. */
  readonly placeProblem: (url: URL) => string | null
  readonly now: () => number
}

function createNetworkList(deps: NetworkListDeps) {
  const { secrets, now } = deps
  let custom = deps.custom.list()

  function list(): Network[] {
    return [
      readSandbox(deps.sandboxState()),
      ...apiPresets.map((preset) => ({
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
        problem: urlsProblem(network.urls, deps.placeProblem),
      })),
    ]
  }

  function find(id: NetworkId): Network {
    const found = list().find((network) => network.id === id)
    if (found !== undefined) return found
    throw new AppError(networkCodes.unknown, 'Network not found. It may have been removed.')
  }

  /** @throws AppError INVALID_INPUT */
  function check(id: NetworkId | null, { name, urls }: CustomNetwork): void {
    const isTaken = list().some(
      (other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase(),
    )
    if (isTaken) throw invalid('name', 'A network with this name already exists.')
    const problem = urlsProblem(urls, deps.placeProblem)
    if (problem !== null) throw invalid('urls', problem)
  }

  return {
    /** The sandbox comes first, then the service's networks, then custom ones, oldest first. */
    list,
    /** @throws AppError NETWORK_UNKNOWN */
    find,
    findCustom(id: NetworkId): Network & { readonly urls: NetworkUrls } {
      const found = find(id)
      if (found.kind === 'custom' && found.urls !== null) return { ...found, urls: found.urls }
      throw new AppError(networkCodes.unknown, `${found.name} is built in and cannot be changed.`)
    },
    /** @throws AppError INVALID_INPUT */
    add(added: CustomNetwork): Network {
      check(null, added)
      const id = `custom-${randomBytes(4).toString('hex')}`
      deps.custom.add({ id, ...added }, now())
      custom = deps.custom.list()
      return find(id)
    },
    /** @throws AppError INVALID_INPUT as `change` would */
    check,
    /** @throws AppError INVALID_INPUT */
    change(id: NetworkId, changed: CustomNetwork): Network {
      check(id, changed)
      deps.custom.change({ id, ...changed })
      custom = deps.custom.list()
      return find(id)
    },
    remove(id: NetworkId): void {
      deps.custom.remove(id)
      custom = deps.custom.list()
    },
  }
}

const invalid = (path: string, message: string): AppError =>
  new AppError(bridgeCodes.invalidInput, message, { data: [{ path, message }] })

/** Stored URLs are validated again, because the database may come from an edited backup. */
function urlsProblem(
  urls: NetworkUrls,
  placeProblem: NetworkListDeps['placeProblem'],
): string | null {
  for (const url of Object.values(urls)) {
    if (url === null) continue
    const problem = baseUrlProblem(url) ?? placeProblem(new URL(url))
    if (problem !== null) return `The URL ${url} cannot be used. ${problem}`
  }
  return null
}

function readSandbox({ status, problem, urls }: SandboxState): Network {
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
    problem: sandboxProblem(status, problem),
  }
}

function sandboxProblem(status: SandboxState['status'], why: string | null): string | null {
  const problems = {
    running: null,
    starting: 'The sandbox is starting. Try again in a moment.',
    stopped: 'The sandbox is not running. Start it first.',
    failed: `The sandbox has failed: ${why ?? 'the cause is unknown.'} Restart it.`,
  }
  return problems[status]
}
