type Header = [name: string, value: string]

/** By the end of the name: `X-Webhook-Token`, `CF-Access-Client-Secret` and whatever else is in use. */
const secretHeader =
  /(?:authorization|cookie|token|secret|password|(?:api|auth|access|secret)[-_]?key|jwt(?:-assertion)?)$/i
const secretParameter =
  /([?&](?:[\w.-]*(?:token|secret|password|api[-_]?key)|key|auth|authorization|jwt)=)([^&#]*)/gi

export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name)
}

/** Only the last four characters of a secret are shown, and of a short one nothing. */
export function maskSecret(secret: string): string {
  return secret.length >= 12 ? `****${secret.slice(-4)}` : '****'
}

/**
 * `Bearer abc…xyz` keeps its scheme: which one was used is what one looks for. Other headers may repeat
 * the address with what is secret in its query, as those of proxies do.
 */
export function maskHeader([name, value]: Header): Header {
  if (!isSecretHeader(name) || value === '') return [name, maskTarget(value)]
  const scheme = /^[A-Za-z]+ +(?=\S)/.exec(value)?.[0] ?? ''
  return [name, scheme + maskSecret(value.slice(scheme.length))]
}

/** Masks credentials in a target's query. */
export function maskTarget(target: string): string {
  return replaceParameters(target, maskSecret)
}

/** Credentials in a target's query, each replaced by what `make` makes of it. */
export function replaceParameters(target: string, make: (secret: string) => string): string {
  return target.replace(secretParameter, (_all, name: string, secret: string) =>
    secret === '' ? name : `${name}${make(secret)}`,
  )
}
