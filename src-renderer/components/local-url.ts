/** True if a URL leads to this computer or its local network, which a gateway on the internet cannot reach. */
export function isLocalUrl(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  if (host === 'localhost' || host.endsWith('.local') || host === '[::1]') return true
  return /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\./.test(host)
}
