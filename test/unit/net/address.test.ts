/**
 * Tests kinds of IP addresses by the special-address registries, at the first and last address of
 * each range.
 */
import { describe, expect, test } from 'vitest'
import { addressKind, gatewayAddressProblem, isPublicHost } from '../../../src-main/net/address.ts'

const cloud = 'a link-local address, where clouds have their metadata service'
const metadata = 'the metadata service of a cloud'
const nat64 = 'a NAT64 address without a public target'
const documentation = 'reserved for documentation'

test.each([
  ['0.0.0.0', '0.255.255.255', 'an unspecified address'],
  ['10.0.0.0', '10.255.255.255', 'a private address'],
  ['100.100.100.200', '100.100.100.200', metadata],
  ['100.64.0.0', '100.127.255.255', 'an address behind a carrier’s NAT'],
  ['168.63.129.16', '168.63.129.16', metadata],
  ['169.254.0.0', '169.254.255.255', cloud],
  ['172.16.0.0', '172.31.255.255', 'a private address'],
  ['192.0.0.0', '192.0.0.255', 'reserved for protocols'],
  ['192.0.2.0', '192.0.2.255', documentation],
  ['192.88.99.0', '192.88.99.255', 'a relay between IPv6 and IPv4'],
  ['192.168.0.0', '192.168.255.255', 'a private address'],
  ['198.18.0.0', '198.19.255.255', 'reserved for benchmarks'],
  ['198.51.100.0', '198.51.100.255', documentation],
  ['203.0.113.0', '203.0.113.255', documentation],
  ['224.0.0.0', '239.255.255.255', 'a multicast address'],
  ['240.0.0.0', '255.255.255.255', 'a reserved address'],
  ['2001::', '2001:0:ffff::', 'a Teredo address, which is a tunnel to another address'],
  ['2001:1::', '2001:1ff:ffff::', 'reserved for protocols'],
  ['2001:db8::', '2001:db8:ffff::', documentation],
  ['2002::', '2002:ffff::', 'a 6to4 address, which is a relay to another address'],
  ['3fff::', '3fff:fff::', documentation],
  ['::', '::', 'the unspecified address'],
  ['::2', '::ffff:ffff', 'an IPv4-compatible address that contains another address'],
  ['::ffff:0:0:0', '::ffff:0:ffff:ffff', 'a translated IPv4 address that contains another address'],
  ['64:ff9b:1::', '64:ff9b:1:ffff::', 'a local NAT64 address that contains another address'],
  ['fd00:ec2::254', 'fd00:ec2::254', metadata],
  ['fc00::', 'fdff:ffff::', 'a private address'],
  ['fe80::', 'febf:ffff::', 'a link-local address'],
  ['fec0::', 'feff:ffff::', 'a private address'],
  ['ff00::', 'ffff::', 'a multicast address'],
  // An IPv4 address that is mapped into IPv6.
  ['::ffff:10.0.0.0', '::ffff:10.255.255.255', 'a private address'],
  ['64:ff9b::10.0.0.0', '64:ff9b::10.255.255.255', nat64],
  ['64:ff9b::127.0.0.1', '64:ff9b::169.254.169.254', nat64],
  ['1::', '1fff:ffff::', 'not a public address'],
  ['4000::', 'fbff::', 'not a public address'],
  ['2606:4700::5efe:1.2.3.4', '2606:4700::200:5efe:1.2.3.4', isatap()],
  ['2606:4700:0:0:200:5efe::', '2606:4700::5efe:a:b', isatap()],
  ['fe80::1%eth0', '2606:4700::1%1', 'not a plain IP address'],
  ['shop.example', '', 'not a plain IP address'],
  ['1.2.3', '01.2.3.4', 'not a plain IP address'],
])('the addresses from %s to %s are refused as %s', (first, last, reason) => {
  for (const address of [first, last]) {
    expect([address, addressKind(address)]).toEqual([address, { kind: 'refused', reason }])
  }
})

function isatap(): string {
  return 'an ISATAP address that contains another address'
}

test.each([
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '128.0.0.0'],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
  ...['172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
  ...['2001:200::', '2001:db7:ffff::', '2001:db9::', '2003::', '2606:4700::1', '3ffe:ffff::'],
  ...['3fff:1000::', '2606:4700::5efe:1:2:3', '2606:4700::5eff:1.2.3.4'],
])('the address %s is public', (address) => {
  expect(addressKind(address)).toEqual({ kind: 'public' })
})

test.each(['127.0.0.0', '127.255.255.255', '::1', '::ffff:127.0.0.1'])(
  'the address %s is this computer',
  (address) => {
    expect(addressKind(address)).toEqual({ kind: 'loopback' })
  },
)

test.each([
  ['10.1.2.3', null],
  ['fc00::1', null],
  ['100.64.0.1', null],
  ['8.8.8.8', null],
  ['127.0.0.1', null],
  ['169.254.169.254', cloud],
  ['224.0.0.1', 'a multicast address'],
])('a gateway may be in a private network: the problem of %s is %j', (address, problem) => {
  expect(gatewayAddressProblem(address)).toBe(problem)
})

describe('whether a host is public by its name alone', () => {
  test.each([
    ...['example.com', 'example.com.', 'testing.com', 'local.example', '8.8.8.8', '1.0.0.0'],
    ...[
      '[2606:4700::1]',
      '[::ffff:8.8.8.8]',
      '172.32.0.1',
      '100.128.0.0',
      'invalid.example.com',
      'a.mytest',
    ],
  ])('the host %s is public', (host) => {
    expect(isPublicHost(host)).toBe(true)
  })
  test.each([
    ...['localhost', 'shop', 'a.localhost', 'printer.local', 'db.internal', 'x.lan', 'x.home'],
    ...[
      'x.home.arpa',
      'home.arpa',
      'x.intranet',
      'x.test',
      'x.invalid',
      'x.test.',
      '0.1.2.3',
      '10.0.0.1',
    ],
    ...['100.64.0.1', '127.0.0.1', '169.254.1.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...[
      '[::]',
      '[::1]',
      '[::2]',
      '[::8.8.8.8]',
      '[fc00::1]',
      '[fdff::1]',
      '[fe80::1]',
      '[febf::1]',
      '[::ffff:10.0.0.1]',
    ],
  ])('the host %s is not public', (host) => {
    expect(isPublicHost(host)).toBe(false)
  })
})
