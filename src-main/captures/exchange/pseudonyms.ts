/** Made-up values in the place of real ones: the same for the same within a file, of no use outside it. */
import { createHmac } from 'node:crypto'
import { readAddress } from '../../ton/address.ts'

export type Pseudonyms = {
  /** @param raw as `readAddress` has it: all spellings of an address become one */
  address(raw: string): string
  /** 32 bytes, which stay 32 bytes. */
  hash(bytes: Uint8Array): Buffer
  /** Whatever lets somebody in, and other long strings that mean nothing to a reader. */
  opaque(text: string): string
  /** A decimal number with the same number of places after its point; zero stays zero. */
  amount(digits: string): string
  /** Order and gaps stay. */
  lt(digits: string): string
  id(text: string): string
  words(text: string): string
  /** Whatever of the above stands in a text. */
  inText(text: string): string
}

/*
 * What may be meant: a raw address, base64 of 32 bytes or more, hexadecimal or base64url of some length.
 * A friendly address is one of the latter two. In an address of the web `:`, `+`, `/` and `=` are escaped.
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

/** @param key secret and of one file: without it nobody can try which value a pseudonym stands for */
export function createPseudonyms(key: Uint8Array): Pseudonyms {
  const digest = (kind: string, value: string | Uint8Array) =>
    createHmac('sha256', key).update(`${kind}\0`).update(value).digest()
  const short = (kind: string, value: string, length = 12) =>
    digest(kind, value).toString('hex').slice(0, length)
  // Of the order of a day's worth of blocks to a few years'.
  const ltShift = digest('lt', '').readBigUInt64LE() % 50_000_000_000_000n

  const pseudonyms: Pseudonyms = {
    address: (raw) => `fictive-address-${short('address', raw, 16)}`,
    hash: (bytes) => digest('hash', bytes),
    opaque: (text) => `fictive-${short('opaque', text, 16)}`,
    amount(digits) {
      if (/^-?0*\.?0*$/.test(digits)) return digits
      const [, sign = '', whole = '', point = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? []
      const value = `${whole.replace(/^0+(?=\d)/, '')}.${point.replace(/0+$/, '')}`
      const made = digest('amount', value).readBigUInt64LE()
      // Ten digits whatever it was, so that its size is not told; never beginning with a zero.
      const first = (1_000_000_000n + (made % 9_000_000_000n)).toString()
      if (point === '') return sign + first
      const places = (made % 10n ** BigInt(Math.min(18, point.length))).toString()
      return `${sign}${first}.${places.padStart(point.length, '0')}`
    },
    lt: (digits) => (BigInt(digits) + ltShift).toString(),
    id: (text) => `fictive-id-${short('id', text, 10)}`,
    words: (text) => (text === '' ? '' : `fictive words ${short('words', text, 8)}`),
    inText: (text) =>
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
  // Long words of plain language, of a header's value or a path, have no digits.
  return /\d/.test(text) && !text.startsWith('fictive-') ? pseudonyms.opaque(text) : found
}

function unescapeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
