/**
 * Classifies IP addresses by IANA's special-address registries (RFC 6890 and its successors). An
 * address not known to be public is refused.
 */
import { BlockList, SocketAddress, isIP, isIPv4, isIPv6 } from 'node:net'

type AddressKind =
  | { readonly kind: 'loopback' | 'public' }
  /** `reason` completes the sentence “… is”. */
  | { readonly kind: 'refused'; readonly reason: string }

const privateAddress = 'a private address'
const carrierAddress = 'an address behind a carrier’s NAT'
const metadataService = 'the metadata service of a cloud'

/** The first range in the list that contains an address decides. */
const v4Refused: readonly (readonly [range: string, reason: string])[] = [
  ['0.0.0.0/8', 'an unspecified address'],
  ['10.0.0.0/8', privateAddress],
  ['100.100.100.200/32', metadataService],
  ['100.64.0.0/10', carrierAddress],
  // The address of Azure’s metadata and DNS service, the only such service in a public range.
  ['168.63.129.16/32', metadataService],
  ['169.254.0.0/16', 'a link-local address, where clouds have their metadata service'],
  ['172.16.0.0/12', privateAddress],
  ['192.0.0.0/24', 'reserved for protocols'],
  ['192.0.2.0/24', 'reserved for documentation'],
  ['192.88.99.0/24', 'a relay between IPv6 and IPv4'],
  ['192.168.0.0/16', privateAddress],
  ['198.18.0.0/15', 'reserved for benchmarks'],
  ['198.51.100.0/24', 'reserved for documentation'],
  ['203.0.113.0/24', 'reserved for documentation'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
]

const v6Refused: readonly (readonly [range: string, reason: string])[] = [
  ['2001::/32', 'a Teredo address, which is a tunnel to another address'],
  ['2001::/23', 'reserved for protocols'],
  ['2001:db8::/32', 'reserved for documentation'],
  ['2002::/16', 'a 6to4 address, which is a relay to another address'],
  ['3fff::/20', 'reserved for documentation'],
  ['::/128', 'the unspecified address'],
  ['::/96', 'an IPv4-compatible address that contains another address'],
  ['::ffff:0:0:0/96', 'a translated IPv4 address that contains another address'],
  ['64:ff9b:1::/48', 'a local NAT64 address that contains another address'],
  ['fd00:ec2::254/128', metadataService],
  ['fc00::/7', privateAddress],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', privateAddress],
  ['ff00::/8', 'a multicast address'],
]

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
const refusedNat64 = [loopbackV4, ...v4Refused.map(([range]) => range)].map((range) => {
  const [address = '', length] = range.split('/')
  return `64:ff9b::${address}/${96 + Number(length)}`
})

const refusedRanges = [
  ...[...v4Refused, ...v6Refused].map(([range, reason]) => ({ list: listOf(range), reason })),
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
