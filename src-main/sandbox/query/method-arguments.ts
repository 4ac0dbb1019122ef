/** Arguments of get methods, as the query string and the body write them. */
import { type Cell, type TupleItem, Address, beginCell } from '@ton/core'
import { z } from 'zod'
import { readAddress } from '../../ton/address.ts'
import { BocError, parseBoc, readBytes } from '../../ton/boc.ts'

export const typedArgument = z.object({
  type: z.enum(['nan', 'null', 'tinyint', 'int257', 'slice', 'cell_boc_base64', 'slice_boc_hex']),
  value: z.string(),
})

const hexNumber = /^0x([0-9a-fA-F]{1,64})$/
const decimalNumber = /^-?\d{1,19}$/

/** What it is, is seen by what it looks like. @returns null when it looks like nothing */
export function readTextArgument(text: string): TupleItem | null {
  if (text === 'NaN') return { type: 'nan' }
  if (text === 'Null') return { type: 'null' }
  return readAddressSlice(text) ?? readHexNumber(text) ?? readTinyInt(text) ?? readBoc(text)
}

/** @returns null when the value is not of its type */
export function readTypedArgument({
  type,
  value,
}: z.infer<typeof typedArgument>): TupleItem | null {
  switch (type) {
    case 'nan':
      return value === 'NaN' ? { type } : null
    case 'null':
      return value === 'Null' ? { type } : null
    case 'tinyint':
      return readTinyInt(value)
    case 'int257':
      return readHexNumber(value)
    case 'slice':
      return readAddressSlice(value)
    case 'cell_boc_base64':
      return toItem('cell', readCell(value, 'base64'))
    case 'slice_boc_hex':
      return toItem('slice', readCell(value, 'hex'))
  }
}

/** Hex is a slice, base64 a cell. */
function readBoc(text: string): TupleItem | null {
  return toItem('slice', readCell(text, 'hex')) ?? toItem('cell', readCell(text, 'base64'))
}

function toItem(type: 'cell' | 'slice', cell: Cell | null): TupleItem | null {
  return cell === null ? null : { type, cell }
}

const hexText = /^[0-9a-fA-F]+$/

function readCell(text: string, encoding: 'hex' | 'base64'): Cell | null {
  if (hexText.test(text) !== (encoding === 'hex')) return null
  const bytes = readBytes(text)
  try {
    return bytes === null ? null : parseBoc(bytes)
  } catch (error) {
    if (error instanceof BocError) return null
    throw error
  }
}

function readAddressSlice(text: string): TupleItem | null {
  const address = readAddress(text)
  if (address === null) return null
  const cell = beginCell().storeAddress(Address.parseRaw(address.raw)).endCell()
  return { type: 'slice', cell }
}

function readHexNumber(text: string): TupleItem | null {
  const digits = hexNumber.exec(text)?.[1]
  return digits === undefined ? null : { type: 'int', value: BigInt(`0x${digits}`) }
}

function readTinyInt(text: string): TupleItem | null {
  if (!decimalNumber.test(text)) return null
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? { type: 'int', value } : null
}
