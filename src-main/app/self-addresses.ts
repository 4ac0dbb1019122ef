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

/** Ports as they are, or as they would be: nothing is forwarded or replayed to them. */
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
 * Why no gateway of a user's own can be at this URL, as a sentence; null where one can. What a name leads
 * to is judged when it is connected to (gateway/http.ts).
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
