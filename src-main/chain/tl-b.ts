/** Message constructors in TL-B, and the types that their fields use. */
import {
  type Field,
  type FieldType,
  type Interface,
  InterfaceError,
  type Prefix,
  type Struct,
  bitsType,
  createUnusedList,
  integerType,
  maxFields,
  maxTypes,
  maxVariants,
  opcodeBits,
  finiteTypes,
  refType,
  structsIn,
} from './contract-interface.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

/** Maximum number of characters of a TL-B definition. */
const maxDefinition = 20_000

/** Matches a name, a tag, the fields and the type that is defined. */
const constructor =
  /^([A-Za-z_]\w*)?(?:#([0-9a-fA-F]{1,8}|_)|\$([01]{1,32}|_))?\s*([\s\S]*?)=\s*([A-Z]\w*)((?:\s+[\w()^]+)*)$/
/** Matches a name, then a type in brackets or one word with its modifiers. */
const fieldForm = /\s*([a-z_]\w*):(\^?\((?:[^()]|\([^()]*\))*\)|\^?\w+)|\s*(\^\[[^[\]]*\])/y

type Definition = {
  readonly name: string
  readonly prefix: Prefix | null
  readonly fields: string
  readonly defines: string
}

/** Files repeat the definitions of these types, which Tondesk has built in. */
const definesBuiltIn = /=\s*(?:Maybe|Either|HashmapE|VarUInteger)\s/

/** Messages are constructors with an opcode of 32 bits; other types are used in their fields. */
export function parseTlb(text: string): Interface {
  const plain = text.replaceAll(/\/\*[\s\S]*?\*\//g, ' ').replaceAll(/\/\/[^\n]*/g, ' ')
  const definitions = plain.split(';').map((each) => each.trim().replaceAll(/\s+/g, ' '))
  const filled = definitions.filter((each) => each !== '')
  if (filled.length > maxTypes) {
    throw new InterfaceError(`The text has more than ${maxTypes} definitions.`)
  }
  const { unused, leave } = createUnusedList()
  const read = filled.flatMap((definition) => {
    const parsed = definition.length <= maxDefinition ? readDefinition(definition) : null
    if (parsed === null && !definesBuiltIn.test(definition)) {
      leave(`${definition.slice(0, 40)}: the definition cannot be read.`)
    }
    return parsed ?? []
  })
  const types = typesOf(read)
  const structs = new Map<string, Struct>()
  const messages: Interface['messages'][number][] = []
  for (const [index, definition] of read.entries()) {
    const { name, prefix, fields: written } = definition
    const { fields, problem } = readFields(written, types)
    if (problem === null) structs.set(keyOf(index, definition), { prefix, fields })
    else leave(`${name || '_'}: ${problem}`)
    if (prefix?.bits !== opcodeBits) continue
    // A message with an unreadable field keeps its name and the fields before it.
    const others = problem === null ? [] : [restField]
    messages.push({ opcode: prefix.value, name, fields: [...fields, ...others] })
  }
  if (messages.length === 0) {
    throw new InterfaceError(
      structs.size > 0
        ? 'The TL-B describes data only, such as the storage of a contract. A dictionary needs a message with an opcode, such as “transfer#0f8a7ea5 query_id:uint64 = Body;”.'
        : `The text is neither JSON nor TL-B with a message that has an opcode, such as “transfer#0f8a7ea5 query_id:uint64 = Body;”. ${unused[0] ?? ''}`.trim(),
    )
  }
  const finite = finiteTypes(structs)
  for (const name of structs.keys()) {
    if (finite.has(name)) continue
    leave(`${name}: the type contains itself in one cell.`)
    structs.delete(name)
  }
  for (const [index, { opcode, name, fields }] of messages.entries()) {
    const end = fields.findIndex(({ type }) => structsIn(type).some((each) => !finite.has(each)))
    if (end === -1) continue
    messages[index] = { opcode, name, fields: [...fields.slice(0, end), restField] }
  }
  return { format: 'tlb', name: '', messages, unused, structs, methods: [], errors: new Map() }
}

const restField: Field = { name: 'rest', type: { kind: 'rest' } }

const keyOf = (index: number, { defines }: Definition): string =>
  `${defines} (definition ${index + 1})`

/** @returns null for a type with parameters, too, because Tondesk does not compute them */
function readDefinition(text: string): Definition | null {
  const [, name = '', hex, binary, fields = '', defines = '', parameters = ''] =
    constructor.exec(text) ?? []
  if (defines === '' || parameters.trim() !== '') return null
  const digits = hex ?? binary ?? '_'
  // Without a tag, TL-B computes one for a constructor with a name; its checksum is not computed here.
  if (hex === undefined && binary === undefined && name !== '' && name !== '_') return null
  const prefix =
    digits === '_'
      ? null
      : hex === undefined
        ? { value: Number.parseInt(digits, 2), bits: digits.length }
        : { value: Number.parseInt(digits, 16), bits: digits.length * 4 }
  return { name, prefix, fields, defines }
}

/** Returns the types with one constructor, or with several that each have a tag. */
function typesOf(definitions: readonly Definition[]): ReadonlyMap<string, FieldType> {
  const byType = Map.groupBy(definitions.entries(), ([, { defines }]) => defines)
  return new Map(
    [...byType].flatMap(([type, constructors]): [string, FieldType][] => {
      const of = constructors.flatMap(([index, definition]) => {
        const { name, prefix } = definition
        const struct = { kind: 'struct', name: keyOf(index, definition) } as const
        return prefix === null
          ? []
          : [{ name: name || '_', prefix, isImplicit: false, type: struct }]
      })
      const [first, ...others] = constructors
      if (first === undefined) return []
      if (others.length === 0) {
        return [[type, { kind: 'struct', name: keyOf(...first) }]]
      }
      return of.length === constructors.length && of.length <= maxVariants
        ? [[type, { kind: 'union', of }]]
        : []
    }),
  )
}

/** @returns the fields up to the first unreadable one, and the problem with that one */
function readFields(
  text: string,
  types: ReadonlyMap<string, FieldType>,
): { fields: Field[]; problem: string | null } {
  const fields: Field[] = []
  const stop = (problem: string) => ({ fields, problem })
  fieldForm.lastIndex = 0
  for (let end = 0; text.slice(end).trim() !== ''; end = fieldForm.lastIndex) {
    fieldForm.lastIndex = end
    const [, named = '', type = '', cell] = fieldForm.exec(text) ?? []
    const [name, written] = cell === undefined ? [named, type] : [`cell_${fields.length}`, cell]
    if (name === '') return stop(`“${text.slice(end).trim().slice(0, 40)}” cannot be read.`)
    const read = readType(written, types)
    if (read === null) return stop(`the type ${written.slice(0, 40)} is unknown.`)
    if (fields.length === maxFields) return stop(`it has more than ${maxFields} fields.`)
    fields.push({ name, type: read })
  }
  return { fields, problem: null }
}

const builtInTypes: Readonly<Record<string, FieldType>> = lookupTable({
  Bool: { kind: 'bool' },
  Coins: { kind: 'coins' },
  Grams: { kind: 'coins' },
  MsgAddress: { kind: 'address' },
  MsgAddressInt: { kind: 'address' },
  MsgAddressExt: { kind: 'address' },
  Cell: { kind: 'rest' },
  Any: { kind: 'rest' },
})

/** No contract nests modifiers deeper, and each level is a call. */
const maxModifiers = 32

/** @returns null for a type that Tondesk does not know */
function readType(
  written: string,
  types: ReadonlyMap<string, FieldType>,
  depth = 0,
): FieldType | null {
  if (depth > maxModifiers) return null
  const readInner = (text: string) => readType(text, types, depth + 1)
  if (written.startsWith('^')) return refType(readInner(written.slice(1)))
  const type = written.startsWith('(') ? written.slice(1, -1).trim() : written
  if (type.startsWith('^')) return readInner(type)
  const own = builtInTypes[type] ?? types.get(type)
  if (own !== undefined) return own
  const [, sign, width] = /^(u?int|bits)(\d{1,4})$/.exec(type.replace(/^## ?/, 'uint')) ?? []
  const bits = Number(width)
  if (sign === 'bits') return bitsType(bits)
  if (sign !== undefined) return integerType(bits, sign === 'int')
  if (/^VarUInteger 16$/.test(type)) return { kind: 'coins' }
  if (/^HashmapE /.test(type)) return { kind: 'dict' }
  if (/^Either \S+ \^\S+$/.test(type)) return { kind: 'either' }
  if (!type.startsWith('Maybe ')) return null
  const of = readInner(type.slice('Maybe '.length).trim())
  return of === null ? null : { kind: 'maybe', of }
}
