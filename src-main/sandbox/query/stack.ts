/** What get methods give back. */
import type { Cell, TupleItem } from '@ton/core'
import { formatCell } from '../../ton/boc.ts'

export function intOf(item: TupleItem | undefined): bigint | null {
  return item?.type === 'int' ? item.value : null
}

export function cellOf(item: TupleItem | undefined): Cell | null {
  return item?.type === 'cell' || item?.type === 'slice' ? item.cell : null
}

/** Raw; null for no address and for what is none. */
export function addressOf(item: TupleItem | undefined): string | null {
  const cell = cellOf(item)
  try {
    return cell?.beginParse().loadMaybeAddress()?.toRawString() ?? null
  } catch {
    return null
  }
}

/** TvmStackRecord of the service. */
type StackRecord =
  | { readonly type: 'null' | 'nan' }
  | { readonly type: 'num'; readonly num: string }
  | { readonly type: 'cell'; readonly cell: string }
  | { readonly type: 'tuple'; readonly tuple: readonly StackRecord[] }

/** Slices and builders are told as cells there. */
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

/** Hex; beyond 64 bits in whole bytes. */
function serializeNumber(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString(16)
  const isTiny = value >= -(2n ** 63n) && value < 2n ** 63n
  const padded = isTiny || digits.length % 2 === 0 ? digits : `0${digits}`
  return `${value < 0n ? '-' : ''}0x${padded}`
}
