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

/** What the headers of `Connection` name; null where there is none, as mostly. */
function namedByConnection(headers: HeaderPairs): ReadonlySet<string> | null {
  let named: Set<string> | null = null
  for (const [name, value] of headers) {
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const each of value.split(',')) named.add(each.trim().toLowerCase())
  }
  return named
}

/** Without what is about the connection, the headers named by `Connection` among them; the rest as it is. */
export function endToEnd(headers: HeaderPairs): HeaderPairs {
  const named = namedByConnection(headers)
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ofConnection.has(lower) && named?.has(lower) !== true
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
  // Pushed one by one: this is done for each request of a replay, and `flat` takes as long as all of it.
  const sent: string[] = []
  if (host !== undefined) sent.push(host[0], host[1])
  for (const [name, value] of endToEnd(headers)) sent.push(name, value)
  for (const [name, value] of extra) sent.push(name, value)
  return sent
}
