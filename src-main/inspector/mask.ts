type Header = [name: string, value: string]

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-auth-token',
])
const secretParameter = /([?&](?:token|api_key|apikey|access_token|key|secret)=)([^&#]*)/gi

/** Only the last four characters of a secret are shown, and of a short one nothing. */
export function maskSecret(secret: string): string {
  return secret.length >= 12 ? `****${secret.slice(-4)}` : '****'
}

/** `Bearer abc…xyz` keeps its scheme: which one was used is what one looks for. */
export function maskHeader([name, value]: Header): Header {
  if (!secretHeaders.has(name.toLowerCase()) || value === '') return [name, value]
  const scheme = /^[A-Za-z]+ +(?=\S)/.exec(value)?.[0] ?? ''
  return [name, scheme + maskSecret(value.slice(scheme.length))]
}

/** Masks credentials in a target's query. */
export function maskTarget(target: string): string {
  return target.replace(secretParameter, (_all, name: string, secret: string) =>
    secret === '' ? name : `${name}${maskSecret(secret)}`,
  )
}
