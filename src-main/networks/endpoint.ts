import { isDeepStrictEqual } from 'node:util'
import type { GatewayRoot } from '../../src-preload/contract/traffic.ts'
import {
  type Network,
  type NetworkUrls,
  type SecretSlot,
  type NetworkId,
  secretSlot,
} from '../../src-preload/contract/network.ts'
import { AppError, networkCodes } from '../../src-preload/domain/app-error.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import type { Http, HttpClient } from '../gateway/http.ts'

export type Endpoint = {
  readonly name: string
  readonly baseUrl: string
  readonly key: string | null
  /** The initial rate in requests per second; null if no limit is known. */
  readonly perSecond: number | null
}

/** The service's specification allows one request in 4 seconds. */
const keylessPerSecond = 0.25
/** The rate of the smallest plan; the request queue learns a higher limit. */
const keyedPerSecond = 1

export const slotOf = (name: GatewayRoot): SecretSlot => (name === 'invoices' ? 'invoices' : 'api')

/** @throws AppError NETWORK_UNAVAILABLE when the network has no such address */
export function endpointOf(network: Network, which: GatewayRoot, key: string | null): Endpoint {
  const { kind, urls, problem } = network
  if (urls === null || problem !== null) throw unavailable(problem ?? `${network.name} has no URL.`)
  const [url, label] = endpoints[which]
  const baseUrl = urls[url]
  if (baseUrl === null) {
    throw unavailable(`${network.name} has no URL for ${label}. Choose a network that has one.`)
  }
  const perSecond = key === null ? keylessPerSecond : keyedPerSecond
  return {
    name: kind === 'sandbox' ? 'The sandbox' : network.name,
    baseUrl,
    key,
    perSecond: isLoopback(baseUrl) ? null : perSecond,
  }
}

const endpoints: Readonly<Record<GatewayRoot, readonly [url: keyof NetworkUrls, label: string]>> = {
  query: ['query', 'the query API'],
  webhooks: ['webhooks', 'webhooks'],
  invoices: ['console', 'invoices'],
}

const unavailable = (message: string): AppError => new AppError(networkCodes.unavailable, message)

function urlsOf(slot: SecretSlot, urls: NetworkUrls): string[] {
  const roots = slot === 'api' ? [urls.query, urls.webhooks, urls.testnetWebhooks] : [urls.console]
  return roots.filter((url) => url !== null)
}

export const originsOf = (slot: SecretSlot, urls: NetworkUrls): string[] => [
  ...new Set(urlsOf(slot, urls).map((url) => URL.parse(url)?.origin ?? url)),
]

/** True if the root now belongs to another gateway, with another chain, webhooks or invoices. */
export function belongsToAnotherGateway(
  root: 'query' | 'webhooks' | 'console',
  before: NetworkUrls,
  after: NetworkUrls,
): boolean {
  return originOf(before[root]) !== originOf(after[root])
}

/** True if a secret entered for the old URLs would be sent to another origin. */
export function reachesNewOrigin(
  slot: SecretSlot,
  before: NetworkUrls,
  after: NetworkUrls,
): boolean {
  const origins = originsOf(slot, before)
  return originsOf(slot, after).some((origin) => !origins.includes(origin))
}

export const isLoopback = (url: string): boolean =>
  ['127.0.0.1', '[::1]', 'localhost'].includes(URL.parse(url)?.hostname ?? '')

function reachOf(slot: SecretSlot, urls: NetworkUrls): { here: boolean; away: boolean } {
  const loopback = urlsOf(slot, urls).map(isLoopback)
  return { here: loopback.includes(true), away: loopback.includes(false) }
}

const originOf = (url: string | null): string | undefined =>
  url === null ? undefined : URL.parse(url)?.origin

export function createForeignKeys(
  list: () => readonly Network[],
  secrets: Pick<NetworkSecrets, 'get'>,
) {
  const sandboxKeys = new Set<string>()

  /** Returns another network with the same secret that is not on this computer. */
  function ownerAway(id: NetworkId, secret: string): Network | undefined {
    return list().find(
      ({ id: other, urls }) =>
        other !== id &&
        urls !== null &&
        secretSlot.options.some(
          (slot) => reachOf(slot, urls).away && secrets.get(other, slot) === secret,
        ),
    )
  }

  return {
    learnSandbox(keys: readonly string[]): void {
      for (const key of keys) sandboxKeys.add(key)
    },
    /** @throws AppError NETWORK_KEY_OF_ANOTHER for the sandbox, which accepts no key */
    refuseSandbox,
    /** @throws AppError NETWORK_KEY_OF_ANOTHER when a secret belongs to another network */
    refuse(network: Network, slot: SecretSlot, secret: string): void {
      refuseSandbox(network)
      const { id, name, urls } = network
      if (urls === null) return
      const { here, away } = reachOf(slot, urls)
      if (away && sandboxKeys.has(secret)) {
        throw wrongKind(`This key belongs to the sandbox, not to ${name}.`)
      }
      const owner = here ? ownerAway(id, secret) : undefined
      if (owner === undefined) return
      throw wrongKind(
        `This key belongs to ${owner.name}, but the gateway of ${name} is on this computer. Use a key of that gateway.`,
      )
    },
  }
}

function refuseSandbox({ kind }: Network): void {
  if (kind !== 'sandbox') return
  throw wrongKind('The sandbox accepts only its own keys. Choose the network that the key is for.')
}

const wrongKind = (message: string): AppError => new AppError(networkCodes.wrongKind, message)

/** Clients may be stored: a changed URL or key applies from the next request. */
export function createClientMaker(
  http: Http,
  endpoint: (network: NetworkId, which: GatewayRoot) => Endpoint,
  whenReady: () => Promise<void>,
) {
  const clients = new Map<string, { endpoint: Endpoint; client: HttpClient }>()

  function current(network: NetworkId, which: GatewayRoot): HttpClient {
    const wanted = endpoint(network, which)
    const before = clients.get(`${network} ${which}`)
    if (before !== undefined && isDeepStrictEqual(before.endpoint, wanted)) return before.client
    const { perSecond, ...target } = wanted
    const client = http.client({ ...target, queue: { network, root: which, perSecond } })
    clients.set(`${network} ${which}`, { endpoint: wanted, client })
    return client
  }

  return (network: NetworkId, which: GatewayRoot): HttpClient => {
    endpoint(network, which)
    return {
      async call(call) {
        await whenReady()
        return current(network, which).call(call)
      },
      async *events(path, signal) {
        await whenReady()
        yield* current(network, which).events(path, signal)
      },
    }
  }
}
