/** The user's own descriptions of contracts: imported, stored, and used to name what is on the chain. */
import type { Cell, Slice } from '@ton/core'
import type {
  DecodedBody,
  DecodedField,
  MessageView,
  TransactionAnswer,
} from '../../src-preload/contract/chain.ts'
import type { Dictionary } from '../../src-preload/contract/dictionary.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import { formatCell, readBoc } from '../ton/boc.ts'
import {
  type Field,
  type FieldType,
  type Interface,
  InterfaceError,
  parseInterface,
} from './interface-text.ts'
import { formatOpcode, readOpcode } from '../ton/opcodes.ts'
import { readSnakeBytes } from '../ton/payload.ts'
import type { ExplorerContext } from './chain-access.ts'
import { type DictionaryRecord, createDictionaryRecords } from './store/dictionaries.ts'

type Known = { readonly record: DictionaryRecord; readonly content: Interface }

const maxDictionaries = 200
const maxCodes = 5_000

export type Dictionaries = ReturnType<typeof createDictionaries>

export function createDictionaries({ database, events, now }: ExplorerContext) {
  const records = createDictionaryRecords(database)
  /** Code hashes of accounts whose contract page was opened, by network and address. */
  const codes = new LimitedMap<string, string>(maxCodes)
  let loaded: ReadonlyMap<string, Known> | null = null

  function all(): ReadonlyMap<string, Known> {
    loaded ??= new Map(
      records.all().flatMap((record) => {
        const content = parseStored(record.text)
        return content === null ? [] : [[record.codeHash, { record, content }] as const]
      }),
    )
    return loaded
  }

  function changed(): void {
    loaded = null
    events.emit('dictionary.changed', {})
  }

  function ofAccount(network: string, address: string | undefined): Known | undefined {
    const code = address === undefined ? undefined : codes.get(`${network} ${address}`)
    return code === undefined ? undefined : all().get(code)
  }

  /** By the dictionary of the account's code; else by the opcode, if all dictionaries agree. */
  function decode(network: string, address: string | undefined, body: Cell): DecodedBody | null {
    const own = ofAccount(network, address)
    if (own !== undefined) return decodeBody(own.content, body)
    const found = [...all().values()].flatMap(({ content }) => decodeBody(content, body) ?? [])
    const [first] = found
    const isUnique = found.every((each) => JSON.stringify(each) === JSON.stringify(first))
    return first !== undefined && isUnique ? first : null
  }

  function nameOpcode(network: string, address: string, opcode: string | null): string | null {
    const number = readOpcode(opcode ?? '')
    if (number === null) return null
    const own = ofAccount(network, address)
    const among = own === undefined ? [...all().values()] : [own]
    const names = among.flatMap(({ content }) =>
      content.messages.flatMap((each) => (each.opcode === number ? [each.name] : [])),
    )
    return new Set(names).size === 1 ? (names[0] ?? null) : null
  }

  function describeExit(network: string, address: string, code: number): string | null {
    return ofAccount(network, address)?.content.errors.get(code) ?? null
  }

  function withBody(network: string, message: MessageView): MessageView {
    // What Tondesk or the gateway decodes keeps its known names.
    if (message.body !== null || message.type === 'external_in') return message
    const cell = readBoc(message.rawBody)
    // An outgoing external message is described by the contract that sends it.
    const { address } = message.destination ?? message.source ?? {}
    const body = cell === null || message.bounced ? null : decode(network, address, cell)
    return body === null
      ? message
      : { ...message, body, operation: message.operation ?? body.operation }
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `dictionary.${string}`>> = {
    'dictionary.list': () => ({ dictionaries: [...all().values()].map(show) }),
    'dictionary.import'({ codeHash, name, text }) {
      const content = parseGiven(text)
      if (!records.has(codeHash) && records.count() >= maxDictionaries) {
        throw refuse(`There are ${maxDictionaries} dictionaries already. Remove one first.`)
      }
      const record = {
        codeHash,
        name: name || content.name || 'Dictionary',
        text,
        changedAt: now(),
      }
      records.put(record)
      changed()
      return show({ record, content })
    },
    'dictionary.remove'({ codeHash }) {
      if (records.remove(codeHash) > 0) changed()
      return {}
    },
  }

  return {
    handlers,
    describeExit,
    noteCode: (network: string, address: string, codeHash: string) =>
      codes.set(`${network} ${address}`, codeHash),
    /** Names what neither Tondesk nor the gateway knows. */
    annotate(network: string, answer: TransactionAnswer): TransactionAnswer {
      if (all().size === 0) return answer
      const { transaction, trace } = answer
      const { inMessage, outMessages, phases } = transaction
      const { compute } = phases
      const own =
        compute?.exitCode === null || compute?.exitCode === undefined || compute.success !== false
          ? null
          : describeExit(network, transaction.account.address, compute.exitCode)
      return {
        ...answer,
        transaction: {
          ...transaction,
          inMessage: inMessage && withBody(network, inMessage),
          outMessages: outMessages.map((message) => withBody(network, message)),
          phases: {
            ...phases,
            compute: compute && { ...compute, exitWords: own ?? compute.exitWords },
          },
        },
        trace: trace && {
          ...trace,
          nodes: trace.nodes.map((node) => ({
            ...node,
            operation: node.operation ?? nameOpcode(network, node.account.address, node.opcode),
          })),
        },
      }
    },
  }
}

function parseGiven(text: string): Interface {
  try {
    return parseInterface(text)
  } catch (error) {
    throw error instanceof InterfaceError ? refuse(error.message) : error
  }
}

/** A later version of Tondesk may have stored a text that this one does not read. */
function parseStored(text: string): Interface | null {
  try {
    return parseInterface(text)
  } catch {
    return null
  }
}

function refuse(message: string): AppError {
  return new AppError(chainCodes.badDictionary, message)
}

function show({ record, content }: Known): Dictionary {
  return {
    codeHash: record.codeHash,
    name: record.name,
    format: content.format,
    messages: content.messages.map(({ opcode, name, fields }) => ({
      opcode: formatOpcode(opcode),
      name,
      fields: fields.map((field) => field.name),
    })),
    methods: content.methods.map((method) => ({ ...method, arguments: [...method.arguments] })),
    errors: [...content.errors].map(([code, name]) => ({ code, name })),
    unused: [...content.unused],
    changedAt: record.changedAt,
  }
}

const opcodeBits = 32

function decodeBody(content: Interface, body: Cell): DecodedBody | null {
  if (body.isExotic || body.bits.length < opcodeBits) return null
  const opcode = body.beginParse().loadUint(opcodeBits)
  for (const message of content.messages) {
    if (message.opcode !== opcode) continue
    try {
      const fields = decodeFields(content, message.fields, body.beginParse().skip(opcodeBits))
      return { operation: message.name, fields }
    } catch {
      // The body is not what this description says; another one with the opcode may fit.
    }
  }
  return null
}

const maxDecoded = 500
const maxStructs = 16

/** @throws Error when the body does not match the fields, or has more than they describe */
function decodeFields(content: Interface, layout: readonly Field[], body: Slice): DecodedField[] {
  const decoded: DecodedField[] = []

  function add(name: string, kind: DecodedField['kind'], value: string): void {
    if (decoded.length === maxDecoded) throw new Error('more fields than are shown')
    decoded.push({ name, kind, value })
  }

  /** Returns the slice after the fields: Tact continues a long body in the last reference of a cell. */
  function readAll(fields: readonly Field[], from: Slice, prefix: string, depth: number): Slice {
    let slice = from
    for (const { name, type } of fields) {
      if (slice.remainingBits === 0 && slice.remainingRefs === 1 && minBits(type) > 0) {
        slice = slice.loadRef().beginParse()
      }
      slice = readOne(`${prefix}${name}`, type, slice, depth)
    }
    return slice
  }

  function readOne(name: string, type: FieldType, slice: Slice, depth: number): Slice {
    switch (type.kind) {
      case 'int': {
        const value = type.isSigned ? slice.loadIntBig(type.bits) : slice.loadUintBig(type.bits)
        add(name, 'number', value.toString())
        return slice
      }
      case 'varint': {
        const bits = slice.loadUint(type.lengthBits) * 8
        const number = type.isSigned ? slice.loadIntBig(bits) : slice.loadUintBig(bits)
        add(name, 'number', bits === 0 ? '0' : number.toString())
        return slice
      }
      case 'bits':
        add(name, 'bytes', slice.loadBits(type.bits).toString())
        return slice
      case 'bool':
        add(name, 'text', String(slice.loadBit()))
        return slice
      case 'coins':
        add(name, 'number', slice.loadCoins().toString())
        return slice
      case 'address': {
        const address = slice.loadMaybeAddress()
        if (address === null) add(name, 'text', 'none')
        else add(name, 'address', address.toRawString())
        return slice
      }
      case 'cell':
        add(name, 'cell', formatCell(slice.loadRef()))
        return slice
      case 'text': {
        const bytes = readSnakeBytes(slice.loadRef().beginParse())
        if (bytes === null) throw new Error('no text')
        add(name, 'text', bytes.toString('utf8'))
        return slice
      }
      case 'dict': {
        const dictionary = slice.loadMaybeRef()
        if (dictionary === null) add(name, 'text', 'empty')
        else add(name, 'cell', formatCell(dictionary))
        return slice
      }
      case 'rest': {
        add(name, 'cell', formatCell(slice.asCell()))
        slice.skip(slice.remainingBits)
        while (slice.remainingRefs > 0) slice.loadRef()
        return slice
      }
      case 'either':
        if (!slice.loadBit()) return readOne(name, { kind: 'rest' }, slice, depth)
        return readOne(name, { kind: 'cell' }, slice, depth)
      case 'maybe':
        if (slice.loadBit()) return readOne(name, type.of, slice, depth)
        add(name, 'text', 'none')
        return slice
      case 'struct': {
        if (depth === maxStructs) throw new Error('too deep')
        const inner = content.structs.get(type.name)
        if (inner === undefined) throw new Error('an unknown type')
        if (!type.isRef) return readAll(inner, slice, `${name}.`, depth + 1)
        requireEnd(readAll(inner, slice.loadRef().beginParse(), `${name}.`, depth + 1))
        return slice
      }
    }
  }

  requireEnd(readAll(layout, body, '', 0))
  return decoded
}

function requireEnd(slice: Slice): void {
  if (slice.remainingBits > 0 || slice.remainingRefs > 0) throw new Error('more than described')
}

function minBits(type: FieldType): number {
  return ['cell', 'text', 'rest', 'struct'].includes(type.kind) ? 0 : 1
}
