import { isIP } from 'node:net'
import { addressKind, gatewayAddressProblem } from '../delivery/sender/address.ts'
import type { OwnPlaces } from '../delivery/sender/guard.ts'

/**
 * Returns a sentence, or null. The address that a name resolves to is checked at the connection
 * (gateway/http.ts).
 */
export function gatewayPlaceProblem(url: URL, ownPorts: OwnPlaces['ports']): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isAddress = isIP(host) !== 0
  const problem = isAddress ? gatewayAddressProblem(host) : null
  if (problem !== null) return `${host} is ${problem}, which cannot be a gateway.`
  const isHere = isAddress ? addressKind(host).kind === 'loopback' : /(^|\.)localhost$/.test(host)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const own = ownPorts.find((each) => each.port === port)
  return isHere && own !== undefined
    ? `${url.host} is ${own.whose} of this Tondesk, not a gateway.`
    : null
}
