import { readAddressRange } from './address-range.ts'
import { parseAmount, tonDecimals, usdtDecimals } from '../../src-preload/domain/amount.ts'
import { readHash } from './hash.ts'

/** The possible meanings of a text in a list's search field. */
export function readListText(text: string) {
  const sought = text.trim()
  return {
    text: sought.normalize('NFC').toLowerCase(),
    range: readAddressRange(sought),
    hash: readHashPart(sought),
    amounts: readAmounts(sought),
  }
}

/** Parses a whole hash, or a shortened one such as `ab12cd…9f3e`. */
export function readHashPart(text: string): readonly [begin: string, end: string] | null {
  const hash = readHash(text)
  if (hash !== null) return [hash, '']
  const [, begin, end = ''] = /^([0-9a-f]{4,})(?:…|\.\.\.)([0-9a-f]*)$/i.exec(text) ?? []
  return begin === undefined ? null : [begin.toLowerCase(), end.toLowerCase()]
}

/** Thousands may be grouped, and the unit is optional. */
const amount =
  /^[+−]?((?:\d{1,3}(?:[,’'\s]\d{3})+|\d{1,18})(?:\.\d{1,18})?)(?:\s*(TON|GRAM|USDT|USD₮))?$/i

/** Minimal units of each currency; null if the text is no amount of it. */
function readAmounts(text: string) {
  const [, written = '', unit] = amount.exec(text) ?? []
  const plain = written
    .replaceAll(/[^\d.]/g, '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
  const unitsOf = (isMeant: boolean, decimals: number) => {
    const isExact = (plain.split('.')[1] ?? '').length <= decimals
    const units = plain === '' || !isMeant || !isExact ? null : parseAmount(plain, decimals)
    // SQLite's integers have 64 bits, so no row contains a larger amount.
    return units !== null && units < 2n ** 63n ? units : null
  }
  const isUsdt = unit?.toUpperCase().startsWith('USD')
  return {
    TON: unitsOf(isUsdt !== true, tonDecimals),
    USDT: unitsOf(isUsdt !== false, usdtDecimals),
  }
}
