import { isIP } from 'node:net'
import { addressKind, gatewayAddressProblem } from '../delivery/sender/address.ts'
import type { OwnPlaces } from '../delivery/sender/guard.ts'

type Places = {
  readonly receiver: string
  readonly sandbox: readonly string[]
  readonly sandboxPort: number
  readonly windowPort: number | null
  readonly publicUrl: string | null
}

/** Includes ports that are configured but not open; nothing is forwarded or replayed to them. */
export function ownPlaces(places: Places): OwnPlaces {
  const portOf = (url: string) => Number(URL.parse(url)?.port ?? 0)
  const { receiver, sandbox, sandboxPort, windowPort, publicUrl } = places
  return {
    ports: [
      { port: portOf(receiver), whose: 'the receiver' },
      ...[...sandbox.map(portOf), sandboxPort].map((port) => ({ port, whose: 'the sandbox' })),
      { port: windowPort ?? 0, whose: 'the window' },
    ].filter(({ port }) => port > 0),
    publicUrls: publicUrl === null ? [] : [publicUrl],
  }
}

/**
 * Returns a sentence, or null. The address that a name resolves to is checked at the connection
 * (gateway/http.ts).
 */
export function gatewayPlaceProblem(url: URL, ownPorts: OwnPlaces['ports']): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isAddress = isIP(host) !== 0
  const problem = isAddress ? gatewayAddressProblem(host) : null
  if (problem !== null) return `${host} is ${problem}: no gateway is there.`
  const isHere = isAddress ? addressKind(host).kind === 'loopback' : /(^|\.)localhost$/.test(host)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const own = ownPorts.find((each) => each.port === port)
  return isHere && own !== undefined ? `${url.host} is ${own.whose} of Tondesk itself.` : null
}
