export type HeaderPairs = readonly (readonly [string, string])[]

/** Marks forwarded requests; a request that carries the header is not forwarded again. */
export const deliveryHeader = 'X-Tondesk-Delivery'

/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that the connection to the target creates itself. */
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

function namedByConnection(headers: HeaderPairs): ReadonlySet<string> | null {
  let named: Set<string> | null = null
  for (const [name, value] of headers) {
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const each of value.split(',')) named.add(each.trim().toLowerCase())
  }
  return named
}

/** Removes hop-by-hop headers, including those that `Connection` names. */
export function endToEnd(headers: HeaderPairs): HeaderPairs {
  const named = namedByConnection(headers)
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ofConnection.has(lower) && named?.has(lower) !== true
  })
}

export function wasForwarded(headers: HeaderPairs): boolean {
  const name = deliveryHeader.toLowerCase()
  return headers.some(([each]) => each.toLowerCase() === name)
}

export function sentHeaders(headers: HeaderPairs, keepHost: boolean, extra: HeaderPairs): string[] {
  const host = keepHost
    ? headers.find(([name, value]) => name.toLowerCase() === 'host' && value !== '')
    : undefined
  // A loop is used, because `flat` would double the time of this function, which each replayed request calls.
  const sent: string[] = []
  if (host !== undefined) sent.push(host[0], host[1])
  for (const [name, value] of endToEnd(headers)) sent.push(name, value)
  for (const [name, value] of extra) sent.push(name, value)
  return sent
}
