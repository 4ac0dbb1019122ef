import { readAddressRange } from './address-range.ts'
import { tonDecimals, usdtDecimals } from '../../src-preload/domain/amount.ts'
import { currencyOf, possibleUnits, splitUnit } from '../../src-preload/domain/written-amount.ts'
import { readHash } from './hash.ts'

/** Returns the possible readings of a text in a list's search field. */
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

/**
 * All amounts that the text can mean, in minimal units of each currency: `1,234` means 1.234 or
 * 1234. Empty if the text is not an amount of the currency.
 */
function readAmounts(text: string) {
  const { figure, unit } = splitUnit(text.replace(/^[+\-−]/, ''))
  const currency = unit === null ? null : currencyOf(unit)
  const unitsOf = (isMeant: boolean, decimals: number) =>
    // SQLite's integers have 64 bits, so no row contains a larger amount.
    isMeant ? possibleUnits(figure, decimals).filter((units) => units < 2n ** 63n) : []
  return {
    TON: unitsOf(unit === null || currency === 'TON', tonDecimals),
    USDT: unitsOf(unit === null || currency === 'USDT', usdtDecimals),
  }
}
