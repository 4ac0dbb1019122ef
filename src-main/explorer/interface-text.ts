/** Descriptions of contracts: ABI in JSON as Tact writes it (OTP-002), and message constructors in TL-B. */
import { z } from 'zod'

export class InterfaceError extends Error {}

export type FieldType =
  | { readonly kind: 'int'; readonly bits: number; readonly isSigned: boolean }
  /** A number after the number of its bytes; `coins` is the 4-bit unsigned one. */
  | { readonly kind: 'varint'; readonly lengthBits: 4 | 5; readonly isSigned: boolean }
  | { readonly kind: 'bits'; readonly bits: number }
  | { readonly kind: 'bool' | 'coins' | 'address' | 'cell' | 'text' | 'dict' | 'rest' }
  | { readonly kind: 'struct'; readonly name: string; readonly isRef: boolean }
  | { readonly kind: 'either' }
  | { readonly kind: 'maybe'; readonly of: FieldType }

export type Field = { readonly name: string; readonly type: FieldType }

export type Interface = {
  readonly format: 'abi' | 'tlb'
  readonly name: string
  readonly messages: readonly {
    readonly opcode: number
    readonly name: string
    readonly fields: readonly Field[]
  }[]
  readonly structs: ReadonlyMap<string, readonly Field[]>
  readonly methods: readonly {
    readonly name: string
    readonly arguments: readonly {
      readonly name: string
      readonly type: string
      readonly kind: 'number' | 'address' | 'cell' | 'slice'
    }[]
    readonly returns: string | null
  }[]
  readonly errors: ReadonlyMap<number, string>
  readonly unused: readonly string[]
}

const maxTypes = 2_000
const maxFields = 200
const maxUnused = 20
/** Characters of a TL-B definition. */
const maxDefinition = 20_000

/** @throws InterfaceError when the text is neither, or cannot be used safely */
export function parseInterface(text: string): Interface {
  return /^\s*[{[]/.test(text) ? parseAbi(text) : parseTlb(text)
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
  const { success, data, error } = abi.safeParse(readJson(text))
  if (!success) {
    const [issue] = error.issues
    throw new InterfaceError(
      `The ABI is not in the form that Tact writes (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}).`,
    )
  }
  const { types = null, getters = null, errors = null, name } = data
  if (types === null && getters === null) {
    throw new InterfaceError(
      'The JSON has neither types nor getters, so it is no ABI of Tact. Tondesk does not read the ABI of Tolk.',
    )
  }
  const known = new Set((types ?? []).map((each) => each.name))
  const unused: string[] = []
  const structs = new Map<string, readonly Field[]>()
  for (const type of types ?? []) {
    const fields: Field[] = []
    const unread = type.fields.find((field) => {
      const read = readType(field.type, known)
      if (read !== null) fields.push({ name: field.name, type: read })
      return read === null
    })
    if (unread === undefined) structs.set(type.name, fields)
    else if (unused.length < maxUnused) {
      unused.push(`${type.name}: the type of the field ${unread.name} is unknown.`)
    }
  }
  refuseCycles(structs)
  return {
    ...{ format: 'abi', name: name ?? '', structs, unused },
    messages: (types ?? []).flatMap(({ name: message, header }) => {
      const fields = structs.get(message)
      const isOpcode = Number.isInteger(header) && (header ?? -1) >= 0 && (header ?? 0) < 2 ** 32
      return fields === undefined || !isOpcode
        ? []
        : [{ opcode: header ?? 0, name: message, fields }]
    }),
    methods: (getters ?? []).map((getter) => ({
      name: getter.name,
      arguments: (getter.arguments ?? []).map(({ name: argument, type }) => ({
        ...{ name: argument, type: printType(type), kind: argumentKindOf(type) },
      })),
      returns: getter.returnType ? printType(getter.returnType) : null,
    })),
    errors: new Map(
      Object.entries(errors ?? {}).flatMap(([code, { message }]) =>
        /^\d{1,6}$/.test(code) ? [[Number(code), message.slice(0, 200)] as const] : [],
      ),
    ),
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InterfaceError('The text begins like JSON, but is not valid JSON.')
  }
}

const varints: Readonly<Record<string, FieldType>> = {
  coins: { kind: 'coins' },
  varuint16: { kind: 'coins' },
  varint16: { kind: 'varint', lengthBits: 4, isSigned: true },
  varuint32: { kind: 'varint', lengthBits: 5, isSigned: false },
  varint32: { kind: 'varint', lengthBits: 5, isSigned: true },
}

/** @returns null for a type that Tondesk does not know */
function readType(ref: TypeRef, known: ReadonlySet<string>): FieldType | null {
  if (ref.kind === 'dict') return { kind: 'dict' }
  const type = ref.kind === 'simple' ? readSimple(ref, known) : null
  // An absent address has a form of its own.
  const isPlain = ref.optional !== true || type === null || type.kind === 'address'
  return isPlain ? type : { kind: 'maybe', of: type }
}

function readSimple({ type, format }: TypeRef, known: ReadonlySet<string>): FieldType | null {
  switch (type ?? '') {
    case 'int':
    case 'uint': {
      if (typeof format === 'string') return varints[format] ?? null
      const bits = typeof format === 'number' ? format : 257
      const isSigned = type === 'int'
      return isWidth(bits, isSigned) ? { kind: 'int', bits, isSigned } : null
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
      return typeof format === 'number' && format > 0 && format <= 127
        ? { kind: 'bits', bits: format * 8 }
        : null
    default:
      return typeof type === 'string' && known.has(type)
        ? { kind: 'struct', name: type, isRef: format === 'ref' }
        : null
  }
}

function isWidth(bits: number, isSigned: boolean): boolean {
  return Number.isInteger(bits) && bits > 0 && bits <= (isSigned ? 257 : 256)
}

function printType({ kind, type, format, optional, key, value }: TypeRef): string {
  const name = kind === 'dict' ? `map<${key ?? '?'}, ${value ?? '?'}>` : (type ?? kind)
  const width = format === null || format === undefined ? '' : ` as ${String(format)}`
  return `${name}${width}${optional === true ? '?' : ''}`
}

function argumentKindOf({ kind, type }: TypeRef): 'number' | 'address' | 'cell' | 'slice' {
  if (kind === 'dict' || type === 'cell') return 'cell'
  if (type === 'address') return 'address'
  return type === 'int' || type === 'uint' || type === 'bool' ? 'number' : 'slice'
}

/** @throws InterfaceError when a type contains itself, which no body of finite size could have */
function refuseCycles(structs: ReadonlyMap<string, readonly Field[]>): void {
  const done = new Set<string>()
  for (const start of structs.keys()) {
    const path: { name: string; inner: string[] }[] = []
    const enter = (name: string) => {
      if (path.some((each) => each.name === name)) {
        const names = [...path.map((each) => each.name), name].slice(-5)
        throw new InterfaceError(`The type ${name} contains itself: ${names.join(' → ')}.`)
      }
      if (done.has(name)) return
      path.push({ name, inner: (structs.get(name) ?? []).flatMap(({ type }) => structIn(type)) })
    }
    enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.inner.pop()
      if (next !== undefined) enter(next)
      else {
        done.add(top.name)
        path.pop()
      }
    }
  }
}

function structIn(type: FieldType): string[] {
  if (type.kind === 'maybe') return structIn(type.of)
  return type.kind === 'struct' ? [type.name] : []
}

const constructor = /^([A-Za-z_]\w*)#([0-9a-fA-F]{8})\s+([\s\S]*?)=\s*[A-Z]\w*(?:\s+[\w()^]+)*$/
/** A name, then a type in brackets or one word with its modifiers. */
const tlbField = /\s*([a-z_]\w*):(\^?\((?:[^()]|\([^()]*\))*\)|\^?\w+)/y

/** Constructors with an opcode of 32 bits; other definitions are named as unused. */
function parseTlb(text: string): Interface {
  const plain = text.replaceAll(/\/\*[\s\S]*?\*\//g, ' ').replaceAll(/\/\/[^\n]*/g, ' ')
  const definitions = plain.split(';').map((each) => each.trim().replaceAll(/\s+/g, ' '))
  const filled = definitions.filter((each) => each !== '')
  if (filled.length > maxTypes) {
    throw new InterfaceError(`The text has more than ${maxTypes} definitions.`)
  }
  const unused: string[] = []
  const leave = (why: string) => {
    if (unused.length < maxUnused) unused.push(why)
  }
  const messages = filled.flatMap((definition) => {
    const isShort = definition.length <= maxDefinition
    const [, name = '', opcode = '', fields = ''] = (isShort && constructor.exec(definition)) || []
    if (opcode === '') {
      leave(`${definition.slice(0, 40)}: the definition has no opcode of 8 digits.`)
      return []
    }
    const read = readTlbFields(fields)
    if (typeof read === 'string') leave(`${name}: ${read}`)
    return typeof read === 'string'
      ? []
      : [{ opcode: Number.parseInt(opcode, 16), name, fields: read }]
  })
  if (messages.length === 0) {
    throw new InterfaceError(
      `The text is neither JSON nor TL-B with a message that has an opcode, such as “transfer#0f8a7ea5 query_id:uint64 = Body;”. ${unused[0] ?? ''}`.trim(),
    )
  }
  const nothing = { structs: new Map(), methods: [], errors: new Map<number, string>() }
  return { format: 'tlb', name: '', messages, unused, ...nothing }
}

function readTlbFields(text: string): Field[] | string {
  const fields: Field[] = []
  tlbField.lastIndex = 0
  for (let end = 0; text.slice(end).trim() !== ''; end = tlbField.lastIndex) {
    tlbField.lastIndex = end
    const [, name = '', written = ''] = tlbField.exec(text) ?? []
    if (name === '') return `“${text.slice(end).trim().slice(0, 40)}” cannot be read.`
    const type = readTlbType(written)
    if (type === null) return `the type ${written.slice(0, 40)} is unknown.`
    fields.push({ name, type })
    if (fields.length > maxFields) return `it has more than ${maxFields} fields.`
  }
  return fields
}

const tlbTypes: Readonly<Record<string, FieldType>> = {
  ...{ Bool: { kind: 'bool' }, Coins: { kind: 'coins' }, Grams: { kind: 'coins' } },
  ...{ MsgAddress: { kind: 'address' }, MsgAddressInt: { kind: 'address' } },
  ...{ MsgAddressExt: { kind: 'address' }, Cell: { kind: 'rest' }, Any: { kind: 'rest' } },
  ...{ '^Cell': { kind: 'cell' }, '^Any': { kind: 'cell' } },
}

function readTlbType(written: string): FieldType | null {
  const type = written.startsWith('(') ? written.slice(1, -1).trim() : written
  const simple = tlbTypes[type]
  if (simple !== undefined) return simple
  if (type.startsWith('^')) return { kind: 'cell' }
  const [, sign, width] = /^(u?int|bits)(\d{1,4})$/.exec(type.replace(/^## ?/, 'uint')) ?? []
  const bits = Number(width)
  if (sign === 'bits') return bits > 0 && bits <= 1023 ? { kind: 'bits', bits } : null
  if (sign !== undefined) {
    const isSigned = sign === 'int'
    return isWidth(bits, isSigned) ? { kind: 'int', bits, isSigned } : null
  }
  if (/^VarUInteger 16$/.test(type)) return { kind: 'coins' }
  if (/^HashmapE /.test(type)) return { kind: 'dict' }
  if (/^Either \S+ \^\S+$/.test(type)) return { kind: 'either' }
  if (!type.startsWith('Maybe ')) return null
  const of = readTlbType(type.slice('Maybe '.length).trim())
  return of === null ? null : { kind: 'maybe', of }
}
