/** Parses the text of a dictionary: a JSON ABI of Tact (OTP-002) or Tolk, or message constructors in TL-B. */
import { withoutByteOrderMark } from '../../../src-preload/domain/read-json.ts'
import { z } from 'zod'
import type { StackName } from '../../chain/method-stack.ts'
import {
  type Field,
  type FieldType,
  type Interface,
  InterfaceError,
  type Struct,
  bitsType,
  createUnusedList,
  formError,
  integerType,
  maxFields,
  maxStackNames,
  maxTypes,
  messagesOf,
  opcodeBits,
  refuseCycles,
} from '../../chain/contract-interface.ts'
import { parseTlb } from '../../chain/tl-b.ts'
import { isTolkAbi, parseTolkAbi } from './tolk-abi.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/** Maximum number of messages with the same opcode and equal fields, among which a body cannot decide. */
const maxAlike = 8

/** @throws InterfaceError when the text has neither format, or cannot be used safely */
export function parseInterface(text: string): Interface {
  const parsed = /^\s*[{[]/.test(text) ? parseAbi(text) : parseTlb(text)
  const counts = new Map<string, number>()
  for (const { opcode, name, fields } of parsed.messages) {
    const key = `${opcode} ${JSON.stringify(fields)}`
    const count = (counts.get(key) ?? 0) + 1
    if (count > maxAlike) {
      throw new InterfaceError(
        `More than ${maxAlike} messages have the opcode and the fields of ${name.slice(0, 40)}.`,
      )
    }
    counts.set(key, count)
  }
  return parsed
}

const typeRef = z.looseObject({
  kind: z.string(),
  type: z.string().max(200).nullish(),
  optional: z.boolean().nullish(),
  format: z.union([z.string(), z.number(), z.boolean()]).nullish(),
  key: z.string().max(200).nullish(),
  value: z.string().max(200).nullish(),
})
type TypeRef = z.infer<typeof typeRef>

const named = z.object({ name: z.string().max(200), type: typeRef })
const abi = z.looseObject({
  name: z.string().max(200).nullish(),
  types: z
    .array(
      z.looseObject({
        name: z.string().max(200),
        header: z.number().nullish(),
        fields: z.array(named).max(maxFields, `A type has more than ${maxFields} fields.`),
      }),
    )
    .max(maxTypes, `The ABI has more than ${maxTypes} types.`)
    .nullish(),
  getters: z
    .array(
      z.looseObject({
        name: z.string().max(200),
        arguments: z.array(named).max(64).nullish(),
        returnType: typeRef.nullish(),
      }),
    )
    .max(maxTypes)
    .nullish(),
  errors: z.record(z.string(), z.looseObject({ message: z.string() })).nullish(),
})

function parseAbi(text: string): Interface {
  const json = readJson(text)
  if (isTolkAbi(json)) return parseTolkAbi(json)
  const { success, data, error } = abi.safeParse(json)
  if (!success) throw formError('Tact', error)
  const { types = null, getters = null, errors = null, name } = data
  if (types === null && getters === null) {
    throw new InterfaceError(
      'The JSON has neither types nor getters, so it is no ABI of Tact. An ABI of Tolk has abi_schema_version and unique_types.',
    )
  }
  const known = new Set((types ?? []).map((each) => each.name))
  const { unused, leave } = createUnusedList()
  const structs = new Map<string, Struct>()
  for (const type of types ?? []) {
    const fields: Field[] = []
    const unread = type.fields.find((field) => {
      const read = readType(field.type, known)
      if (read !== null) fields.push({ name: field.name, type: read })
      return read === null
    })
    const prefix = isOpcode(type.header) ? { value: type.header, bits: opcodeBits } : null
    if (unread === undefined) structs.set(type.name, { prefix, fields })
    else leave(`${type.name}: the type of the field ${unread.name} is unknown.`)
  }
  const split = splitLikeTact(structs, refuseCycles(structs))
  return {
    format: 'abi',
    name: name ?? '',
    structs: split,
    unused,
    messages: messagesOf(split),
    methods: (getters ?? []).map((getter) => ({
      name: getter.name,
      arguments: (getter.arguments ?? []).map(({ name: argument, type }) => ({
        name: argument,
        type: formatType(type),
        kind: argumentKindOf(type),
      })),
      returns: getter.returnType ? formatType(getter.returnType) : null,
      result: getter.returnType ? nameResult(split, readType(getter.returnType, known)) : [],
    })),
    errors: new Map(
      Object.entries(errors ?? {}).flatMap(([code, { message }]) =>
        /^\d{1,6}$/.test(code) ? [[Number(code), message.slice(0, 200)] as const] : [],
      ),
    ),
  }
}

const isOpcode = (header: number | null | undefined): header is number =>
  Number.isInteger(header) && (header ?? -1) >= 0 && (header ?? 0) < 2 ** opcodeBits

/** A struct is returned as its fields, and an optional struct as a tuple. */
function nameResult(
  structs: ReadonlyMap<string, Struct>,
  result: FieldType | null,
): readonly StackName[] {
  let count = 0
  const fieldsOf = (name: string, prefix: string): StackName[] =>
    (structs.get(name)?.fields ?? []).flatMap((field) => namesOf(field.type, prefix + field.name))
  const namesOf = (type: FieldType, name: string): StackName[] => {
    count += 1
    if (count > maxStackNames) return []
    if (type.kind === 'struct') return fieldsOf(type.name, `${name}.`)
    const isTuple = type.kind === 'maybe' && type.of.kind === 'struct'
    return [{ name, items: isTuple ? fieldsOf(type.of.name, '') : [] }]
  }
  const names =
    result?.kind === 'struct'
      ? fieldsOf(result.name, '')
      : result === null
        ? []
        : namesOf(result, 'value')
  const [only] = names
  const isPlain = names.length === 1 && only?.items.length === 0 && result?.kind !== 'struct'
  return isPlain || count > maxStackNames ? [] : names
}

type Size = { readonly bits: number; readonly refs: number }

const cellSize: Size = { bits: 1023, refs: 4 }

/**
 * Splits fields into cells as Tact does: it keeps a bit and a reference of the first cell free, and
 * counts each field at its largest size.
 * @param order types after those that they contain
 */
function splitLikeTact(
  structs: ReadonlyMap<string, Struct>,
  order: ReadonlySet<string>,
): ReadonlyMap<string, Struct> {
  const split = new Map<string, Struct>()
  const sizes = new Map<string, Size>()
  const sizeOf = (type: FieldType): Size => {
    switch (type.kind) {
      case 'int':
      case 'bits':
        return { bits: type.bits, refs: 0 }
      case 'varint':
        return { bits: type.lengthBits === 4 ? 124 : 253, refs: 0 }
      case 'coins':
        return { bits: 124, refs: 0 }
      case 'bool':
        return { bits: 1, refs: 0 }
      case 'address':
        return { bits: 267, refs: 0 }
      case 'dict':
        return { bits: 1, refs: 1 }
      case 'maybe': {
        const { bits, refs } = sizeOf(type.of)
        return { bits: bits + 1, refs }
      }
      case 'struct':
        return sizes.get(type.name) ?? { bits: 0, refs: 0 }
      case 'cell':
      case 'text':
      case 'ref':
        return { bits: 0, refs: 1 }
      case 'rest':
      case 'either':
      case 'union':
        return { bits: 0, refs: 0 }
    }
  }
  const splitOne = (name: string) => {
    const struct = structs.get(name)
    if (struct === undefined) return
    const { prefix, fields } = struct
    const header = prefix?.bits ?? 0
    const measured = fields.map((field) => ({ field, size: sizeOf(field.type) }))
    let free: Size = { bits: cellSize.bits - 1 - header, refs: cellSize.refs - 1 }
    let root: Size | undefined
    let used: Size = { bits: 0, refs: 0 }
    /** A cell with a further cell reserves a reference for it. */
    const reserve = (from: number): Size => {
      const bits = measured.slice(from).reduce((sum, each) => sum + each.size.bits, 0)
      const refs = measured.slice(from).reduce((sum, each) => sum + each.size.refs, 0)
      return bits > free.bits || refs > free.refs ? { bits: free.bits, refs: free.refs - 1 } : free
    }
    free = reserve(0)
    const laid = measured.map(({ field, size }, index): Field => {
      const fits = size.bits <= free.bits && size.refs <= free.refs
      if (!fits) {
        root ??= { bits: used.bits, refs: used.refs + 1 }
        free = cellSize
        free = reserve(index)
      }
      free = { bits: free.bits - size.bits, refs: free.refs - size.refs }
      used = { bits: used.bits + size.bits, refs: used.refs + size.refs }
      return fits ? field : { ...field, startsCell: true }
    })
    const { bits, refs } = root ?? used
    sizes.set(name, { bits: bits + header, refs })
    split.set(name, { prefix, fields: laid })
  }
  for (const name of order) splitOne(name)
  return split
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text)) as unknown
  } catch {
    throw new InterfaceError('The text begins like JSON, but is not valid JSON.')
  }
}

const varints: Readonly<Record<string, FieldType>> = lookupTable({
  coins: { kind: 'coins' },
  varuint16: { kind: 'coins' },
  varint16: { kind: 'varint', lengthBits: 4, isSigned: true },
  varuint32: { kind: 'varint', lengthBits: 5, isSigned: false },
  varint32: { kind: 'varint', lengthBits: 5, isSigned: true },
})

/** @returns null for a type that Tondesk does not know */
function readType(ref: TypeRef, known: ReadonlySet<string>): FieldType | null {
  if (ref.kind === 'dict') return { kind: 'dict' }
  const type = ref.kind === 'simple' ? readSimple(ref, known) : null
  // An absent address has its own encoding.
  const isPlain = ref.optional !== true || type === null || type.kind === 'address'
  return isPlain ? type : { kind: 'maybe', of: type }
}

function readSimple({ type, format }: TypeRef, known: ReadonlySet<string>): FieldType | null {
  switch (type ?? '') {
    case 'int':
    case 'uint': {
      if (typeof format === 'string') return varints[format] ?? null
      const bits = typeof format === 'number' ? format : 257
      return integerType(bits, type === 'int')
    }
    case 'bool':
      return { kind: 'bool' }
    case 'address':
      return { kind: 'address' }
    case 'string':
      return { kind: 'text' }
    case 'cell':
    case 'slice':
    case 'builder':
      return { kind: format === 'remainder' ? 'rest' : 'cell' }
    case 'fixed-bytes':
      return typeof format === 'number' ? bitsType(format * 8) : null
    default: {
      if (typeof type !== 'string' || !known.has(type)) return null
      const struct = { kind: 'struct', name: type } as const
      return format === 'ref' ? { kind: 'ref', of: struct } : struct
    }
  }
}

function formatType({ kind, type, format, optional, key, value }: TypeRef): string {
  const name = kind === 'dict' ? `map<${key ?? '?'}, ${value ?? '?'}>` : (type ?? kind)
  const width = format === null || format === undefined ? '' : ` as ${String(format)}`
  return `${name}${width}${optional === true ? '?' : ''}`
}

function argumentKindOf({ kind, type }: TypeRef): 'number' | 'address' | 'cell' | 'slice' {
  if (kind === 'dict' || type === 'cell') return 'cell'
  if (type === 'address') return 'address'
  return type === 'int' || type === 'uint' || type === 'bool' ? 'number' : 'slice'
}
