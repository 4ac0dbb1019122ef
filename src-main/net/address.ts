/**
 * Classifies IP addresses by IANA's special-address registries (RFC 6890 and its successors). An
 * address not known to be public is refused.
 */
import { BlockList, SocketAddress, isIP, isIPv4, isIPv6 } from 'node:net'
import specialAddresses from './special-addresses.json' with { type: 'json' }

type AddressKind =
  | { readonly kind: 'loopback' | 'public' }
  /** `reason` completes the sentence “… is”. */
  | { readonly kind: 'refused'; readonly reason: string }

const privateAddress = 'a private address'
const carrierAddress = 'an address behind a carrier’s NAT'

/**
 * Ranges and why each is refused; the first range that contains an address decides. 168.63.129.16 is the
 * address of Azure’s metadata and DNS service, the only such service in a public range.
 */
const refusedOf = (ranges: readonly string[][]) =>
  ranges.map(([range = '', reason = '']) => ({ range, reason }))
const [v4Refused, v6Refused] = [refusedOf(specialAddresses.v4), refusedOf(specialAddresses.v6)]

function listOf(...ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', length] = range.split('/')
    list.addSubnet(address, Number(length), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}

const loopbackV4 = '127.0.0.0/8'
/**
 * The IPv4 ranges also match IPv4-mapped IPv6 addresses (::ffff:a.b.c.d), because the system
 * connects to the IPv4 address.
 */
const loopback = listOf(loopbackV4, '::1/128')
const publicRanges = listOf('0.0.0.0/0', '64:ff9b::/96', '2000::/3')

/** NAT64 (RFC 6052): on IPv6-only networks, names of IPv4 hosts resolve to these addresses. */
const refusedNat64 = [loopbackV4, ...v4Refused.map(({ range }) => range)].map((range) => {
  const [address = '', length] = range.split('/')
  return `64:ff9b::${address}/${96 + Number(length)}`
})

const refusedRanges = [
  ...[...v4Refused, ...v6Refused].map(({ range, reason }) => ({ list: listOf(range), reason })),
  { list: listOf(...refusedNat64), reason: 'a NAT64 address without a public target' },
]

/** ISATAP (RFC 5214): the lower half contains the IPv4 address. */
const isatap = /:(?:0|200)?:5efe(?:(?::[\da-f]+){2}|::)$/

/** @param text in the system's notation: four decimal numbers, or IPv6 without brackets */
export function addressKind(text: string): AddressKind {
  const family = isIPv4(text) ? 'ipv4' : 'ipv6'
  // An address with a zone index is link-local.
  if (family === 'ipv6' && (!isIPv6(text) || text.includes('%'))) {
    return { kind: 'refused', reason: 'not a plain IP address' }
  }
  if (loopback.check(text, family)) return { kind: 'loopback' }
  const refused = refusedRanges.find(({ list }) => list.check(text, family))
  if (refused !== undefined) return { kind: 'refused', reason: refused.reason }
  if (!publicRanges.check(text, family)) return { kind: 'refused', reason: 'not a public address' }
  if (isatap.test(new SocketAddress({ address: text, family }).address)) {
    return { kind: 'refused', reason: 'an ISATAP address that contains another address' }
  }
  return { kind: 'public' }
}

/**
 * Returns a phrase that follows "is", or null. A gateway, unlike a target, may be in a private
 * network, because the user entered its address and its key is sent nowhere else.
 */
export function gatewayAddressProblem(text: string): string | null {
  const judged = addressKind(text)
  if (judged.kind !== 'refused') return null
  return [privateAddress, carrierAddress].includes(judged.reason) ? null : judged.reason
}

const local = listOf(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.168.0.0/16', '::/96', 'fc00::/7', 'fe80::/10'],
)

/** Names that public DNS does not resolve (RFC 6761, 6762, 8375, and names that routers use). */
const localNames = /(^|\.)(localhost|local|internal|lan|home|home\.arpa|intranet|test|invalid)$/

/** @param hostname the host name in the form of `URL` */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  // An IPv4-mapped IPv6 address is classified as IPv4.
  const kind = isIP(host)
  if (kind !== 0) return !local.check(host, kind === 4 ? 'ipv4' : 'ipv6')
  return host.includes('.') && !localNames.test(host)
}
