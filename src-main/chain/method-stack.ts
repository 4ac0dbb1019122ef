/** Arguments and results of get methods. */
import type { Cell } from '@ton/core'
import { z } from 'zod'
import type { ArgumentKind, StackItem } from '../../src-preload/contract/contract.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import type { MethodArgument } from '../gateway/query.ts'
import { formatCell, readBoc } from '../ton/boc.ts'
import { requireAddress } from './addresses.ts'
import { requireBoc } from './cell-tree.ts'

export type StackName = {
  readonly name: string
  /** The names of a tuple's items. */
  readonly items: readonly StackName[]
}

const decimal = /^[+-]?\d{1,78}$/
const hexadecimal = /^([+-]?)0x([0-9a-fA-F]{1,64})$/

/** @throws AppError CHAIN_BAD_ARGUMENT, CHAIN_BAD_ADDRESS or CHAIN_BAD_BOC */
export function toArgument(
  { kind, value }: { readonly kind: ArgumentKind; readonly value: string },
  place: number,
): MethodArgument {
  switch (kind) {
    case 'null':
      return { type: 'null', value: 'Null' }
    case 'nan':
      return { type: 'nan', value: 'NaN' }
    case 'number':
      return toNumber(value, place)
    case 'address':
      return { type: 'slice', value: requireAddress(value, true) }
    case 'cell': {
      const bytes = Buffer.from(formatCell(requireBoc(value)), 'hex')
      return { type: 'cell_boc_base64', value: bytes.toString('base64') }
    }
    case 'slice':
      return { type: 'slice_boc_hex', value: formatCell(requireBoc(value)) }
  }
}

/** The service takes int64 in decimal, and larger numbers in hexadecimal without a sign. */
function toNumber(text: string, place: number): MethodArgument {
  const number = readNumber(text)
  const refuse = (why: string) => new AppError(chainCodes.badArgument, `Argument ${place}: ${why}`)
  if (number === null) {
    throw refuse('enter a whole number in decimal, or in hexadecimal with 0x.')
  }
  if (BigInt.asIntN(64, number) === number) return { type: 'tinyint', value: String(number) }
  if (number < 0n) throw refuse('the gateway accepts no number below −2^63.')
  if (number >= 2n ** 256n) throw refuse('the number is larger than a contract’s 257 bits.')
  return { type: 'int257', value: `0x${number.toString(16)}` }
}

export function readNumber(text: string): bigint | null {
  if (decimal.test(text)) return BigInt(text.replace(/^\+/, ''))
  const [, sign, digits] = hexadecimal.exec(text) ?? []
  if (digits === undefined) return null
  const size = BigInt(`0x${digits}`)
  return sign === '-' ? -size : size
}

const record = z.looseObject({
  type: z.string(),
  num: z.string().max(200).nullish(),
  cell: z.string().nullish(),
  slice: z.string().nullish(),
  tuple: z.array(z.unknown()).nullish(),
})

/** Stacks with more values show their first values and the number of the others. */
const maxItems = 20_000

/**
 * Uses no recursion, because a list of 10,000 items is 10,000 tuples deep. A value of an unknown
 * shape does not hide the others.
 * @param names names of the values from a dictionary; ignored if their number differs
 */
export function flattenStack(stack: readonly unknown[], names: readonly StackName[] = []) {
  const items: StackItem[] = []
  let total = 0
  const entries = (values: readonly unknown[], given: readonly StackName[]) =>
    values
      .map((value, index) => ({
        value,
        named: given.length === values.length ? given[index] : undefined,
      }))
      .toReversed()
  const waiting = entries(stack, names).map((each) => ({ ...each, depth: 0, isTail: false }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, named, depth, isTail } = next
    total += 1
    const isShown = items.length < maxItems
    // An item that is only counted is not parsed: parsing its cell takes more time than the rest.
    if (!isShown && !isTuple(value)) continue
    const { inner = [], ...read } = readValue(value, isTail)
    if (isShown) items.push({ name: named?.name ?? null, depth, boc: null, ...read })
    const isPair = read.kind === 'tuple' && inner.length === 2
    const last = inner.length - 1
    for (const [index, each] of entries(inner, named?.items ?? []).entries()) {
      waiting.push({ ...each, depth: depth + 1, isTail: isPair && last - index === 1 })
    }
  }
  return { items, total }
}

const isTuple = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'tuple' in value

type ReadValue = Pick<StackItem, 'kind' | 'value'> & {
  readonly boc?: string
  readonly inner?: readonly unknown[]
}

function readValue(value: unknown, isTail: boolean): ReadValue {
  const parsed = record.safeParse(value)
  if (!parsed.success) return unread('The gateway sent no value here.')
  const { type, num, cell, slice, tuple } = parsed.data
  switch (type) {
    case 'null':
    case 'nan':
      return { kind: type, value: '' }
    case 'num': {
      // The service writes a zero of 257 bits without digits.
      const number = readNumber(num === '0x' || num === '-0x' ? '0' : (num ?? ''))
      return number === null
        ? unread('The gateway sent a number that cannot be parsed.')
        : { kind: 'number', value: number.toString() }
    }
    case 'cell':
    case 'slice':
    case 'builder':
      return readCell(cell ?? slice)
    case 'tuple':
    case 'list':
      return isTail ? plainTuple(tuple ?? []) : readTuple(tuple ?? [])
    default:
      return unread(`The gateway sent a value of the unknown type ${type.slice(0, 40)}.`)
  }
}

const unread = (value: string): ReadValue => ({ kind: 'unread', value })

function readCell(text: string | null | undefined): ReadValue {
  const cell = readBoc(text)
  if (cell === null) return unread('The gateway sent a cell that cannot be parsed.')
  const boc = formatCell(cell)
  const address = addressOf(cell)
  return address === null ? { kind: 'cell', value: boc } : { kind: 'address', value: address, boc }
}

const addressBits = 267

/** The address in a cell that holds one standard address and nothing else. */
function addressOf(cell: Cell): string | null {
  if (cell.isExotic || cell.bits.length !== addressBits || cell.refs.length > 0) return null
  try {
    return cell.beginParse().loadAddress().toRawString()
  } catch {
    return null
  }
}

const plainTuple = (tuple: readonly unknown[]): ReadValue => ({
  kind: 'tuple',
  value: String(tuple.length),
  inner: tuple,
})

/**
 * TVM stores a list as nested pairs of an item and the rest, ended by null. A pair that is no list
 * is shown as a pair. Its second item is no list either, so it is not searched again.
 */
function readTuple(tuple: readonly unknown[]): ReadValue {
  const heads: unknown[] = []
  for (let pair: readonly unknown[] | null = tuple; pair !== null;) {
    if (pair.length !== 2) break
    heads.push(pair[0])
    const rest: z.output<typeof record> | undefined = record.safeParse(pair[1]).data
    if (rest?.type === 'null' && heads.length > 1) {
      return { kind: 'list', value: String(heads.length), inner: heads }
    }
    pair = rest?.type === 'tuple' || rest?.type === 'list' ? (rest.tuple ?? []) : null
  }
  return plainTuple(tuple)
}
