import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Of this computer itself: 127.0.0.0/8 or ::1. False for a name. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** A host a delivery may be tried at: what a name stands for is looked at when it is connected to. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host)
}

/** `[::1]` is written with brackets in a URL, and without wherever an address is meant. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}
