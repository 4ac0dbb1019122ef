/** What of a request’s headers goes on. Pure. */
export type HeaderPairs = readonly (readonly [string, string])[]

/** Marks what is forwarded, the same in each try; what carries it already is not forwarded again. */
export const deliveryHeader = 'X-Tondesk-Delivery'

/**
 * About one connection only (RFC 9110, 7.6.1), or about how a body is framed on it, which the
 * connection to the target has of its own.
 */
const ofConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Without what is about the connection, the headers named by `Connection` among them; the rest as it is. */
export function endToEnd(headers: HeaderPairs): HeaderPairs {
  const named = new Set(
    headers
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(','))
      .map((name) => name.trim().toLowerCase()),
  )
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ofConnection.has(lower) && !named.has(lower)
  })
}

/** True for what this app, or another Tondesk, has sent on already: sent on again it might go round. */
export function wasForwarded(headers: HeaderPairs): boolean {
  const name = deliveryHeader.toLowerCase()
  return headers.some(([each]) => each.toLowerCase() === name)
}

/** As undici takes them: names and values in turn. The `Host` in front, where it is to be kept. */
export function sentHeaders(headers: HeaderPairs, keepHost: boolean, extra: HeaderPairs): string[] {
  const host = keepHost
    ? headers.find(([name, value]) => name.toLowerCase() === 'host' && value !== '')
    : undefined
  return [...(host === undefined ? [] : [host]), ...endToEnd(headers), ...extra].flat()
}
