import proxyHeaders from './proxy-headers.json' with { type: 'json' }

type Headers = readonly (readonly [string, string])[]

/**
 * Returns the headers in which proxies and tunnels name the client, those nearest to the sender
 * first. Anyone can forge them, so the chain is only a claim.
 */
export const readVia = (headers: Headers): { source: string; value: string }[] =>
  Object.entries(proxyHeaders).flatMap(([name, source]) =>
    headers
      .filter(([header]) => header.toLowerCase() === name)
      .map(([, value]) => ({ source, value })),
  )
