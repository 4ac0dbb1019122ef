import { AddressError, parseAddress } from './address.ts'
import { isName } from './address-like.ts'

export type Judged = {
  readonly status: 'valid' | 'duplicate' | 'wrong-network' | 'invalid'
  /** Raw; null when invalid. */
  readonly address: string | null
  /** A sentence; null when valid. */
  readonly reason: string | null
}

/**
 * @param seen lines by the addresses met before; a valid one is added
 * @param testOnly whether the network's addresses may say that they are for tests only
 */
export function judgeAddress(
  text: string,
  line: number,
  { testOnly, seen }: { readonly testOnly: boolean; readonly seen: Map<string, number> },
): Judged {
  let parsed
  try {
    parsed = parseAddress(text)
  } catch (error) {
    return { status: 'invalid', address: null, reason: explain(text, error) }
  }
  const { raw, isTestOnly } = parsed
  if (isTestOnly && !testOnly) {
    const reason = 'It says that it is for test networks only, and this network is none.'
    return { status: 'wrong-network', address: raw, reason }
  }
  const earlier = seen.get(raw)
  if (earlier !== undefined) {
    const where = earlier === line ? 'earlier on this line' : `on line ${earlier}`
    return { status: 'duplicate', address: raw, reason: `The same address stands ${where}.` }
  }
  seen.set(raw, line)
  return { status: 'valid', address: raw, reason: null }
}

const hex = /^[0-9a-fA-F]+$/
const base64 = /^[A-Za-z0-9+/_-]{40,56}={0,2}$/

function explain(text: string, error: unknown): string {
  if (isName(text)) {
    return 'It is a name, and names are not looked up in bulk: search for it to get its address.'
  }
  if (/^0x[0-9a-f]{40}$/i.test(text)) return 'It is an address of another blockchain.'
  const [, digits] = /^-?\d+:([0-9a-fA-F]*)$/.exec(text) ?? []
  if (digits !== undefined && digits.length !== 64) {
    return `It has ${digits.length} digits after the colon, where an address has 64.`
  }
  if (hex.test(text) && text.length === 64) {
    return 'Its workchain is missing: an address begins with 0: or -1:.'
  }
  if (base64.test(text) && text.length !== 48) {
    return `It has ${text.length} characters, where an address has 48.`
  }
  return error instanceof AddressError ? sentence(error.why) : 'It is no address.'
}

function sentence(words: string): string {
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.`
}
