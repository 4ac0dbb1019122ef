/**
 * Whether an endpoint has this receiver's secret path on a host that is not known as the receiver's:
 * so it looks after the public URL has changed.
 */
export function isFormerlyHere(endpoint: string, receiverUrl: string | null): boolean {
  const path = receiverUrl === null ? undefined : URL.parse(receiverUrl)?.pathname
  const own = URL.parse(endpoint)?.pathname
  return path !== undefined && path.length > 1 && own?.endsWith(path) === true
}
