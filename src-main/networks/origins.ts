/** Where a network's secrets go, and where they must not. Pure. */
import type { NetworkUrls, SecretSlot } from '../../src-preload/contract/network.ts'

/** Every root that is asked with the secret of this slot. */
function urlsOf(slot: SecretSlot, urls: NetworkUrls): string[] {
  const roots = slot === 'api' ? [urls.query, urls.webhooks, urls.testnetWebhooks] : [urls.console]
  return roots.filter((url) => url !== null)
}

/** The origins that the secret of this slot is sent to. */
export function originsOf(slot: SecretSlot, urls: NetworkUrls): string[] {
  return [...new Set(urlsOf(slot, urls).map((url) => URL.parse(url)?.origin ?? url))]
}

/** True when another gateway is asked from now on, which may well know another chain, or other webhooks. */
export function asksAnother(
  root: 'query' | 'webhooks' | 'console',
  before: NetworkUrls,
  after: NetworkUrls,
): boolean {
  return originOf(before[root]) !== originOf(after[root])
}

/** True when a secret given for the URLs before would be sent to somebody new. */
export function reachesNewOrigin(
  slot: SecretSlot,
  before: NetworkUrls,
  after: NetworkUrls,
): boolean {
  const known = originsOf(slot, before)
  return originsOf(slot, after).some((origin) => !known.includes(origin))
}

/** This computer itself: a sandbox, or a gateway of one's own. */
export function isLoopback(url: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(URL.parse(url)?.hostname ?? '')
}

/** Whether the secret of this slot stays on this computer, leaves it, or does both. */
export function reachOf(slot: SecretSlot, urls: NetworkUrls): { here: boolean; away: boolean } {
  const loopback = urlsOf(slot, urls).map(isLoopback)
  return { here: loopback.includes(true), away: loopback.includes(false) }
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : URL.parse(url)?.origin
}
