/** Decodes and encodes message bodies by the description of their contract. */
import { type BitString, type Builder, type Cell, type Slice, Address, beginCell } from '@ton/core'
import type { DecodedBody, DecodedField } from '../../src-preload/contract/chain/transaction.ts'
import type { BodyInput } from '../../src-preload/contract/dictionary.ts'
import { coinName, tonDecimals } from '../../src-preload/domain/amount.ts'
import { requireUnits } from '../../src-preload/domain/written-amount.ts'
import { AppError, bridgeCodes, messageOf } from '../../src-preload/domain/app-error.ts'
import { formatCell } from '../ton/boc.ts'
import { readSnakeBytes } from '../ton/payload.ts'
import { readAddressInput } from './addresses.ts'
import { requireBoc } from './cell-tree.ts'
import { type Field, type FieldType, type Interface, opcodeBits } from './contract-interface.ts'
import { readNumber } from './method-stack.ts'

const maxDecoded = 500
/** Nested types let a short description cause unlimited work, so the steps are limited. */
const maxSteps = 5_000

/** The remaining steps for one body, over all messages and descriptions that are tried. */
type StepBudget = { steps: number }

export const newStepBudget = (): StepBudget => ({ steps: maxSteps })

/** @returns null when no message matches the body, or the budget is used up */
export function decodeBody(
  content: Interface,
  body: Cell,
  budget: StepBudget = newStepBudget(),
): DecodedBody | null {
  if (body.isExotic || body.bits.length < opcodeBits) return null
  const opcode = body.beginParse().loadUint(opcodeBits)
  for (const message of content.messages) {
    if (message.opcode !== opcode || budget.steps <= 0) continue
    try {
      const slice = body.beginParse().skip(opcodeBits)
      const fields = decodeFields(content, message.fields, slice, budget)
      return { operation: message.name, fields }
    } catch {
      // Another description with the same opcode may fit the body.
    }
  }
  return null
}

/** A type that contains itself is decoded and entered as a plain cell. */
function isRecursive(type: FieldType, path: Path): boolean {
  if (type.kind === 'struct') return path.includes(type.name)
  if (type.kind === 'maybe') return isRecursive(type.of, path)
  return type.kind === 'union' && type.of.some((each) => isRecursive(each.type, path))
}

/** Names of the structs around a field. */
type Path = readonly string[]
type Shown = readonly [kind: DecodedField['kind'], value: string]
type ValueKind = Exclude<FieldType['kind'], 'maybe' | 'ref' | 'struct' | 'union'>
type Codec<T> = {
  readonly read: (slice: Slice, type: T) => Shown
  /** The kind of the form field, and the name of the type beside it. */
  readonly input: (type: T) => readonly [kind: BodyInput['kind'], type: string]
  readonly write: (builder: Builder, text: string, type: T, testOnly: boolean) => void
}

const integerName = (isSigned: boolean) => (isSigned ? 'int' : 'uint')

/** Codecs of the types that contain no other types. */
const values = {
  int: {
    read: (slice, { isSigned, bits }) => [
      'number',
      (isSigned ? slice.loadIntBig(bits) : slice.loadUintBig(bits)).toString(),
    ],
    input: ({ isSigned, bits }) => ['number', `${integerName(isSigned)}${bits}`],
    write: writeInteger,
  },
  varint: {
    read(slice, { lengthBits, isSigned }) {
      const bits = slice.loadUint(lengthBits) * 8
      const number = isSigned ? slice.loadIntBig(bits) : slice.loadUintBig(bits)
      return ['number', bits === 0 ? '0' : number.toString()]
    },
    input: ({ lengthBits, isSigned }) => [
      'number',
      `var${integerName(isSigned)}${lengthBits === 4 ? 16 : 32}`,
    ],
    write(builder, text, { lengthBits, isSigned }) {
      const number = requireInteger(text)
      if (isSigned) builder.storeVarInt(number, lengthBits)
      else builder.storeVarUint(number, lengthBits)
    },
  },
  bits: {
    read: (slice, { bits }) => ['bytes', slice.loadBits(bits).toString()],
    input: ({ bits }) => ['bits', `bits${bits}`],
    write: (builder, text, { bits }) => builder.storeBits(readBits(text, bits)),
  },
  bool: {
    read: (slice) => ['text', String(slice.loadBit())],
    input: () => ['bool', 'bool'],
    write(builder, text) {
      if (!/^(true|false)$/.test(text)) throw new InputError('Choose true or false.')
      builder.storeBit(text === 'true')
    },
  },
  coins: {
    read: (slice) => ['number', slice.loadCoins().toString()],
    input: () => ['coins', 'coins'],
    write: (builder, text) => builder.storeCoins(readCoins(text)),
  },
  address: {
    read(slice) {
      const address = slice.loadMaybeAddress()
      return address === null ? ['text', 'none'] : ['address', address.toRawString()]
    },
    input: () => ['address', 'address'],
    write: (builder, text, _, testOnly) =>
      builder.storeAddress(readOptionalAddress(text, testOnly)),
  },
  text: {
    read(slice) {
      const bytes = readSnakeBytes(slice.loadRef().beginParse())
      if (bytes === null) throw new Error('no text')
      return ['text', bytes.toString('utf8')]
    },
    input: () => ['text', 'text'],
    write: (builder, text) => builder.storeRef(beginCell().storeStringTail(text)),
  },
  cell: {
    read: readCell,
    input: () => ['cell', 'cell'],
    write: (builder, text) => builder.storeRef(requireBoc(text)),
  },
  dict: {
    read(slice) {
      const dictionary = slice.loadMaybeRef()
      return dictionary === null ? ['text', 'empty'] : ['cell', formatCell(dictionary)]
    },
    input: () => ['map', 'map'],
    write: (builder, text) =>
      builder.storeMaybeRef(text === '' || text === 'empty' ? null : requireBoc(text)),
  },
  rest: {
    read: readRest,
    input: () => ['rest', 'remaining data'],
    write: (builder, text) => text !== '' && builder.storeSlice(requireBoc(text).beginParse()),
  },
  either: {
    read: (slice) => (slice.loadBit() ? readCell(slice) : readRest(slice)),
    input: () => ['rest', 'remaining data'],
    /** The value has a cell of its own, so it fits beside any other fields. */
    write(builder, text) {
      if (text === '') builder.storeBit(0)
      else builder.storeBit(1).storeRef(requireBoc(text))
    },
  },
} satisfies { readonly [K in ValueKind]: Codec<FieldType & { readonly kind: K }> }

type Value = FieldType & { readonly kind: ValueKind }

const isValue = (type: FieldType): type is Value => Object.hasOwn(values, type.kind)

const codecOf = ({ kind }: Value) => values[kind] as Codec<FieldType>

function readCell(slice: Slice): Shown {
  return ['cell', formatCell(slice.loadRef())]
}

function readRest(slice: Slice): Shown {
  const rest = formatCell(slice.asCell())
  slice.skip(slice.remainingBits)
  while (slice.remainingRefs > 0) slice.loadRef()
  return ['cell', rest]
}

/** @throws Error when the body does not match the fields, or has more than they describe */
function decodeFields(
  content: Interface,
  layout: readonly Field[],
  body: Slice,
  budget: StepBudget,
): DecodedField[] {
  const decoded: DecodedField[] = []

  function add(name: string, [kind, value]: Shown): void {
    if (decoded.length === maxDecoded) throw new Error('more fields than are shown')
    decoded.push({ name, kind, value })
  }

  function readAll(fields: readonly Field[], slice: Slice, prefix: string, path: Path): void {
    let cell = slice
    for (const { name, type, startsCell } of fields) {
      if (startsCell === true) {
        const next = cell.loadRef().beginParse()
        if (cell !== slice) requireEnd(cell)
        cell = next
      }
      readOne(`${prefix}${name}`, type, cell, path)
    }
    if (cell !== slice) requireEnd(cell)
  }

  function readOne(name: string, type: FieldType, slice: Slice, path: Path): void {
    budget.steps -= 1
    if (budget.steps < 0) throw new Error('too many types')
    if (isValue(type)) {
      add(name, codecOf(type).read(slice, type))
      return
    }
    switch (type.kind) {
      case 'maybe':
        if (slice.loadBit()) readOne(name, type.of, slice, path)
        else add(name, ['text', 'none'])
        return
      case 'ref': {
        if (isRecursive(type.of, path)) {
          add(name, readCell(slice))
          return
        }
        const inner = slice.loadRef().beginParse()
        readOne(name, type.of, inner, path)
        requireEnd(inner)
        return
      }
      case 'struct': {
        const { prefix, fields } = requireStruct(content, type.name)
        if (prefix !== null && slice.loadUint(prefix.bits) !== prefix.value) {
          throw new Error('another prefix')
        }
        readAll(fields, slice, `${name}.`, [...path, type.name])
        return
      }
      case 'union': {
        const found = type.of.find(
          ({ prefix: { bits, value } }) =>
            slice.remainingBits >= bits && slice.preloadUint(bits) === value,
        )
        if (found === undefined) throw new Error('none of the types')
        if (found.isImplicit) slice.skip(found.prefix.bits)
        add(name, ['text', found.name])
        readOne(`${name}.${found.name}`, found.type, slice, path)
        return
      }
    }
  }

  readAll(layout, body, '', [])
  requireEnd(body)
  return decoded
}

function requireEnd(slice: Slice): void {
  if (slice.remainingBits > 0 || slice.remainingRefs > 0) throw new Error('more than described')
}

function requireStruct(content: Interface, name: string) {
  const struct = content.structs.get(name)
  if (struct === undefined) throw new Error('an unknown type')
  return struct
}

const maxInputs = 200

/**
 * The form fields for a message, with the fields of nested structs in place.
 * @throws AppError INVALID_INPUT when the message has more than 200 fields
 */
export function inputsOf(content: Interface, layout: readonly Field[]): BodyInput[] {
  const inputs: BodyInput[] = []
  let steps = 0
  type Place = Pick<BodyInput, 'key' | 'name' | 'when'> & { readonly path: Path }

  function addAll(fields: readonly Field[], { key, name, ...place }: Place): void {
    for (const [index, field] of fields.entries()) {
      const inner = name === '' ? field.name : `${name}.${field.name}`
      addOne(field.type, { ...place, key: `${key}.${index}`, name: inner })
    }
  }

  function addOne(type: FieldType, place: Place): void {
    const { path, ...shown } = place
    const push = (kind: BodyInput['kind'], written: string, options: string[] = []) => {
      if (inputs.length === maxInputs) {
        throw refuse(
          shown.key,
          `The message has more than ${maxInputs} fields. Build its body elsewhere.`,
        )
      }
      inputs.push({ ...shown, kind, type: written, options })
    }
    const within = (option: number, name = shown.name): Place => ({
      path,
      name,
      key: `${shown.key}.${option}`,
      when: { key: shown.key, option },
    })
    steps += 1
    if (steps > maxSteps) throw refuse(shown.key, 'The types of this message are nested too often.')
    if (isValue(type)) {
      push(...codecOf(type).input(type))
      return
    }
    switch (type.kind) {
      case 'maybe':
        push('choice', 'optional', ['none', 'given'])
        addOne(type.of, within(1))
        return
      case 'ref':
        addOne(isRecursive(type.of, path) ? { kind: 'cell' } : type.of, place)
        return
      case 'struct': {
        const { fields } = requireStruct(content, type.name)
        addAll(fields, { ...place, path: [...path, type.name] })
        return
      }
      case 'union':
        push(
          'choice',
          'one of',
          type.of.map((each) => each.name),
        )
        for (const [index, each] of type.of.entries()) {
          addOne(each.type, within(index, `${shown.name}.${each.name}`))
        }
    }
  }

  addAll(layout, { key: 'body', name: '', when: null, path: [] })
  return inputs
}

/**
 * Encodes the body of a message from the values of its form fields.
 * @throws AppError INVALID_INPUT that names the field
 */
export function encodeBody(
  content: Interface,
  { opcode, fields: layout }: Interface['messages'][number],
  entered: Readonly<Record<string, string>>,
  testOnly: boolean,
): Cell {
  function writeAll(fields: readonly Field[], builder: Builder, key: string, path: Path): void {
    const cells = [builder]
    for (const [index, { type, startsCell }] of fields.entries()) {
      if (startsCell === true) cells.push(beginCell())
      write(type, cells.at(-1) ?? builder, `${key}.${index}`, path)
    }
    for (let last = cells.pop(); last !== undefined && last !== builder; last = cells.pop()) {
      cells.at(-1)?.storeRef(last)
    }
  }

  function writeOne(type: FieldType, builder: Builder, key: string, path: Path): void {
    const written = entered[key] ?? ''
    const text = type.kind === 'text' ? written : written.trim()
    if (isValue(type)) {
      codecOf(type).write(builder, text, type, testOnly)
      return
    }
    switch (type.kind) {
      case 'maybe': {
        const isGiven = readOption(text, 2) === 1
        builder.storeBit(isGiven)
        if (isGiven) write(type.of, builder, `${key}.1`, path)
        return
      }
      case 'ref': {
        if (isRecursive(type.of, path)) {
          builder.storeRef(requireBoc(text))
          return
        }
        const cell = beginCell()
        write(type.of, cell, key, path)
        builder.storeRef(cell)
        return
      }
      case 'struct': {
        const { prefix, fields } = requireStruct(content, type.name)
        if (prefix !== null) builder.storeUint(prefix.value, prefix.bits)
        writeAll(fields, builder, key, [...path, type.name])
        return
      }
      case 'union': {
        const option = readOption(text, type.of.length)
        const chosen = type.of[option]
        if (chosen === undefined) throw new InputError('Choose one.')
        const { prefix, isImplicit, type: of } = chosen
        if (isImplicit) builder.storeUint(prefix.value, prefix.bits)
        write(of, builder, `${key}.${option}`, path)
      }
    }
  }

  /** Adds the input's name to each error that is thrown. */
  function write(type: FieldType, builder: Builder, key: string, path: Path): void {
    try {
      writeOne(type, builder, key, path)
    } catch (error) {
      if (error instanceof AppError && error.code === bridgeCodes.invalidInput) throw error
      throw refuse(key, describe(error))
    }
  }

  // This call refuses messages with too many fields.
  inputsOf(content, layout)
  const body = beginCell().storeUint(opcode, opcodeBits)
  writeAll(layout, body, 'body', [])
  try {
    return body.endCell()
  } catch (error) {
    throw refuse('body', describe(error))
  }
}

const refuse = (key: string, message: string): AppError =>
  new AppError(bridgeCodes.invalidInput, message, {
    data: [{ path: `values.${key}`, message }],
  })

/** The library's own errors are about full cells, because values are checked before. */
function describe(error: unknown): string {
  if (error instanceof AppError || error instanceof InputError) return error.message
  return /overflow|references/i.test(messageOf(error))
    ? 'The fields do not fit into one cell of 1,023 bits and 4 references.'
    : `The value is not possible: ${messageOf(error)}`
}

class InputError extends Error {}

function requireInteger(text: string): bigint {
  const number = readNumber(text)
  if (number === null) throw new InputError('Enter a whole number, in decimal or with 0x.')
  return number
}

function writeInteger(
  builder: Builder,
  text: string,
  { bits, isSigned }: Extract<FieldType, { kind: 'int' }>,
): void {
  const number = requireInteger(text)
  const [low, high] = isSigned
    ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    : [0n, 2n ** BigInt(bits) - 1n]
  if (number < low || number > high) {
    throw new InputError(`Enter a number from ${showLimit(low)} to ${showLimit(high)}.`)
  }
  if (isSigned) builder.storeInt(number, bits)
  else builder.storeUint(number, bits)
}

function showLimit(number: bigint): string {
  const digits = number.toString()
  if (digits.length <= 20) return digits
  const power = (number < 0n ? -number : number + 1n).toString(2).length - 1
  return number < 0n ? `−2^${power}` : `2^${power} − 1`
}

const withCoin = /^(\d.*?)\s*(?:TON|GRAM)$/i
const maxCoins = 2n ** 120n - 1n

/** Accepts minimal units, or an amount of the native coin followed by the coin's name. */
function readCoins(text: string): bigint {
  const amount = withCoin.exec(text)?.[1]
  let units: bigint | null
  try {
    units = amount === undefined ? readNumber(text) : requireUnits(amount, tonDecimals)
  } catch (error) {
    throw new InputError(`${messageOf(error)}.`)
  }
  if (units === null || units < 0n || units > maxCoins) {
    throw new InputError(
      `Enter a whole number of the smallest units, or an amount with its name such as “1.5 ${coinName()}”.`,
    )
  }
  return units
}

function readOptionalAddress(text: string, testOnly: boolean): Address | null {
  if (text === 'none') return null
  const { address, reason } = readAddressInput(text, testOnly)
  if (address === null) {
    throw new InputError(text === '' ? 'Enter an address, or “none”.' : reason)
  }
  return Address.parseRaw(address)
}

/** Parses bits in the notation of TL-B: a last `_` means that the bits end before the last 1. */
function readBits(text: string, length: number): BitString {
  const [, digits = '', end = ''] = /^(?:0x)?([0-9a-f]*)(_?)$/i.exec(text) ?? []
  const all = Array.from(digits)
    .map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0'))
    .join('')
  const bits = end === '' ? all : all.slice(0, all.lastIndexOf('1'))
  if (digits === '' || bits.length !== length) {
    const example =
      length % 4 === 0
        ? `${length / 4} hexadecimal digits`
        : `${length} bits as hexadecimal digits that end with “_”`
    throw new InputError(`Enter ${example}.`)
  }
  const builder = beginCell()
  for (const bit of bits) builder.storeBit(bit === '1')
  return builder.asCell().bits
}

function readOption(text: string, count: number): number {
  const option = Number(text)
  if (!/^\d+$/.test(text) || option >= count) throw new InputError('Choose one.')
  return option
}
