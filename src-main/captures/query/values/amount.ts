import type { Asset } from '../../../../src-preload/contract/chain.ts'
import type { AmountBound, Test } from '../value-test.ts'
import { endsOf } from './number.ts'
import type { ReadValue } from './read-value.ts'

const expected = 'An amount with its unit: >1.5TON, 20USDT, 1..2TON.'
const written = /^(\d{1,40})(?:\.(\d{1,30}))?([\p{L}$₮][\p{L}\p{N}$₮._-]{0,30})?$/u

/** Symbols are compared in one spelling: the tether of TON is written USD₮, too. */
export function symbolOf(text: string): string {
  return text.replaceAll('₮', 'T').toUpperCase()
}

/** What an asset is asked for by: its symbol in both spellings, its address. */
export function namesOfAsset({ symbol, jetton }: Asset): string[] {
  return [symbol, symbolOf(symbol), ...(jetton === null ? [] : [jetton])]
}

type Written = { readonly digits: bigint; readonly scale: number; readonly symbol: string | null }

function read(text: string): Written | null {
  const match = written.exec(text)
  if (match === null) return null
  const [, whole = '', fraction = '', symbol] = match
  return {
    digits: BigInt(whole + fraction),
    scale: fraction.length,
    symbol: symbol === undefined ? null : symbolOf(symbol),
  }
}

/** Exact, and always of one asset: 5 of one are not more than 3 of another. */
export const readAmount: ReadValue = (piece) => {
  const ends = endsOf(piece)
  if (ends === null) {
    const amount = read(piece.text)
    const symbol = amount?.symbol ?? null
    return amount === null || symbol === null ? expected : [compared(piece.lead, amount, symbol)]
  }
  const [low, high] = ends.map((text) => (text === '' ? undefined : read(text)))
  if (low === null || high === null) return expected
  const symbol = high?.symbol ?? low?.symbol ?? null
  if (symbol === null || (low?.symbol ?? symbol) !== symbol) return expected
  return [
    {
      is: 'amount',
      symbol,
      low: low === undefined ? null : bound(low, true),
      high: high === undefined ? null : bound(high, true),
    },
  ]
}

function compared(lead: string, amount: Written, symbol: string): Test {
  const isLow = lead === '' || lead.startsWith('>')
  const isHigh = lead === '' || lead.startsWith('<')
  const inclusive = lead === '' || lead.endsWith('=')
  return {
    is: 'amount',
    symbol,
    low: isLow ? bound(amount, inclusive) : null,
    high: isHigh ? bound(amount, inclusive) : null,
  }
}

function bound({ digits, scale }: Written, inclusive: boolean): AmountBound {
  return { digits, scale, inclusive }
}

/** The least and the most units, both included, that an asset with so many decimals may have. */
export function unitsWithin(
  { low, high }: { readonly low: AmountBound | null; readonly high: AmountBound | null },
  decimals: number,
): { readonly low: bigint | null; readonly high: bigint | null } {
  return {
    low: low === null ? null : lowest(low, decimals),
    high: high === null ? null : highest(high, decimals),
  }
}

/** In units; finer than they are divisible leaves a rest. */
function inUnits({ digits, scale }: AmountBound, decimals: number) {
  const divisor = 10n ** BigInt(scale)
  const scaled = digits * 10n ** BigInt(decimals)
  return { whole: scaled / divisor, isExact: scaled % divisor === 0n }
}

function lowest(bound: AmountBound, decimals: number): bigint {
  const { whole, isExact } = inUnits(bound, decimals)
  return isExact && bound.inclusive ? whole : whole + 1n
}

function highest(bound: AmountBound, decimals: number): bigint {
  const { whole, isExact } = inUnits(bound, decimals)
  return isExact && !bound.inclusive ? whole - 1n : whole
}
