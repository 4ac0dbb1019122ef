/** Sends requests of the explorer and of alerts through the delivery guard, each over its own connection. */
import { createGuard, resolveBySystem } from '../delivery/sender/guard.ts'
import { sendOnce } from '../delivery/sender/sender.ts'
import { createConfirmedHosts } from '../delivery/store/confirmed-hosts.ts'
import type { PictureRequest } from '../explorer/assets/pictures.ts'
import type { Post } from '../alerts/senders.ts'
import type { BaseContext } from './context.ts'
import type { OwnAddresses } from './self-addresses.ts'
import { appVersion } from './version.ts'

const keptResponseBytes = 1024

/**
 * Sends the request without a proxy, because a proxy would resolve the name itself and could reach
 * a private address.
 */
export function createPictureRequest(own: () => OwnAddresses): PictureRequest {
  const isConfirmed = () => true
  const guard = createGuard({ resolve: resolveBySystem, own, isConfirmed, isPublicOnly: true })
  const headers = [
    ['accept', 'image/png,image/jpeg,image/gif,image/webp'],
    ['user-agent', `Tondesk/${appVersion}`],
  ] as const
  return (url, options) =>
    sendOnce(guard, { method: 'GET', headers, body: Buffer.alloc(0) }, url, options)
}

export function createAlertRequests({ database }: BaseContext, own: () => OwnAddresses) {
  // Each check reads the confirmed hosts from the database, because the send thread confirms and revokes them.
  const isConfirmed = (host: string) => createConfirmedHosts(database).has(host)
  const guard = createGuard({ resolve: resolveBySystem, own, isConfirmed })
  const post: Post = (url, headers, body, timeoutMs, signal) =>
    sendOnce(guard, { method: 'POST', headers, body: Buffer.from(body) }, url, {
      timeoutMs,
      keepBytes: keptResponseBytes,
      signal,
    })
  return { post, demandTarget: (url: string) => guard.demand(url) }
}
