import { isAddressLike } from '../../../ton/pasted-address.ts'
import { readAddress } from '../../../ton/address.ts'
import { type AddressRange, beginningsOf, readAddressRange } from '../../../ton/address-range.ts'
import { readHash } from '../../../ton/hash.ts'
import { knownOpcodes, formatOpcode, readOpcode } from '../../../ton/opcodes.ts'
import type { Test } from '../value-test.ts'
import type { ReadValue } from './read-value.ts'
import { is, patternOf, readText } from './text.ts'

/** Whole or as the beginning of a raw one. */
const rawBeginning = /^-?\d+:[0-9a-f]*\*$/i

/** Raw or friendly, a name, or the beginning of a raw one with `*`; as one types any beginning. */
export const readAccount: ReadValue = (piece, { names, typing }) => {
  if (piece.lead !== '') return 'Addresses have no order: give one, or a label.'
  if (piece.text === '*') return [{ is: 'text', pattern: ['', ''] }]
  if (rawBeginning.test(piece.text)) return [{ is: 'text', pattern: patternOf(piece) }]
  const address = readAddress(piece.text)
  if (address !== null) return [is(address.raw)]
  const labelled = names.addresses(piece.text)
  if (labelled.length > 0) return labelled.map(is)
  if (isAddressLike(piece.text)) return 'This is no address: a character is missing or mistyped.'
  const beginning = piece.text.replace(/\*$/, '')
  const range = typing ? readAddressRange(beginning) : null
  if (range !== null) return inRange(range)
  const named = typing ? names.addressesLike(beginning) : []
  return named.length > 0
    ? named.map(is)
    : 'An address (EQ…, UQ… or 0:…), its beginning (EQB3ag, 0:ab*), or a name: one of your labels, or the gateway’s.'
}

/** One of these holds of the addresses in a range. */
export function inRange(range: AddressRange): Test[] {
  return beginningsOf(range).map((each) => ({ is: 'text', pattern: [each, range.ending] }))
}

/** By the symbol, or the address of the jetton in any form. */
export const readAsset: ReadValue = (piece, context) => {
  const address = piece.lead === '' ? readAddress(piece.text) : null
  return address === null ? readText(piece, context) : [is(address.raw)]
}

/** In hex or base64, or the beginning in hex with `*`. */
export const readTransactionHash: ReadValue = (piece) => {
  if (/^[0-9a-f]*\*$/i.test(piece.text)) return [{ is: 'text', pattern: patternOf(piece) }]
  const hash = readHash(piece.text)
  return hash === null
    ? 'A hash of 64 hexadecimal digits, or in base64; ab12* begins so.'
    : [is(hash)]
}

/** `0x…`, a decimal number, or a name. */
export const readOperation: ReadValue = (piece) => {
  if (piece.text === '*') return [{ is: 'text', pattern: ['', ''] }]
  const opcode = opcodeOf(piece.text)
  return opcode === null ? 'An opcode: 0x0f8a7ea5, or its name, such as jetton_transfer.' : [opcode]
}

function opcodeOf(text: string): Test | null {
  const named = knownOpcodes().find(({ name }) => name === text.toLowerCase())
  const decimal = /^\d{1,10}$/.test(text) ? Number(text) : null
  const opcode = named?.opcode ?? readOpcode(text) ?? decimal
  return opcode === null || opcode > 0xffff_ffff ? null : is(formatOpcode(opcode))
}
