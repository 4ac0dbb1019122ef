/** Clients of the networks' APIs, which go by the URL and the key of the moment they are asked. */
import type { GatewayRoot, NetworkId } from '../../src-preload/contract/index.ts'
import type { Http, HttpClient } from '../gateway/http.ts'

export type Endpoint = {
  /** As a sentence begins: "The sandbox". */
  readonly name: string
  readonly baseUrl: string
  readonly key: string | null
  readonly perSecond: number | null
}

/** One of a network's addresses. The two of webhooks share their key's pace. */
export type EndpointName = GatewayRoot | 'testnet-webhooks'

export function rootOf(name: EndpointName): GatewayRoot {
  return name === 'testnet-webhooks' ? 'webhooks' : name
}

export type ClientDeps = {
  readonly http: Http
  /** @throws AppError when there is nothing to ask */
  readonly endpoint: (network: NetworkId, name: EndpointName) => Endpoint
  /** Resolves once the keys are at hand. */
  readonly whenReady: () => Promise<void>
}

/**
 * Makes a client for one address of a network. It can be kept: a changed URL or key counts from its
 * next question on, and one that came before the keys were read waits for them.
 */
export function createClientMaker({ http, endpoint, whenReady }: ClientDeps) {
  const made = new Map<string, { endpoint: Endpoint; client: HttpClient }>()

  function current(network: NetworkId, name: EndpointName): HttpClient {
    const wanted = endpoint(network, name)
    const known = made.get(`${network} ${name}`)
    if (known !== undefined && isSame(known.endpoint, wanted)) return known.client
    const { perSecond, ...target } = wanted
    const client = http.client({ ...target, lane: { network, root: rootOf(name), perSecond } })
    made.set(`${network} ${name}`, { endpoint: wanted, client })
    return client
  }

  return (network: NetworkId, name: EndpointName): HttpClient => ({
    async call(call) {
      await whenReady()
      return current(network, name).call(call)
    },
    async *events(path, signal) {
      await whenReady()
      yield* current(network, name).events(path, signal)
    },
  })
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return (
    one.name === other.name &&
    one.baseUrl === other.baseUrl &&
    one.key === other.key &&
    one.perSecond === other.perSecond
  )
}
