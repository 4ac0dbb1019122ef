/** Formats the address of a place in the app for the address bar. */

/**
 * Formats a location hash. Null and empty parts and values are omitted. `:` and `,` are not
 * escaped, so that addresses and ids of blocks stay readable in the address bar.
 */
export function formatLink(
  path: readonly (string | number | null)[],
  values: Readonly<Record<string, string | number | null>> = {},
): string {
  const parts = path.filter(isFilled).map((part) => {
    return encodeURIComponent(part).replaceAll('%3A', ':').replaceAll('%2C', ',')
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (isFilled(value)) search.set(name, String(value))
  }
  return `#/${parts.join('/')}${search.size > 0 ? `?${search.toString()}` : ''}`
}

const isFilled = (part: string | number | null): part is string | number =>
  part !== null && part !== ''

/** Parses the id of a database row in a link; null for other text. */
export function parseId(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null
  return id !== null && Number.isSafeInteger(id) ? id : null
}
