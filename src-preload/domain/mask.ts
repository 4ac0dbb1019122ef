type Header = [name: string, value: string]

/** Matches the end of a name, such as `X-Webhook-Token` or `CF-Access-Client-Secret`. */
const secretHeader =
  /(?:authorization|cookie|token|secret|password|(?:api|auth|access|secret)[-_]?key|jwt(?:-assertion)?)$/i
const secretParameter =
  /([?&](?:[\w.-]*(?:token|secret|password|api[-_]?key)|key|auth|authorization|jwt)=)([^&#]*)/gi

export const isSecretHeader = (name: string): boolean => secretHeader.test(name)

/** Shows the last four characters of a long secret, and none of a short one. */
export const maskSecret = (secret: string): string =>
  secret.length >= 12 ? `****${secret.slice(-4)}` : '****'

/** Masks `Bearer abc…xyz` but keeps the scheme. Proxy headers may repeat the URL with secrets in its query. */
export function maskHeader([name, value]: Header): Header {
  if (!isSecretHeader(name) || value === '') return [name, maskTarget(value)]
  const scheme = /^[A-Za-z]+ +(?=\S)/.exec(value)?.[0] ?? ''
  return [name, scheme + maskSecret(value.slice(scheme.length))]
}

export const maskTarget = (target: string): string => replaceParameters(target, maskSecret)

export const replaceParameters = (target: string, make: (secret: string) => string): string =>
  target.replace(secretParameter, (_all, name: string, secret: string) =>
    secret === '' ? name : `${name}${make(secret)}`,
  )

/** Hides the receiver's token without changing its length, so that the following path stays at the same index. */
export const hideHook = (text: string): string =>
  text.replace(/(?<=\/hook\/)[0-9a-f]{32}/gi, '*'.repeat(32))

/**
 * Matches credentials anywhere in a text, because an error may quote a request. It finds credentials of
 * headers, queries and paths (the receiver, Telegram, Discord, Slack), webhook secrets, and the user in a URL.
 * Base64 contains `/`. A backslash ends each match, because it escapes the next character in a line of JSON.
 */
const credential = new RegExp(
  [
    String.raw`((?:bearer|authorization:\s*[\w-]+)\s+|(?:token|api_?key|secret|password)=)[^\s"'&\\]+`,
    String.raw`(/hook/|/bot(?=\d+:)|/api/webhooks/\d+/|/services/T\w+/B\w+/)[^\s"'&/?#\\]+`,
    String.raw`(whsec_)[\w+/=-]+`,
    String.raw`(://)[^\s"'/@\\]+(?=@)`,
  ].join('|'),
  'gi',
)

export const redact = (text: string): string => text.replace(credential, '$1$2$3$4***')
