/** The ABI that the Tolk compiler and Acton write for a `contract` declaration, schema version 1. */
import { z } from 'zod'
import type { ArgumentKind } from '../../../src-preload/contract/contract.ts'
import type { StackName } from '../../chain/method-stack.ts'
import {
  type Field,
  type FieldType,
  type Interface,
  type Struct,
  formError,
  isWidth,
  maxFields,
  maxStackNames,
  maxTypes,
  maxUnused,
  maxVariants,
  messagesOf,
  opcodeBits,
  refuseCycles,
} from './contract-interface.ts'

const name = z.string().max(200)
const index = z.int().nonnegative()
/** A type of the table that Tondesk does not know makes only what uses it unknown. */
const type = z.looseObject({
  kind: z.string(),
  n: z.int().nullish(),
  inner_ty_idx: index.nullish(),
  items_ty_idx: z.array(index).max(maxFields).nullish(),
  struct_name: name.nullish(),
  alias_name: name.nullish(),
  enum_name: name.nullish(),
  type_args_ty_idx: z.array(index).max(maxFields).nullish(),
  stack_width: z.int().nullish(),
  variants: z
    .array(
      z.looseObject({
        variant_ty_idx: index,
        prefix_num: z.number(),
        prefix_len: z.int(),
        is_prefix_implicit: z.boolean().nullish(),
      }),
    )
    .max(maxVariants)
    .nullish(),
})
type Type = z.infer<typeof type>

const custom = z
  .looseObject({ pack_to_builder: z.boolean().nullish(), unpack_from_slice: z.boolean().nullish() })
  .nullish()
const declaration = z.looseObject({
  kind: z.string(),
  name,
  ty_idx: index,
  type_params: z.array(name).nullish(),
  prefix: z.looseObject({ prefix_num: z.number(), prefix_len: z.int() }).nullish(),
  fields: z
    .array(z.looseObject({ name, ty_idx: index, client_ty_idx: index.nullish() }))
    .max(maxFields, `A type has more than ${maxFields} fields.`)
    .nullish(),
  target_ty_idx: index.nullish(),
  encoded_as_ty_idx: index.nullish(),
  custom_pack_unpack: custom,
})
const messages = z
  .array(z.looseObject({ body_ty_idx: index }))
  .max(maxTypes)
  .nullish()
const tolkAbi = z.looseObject({
  abi_schema_version: z.string().regex(/^1(\.|$)/, 'Tondesk reads version 1 of the schema.'),
  contract_name: name.nullish(),
  unique_types: z.array(type).max(maxTypes * 5, 'The ABI has more than 10000 types.'),
  struct_instantiations: z
    .array(
      z.looseObject({
        ty_idx: index,
        struct_name: name,
        monomorphic_fields_ty_idx: z.array(index),
      }),
    )
    .max(maxTypes)
    .nullish(),
  alias_instantiations: z
    .array(z.looseObject({ ty_idx: index, monomorphic_target_ty_idx: index }))
    .max(maxTypes)
    .nullish(),
  declarations: z
    .array(declaration)
    .max(maxTypes, `The ABI has more than ${maxTypes} types.`)
    .nullish(),
  incoming_messages: messages,
  incoming_external: messages,
  outgoing_messages: messages,
  emitted_events: messages,
  get_methods: z
    .array(
      z.looseObject({
        name,
        parameters: z
          .array(z.looseObject({ name, ty_idx: index }))
          .max(64)
          .nullish(),
        return_ty_idx: index,
      }),
    )
    .max(maxTypes)
    .nullish(),
  thrown_errors: z
    .array(z.looseObject({ name: z.string().nullish(), err_code: z.int() }))
    .max(maxTypes * 5)
    .nullish(),
})

export function isTolkAbi(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'abi_schema_version' in json
}

/** @throws InterfaceError */
export function parseTolkAbi(json: unknown): Interface {
  const { success, data, error } = tolkAbi.safeParse(json)
  if (!success) throw formError('Tolk', error)
  const types = readTypes(data)
  const unused: string[] = []
  const leave = (why: string) => {
    if (unused.length < maxUnused) unused.push(why)
  }
  const declared = (data.declarations ?? []).filter(({ type_params }) => !type_params?.length)
  for (const each of declared) {
    if (each.kind !== 'struct' || types.isOnStack(each.ty_idx)) continue
    if (types.read(each.ty_idx) === null) {
      leave(`${each.name}: ${types.problem(each.ty_idx)}`)
    }
  }
  const listed = [
    ...[data.incoming_messages, data.incoming_external, data.outgoing_messages],
    data.emitted_events,
  ].flatMap((each) => each ?? [])
  const bodies = listed.map(({ body_ty_idx: body }) => types.read(body))
  for (const body of bodies.flatMap((each) =>
    each?.kind === 'union' ? each.of.map((one) => one.type) : each,
  )) {
    const prefix = body?.kind === 'struct' ? types.structs.get(body.name)?.prefix : undefined
    if (body?.kind !== 'struct' || prefix?.bits === opcodeBits) continue
    leave(
      `${body.name}: Tondesk names messages by an opcode of 32 bits, and it has ${prefix?.bits ?? 0}.`,
    )
  }
  refuseCycles(types.structs)
  return {
    format: 'abi',
    name: data.contract_name ?? '',
    structs: types.structs,
    unused,
    messages: messagesOf(types.structs),
    methods: (data.get_methods ?? []).map((method) => ({
      name: method.name,
      arguments: (method.parameters ?? []).flatMap((each) =>
        types.argumentsOf(each.ty_idx, each.name),
      ),
      returns: types.print(method.return_ty_idx),
      result: types.resultOf(method.return_ty_idx),
    })),
    errors: new Map(
      (data.thrown_errors ?? []).flatMap(({ name: error, err_code: code }) =>
        error ? [[code, error.slice(0, 200)] as const] : [],
      ),
    ),
  }
}

type TolkAbi = z.infer<typeof tolkAbi>

/** Types are read once each, so that a table that refers to itself ends. */
function readTypes(data: TolkAbi) {
  const table = data.unique_types
  const structs = new Map<string, Struct>()
  const results = new Map<number, FieldType | null>()
  const problems = new Map<number, string>()
  const declarations = new Map((data.declarations ?? []).map((each) => [each.name, each]))
  const instances = new Map((data.struct_instantiations ?? []).map((each) => [each.ty_idx, each]))
  const aliases = new Map(
    (data.alias_instantiations ?? []).map((each) => [each.ty_idx, each.monomorphic_target_ty_idx]),
  )

  function targetOf(at: number, { alias_name: alias }: Type): number | null {
    const declared = declarations.get(alias ?? '')
    if (declared === undefined || isCustom(declared)) return null
    return aliases.get(at) ?? declared.target_ty_idx ?? null
  }

  function fieldsOf(at: number, { struct_name: struct }: Type) {
    const declared = declarations.get(struct ?? '')
    const types = instances.get(at)?.monomorphic_fields_ty_idx
    return (declared?.fields ?? []).map((field, place) => ({
      name: field.name,
      type: field.client_ty_idx ?? types?.[place] ?? field.ty_idx,
    }))
  }

  function read(at: number): FieldType | null {
    const known = results.get(at)
    if (known !== undefined) return known
    // A type that needs itself before it is known is none that a body could have.
    results.set(at, null)
    const found = table[at]
    const result = found === undefined ? null : readOne(at, found)
    results.set(at, result)
    return result
  }

  /** Only get methods use a struct with a number of the stack: a body has numbers of a width. */
  function isOnStack(at: number): boolean {
    const given = table[at]
    const fields = given === undefined ? [] : fieldsOf(at, given)
    return fields.some(({ type }) => table[type]?.kind === 'int')
  }

  function readInner({ inner_ty_idx: inner }: Type): FieldType | null {
    return inner === undefined || inner === null ? null : read(inner)
  }

  function readOne(at: number, given: Type): FieldType | null {
    const n = given.n ?? 0
    switch (given.kind) {
      case 'intN':
      case 'uintN': {
        const isSigned = given.kind === 'intN'
        return isWidth(n, isSigned) ? { kind: 'int', bits: n, isSigned } : null
      }
      case 'varintN':
      case 'varuintN': {
        const isSigned = given.kind === 'varintN'
        return n === 16 || n === 32
          ? { kind: 'varint', lengthBits: n === 16 ? 4 : 5, isSigned }
          : null
      }
      case 'bitsN':
        return n > 0 && n <= 1023 ? { kind: 'bits', bits: n } : null
      case 'coins':
      case 'bool':
      case 'cell':
      case 'address':
        return { kind: given.kind }
      case 'addressOpt':
      case 'addressAny':
        return { kind: 'address' }
      case 'string':
        return { kind: 'text' }
      case 'remaining':
        return { kind: 'rest' }
      case 'mapKV':
        return { kind: 'dict' }
      case 'void':
      case 'nullLiteral':
        return addStruct('nothing', null, [])
      case 'nullable': {
        const of = readInner(given)
        return of && { kind: 'maybe', of }
      }
      case 'cellOf': {
        const of = readInner(given)
        // A cell whose content is unknown is read as a cell.
        return of === null || of.kind === 'rest' ? { kind: 'cell' } : { kind: 'ref', of }
      }
      case 'tensor': {
        const items = given.items_ty_idx ?? []
        const fields = readFields(items.map((each, place) => ({ name: String(place), type: each })))
        return typeof fields === 'string' ? null : addStruct(`tensor ${at}`, null, fields)
      }
      case 'EnumRef': {
        const declared = declarations.get(given.enum_name ?? '')
        const encoded = declared?.encoded_as_ty_idx
        return typeof encoded !== 'number' || isCustom(declared) ? null : read(encoded)
      }
      case 'AliasRef': {
        const target = targetOf(at, given)
        return target === null ? null : read(target)
      }
      case 'StructRef':
        return readStruct(at, given)
      case 'union':
        return readUnion(given)
      default:
        return null
    }
  }

  function readStruct(at: number, given: Type): FieldType | null {
    const declared = declarations.get(given.struct_name ?? '')
    if (declared === undefined || isCustom(declared)) return null
    const key = instances.get(at)?.struct_name ?? declared.name
    const struct = { kind: 'struct', name: key } as const
    // A cell of a struct may contain the struct again.
    results.set(at, struct)
    const { prefix_num: value = 0, prefix_len: bits = 0 } = declared.prefix ?? {}
    const isPrefix = bits > 0 && bits <= opcodeBits && value >= 0 && value < 2 ** bits
    if (bits > 0 && !isPrefix) return null
    const fields = readFields(fieldsOf(at, given))
    if (typeof fields !== 'string') return addStruct(key, isPrefix ? { value, bits } : null, fields)
    problems.set(at, fields)
    return null
  }

  function addStruct(key: string, prefix: Struct['prefix'], fields: readonly Field[]): FieldType {
    structs.set(key, { prefix, fields })
    return { kind: 'struct', name: key }
  }

  function readFields(fields: readonly { name: string; type: number }[]): Field[] | string {
    const all: Field[] = []
    for (const { name: field, type: at } of fields) {
      const of = read(at)
      if (of === null) return `the type ${print(at)} of the field ${field} is not read by Tondesk.`
      all.push({ name: field, type: of })
    }
    return all
  }

  function readUnion({ variants }: Type): FieldType | null {
    const of = (variants ?? []).map((variant) => {
      const { variant_ty_idx: at, prefix_num: value, prefix_len: bits } = variant
      const isPrefix = bits > 0 && bits <= opcodeBits && value >= 0 && value < 2 ** bits
      const inner = isPrefix ? read(at) : null
      const isImplicit = variant.is_prefix_implicit === true
      return inner && { name: print(at), prefix: { value, bits }, isImplicit, type: inner }
    })
    const all = of.filter((each) => each !== null)
    return all.length === of.length && all.length > 0 ? { kind: 'union', of: all } : null
  }

  /** Formats a type as it is written in Tolk; deeper types are left out. */
  function print(at: number, depth = 0): string {
    const given = table[at]
    if (given === undefined || depth === 8) return '…'
    const { kind, n, inner_ty_idx: inner, type_args_ty_idx: args, items_ty_idx: items } = given
    const all = (list: readonly number[] | null | undefined) =>
      (list ?? [])
        .slice(0, 8)
        .map((each) => print(each, depth + 1))
        .join(', ')
    const within = () => print(inner ?? -1, depth + 1)
    const generic = (of: string) => (args?.length ? `${of}<${all(args)}>` : of)
    switch (kind) {
      case 'nullable':
        return `${within()}?`
      case 'cellOf':
        return `Cell<${within()}>`
      case 'arrayOf':
        return `array<${within()}>`
      case 'lispListOf':
        return `lisp_list<${within()}>`
      case 'tensor':
        return `(${all(items)})`
      case 'shapedTuple':
        return `[${all(items)}]`
      case 'mapKV':
        return 'map'
      case 'addressOpt':
        return 'address?'
      case 'addressAny':
        return 'any_address'
      case 'union':
        return all(given.variants?.map((each) => each.variant_ty_idx)).replaceAll(', ', ' | ')
      default: {
        const own = given.struct_name ?? given.alias_name ?? given.enum_name
        return own ? generic(own) : `${kind.replace(/N$/, '')}${n ?? ''}`
      }
    }
  }

  /**
   * The values of a type on the stack of the TVM: a struct and a tensor take a value for each of
   * their fields.
   */
  function slotsOf(at: number, prefix: string, count = { left: maxStackNames }): Slot[] {
    const given = table[at]
    count.left -= 1
    if (given === undefined || count.left < 0)
      return [{ name: prefix, kind: 'slice', at, items: [] }]
    const under = (inner: string) => (prefix === '' ? inner : `${prefix}.${inner}`)
    const items = given.items_ty_idx ?? []
    switch (given.kind) {
      case 'void':
        return []
      case 'AliasRef':
        return slotsOf(targetOf(at, given) ?? -1, prefix, count)
      case 'StructRef':
        return fieldsOf(at, given).flatMap((each) => slotsOf(each.type, under(each.name), count))
      case 'tensor':
        return items.flatMap((each, place) => slotsOf(each, under(String(place)), count))
      case 'shapedTuple':
        return [
          {
            name: prefix,
            kind: 'slice',
            at,
            items: items.flatMap((each, place) => slotsOf(each, String(place), count)),
          },
        ]
      case 'nullable': {
        const width = given.stack_width ?? 1
        const inner = slotsOf(given.inner_ty_idx ?? -1, prefix, count)
        if (width === 1)
          return [{ ...(inner[0] ?? { at, items: [], kind: 'slice' }), name: prefix }]
        const last: Slot = { name: `${prefix} (type)`, kind: 'number', at, items: [] }
        return inner.length === width - 1 ? [...inner, last] : wide(at, prefix, width)
      }
      case 'union':
        return wide(at, prefix, given.stack_width ?? 1)
      default:
        return [{ name: prefix, kind: kindOf(given), at, items: [] }]
    }
  }

  function wide(at: number, prefix: string, width: number): Slot[] {
    const count = Math.max(1, Math.min(width, maxFields))
    return Array.from({ length: count }, (_, place) => ({
      name: count === 1 ? prefix : `${prefix} (${place + 1})`,
      kind: 'slice',
      at,
      items: [],
    }))
  }

  return {
    structs,
    read,
    isOnStack,
    print: (at: number) => print(at),
    problem: (at: number) =>
      problems.get(at) ?? 'it has its own serialization, or a prefix that is not read.',
    argumentsOf: (at: number, parameter: string) =>
      slotsOf(at, parameter).map((slot) => ({
        name: slot.name,
        type: print(slot.at),
        kind: slot.kind,
      })),
    resultOf(at: number): readonly StackName[] {
      const slots = slotsOf(at, '')
      const [only] = slots
      const isPlain = slots.length === 1 && only?.items.length === 0 && only.name === ''
      return isPlain || slots.length > maxStackNames ? [] : slots.map(nameSlot)
    },
  }
}

type Slot = {
  readonly name: string
  readonly kind: Extract<ArgumentKind, 'number' | 'address' | 'cell' | 'slice'>
  /** Its type in the table. */
  readonly at: number
  readonly items: readonly Slot[]
}

function nameSlot({ name: own, items }: Slot): StackName {
  return { name: own || 'value', items: items.map(nameSlot) }
}

function isCustom(declared: z.infer<typeof declaration> | undefined): boolean {
  const { pack_to_builder: packs, unpack_from_slice: unpacks } = declared?.custom_pack_unpack ?? {}
  return packs === true || unpacks === true
}

function kindOf({ kind }: Type): Slot['kind'] {
  if (/^address/.test(kind)) return 'address'
  if (/^(cell|cellOf|mapKV|string)$/.test(kind)) return 'cell'
  return /^(int|uint|varint|varuint)N?$|^(coins|bool|EnumRef)$/.test(kind) ? 'number' : 'slice'
}
