type Headers = readonly (readonly [string, string])[]

/** Headers in which proxies and tunnels name the client, those nearest to the sender first. */
const proxyHeaders: readonly (readonly [header: string, source: string])[] = [
  ['forwarded', 'Forwarded'],
  ['x-forwarded-for', 'X-Forwarded-For'],
  ['x-forwarded-host', 'X-Forwarded-Host'],
  ['x-forwarded-proto', 'X-Forwarded-Proto'],
  ['x-original-host', 'X-Original-Host'],
  ['x-real-ip', 'X-Real-IP'],
  ['cf-connecting-ip', 'Cloudflare, for'],
  ['cf-ray', 'Cloudflare ray'],
  ['cf-ipcountry', 'Cloudflare, country'],
  ['cdn-loop', 'Through'],
  ['ngrok-trace-id', 'ngrok trace'],
  ['ngrok-skip-browser-warning', 'ngrok'],
  ['via', 'Via'],
]

/** Anyone can forge proxy headers, so the chain is only a claim. */
export function readVia(headers: Headers): { source: string; value: string }[] {
  return proxyHeaders.flatMap(([name, source]) =>
    headers
      .filter(([header]) => header.toLowerCase() === name)
      .map(([, value]) => ({ source, value })),
  )
}
