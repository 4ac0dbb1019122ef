/** Replaces values by pseudonyms that are equal for equal values within one file only. */
import { createHmac } from 'node:crypto'
import { readAddress } from '../../ton/address.ts'

export type Pseudonyms = ReturnType<typeof createPseudonyms>

/**
 * Matches raw addresses, base64 of 32 bytes or more, and long hexadecimal or base64url such as
 * friendly addresses. URLs escape `:`, `+`, `/` and `=`.
 */
const letter = '(?:[A-Za-z0-9+/_-]|%2[BbFf])'
const meant = new RegExp(
  [
    '-?\\d{1,11}(?::|%3[Aa])[0-9a-fA-F]{64}(?![0-9a-fA-F])',
    `(?<![A-Za-z0-9+/_=-])[EUk0]${letter}{47}(?![A-Za-z0-9+/_=-])`,
    '(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/]|%2[BbFf]){43}(?:=|%3[Dd])',
    '[A-Za-z0-9_-]{32,}',
  ].join('|'),
  'g',
)
const amountParameter = /([?&](?:amount|fee|value)=)(\d+(?:\.\d+)?)/gi
const wordsParameter = /([?&](?:text|comment|description)=)([^&#\s]+)/gi

/** @param key secret and used for one file only, so that no reader can test which value a pseudonym replaces */
export function createPseudonyms(key: Uint8Array) {
  const digest = (kind: string, value: string | Uint8Array) =>
    createHmac('sha256', key).update(`${kind}\0`).update(value).digest()
  const short = (kind: string, value: string, length = 12) =>
    digest(kind, value).toString('hex').slice(0, length)
  // Logical times are shifted by the equivalent of a day to a few years of blocks.
  const ltShift = digest('lt', '').readBigUInt64LE() % 50_000_000_000_000n

  const pseudonyms = {
    /** @param raw the result of `readAddress`, so that all forms of an address get the same pseudonym */
    address: (raw: string) => `fictive-address-${short('address', raw, 16)}`,
    hash: (bytes: Uint8Array) => digest('hash', bytes),
    /** Replaces secrets and other long strings that mean nothing to a reader. */
    opaque: (text: string) => `fictive-${short('opaque', text, 16)}`,
    /** Keeps the number of decimals; zero stays zero. */
    amount(digits: string): string {
      if (/^-?0*\.?0*$/.test(digits)) return digits
      const [, sign = '', whole = '', point = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? []
      const value = `${whole.replace(/^0+(?=\d)/, '')}.${point.replace(/0+$/, '')}`
      const made = digest('amount', value).readBigUInt64LE()
      // Always ten digits without a leading zero, so that the amount's size is hidden.
      const first = (1_000_000_000n + (made % 9_000_000_000n)).toString()
      if (point === '') return sign + first
      const places = (made % 10n ** BigInt(Math.min(18, point.length))).toString()
      return `${sign}${first}.${places.padStart(point.length, '0')}`
    },
    /** Logical times keep their order and differences. */
    lt: (digits: string) => (BigInt(digits) + ltShift).toString(),
    id: (text: string) => `fictive-id-${short('id', text, 10)}`,
    words: (text: string) => (text === '' ? '' : `fictive words ${short('words', text, 8)}`),
    inText: (text: string): string =>
      text
        .replace(amountParameter, (_all, name: string, digits: string) => {
          return name + pseudonyms.amount(digits)
        })
        .replace(wordsParameter, (_all, name: string, words: string) => {
          return name + encodeURIComponent(pseudonyms.words(unescapeUrl(words)))
        })
        .replace(meant, (found) => replaceFound(found, pseudonyms)),
  }
  return pseudonyms
}

function replaceFound(found: string, pseudonyms: Pseudonyms): string {
  const text = found.includes('%') ? unescapeUrl(found) : found
  const address = readAddress(text)
  if (address !== null) return pseudonyms.address(address.raw)
  const [, prefix = '', hex] = /^(0x)?([0-9a-f]{64})$/i.exec(text) ?? []
  if (hex !== undefined) {
    const made = pseudonyms.hash(Buffer.from(hex, 'hex')).toString('hex')
    return prefix + (/[A-F]/.test(hex) ? made.toUpperCase() : made)
  }
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) {
    const form = /[-_]/.test(text) || !text.endsWith('=') ? 'base64url' : 'base64'
    const made = pseudonyms.hash(Buffer.from(text, 'base64')).toString(form)
    return found === text ? made : encodeURIComponent(made)
  }
  // Long words of plain language contain no digits.
  return /\d/.test(text) && !text.startsWith('fictive-') ? pseudonyms.opaque(text) : found
}

function unescapeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
