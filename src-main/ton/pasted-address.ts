import { readAddress, whyNoAddress } from './address.ts'

/** Recognizes addresses of other chains by their forms. Base58 has neither 0, O, I nor l. */
const otherChains: readonly (readonly [RegExp, string])[] = [
  [/^(?:bc1|tb1|bcrt1)[02-9ac-hj-np-z]{11,87}$/i, 'a Bitcoin address'],
  [/^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/, 'a Bitcoin address'],
  [/^(?:ltc1)[02-9ac-hj-np-z]{11,87}$/i, 'a Litecoin address'],
  [/^0x[0-9a-f]{40}$/i, 'an Ethereum address'],
  [/^T[1-9A-HJ-NP-Za-km-z]{33}$/, 'a TRON address'],
  [/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/, 'an XRP Ledger address'],
  [/^addr(?:_test)?1[02-9ac-hj-np-z]{20,}$/i, 'a Cardano address'],
  [/^cosmos1[02-9ac-hj-np-z]{38}$/i, 'a Cosmos address'],
  [/^(?:bitcoincash:)?[qp][02-9ac-hj-np-z]{41}$/i, 'a Bitcoin Cash address'],
  [/^D[1-9A-HJ-NP-Za-km-z]{33}$/, 'a Dogecoin address'],
  [/^0x[0-9a-f]{64}$/i, 'a hash, or an address of Aptos or Sui'],
  [/^(?![EUk]Q|.*[0OIl])[1-9A-Za-z]{43,44}$/, 'probably a Solana address'],
]

/** Recognises text that is meant as an address, valid or not, and checks it. */
const raw = /^-?\d+:[0-9a-fA-F]+$/
// A friendly address begins with its flags: 0x11, 0x51, 0x91 or 0xd1.
const friendly = /^[EUk0][A-Za-z0-9+/_-]{40,55}$/
const name = /^[^\s,;@:/]+\.(?:ton|t\.me)$/i

// Characters around a pasted address: quotes, brackets, zero-width characters of web pages, and the
// end of a sentence.
const wrapping =
  /^[\s"'`“”‘’«»()[\]{}<>\u200b-\u200f\u2060\ufeff]+|[\s"'`“”‘’«»()[\]{}<>.,;:!?…\u200b-\u200f\u2060\ufeff]+$/g
const bare = /^[A-Za-z0-9-].*[A-Za-z0-9+/_-]$/

export const isAddressLike = (text: string): boolean =>
  raw.test(text) || friendly.test(text) || name.test(text)

/** True for an address or name, alone or in a link. */
export const pointsToAddress = (text: string): boolean => isAddressLike(targetOf(text).text)

const link = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([a-z0-9.-]+)((?:[/?#]).*)$/i
const scheme = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * Returns the first address or name in a link such as `ton://transfer/EQ…?amount=1` or
 * `tonviewer.com/EQ…`; any other text stays unchanged.
 */
export function targetOf(text: string) {
  const plain = { text, isTestnetLink: false }
  const [, direct = ''] = /^(?:web\+)?ton:(?:\/\/)?([^/?#]+)/i.exec(text) ?? []
  if (isAddressLike(direct)) return { ...plain, text: direct }
  const [, host = '', rest = ''] = link.exec(text) ?? []
  // Base64 contains slashes too, so a link without a scheme must begin with a host name.
  if (rest === '' || !(scheme.test(text) || host.includes('.'))) return plain
  // Links of dton.io omit the workchain of the basechain.
  const [, digits] = /^\/a\/([0-9a-f]{64})(?=$|[/?#])/i.exec(rest) ?? []
  if (host === 'dton.io' && digits !== undefined) return { ...plain, text: `0:${digits}` }
  const target = rest
    .split(/[/?&=#]/)
    .map(decodePart)
    .find(isAddressLike)
  if (target === undefined) return plain
  return { text: target, isTestnetLink: /(?:^|[.-])testnet\./i.test(host) }
}

export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const isName = (text: string): boolean => name.test(text)

export const unwrapAddress = (text: string): string =>
  bare.test(text) ? text : text.replace(wrapping, '')

export type CheckedAddress = {
  readonly status: 'valid' | 'duplicate' | 'wrong-network' | 'invalid'
  readonly address: string | null
  readonly reason: string | null
}

/**
 * @param seen the line of each earlier address; a valid address is added
 * @param testOnly whether the network accepts test-only addresses
 */
export function checkAddress(
  text: string,
  line: number,
  { testOnly, seen }: { readonly testOnly: boolean; readonly seen: Map<string, number> },
): CheckedAddress {
  const parsed = readAddress(text)
  if (parsed === null) return { status: 'invalid', address: null, reason: explain(text) }
  const { raw, isTestOnly } = parsed
  if (isTestOnly && !testOnly) {
    const reason = 'This address is for test networks only.'
    return { status: 'wrong-network', address: raw, reason }
  }
  const earlier = seen.get(raw)
  if (earlier !== undefined) {
    const where = earlier === line ? 'earlier on this line' : `on line ${earlier}`
    return { status: 'duplicate', address: raw, reason: `This address is also ${where}.` }
  }
  seen.set(raw, line)
  return { status: 'valid', address: raw, reason: null }
}

const hex = /^[0-9a-fA-F]+$/
const base64 = /^[A-Za-z0-9+/_-]{40,56}={0,2}$/

function explain(text: string): string {
  if (isName(text)) {
    return 'Names are not supported here. Search for the name to get its address.'
  }
  const other = otherChains.find(([form]) => form.test(text))
  if (other !== undefined) return `This is ${other[1]}, not an address of TON.`
  const [, digits] = /^-?\d+:([0-9a-fA-F]*)$/.exec(text) ?? []
  if (digits !== undefined && digits.length !== 64) {
    return `${digits.length} digits after the colon instead of 64.`
  }
  if (hex.test(text) && text.length === 64) {
    return 'The workchain is missing: start with 0: or -1:.'
  }
  if (base64.test(text) && text.length !== 48) {
    return `${text.length} characters instead of 48.`
  }
  const why = whyNoAddress(text) ?? ''
  if (why.startsWith('it is neither')) return 'Not an address.'
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`
}
