/** How a place of the app is written in the address bar. */

/**
 * A location hash. Parts and values that are null or empty are left out. `:` and `,` stay as they are, so
 * that an address and a block's id can be read in the address bar.
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

function isFilled(part: string | number | null): part is string | number {
  return part !== null && part !== ''
}

/** The number of a row of the database in a link; null for anything else. */
export function parseId(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null
  return id !== null && Number.isSafeInteger(id) ? id : null
}
