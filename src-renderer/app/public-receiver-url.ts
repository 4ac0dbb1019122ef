/**
 * Where the receiver is reached from outside: the settings' public URL, which may have a path of its
 * own, with the receiver's secret path below it.
 */
export function publicReceiverUrl(publicUrl: string | null, receiverUrl: string | null) {
  const path = receiverUrl === null ? undefined : URL.parse(receiverUrl)?.pathname
  if (publicUrl === null || path === undefined) return null
  return publicUrl.replace(/\/+$/, '') + path
}
