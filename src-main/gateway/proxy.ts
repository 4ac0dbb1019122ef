import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

/** The proxy's URL, including its name and password; null for a direct connection. */
export type FindProxy = (url: string) => Promise<string | null>

type Environment = Readonly<Record<string, string | undefined>>

/** This computer is always reached directly, because no proxy could reach it. */
export const exceptLoopback =
  (proxyFor: FindProxy): FindProxy =>
  async (url) =>
    isLoopback(new URL(url).hostname) ? null : await proxyFor(url)

const isLoopback = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY as curl does, lower-case names first. */
export function proxyFromEnvironment(environment: Environment): FindProxy {
  const read = (name: string) =>
    [environment[name], environment[name.toUpperCase()]].find(
      (text) => text !== undefined && text.trim() !== '',
    )
  return (url) => {
    const { protocol, hostname, port } = new URL(url)
    const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy'
    const proxy = read(name)?.trim()
    const actualPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
    if (proxy === undefined || isExcepted(read('no_proxy') ?? '', hostname, actualPort)) {
      return Promise.resolve(null)
    }
    const withScheme = proxy.includes('://') ? proxy : `http://${proxy}`
    // The error does not quote the URL, which may contain a password.
    return URL.canParse(withScheme)
      ? Promise.resolve(withScheme)
      : Promise.reject(new Error(`the proxy in ${name.toUpperCase()} is not a URL`))
  }
}

const isExcepted = (noProxy: string, hostname: string, port: string): boolean =>
  noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, host = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      const domain = host.replace(/^\*?\./, '')
      const isInside = hostname === domain || hostname.endsWith(`.${domain}`)
      return isInside && (onlyPort === undefined || onlyPort === port)
    })

const schemes: Readonly<Record<string, string>> = lookupTable({
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS5: 'socks5',
})

/** Parses a list such as `PROXY proxy.example.com:3128; DIRECT`; null for a direct connection. */
export function parseProxyList(text: string): string | null {
  for (const choice of text.split(';')) {
    const [kind = '', address = ''] = choice.trim().split(/\s+/)
    if (kind.toUpperCase() === 'DIRECT') return null
    const scheme = schemes[kind.toUpperCase()]
    if (scheme === undefined) continue
    const url = `${scheme}://${address}`
    if (address !== '' && URL.canParse(url)) return url
  }
  return null
}
