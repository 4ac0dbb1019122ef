import {
  type ReceiverAddress,
  hooksOf,
  isHere,
  isSameEndpoint,
  originOf,
  publicHook,
} from '../app/self-addresses.ts'
import { isPublicHost } from '../net/address.ts'
import type { EndpointSuggestion, EndpointWarning } from '../../src-preload/contract/webhook.ts'

/** Shortens an endpoint to its host, because its path may hold a secret. */
export function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? 'the endpoint'
}

export function suggestEndpoints(
  receiver: ReceiverAddress,
  about: { readonly isSandbox: boolean },
): EndpointSuggestion[] {
  const outside = publicHook(receiver)
  const own = about.isSandbox
    ? 'The URL of this receiver. The sandbox runs on this computer and can reach it.'
    : 'The local URL of this receiver. Only a gateway on this computer can reach it.'
  return [
    ...(outside === null ? [] : [{ url: outside, why: 'The public URL of this receiver.' }]),
    { url: receiver.url, why: own },
  ]
}

type EndpointCircumstances = {
  readonly isSandbox: boolean
  /** The gateway is on this computer, so it reaches local hosts. */
  readonly isFromHere?: boolean
  readonly allowedHosts: readonly string[]
  readonly receiver: ReceiverAddress
  readonly others: readonly { readonly id: string; readonly endpoint: string }[]
}

export function checkEndpoint(endpoint: string, about: EndpointCircumstances): EndpointWarning[] {
  const url = URL.parse(endpoint)
  if (url === null) return []
  const warnings: EndpointWarning[] = []
  const isOutside = isPublicHost(url.hostname)
  const reachesLocal = about.isSandbox || about.isFromHere === true
  if (!isOutside && !reachesLocal) {
    warnings.push({
      kind: 'not-public',
      message: `The gateway cannot reach ${url.hostname}, because the host is on this computer or in its local network. Use the public URL of a tunnel.`,
    })
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (about.isSandbox && !isThisComputer(host) && !about.allowedHosts.includes(host)) {
    warnings.push({
      kind: 'host-not-allowed',
      message: `The sandbox delivers to this computer only. Deliveries to ${host} fail until you allow that host.`,
    })
  }
  if (url.protocol === 'http:' && (isOutside || !reachesLocal)) {
    warnings.push({
      kind: 'plain-http',
      message:
        'This URL is not encrypted: anyone on the network path can read the events and the token. Use https if possible.',
    })
  }
  const used = about.others.filter((other) => isSameEndpoint(other.endpoint, endpoint))
  if (used.length > 0) {
    const names = used.map(({ id }) => id).join(', ')
    warnings.push({
      kind: 'in-use',
      message: `This URL is already the endpoint of webhook ${names}. If several webhooks subscribe to an event, the event arrives once for each of them.`,
    })
  }
  const missed = missedHook(url, about.receiver)
  if (missed !== null) {
    warnings.push({
      kind: 'wrong-path',
      message: `The receiver responds with 404 at this path. Use the receiver’s own path, ${missed.pathname}.`,
    })
  }
  return warnings
}

function missedHook(url: URL, receiver: ReceiverAddress): URL | null {
  if (isHere(url.href, receiver)) return null
  return hooksOf(receiver).find((hook) => originOf(hook) === originOf(url)) ?? null
}

function isThisComputer(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host) || host.endsWith('.localhost')
}
