/** Parses the ABI that the Tolk compiler and Acton write for a `contract` declaration, schema version 1. */
import { z } from 'zod'
import type { ArgumentKind } from '../../../src-preload/contract/contract.ts'
import type { StackName } from '../../chain/method-stack.ts'
import {
  type Field,
  type FieldType,
  type Interface,
  type Prefix,
  type Struct,
  bitsType,
  createUnusedList,
  formError,
  integerType,
  maxFields,
  maxStackNames,
  maxTypes,
  maxVariants,
  messagesOf,
  opcodeBits,
  refType,
  refuseCycles,
} from '../../chain/contract-interface.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

const name = z.string().max(200)
const index = z.int().nonnegative()
/** A type that Tondesk does not know affects only its users. */
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

export const isTolkAbi = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && 'abi_schema_version' in json

/** @throws InterfaceError */
export function parseTolkAbi(json: unknown): Interface {
  const { success, data, error } = tolkAbi.safeParse(json)
  if (!success) throw formError('Tolk', error)
  const table = createTable(data)
  const { structs, problems, read } = createReader(table)
  const { unused, leave } = createUnusedList()
  for (const { kind, name, ty_idx: at, type_params: parameters } of data.declarations ?? []) {
    if (parameters?.length || kind !== 'struct' || isOnStack(table, at)) continue
    if (read(at) === null) leave(`${name}: ${problems.get(at) ?? unreadableStruct}`)
  }
  const listed = [
    ...[data.incoming_messages, data.incoming_external, data.outgoing_messages],
    data.emitted_events,
  ].flatMap((each) => each ?? [])
  const bodies = listed.map(({ body_ty_idx: body }) => read(body))
  for (const body of bodies.flatMap((each) =>
    each?.kind === 'union' ? each.of.map((one) => one.type) : each,
  )) {
    const prefix = body?.kind === 'struct' ? structs.get(body.name)?.prefix : undefined
    if (body?.kind !== 'struct' || prefix?.bits === opcodeBits) continue
    leave(
      `${body.name}: Tondesk names messages by an opcode of 32 bits, and it has ${prefix?.bits ?? 0}.`,
    )
  }
  refuseCycles(structs)
  return {
    format: 'abi',
    name: data.contract_name ?? '',
    structs,
    unused,
    messages: messagesOf(structs),
    methods: (data.get_methods ?? []).map((method) => ({
      name: method.name,
      arguments: (method.parameters ?? []).flatMap((each) =>
        slotsOf(table, each.ty_idx, each.name).map(({ name, kind, at }) => {
          const type = formatType(table, at)
          return { name, type, kind }
        }),
      ),
      returns: formatType(table, method.return_ty_idx),
      result: namesOfResult(table, method.return_ty_idx),
    })),
    errors: new Map(
      (data.thrown_errors ?? []).flatMap(({ name: error, err_code: code }) =>
        error ? [[code, error.slice(0, 200)] as const] : [],
      ),
    ),
  }
}

const unreadableStruct = 'it has its own serialization, or a prefix that is not read.'

type Declaration = z.infer<typeof declaration>
type Table = ReturnType<typeof createTable>

/** Indexes the types of an ABI with their declarations. */
function createTable(data: z.infer<typeof tolkAbi>) {
  const declarations = new Map((data.declarations ?? []).map((each) => [each.name, each]))
  const instances = new Map((data.struct_instantiations ?? []).map((each) => [each.ty_idx, each]))
  const aliases = new Map(
    (data.alias_instantiations ?? []).map((each) => [each.ty_idx, each.monomorphic_target_ty_idx]),
  )
  /** Null for a type that is not declared, or that has its own packing functions. */
  function packed(declared: string | null | undefined): Declaration | null {
    const found = declarations.get(declared ?? '')
    const { pack_to_builder: packs, unpack_from_slice: unpacks } = found?.custom_pack_unpack ?? {}
    return found === undefined || packs === true || unpacks === true ? null : found
  }
  return {
    typeAt: (at: number | null | undefined) => data.unique_types[at ?? -1],
    packed,
    /** The name of a type with its type arguments. */
    nameOf: (at: number, declared: Declaration) => instances.get(at)?.struct_name ?? declared.name,
    targetOf(at: number, { alias_name: alias }: Type): number | null {
      const declared = packed(alias)
      return declared && (aliases.get(at) ?? declared.target_ty_idx ?? null)
    },
    fieldsOf(at: number, { struct_name: struct }: Type) {
      const types = instances.get(at)?.monomorphic_fields_ty_idx
      return (declarations.get(struct ?? '')?.fields ?? []).map((field, place) => ({
        name: field.name,
        type: field.client_ty_idx ?? types?.[place] ?? field.ty_idx,
      }))
    },
  }
}

/** Only get methods use a struct with a number of the stack, because a number in a body has a width. */
function isOnStack(table: Table, at: number): boolean {
  const given = table.typeAt(at)
  const fields = given === undefined ? [] : table.fieldsOf(at, given)
  return fields.some(({ type }) => table.typeAt(type)?.kind === 'int')
}

const plainTypes: Readonly<Record<string, FieldType>> = lookupTable({
  coins: { kind: 'coins' },
  bool: { kind: 'bool' },
  cell: { kind: 'cell' },
  address: { kind: 'address' },
  addressOpt: { kind: 'address' },
  addressAny: { kind: 'address' },
  string: { kind: 'text' },
  remaining: { kind: 'rest' },
  mapKV: { kind: 'dict' },
})

function readPrefix(value: number, bits: number): Prefix | null {
  const isPrefix = bits > 0 && bits <= opcodeBits && value >= 0 && value < 2 ** bits
  return isPrefix ? { value, bits } : null
}

/** Each type is read once, so that reading a table that refers to itself ends. */
function createReader(table: Table) {
  const structs = new Map<string, Struct>()
  const results = new Map<number, FieldType | null>()
  const problems = new Map<number, string>()

  function read(at: number | null | undefined): FieldType | null {
    if (at === null || at === undefined) return null
    const earlier = results.get(at)
    if (earlier !== undefined) return earlier
    // A type that contains itself in the same cell cannot exist in a body.
    results.set(at, null)
    const found = table.typeAt(at)
    const result = found === undefined ? null : readOne(at, found)
    results.set(at, result)
    return result
  }

  function readOne(at: number, given: Type): FieldType | null {
    const n = given.n ?? 0
    switch (given.kind) {
      case 'intN':
      case 'uintN':
        return integerType(n, given.kind === 'intN')
      case 'varintN':
      case 'varuintN': {
        const isSigned = given.kind === 'varintN'
        return n === 16 || n === 32
          ? { kind: 'varint', lengthBits: n === 16 ? 4 : 5, isSigned }
          : null
      }
      case 'bitsN':
        return bitsType(n)
      case 'void':
      case 'nullLiteral':
        return addStruct('nothing', null, [])
      case 'nullable': {
        const of = read(given.inner_ty_idx)
        return of && { kind: 'maybe', of }
      }
      case 'cellOf':
        return refType(read(given.inner_ty_idx))
      case 'tensor': {
        const items = given.items_ty_idx ?? []
        const fields = readFields(items.map((type, place) => ({ name: String(place), type })))
        return typeof fields === 'string' ? null : addStruct(`tensor ${at}`, null, fields)
      }
      case 'EnumRef':
        return read(table.packed(given.enum_name)?.encoded_as_ty_idx)
      case 'AliasRef':
        return read(table.targetOf(at, given))
      case 'StructRef':
        return readStruct(at, given)
      case 'union':
        return readUnion(table, given, read)
      default:
        return plainTypes[given.kind] ?? null
    }
  }

  function readStruct(at: number, given: Type): FieldType | null {
    const declared = table.packed(given.struct_name)
    if (declared === null) return null
    const key = table.nameOf(at, declared)
    // A struct in a cell may contain itself again.
    results.set(at, { kind: 'struct', name: key })
    const { prefix_num: value = 0, prefix_len: bits = 0 } = declared.prefix ?? {}
    const prefix = readPrefix(value, bits)
    if (bits > 0 && prefix === null) return null
    const fields = readFields(table.fieldsOf(at, given))
    if (typeof fields !== 'string') return addStruct(key, prefix, fields)
    problems.set(at, fields)
    return null
  }

  function addStruct(key: string, prefix: Struct['prefix'], fields: readonly Field[]): FieldType {
    structs.set(key, { prefix, fields })
    return { kind: 'struct', name: key }
  }

  /** @returns why the fields cannot be read, in one sentence */
  function readFields(fields: readonly { name: string; type: number }[]): Field[] | string {
    const all: Field[] = []
    for (const { name: field, type: at } of fields) {
      const of = read(at)
      if (of === null) {
        return `the type ${formatType(table, at)} of the field ${field} is not read by Tondesk.`
      }
      all.push({ name: field, type: of })
    }
    return all
  }

  return { structs, problems, read }
}

function readUnion(
  table: Table,
  { variants }: Type,
  read: (at: number) => FieldType | null,
): FieldType | null {
  const all = (variants ?? []).map((variant) => {
    const { variant_ty_idx: at, prefix_num: value, prefix_len: bits } = variant
    const prefix = readPrefix(value, bits)
    const type = prefix && read(at)
    const isImplicit = variant.is_prefix_implicit === true
    return prefix && type && { name: formatType(table, at), prefix, isImplicit, type }
  })
  const of = all.filter((each) => each !== null)
  return of.length === all.length && of.length > 0 ? { kind: 'union', of } : null
}

const maxDepth = 8
const maxListed = 8

/** Formats a type in the syntax of Tolk; deeply nested types are omitted. */
function formatType(table: Table, at: number | null | undefined, depth = 0): string {
  const given = table.typeAt(at)
  if (given === undefined || depth === maxDepth) return '…'
  const { kind, n, inner_ty_idx: inner, type_args_ty_idx: args, items_ty_idx: items } = given
  const format = (each: number | null | undefined) => formatType(table, each, depth + 1)
  const formatAll = (list: readonly number[] | null | undefined) =>
    (list ?? []).slice(0, maxListed).map(format).join(', ')
  switch (kind) {
    case 'nullable':
      return `${format(inner)}?`
    case 'cellOf':
      return `Cell<${format(inner)}>`
    case 'arrayOf':
      return `array<${format(inner)}>`
    case 'lispListOf':
      return `lisp_list<${format(inner)}>`
    case 'tensor':
      return `(${formatAll(items)})`
    case 'shapedTuple':
      return `[${formatAll(items)}]`
    case 'mapKV':
      return 'map'
    case 'addressOpt':
      return 'address?'
    case 'addressAny':
      return 'any_address'
    case 'union':
      return formatAll(given.variants?.map((each) => each.variant_ty_idx)).replaceAll(', ', ' | ')
    default: {
      const own = given.struct_name ?? given.alias_name ?? given.enum_name
      if (!own) return `${kind.replace(/N$/, '')}${n ?? ''}`
      return args?.length ? `${own}<${formatAll(args)}>` : own
    }
  }
}

type Slot = {
  readonly name: string
  readonly kind: Extract<ArgumentKind, 'number' | 'address' | 'cell' | 'slice'>
  /** The index of the type in the table. */
  readonly at: number
  readonly items: readonly Slot[]
}

/**
 * Lists the stack values of a type: a struct and a tensor use one value for each of their fields.
 */
function slotsOf(
  table: Table,
  at: number,
  prefix: string,
  count = { left: maxStackNames },
): Slot[] {
  const slot = (kind: Slot['kind'], name = prefix, items: Slot[] = []) => ({
    name,
    kind,
    at,
    items,
  })
  const given = table.typeAt(at)
  count.left -= 1
  if (given === undefined || count.left < 0) return [slot('slice')]
  const inner = (type: number | null | undefined, name: string) =>
    slotsOf(table, type ?? -1, name, count)
  const under = (name: string) => (prefix === '' ? name : `${prefix}.${name}`)
  const items = given.items_ty_idx ?? []
  const width = given.stack_width ?? 1
  switch (given.kind) {
    case 'void':
      return []
    case 'AliasRef':
      return inner(table.targetOf(at, given), prefix)
    case 'StructRef':
      return table.fieldsOf(at, given).flatMap((each) => inner(each.type, under(each.name)))
    case 'tensor':
      return items.flatMap((each, place) => inner(each, under(String(place))))
    case 'shapedTuple': {
      const within = items.flatMap((each, place) => inner(each, String(place)))
      return [slot('slice', prefix, within)]
    }
    case 'nullable': {
      const of = inner(given.inner_ty_idx, prefix)
      if (width === 1) return [{ ...(of[0] ?? slot('slice')), name: prefix }]
      return of.length === width - 1
        ? [...of, slot('number', `${prefix} (type)`)]
        : wideSlots(at, prefix, width)
    }
    case 'union':
      return wideSlots(at, prefix, width)
    default:
      return [slot(kindOf(given))]
  }
}

function wideSlots(at: number, prefix: string, width: number): Slot[] {
  const count = Math.max(1, Math.min(width, maxFields))
  return Array.from({ length: count }, (_, place) => ({
    name: count === 1 ? prefix : `${prefix} (${place + 1})`,
    kind: 'slice',
    at,
    items: [],
  }))
}

function namesOfResult(table: Table, at: number): readonly StackName[] {
  const slots = slotsOf(table, at, '')
  const [only] = slots
  const isPlain = slots.length === 1 && only?.items.length === 0 && only.name === ''
  return isPlain || slots.length > maxStackNames ? [] : slots.map(nameSlot)
}

const nameSlot = ({ name: own, items }: Slot): StackName => ({
  name: own || 'value',
  items: items.map(nameSlot),
})

function kindOf({ kind }: Type): Slot['kind'] {
  if (/^address/.test(kind)) return 'address'
  if (/^(cell|cellOf|mapKV|string)$/.test(kind)) return 'cell'
  return /^(int|uint|varint|varuint)N?$|^(coins|bool|EnumRef)$/.test(kind) ? 'number' : 'slice'
}
