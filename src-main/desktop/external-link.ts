/** What may leave the app for the person's browser. Pure. */
type ExternalDecision = {
  /** `open`: a place the app itself links to. `ask`: the person decides. `refuse`: never. */
  readonly verdict: 'open' | 'ask' | 'refuse'
  /** The address as parsed; empty when refused. */
  readonly url: string
}

const longestUrl = 2048

const knownHosts: ReadonlySet<string> = new Set([
  'docs.tonconsole.com',
  'tonconsole.com',
  'tonapi.io',
  'tonviewer.com',
  'testnet.tonviewer.com',
])

/**
 * Decides on one address. Only https: every other scheme may start a program of this computer.
 * Credentials are refused because they disguise a host and would be handed on.
 */
export function decideExternal(address: string): ExternalDecision {
  const refused: ExternalDecision = { verdict: 'refuse', url: '' }
  if (address.length > longestUrl) return refused
  const parsed = URL.parse(address)
  if (parsed?.protocol !== 'https:') return refused
  if (parsed.username !== '' || parsed.password !== '') return refused
  const { href: url, host } = parsed
  if (url.length > longestUrl) return refused
  // `host` holds a port other than https's own, so a known name on a strange port is asked for.
  return { verdict: knownHosts.has(host) ? 'open' : 'ask', url }
}

/** Whether this is the start URL that browser mode of this computer gives out. */
export function isBrowserModeUrl(address: string): boolean {
  return /^http:\/\/127\.0\.0\.1:\d{1,5}\/#start=[\w-]{16,128}$/.test(address)
}
