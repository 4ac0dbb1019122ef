import type { LookupFunction } from 'node:net'
import { lookup } from 'node:dns'
import { buildConnector } from 'undici'
import { isLoopbackAddress, isLoopbackHost, withoutBrackets } from './loopback.ts'

/** The endpoint is elsewhere, and nobody has allowed that. */
export class HostNotAllowedError extends Error {}

/**
 * Connects to this computer only, or to hosts that were allowed by name. The check is here, at the
 * connection, and of the address it goes to: a name may stand for another one each time it is asked.
 */
export function connectAllowed(allowHost: (host: string) => boolean): buildConnector.connector {
  const options = { allowH2: false, timeout: 10_000, keepAlive: false }
  const anywhere = buildConnector(options)
  const here = buildConnector({ ...options, lookup: lookupLoopback })
  return (target, callback) => {
    const host = withoutBrackets(target.hostname).toLowerCase()
    const bare = { ...target, hostname: host }
    if (allowHost(host)) anywhere(bare, callback)
    else if (isLoopbackHost(host)) here(bare, callback)
    else {
      // The name is not even looked up: the sandbox is offline.
      callback(new HostNotAllowedError(notAllowed(host)), null)
    }
  }
}

/** Why nothing can ever be delivered to the URL; null when something can, if its host is there. */
export function whyUndeliverable(url: string, allowHost: (host: string) => boolean): string | null {
  const host = withoutBrackets(URL.parse(url)?.hostname ?? '').toLowerCase()
  return allowHost(host) || isLoopbackHost(host) ? null : notAllowed(host)
}

function notAllowed(host: string): string {
  return `${host} is not this computer, and is not among the hosts that this sandbox may deliver to`
}

const lookupLoopback: LookupFunction = (name, options, callback) => {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '')
      return
    }
    const own = addresses.filter(({ address }) => isLoopbackAddress(address))
    const [first] = own
    if (first === undefined) callback(new HostNotAllowedError(notAllowed(name)), '')
    else if (options.all === true) callback(null, own)
    else callback(null, first.address, first.family)
  })
}
