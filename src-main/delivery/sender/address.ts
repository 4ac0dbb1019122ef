/**
 * What an IP address leads to. Pure. The ranges are those of IANA's registries of special addresses
 * (RFC 6890 and its successors), read so that what is not known to be public is refused.
 */

type AddressKind =
  | { readonly kind: 'loopback' | 'public' }
  /** `reason` completes “… is”. */
  | { readonly kind: 'refused'; readonly reason: string }

const privateAddress = 'a private address'
const carrierAddress = 'an address behind a carrier’s NAT'
const metadataService = 'the metadata service of a cloud'

/** The first range that holds an address decides. */
const v4Refused: readonly (readonly [range: string, reason: string])[] = [
  ['0.0.0.0/8', 'an unspecified address'],
  ['10.0.0.0/8', privateAddress],
  ['100.100.100.200/32', metadataService],
  ['100.64.0.0/10', carrierAddress],
  // Azure’s metadata and DNS, the one such service in a public range.
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

/** Parts of 2000::/3, outside of which nothing is public. */
const v6Refused: readonly (readonly [range: string, reason: string])[] = [
  ['2001::/32', 'a Teredo address, which leads through a tunnel to another'],
  ['2001::/23', 'reserved for protocols'],
  ['2001:db8::/32', 'reserved for documentation'],
  ['2002::/16', 'a 6to4 address, which leads through a relay to another'],
  ['3fff::/20', 'reserved for documentation'],
]

const v6Elsewhere: readonly (readonly [range: string, reason: string])[] = [
  ['::/128', 'the unspecified address'],
  ['::/96', 'an IPv4-compatible address, which leads to another'],
  ['::ffff:0:0:0/96', 'a translated IPv4 address, which leads to another'],
  ['64:ff9b:1::/48', 'a local NAT64 address, which leads to another'],
  ['fd00:ec2::254/128', metadataService],
  ['fc00::/7', privateAddress],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', privateAddress],
  ['ff00::/8', 'a multicast address'],
]

type Range = { readonly base: bigint; readonly shift: bigint; readonly reason: string }

const toRange =
  (bits: bigint, read: (text: string) => bigint | null) =>
  ([text, reason]: readonly [string, string]): Range => {
    const [address = '', length = ''] = text.split('/')
    const shift = bits - BigInt(length)
    return { base: (read(address) ?? 0n) >> shift, shift, reason }
  }

const v4Ranges = v4Refused.map(toRange(32n, readIpv4))
const v6Ranges = v6Refused.map(toRange(128n, readIpv6))
const elsewhere = v6Elsewhere.map(toRange(128n, readIpv6))

const found = (ranges: readonly Range[], address: bigint) =>
  ranges.find(({ base, shift }) => address >> shift === base)

/** @param text as the system writes addresses: four decimal numbers, or IPv6 without brackets */
export function addressKind(text: string): AddressKind {
  const v4 = readIpv4(text)
  if (v4 !== null) return ipv4Kind(v4)
  const v6 = readIpv6(text)
  return v6 === null ? { kind: 'refused', reason: 'no plain IP address' } : ipv6Kind(v6)
}

/**
 * Why no gateway can be at this address, as it follows "is"; null where one can. Unlike a target, it may
 * be in a private network: the user has named it, and its key goes nowhere else.
 */
export function gatewayAddressProblem(text: string): string | null {
  const judged = addressKind(text)
  if (judged.kind !== 'refused') return null
  return [privateAddress, carrierAddress].includes(judged.reason) ? null : judged.reason
}

function ipv4Kind(address: bigint): AddressKind {
  if (address >> 24n === 127n) return { kind: 'loopback' }
  const refused = found(v4Ranges, address)
  return refused === undefined ? { kind: 'public' } : refusal(refused)
}

const low32 = 0xffffffffn

function ipv6Kind(address: bigint): AddressKind {
  if (address === 1n) return { kind: 'loopback' }
  // ::ffff:a.b.c.d: the system connects to that IPv4 address.
  if (address >> 32n === 0xffffn) return ipv4Kind(address & low32)
  // NAT64 (RFC 6052): where there is only IPv6, names of IPv4 hosts resolve to these.
  if (address >> 32n === nat64) {
    const inner = ipv4Kind(address & low32)
    const reason = 'a NAT64 address that leads to no public one'
    return inner.kind === 'public' ? inner : { kind: 'refused', reason }
  }
  const special = found(elsewhere, address)
  if (special !== undefined) return refusal(special)
  if (address >> 125n !== 1n) return { kind: 'refused', reason: 'no public address' }
  const refused = found(v6Ranges, address)
  if (refused !== undefined) return refusal(refused)
  // ISATAP (RFC 5214): the lower half says to which IPv4 address it leads.
  const marked = (address >> 32n) & 0xfdffffffn
  if (marked === 0x5efen) {
    return { kind: 'refused', reason: 'an ISATAP address, which leads to another' }
  }
  return { kind: 'public' }
}

const nat64 = 0x64ff9bn << 64n

function refusal({ reason }: Range): AddressKind {
  return { kind: 'refused', reason }
}

function readIpv4(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  let address = 0n
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null
    address = (address << 8n) | BigInt(part)
  }
  return address
}

/** Without a zone: an address with one is local to a link. */
function readIpv6(text: string): bigint | null {
  const tail = /^(.*:)([\d.]+)$/.exec(text)
  const v4 = tail?.[2]?.includes('.') === true ? readIpv4(tail[2]) : null
  const whole =
    v4 === null
      ? text
      : `${tail?.[1] ?? ''}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`
  const [left = '', right, ...more] = whole.split('::')
  if (more.length > 0) return null
  const groups = (side: string) => (side === '' ? [] : side.split(':'))
  const before = groups(left)
  const after = right === undefined ? [] : groups(right)
  const missing = 8 - before.length - after.length
  if (right === undefined ? missing !== 0 : missing < 1) return null
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  let address = 0n
  for (const group of all) {
    if (!/^[0-9a-f]{1,4}$/i.test(group)) return null
    address = (address << 16n) | BigInt(`0x${group}`)
  }
  return address
}
