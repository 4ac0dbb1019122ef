import { rescale } from '../../../../src-preload/domain/amount.ts'
import { isAddressLike } from '../../../ton/pasted-address.ts'
import { readAddress } from '../../../ton/address.ts'
import { type AddressRange, beginningsOf, readAddressRange } from '../../../ton/address-range.ts'
import { readHash } from '../../../ton/hash.ts'
import { knownOpcodes } from '../../../ton/opcodes.ts'
import { formatOpcode, parseOpcode } from '../../../../src-preload/domain/opcode.ts'
import { type Test, type ReadValue, equalsText, patternOf, readText } from './text.ts'
import type { Asset } from '../../../../src-preload/contract/chain/references.ts'
import type { Range } from '../../store/index/index-plan.ts'
import { rangeOf } from './number.ts'

const rawBeginning = /^-?\d+:[0-9a-f]*\*$/i

/**
 * Accepts a raw or friendly address, a name, or the beginning of a raw address with `*`; while the
 * user types, any beginning.
 */
export const readAccount: ReadValue = (piece, { names, typing }) => {
  if (piece.lead !== '')
    return 'Addresses cannot be compared with < or >. Enter an address or a label.'
  if (piece.text === '*') return [{ is: 'text', pattern: ['', ''] }]
  if (rawBeginning.test(piece.text)) return [{ is: 'text', pattern: patternOf(piece) }]
  const address = readAddress(piece.text)
  if (address !== null) return [equalsText(address.raw)]
  const labelled = names.addresses(piece.text)
  if (labelled.length > 0) return labelled.map(equalsText)
  if (isAddressLike(piece.text)) return 'Not a valid address: a character is missing or mistyped.'
  const beginning = piece.text.replace(/\*$/, '')
  const range = typing ? readAddressRange(beginning) : null
  if (range !== null) return inRange(range)
  const named = typing ? names.addressesLike(beginning) : []
  return named.length > 0
    ? named.map(equalsText)
    : 'An address (EQ…, UQ… or 0:…), its first characters (EQB3ag, 0:ab*), or a name: one of your labels or of the gateway’s names.'
}

export const inRange = (range: AddressRange): Test[] =>
  beginningsOf(range).map((each) => ({ is: 'text', pattern: [each, range.ending] }))

export const readAsset: ReadValue = (piece, context) => {
  const address = piece.lead === '' ? readAddress(piece.text) : null
  return address === null ? readText(piece, context) : [equalsText(address.raw)]
}

/** Accepts hex or base64, or a beginning in hex with `*`. */
export const readTransactionHash: ReadValue = (piece) => {
  if (/^[0-9a-f]*\*$/i.test(piece.text)) return [{ is: 'text', pattern: patternOf(piece) }]
  const hash = readHash(piece.text)
  return hash === null
    ? 'A hash: 64 hexadecimal digits, base64, or its first digits with * (ab12*).'
    : [equalsText(hash)]
}

/** Accepts `0x…`, a decimal number, or a name. */
export const readOperation: ReadValue = (piece, { names }) => {
  if (piece.text === '*') return [{ is: 'text', pattern: ['', ''] }]
  const opcode = opcodeOf(piece.text)
  if (opcode !== null) return [opcode]
  const own = names.opcodes(piece.text)
  return own.length > 0
    ? own.map((each) => equalsText(formatOpcode(each)))
    : 'An opcode: 0x0f8a7ea5, or its name, such as jetton_transfer or a message of your dictionaries.'
}

function opcodeOf(text: string): Test | null {
  const named = knownOpcodes().find(({ name }) => name === text.toLowerCase())
  const opcode = named?.opcode ?? parseOpcode(text)
  return opcode === null ? null : equalsText(formatOpcode(opcode))
}

const expected = 'An amount with its unit: >1.5TON, 20USDT, 1..2TON.'
const written = /^(\d{1,40})(?:\.(\d{1,30}))?([\p{L}$₮][\p{L}\p{N}$₮._-]{0,30})?$/u

/** Normalizes symbols, because TON's USDT is also written USD₮. */
const symbolOf = (text: string): string => text.replaceAll('₮', 'T').toUpperCase()

export function namesOfAsset(asset: Asset): string[] {
  const { symbol, jetton } = asset
  return [symbol, ...symbolsOf(asset), ...(jetton === null ? [] : [jetton])]
}

/** The native coin is stored as TON; networks name it GRAM since June 2026. */
export function symbolsOf({ symbol, jetton }: Asset): string[] {
  const own = symbolOf(symbol)
  return jetton === null && own === 'TON' ? [own, 'GRAM'] : [own]
}

/** The decimals of range bounds, which are more than those of any asset. */
const boundDecimals = 300

/** An amount always has an asset, because amounts of different assets cannot be compared. */
export const readAmount: ReadValue = (piece) => {
  const symbols = new Set<string>()
  const range = rangeOf(piece, expected, (text) => {
    const [, whole, fraction = '', symbol] = written.exec(text) ?? []
    if (whole === undefined) return null
    if (symbol !== undefined) symbols.add(symbolOf(symbol))
    const value = BigInt(whole + fraction.padEnd(boundDecimals, '0'))
    return { from: value, to: value }
  })
  const [symbol, other] = symbols
  if (typeof range === 'string') return range
  return symbol === undefined || other !== undefined
    ? expected
    : [{ is: 'amount', symbol, ...range }]
}

/** The minimum and maximum units, both inclusive, for an asset with these decimals. */
export const unitsWithin = ({ low, high }: Range, decimals: number): Range => ({
  low: low === null ? null : rescale(low, boundDecimals, decimals, 'up'),
  high: high === null ? null : high < 0n ? -1n : rescale(high, boundDecimals, decimals, 'down'),
})
