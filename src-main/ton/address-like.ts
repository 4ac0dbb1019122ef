/** What somebody meant to be an address, right or wrong: told apart from names, amounts, headings. */
const raw = /^-?\d+:[0-9a-fA-F]+$/
// Friendly ones begin with their flags: 0x11, 0x51, 0x91 or 0xd1.
const friendly = /^[EUk0][A-Za-z0-9+/_-]{40,55}$/
const name = /^[^\s,;@:/]+\.(?:ton|t\.me)$/i

// What pasted text has around an address: quotes, brackets, the zero-width marks of web pages.
const wrapping =
  /^[\s"'`“”‘’«»()[\]{}<>\u200b-\u200f\u2060\ufeff]+|[\s"'`“”‘’«»()[\]{}<>\u200b-\u200f\u2060\ufeff]+$/g
const bare = /^[A-Za-z0-9-].*[A-Za-z0-9+/_-]$/

export function isAddressLike(text: string): boolean {
  return raw.test(text) || friendly.test(text) || name.test(text)
}

/** An address or name, alone or in a link. */
export function pointsToAddress(text: string): boolean {
  return isAddressLike(targetOf(text).text)
}

/** What a text points to: the first address or name in a link, any other text itself. */
type AddressTarget = {
  readonly text: string
  /** The link's host says that it is about a test network. */
  readonly isTestnetLink: boolean
}

const link = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([a-z0-9.-]+)((?:[/?#]).*)$/i
const scheme = /^[a-z][a-z0-9+.-]*:\/\//i

/** Of `ton://transfer/EQ…?amount=1`, `https://tonviewer.com/EQ…` and the like, with or without a scheme. */
export function targetOf(text: string): AddressTarget {
  const plain = { text, isTestnetLink: false }
  const [, host = '', rest = ''] = link.exec(text) ?? []
  // Base64 has slashes too: without a scheme only what begins like a host name is a link.
  if (rest === '' || !(scheme.test(text) || host.includes('.'))) return plain
  const target = rest
    .split(/[/?&=#]/)
    .map(decode)
    .find(isAddressLike)
  if (target === undefined) return plain
  return { text: target, isTestnetLink: /(?:^|[.-])testnet\./i.test(host) }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function isName(text: string): boolean {
  return name.test(text)
}

export function unwrap(text: string): string {
  return bare.test(text) ? text : text.replace(wrapping, '')
}
