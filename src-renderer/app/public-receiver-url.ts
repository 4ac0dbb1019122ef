/**
 * The URL at which the receiver is reached from outside: the public URL of the settings, which may
 * have its own path, followed by the receiver's secret path.
 */
export function publicReceiverUrl(publicUrl: string | null, receiverUrl: string | null) {
  const path = receiverUrl === null ? undefined : URL.parse(receiverUrl)?.pathname
  if (publicUrl === null || path === undefined) return null
  return publicUrl.replace(/\/+$/, '') + path
}
