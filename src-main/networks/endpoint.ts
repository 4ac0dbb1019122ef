import type { GatewayRoot } from '../../src-preload/contract/traffic.ts'
import type { Network, NetworkUrls, SecretSlot } from '../../src-preload/contract/network.ts'
import { networkCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { isLoopback } from './origins.ts'

/** One of a network's addresses. The two of webhooks share their key and its pace. */
export type EndpointName = GatewayRoot | 'testnet-webhooks'

/** How one is asked. */
export type Endpoint = {
  /** As a sentence begins: "The sandbox". */
  readonly name: string
  readonly baseUrl: string
  readonly key: string | null
  /** Requests a second to begin with; null where no limit is known. */
  readonly perSecond: number | null
}

/** Specification of the service: one request in 4 seconds. */
const keylessPerSecond = 0.25
/** Of the smallest plan; the lane learns what there is beyond. */
const keyedPerSecond = 1

export function rootOf(name: EndpointName): GatewayRoot {
  return name === 'testnet-webhooks' ? 'webhooks' : name
}

export function slotOf(name: EndpointName): SecretSlot {
  return name === 'invoices' ? 'invoices' : 'api'
}

/** @throws AppError NETWORK_UNAVAILABLE when there is nothing to ask */
export function endpointOf(network: Network, which: EndpointName, key: string | null): Endpoint {
  const { kind, urls, problem } = network
  if (urls === null || problem !== null) {
    throw unavailable(problem ?? `${network.name} has no address.`)
  }
  const baseUrl = urlOf(urls, which)
  if (baseUrl === null) {
    throw unavailable(
      `${network.name} has no address for ${words[which]}. Choose a network that has one.`,
    )
  }
  const perSecond = key === null ? keylessPerSecond : keyedPerSecond
  return {
    name: kind === 'sandbox' ? 'The sandbox' : network.name,
    baseUrl,
    key,
    perSecond: isLoopback(baseUrl) ? null : perSecond,
  }
}

const words: Readonly<Record<EndpointName, string>> = {
  query: 'the query API',
  webhooks: 'webhooks',
  'testnet-webhooks': 'webhooks of a test network',
  invoices: 'invoices',
}

function urlOf(urls: NetworkUrls, which: EndpointName): string | null {
  switch (which) {
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

function unavailable(message: string): AppError {
  return new AppError(networkCodes.unavailable, message)
}
