/** What there is to say of a webhook's endpoint before it is used. Pure. */
import { BlockList, isIP } from 'node:net'
import type { EndpointSuggestion, EndpointWarning } from '../../src-preload/contract/webhook.ts'

/** Where this computer's receiver is reached. */
export type ReceiverAddress = {
  /** Its own URL, also while it does not listen: `http://127.0.0.1:4801/hook/<token>`. */
  readonly url: string
  /** By which a tunnel reaches it, as in the settings; the path of `url` goes below it. */
  readonly publicUrl: string | null
}

/** From outside; null where no tunnel is set. */
export function publicHook({ url, publicUrl }: ReceiverAddress): string | null {
  const hook = URL.parse(url)
  return publicUrl === null || hook === null ? null : publicUrl.replace(/\/+$/, '') + hook.pathname
}

/** True for the receiver's URL, direct or public, and anything below it. */
export function isHere(endpoint: string, receiver: ReceiverAddress): boolean {
  const asked = URL.parse(endpoint)
  if (asked === null) return false
  return hooksOf(receiver).some(
    (hook) =>
      originOf(asked) === originOf(hook) &&
      (pathOf(asked) === pathOf(hook) || asked.pathname.startsWith(`${pathOf(hook)}/`)),
  )
}

/** Whether two endpoints are one for whoever posts to them. */
export function isSameEndpoint(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)]
  if (a === null || b === null) return one === other
  return originOf(a) === originOf(b) && pathOf(a) === pathOf(b) && a.search === b.search
}

/** What an endpoint is called by: without its path, which may hold a secret of its owner. */
export function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? 'the endpoint'
}

/** Best first. */
export function suggestEndpoints(
  receiver: ReceiverAddress,
  about: { readonly isSandbox: boolean },
): EndpointSuggestion[] {
  const outside = publicHook(receiver)
  const own = about.isSandbox
    ? 'This receiver. The sandbox is on this computer and reaches it.'
    : 'This receiver on this computer: only a gateway on this computer reaches it.'
  return [
    ...(outside === null ? [] : [{ url: outside, why: 'This receiver, by its public URL.' }]),
    { url: receiver.url, why: own },
  ]
}

type EndpointCircumstances = {
  /** The sandbox is on this computer: it reaches what nobody else does. */
  readonly isSandbox: boolean
  /** Hosts other than this computer that the sandbox may deliver to. */
  readonly allowedHosts: readonly string[]
  readonly receiver: ReceiverAddress
  /** Webhooks of the same network. */
  readonly others: readonly { readonly id: string; readonly endpoint: string }[]
}

/** @param endpoint one that `endpointUrl` has taken */
export function checkEndpoint(endpoint: string, about: EndpointCircumstances): EndpointWarning[] {
  const url = URL.parse(endpoint)
  if (url === null) return []
  const warnings: EndpointWarning[] = []
  const isOutside = isPublicHost(url.hostname)
  if (!isOutside && !about.isSandbox) {
    warnings.push({
      kind: 'not-public',
      message: `The gateway cannot reach ${url.hostname}: it is known to this computer or its own network only. Use the public URL of a tunnel.`,
    })
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (about.isSandbox && !isThisComputer(host) && !about.allowedHosts.includes(host)) {
    warnings.push({
      kind: 'host-not-allowed',
      message: `The sandbox delivers to this computer only. Deliveries to ${host} fail until you allow that host.`,
    })
  }
  if (url.protocol === 'http:' && (isOutside || !about.isSandbox)) {
    warnings.push({
      kind: 'plain-http',
      message:
        'Plain http: whoever is on the way can read the events and the token. Use https where there is one.',
    })
  }
  const used = about.others.filter((other) => isSameEndpoint(other.endpoint, endpoint))
  if (used.length > 0) {
    const names = used.map(({ id }) => id).join(', ')
    warnings.push({
      kind: 'in-use',
      message: `Webhook ${names} delivers there already: what both are subscribed to arrives twice.`,
    })
  }
  const missed = missedHook(url, about.receiver)
  if (missed !== null) {
    warnings.push({
      kind: 'wrong-path',
      message: `This receiver is there, but answers 404 at this path. Its own is ${missed.pathname}.`,
    })
  }
  return warnings
}

/** The receiver's hook of the same origin, where the path is not its. */
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

/** Names that no resolver outside knows (RFC 6761, 6762, 8375, and what routers use). */
const localNames = /(^|\.)(localhost|local|internal|lan|home|home\.arpa|intranet|test|invalid)$/

/** @param hostname as `URL` prints it */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  // A mapped IPv4 address is checked as the IPv4 address that it is.
  const kind = isIP(host)
  if (kind !== 0) return !local.check(host, kind === 4 ? 'ipv4' : 'ipv6')
  return host.includes('.') && !localNames.test(host)
}
