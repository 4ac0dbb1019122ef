import { isIP } from 'node:net'
import { addressKind, gatewayAddressProblem } from '../net/address.ts'
import type { AppContext } from './context.ts'

export type OwnAddresses = {
  readonly ports: readonly { readonly port: number; readonly whose: string }[]
  readonly publicUrls: readonly string[]
}

/**
 * Returns a sentence that says why the URL is the app's own address, or null. The address that a
 * name resolves to is checked at the connection (gateway/http.ts).
 */
export function ownAddressProblem(url: URL, ownPorts: OwnAddresses['ports']): string | null {
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

export type ReceiverAddress = {
  /**
   * The receiver's URL, such as `http://127.0.0.1:4801/hook/<token>`; set even while the receiver
   * does not listen.
   */
  readonly url: string
  readonly publicUrl: string | null
}

export function publicHook({ url, publicUrl }: ReceiverAddress): string | null {
  const hook = URL.parse(url)
  return publicUrl === null || hook === null ? null : publicUrl.replace(/\/+$/, '') + hook.pathname
}

export function isHere(endpoint: string, receiver: ReceiverAddress): boolean {
  const requested = URL.parse(endpoint)
  if (requested === null) return false
  return hooksOf(receiver).some(
    (hook) =>
      originOf(requested) === originOf(hook) &&
      (pathOf(requested) === pathOf(hook) || requested.pathname.startsWith(`${pathOf(hook)}/`)),
  )
}

export function isSameEndpoint(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)]
  if (a === null || b === null) return one === other
  return originOf(a) === originOf(b) && pathOf(a) === pathOf(b) && a.search === b.search
}

type ReceiverSource = {
  readonly receiver: Pick<AppContext['receiver'], 'url'>
  readonly settings: Pick<AppContext['settings'], 'get'>
}

/** The URLs are known even while the receiver does not listen. */
export const receiverAddress = ({ receiver, settings }: ReceiverSource): ReceiverAddress => ({
  url: receiver.url(),
  publicUrl: settings.get().receiver.publicUrl,
})

export const hooksOf = (receiver: ReceiverAddress): URL[] =>
  [receiver.url, publicHook(receiver)].flatMap((text) => {
    const url = text === null ? null : URL.parse(text)
    return url === null ? [] : [url]
  })

export const originOf = (url: URL): string =>
  url.hostname === 'localhost' ? url.origin.replace('localhost', '127.0.0.1') : url.origin

const pathOf = (url: URL): string => url.pathname.replace(/\/+$/, '')
