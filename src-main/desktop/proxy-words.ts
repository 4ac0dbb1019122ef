const schemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS5: 'socks5',
}

/**
 * What the system answers for an address, in the words of proxy auto-configuration:
 * `PROXY proxy.example.com:3128; DIRECT`. The first that can be used; null goes directly.
 */
export function readProxyWords(text: string): string | null {
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
