/** Clients of the networks' APIs, which go by the URL and the key of the moment they are asked. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Http, HttpClient } from '../gateway/http.ts'
import { type Endpoint, type EndpointName, rootOf } from './endpoint.ts'

type ClientDeps = {
  readonly http: Http
  /** @throws AppError when there is nothing to ask */
  readonly endpoint: (network: NetworkId, which: EndpointName) => Endpoint
  /** Resolves once the keys are at hand. */
  readonly whenReady: () => Promise<void>
}

/**
 * Makes a client for one address of a network. It can be kept: a changed URL or key counts from its
 * next question on, and one that came before the keys were read waits for them.
 */
export function createClientMaker({ http, endpoint, whenReady }: ClientDeps) {
  const made = new Map<string, { endpoint: Endpoint; client: HttpClient }>()

  function current(network: NetworkId, which: EndpointName): HttpClient {
    const wanted = endpoint(network, which)
    const known = made.get(`${network} ${which}`)
    if (known !== undefined && isSame(known.endpoint, wanted)) return known.client
    const { perSecond, ...target } = wanted
    const client = http.client({ ...target, queue: { network, root: rootOf(which), perSecond } })
    made.set(`${network} ${which}`, { endpoint: wanted, client })
    return client
  }

  return (network: NetworkId, which: EndpointName): HttpClient => {
    // Told at once where it can be known already that asking is of no use.
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

function isSame(one: Endpoint, other: Endpoint): boolean {
  return (
    one.name === other.name &&
    one.baseUrl === other.baseUrl &&
    one.key === other.key &&
    one.perSecond === other.perSecond
  )
}
