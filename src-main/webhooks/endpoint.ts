import { BlockList, isIP } from 'node:net'
import type { EndpointSuggestion, EndpointWarning } from '../../src-preload/contract/webhook.ts'

export type ReceiverAddress = {
  /** For example `http://127.0.0.1:4801/hook/<token>`; set also while the receiver does not listen. */
  readonly url: string
  readonly publicUrl: string | null
}

export function publicHook({ url, publicUrl }: ReceiverAddress): string | null {
  const hook = URL.parse(url)
  return publicUrl === null || hook === null ? null : publicUrl.replace(/\/+$/, '') + hook.pathname
}

export function isHere(endpoint: string, receiver: ReceiverAddress): boolean {
  const asked = URL.parse(endpoint)
  if (asked === null) return false
  return hooksOf(receiver).some(
    (hook) =>
      originOf(asked) === originOf(hook) &&
      (pathOf(asked) === pathOf(hook) || asked.pathname.startsWith(`${pathOf(hook)}/`)),
  )
}

export function isSameEndpoint(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)]
  if (a === null || b === null) return one === other
  return originOf(a) === originOf(b) && pathOf(a) === pathOf(b) && a.search === b.search
}

/** Shortens an endpoint to its host, because its path may hold a secret. */
export function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? 'the endpoint'
}

export function suggestEndpoints(
  receiver: ReceiverAddress,
  about: { readonly isSandbox: boolean },
): EndpointSuggestion[] {
  const outside = publicHook(receiver)
  const own = about.isSandbox
    ? 'The URL of this receiver. The sandbox runs on this computer and can reach it.'
    : 'The local URL of this receiver. Only a gateway on this computer can reach it.'
  return [
    ...(outside === null ? [] : [{ url: outside, why: 'The public URL of this receiver.' }]),
    { url: receiver.url, why: own },
  ]
}

type EndpointCircumstances = {
  readonly isSandbox: boolean
  /** The gateway is on this computer, so it reaches local hosts. */
  readonly isFromHere?: boolean
  readonly allowedHosts: readonly string[]
  readonly receiver: ReceiverAddress
  readonly others: readonly { readonly id: string; readonly endpoint: string }[]
}

export function checkEndpoint(endpoint: string, about: EndpointCircumstances): EndpointWarning[] {
  const url = URL.parse(endpoint)
  if (url === null) return []
  const warnings: EndpointWarning[] = []
  const isOutside = isPublicHost(url.hostname)
  const reachesLocal = about.isSandbox || about.isFromHere === true
  if (!isOutside && !reachesLocal) {
    warnings.push({
      kind: 'not-public',
      message: `The gateway cannot reach ${url.hostname}, because the host is on this computer or in its local network. Use the public URL of a tunnel.`,
    })
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (about.isSandbox && !isThisComputer(host) && !about.allowedHosts.includes(host)) {
    warnings.push({
      kind: 'host-not-allowed',
      message: `The sandbox delivers to this computer only. Deliveries to ${host} fail until you allow that host.`,
    })
  }
  if (url.protocol === 'http:' && (isOutside || !reachesLocal)) {
    warnings.push({
      kind: 'plain-http',
      message:
        'This URL is not encrypted: anyone on the network path can read the events and the token. Use https if possible.',
    })
  }
  const used = about.others.filter((other) => isSameEndpoint(other.endpoint, endpoint))
  if (used.length > 0) {
    const names = used.map(({ id }) => id).join(', ')
    warnings.push({
      kind: 'in-use',
      message: `This URL is already the endpoint of webhook ${names}. If several webhooks subscribe to an event, the event arrives once for each of them.`,
    })
  }
  const missed = missedHook(url, about.receiver)
  if (missed !== null) {
    warnings.push({
      kind: 'wrong-path',
      message: `The receiver responds with 404 at this path. Use the receiver’s own path, ${missed.pathname}.`,
    })
  }
  return warnings
}

function missedHook(url: URL, receiver: ReceiverAddress): URL | null {
  if (isHere(url.href, receiver)) return null
  return hooksOf(receiver).find((hook) => originOf(hook) === originOf(url)) ?? null
}

function hooksOf(receiver: ReceiverAddress): URL[] {
  return [receiver.url, publicHook(receiver)].flatMap((text) => {
    const url = text === null ? null : URL.parse(text)
    return url === null ? [] : [url]
  })
}

function originOf(url: URL): string {
  return url.hostname === 'localhost' ? url.origin.replace('localhost', '127.0.0.1') : url.origin
}

function pathOf(url: URL): string {
  return url.pathname.replace(/\/+$/, '')
}

const local = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  local.addSubnet(address, bits, 'ipv4')
}
for (const [address, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  local.addSubnet(address, bits, 'ipv6')
}

function isThisComputer(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host) || host.endsWith('.localhost')
}

/** Names that public DNS does not resolve (RFC 6761, 6762, 8375, and names that routers use). */
const localNames = /(^|\.)(localhost|local|internal|lan|home|home\.arpa|intranet|test|invalid)$/

/** @param hostname as `URL` serializes it */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  // An IPv4-mapped IPv6 address is checked as IPv4.
  const kind = isIP(host)
  if (kind !== 0) return !local.check(host, kind === 4 ? 'ipv4' : 'ipv6')
  return host.includes('.') && !localNames.test(host)
}
