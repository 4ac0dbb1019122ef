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

export function isName(text: string): boolean {
  return name.test(text)
}

export function unwrap(text: string): string {
  return bare.test(text) ? text : text.replace(wrapping, '')
}
