import { type Cell, type TupleItem, Address, beginCell } from '@ton/core'
import { z } from 'zod'
import { readAddress } from '../../ton/address.ts'
import { BocError, formatCell, parseBoc, readBytes } from '../../ton/boc.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

export const intOf = (item: TupleItem | undefined): bigint | null =>
  item?.type === 'int' ? item.value : null

export const cellOf = (item: TupleItem | undefined): Cell | null =>
  item?.type === 'cell' || item?.type === 'slice' ? item.cell : null

export function addressOf(item: TupleItem | undefined): string | null {
  const cell = cellOf(item)
  try {
    return cell?.beginParse().loadMaybeAddress()?.toRawString() ?? null
  } catch {
    return null
  }
}

type StackRecord =
  | { readonly type: 'null' | 'nan' }
  | { readonly type: 'num'; readonly num: string }
  | { readonly type: 'cell'; readonly cell: string }
  | { readonly type: 'tuple'; readonly tuple: readonly StackRecord[] }

export function serializeStackItem(item: TupleItem): StackRecord {
  switch (item.type) {
    case 'null':
    case 'nan':
      return { type: item.type }
    case 'int':
      return { type: 'num', num: serializeNumber(item.value) }
    case 'cell':
    case 'slice':
    case 'builder':
      return { type: 'cell', cell: formatCell(item.cell) }
    case 'tuple':
      return { type: 'tuple', tuple: item.items.map(serializeStackItem) }
  }
}

/** Formats hex, in whole bytes beyond 64 bits. */
function serializeNumber(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString(16)
  const isTiny = value >= -(2n ** 63n) && value < 2n ** 63n
  const padded = isTiny || digits.length % 2 === 0 ? digits : `0${digits}`
  return `${value < 0n ? '-' : ''}0x${padded}`
}

export const typedArgument = z.object({
  type: z.enum(['nan', 'null', 'tinyint', 'int257', 'slice', 'cell_boc_base64', 'slice_boc_hex']),
  value: z.string(),
})

const hexNumber = /^0x([0-9a-fA-F]{1,64})$/
const decimalNumber = /^-?\d{1,19}$/

/** The form of the text determines the type. @returns null for an unknown form */
export function readTextArgument(text: string): TupleItem | null {
  if (text === 'NaN') return { type: 'nan' }
  if (text === 'Null') return { type: 'null' }
  return readAddressSlice(text) ?? readHexNumber(text) ?? readTinyInt(text) ?? readBoc(text)
}

export const readTypedArgument = (argument: z.infer<typeof typedArgument>): TupleItem | null =>
  readers[argument.type](argument.value)

type ArgumentType = z.infer<typeof typedArgument>['type']

const readers: Readonly<Record<ArgumentType, (value: string) => TupleItem | null>> = {
  nan: (value) => (value === 'NaN' ? { type: 'nan' } : null),
  null: (value) => (value === 'Null' ? { type: 'null' } : null),
  tinyint: readTinyInt,
  int257: readHexNumber,
  slice: readAddressSlice,
  cell_boc_base64: (value) => readItem('cell', value, 'base64'),
  slice_boc_hex: (value) => readItem('slice', value, 'hex'),
}

const readBoc = (text: string): TupleItem | null =>
  readItem('slice', text, 'hex') ?? readItem('cell', text, 'base64')

const hexText = /^[0-9a-fA-F]+$/

function readItem(
  type: 'cell' | 'slice',
  text: string,
  encoding: 'hex' | 'base64',
): TupleItem | null {
  const bytes = hexText.test(text) === (encoding === 'hex') ? readBytes(text) : null
  try {
    return bytes === null ? null : { type, cell: parseBoc(bytes) }
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

/** Returns the service's `decoded`. @returns null for unknown methods and stacks */
export function decodeMethodResult(method: string, stack: readonly TupleItem[]): object | null {
  const decode = decoders[method]
  return Object.hasOwn(decoders, method) && decode !== undefined ? decode(stack) : null
}

type Decoder = (stack: readonly TupleItem[]) => object | null

const decoders: Readonly<Record<string, Decoder>> = lookupTable({
  seqno: ([seqno]) => complete({ state: numberOf(seqno) }),
  get_public_key: ([key]) => complete({ public_key: intOf(key)?.toString() }),
  get_subwallet_id: ([id]) => complete({ subwallet_id: numberOf(id) }),
  get_wallet_address: ([wallet]) => complete({ jetton_wallet_address: addressOf(wallet) }),
  get_wallet_data: ([balance, owner, jetton, code]) =>
    complete({
      balance: intOf(balance)?.toString(),
      owner: addressOf(owner),
      jetton: addressOf(jetton),
      jetton_wallet_code: text(code),
    }),
  get_jetton_data: ([supply, mintable, admin, content, code]) => {
    const parts = complete({
      total_supply: intOf(supply)?.toString(),
      mintable: intOf(mintable),
      jetton_content: text(content),
      jetton_wallet_code: text(code),
    })
    if (parts === null) return null
    return { ...parts, mintable: intOf(mintable) !== 0n, admin_address: addressOf(admin) ?? '' }
  },
})

function complete(parts: Record<string, unknown>): object | null {
  return Object.values(parts).some((part) => part === null || part === undefined) ? null : parts
}

function numberOf(item: TupleItem | undefined): number | null {
  const value = intOf(item)
  return value === null ? null : Number(value)
}

function text(item: TupleItem | undefined): string | null {
  const cell = cellOf(item)
  return cell === null ? null : formatCell(cell)
}
