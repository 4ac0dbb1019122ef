/**
 * Manages the user's own descriptions of contracts: imported, stored, and used to name messages,
 * fields and methods on the chain.
 */
import type { Cell } from '@ton/core'
import type {
  DecodedBody,
  MessageView,
  TransactionResult,
} from '../../../src-preload/contract/chain/transaction.ts'
import type { Dictionary } from '../../../src-preload/contract/dictionary.ts'
import type { MessageOrder } from '../../../src-preload/contract/message.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../../src-preload/domain/error-codes.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import type { ActionResponse } from '../../gateway/event-responses.ts'
import { readBoc } from '../../ton/boc.ts'
import type { StackName } from '../../chain/method-stack.ts'
import {
  decodeByCatalogue,
  describeExitByCatalogue,
  nameByCatalogue,
} from '../../chain/catalogue.ts'
import { type Interface, InterfaceError } from '../../chain/contract-interface.ts'
import { decodeBody, encodeBody, inputsOf, newStepBudget } from '../../chain/body-codec.ts'
import { parseInterface } from './interface-text.ts'
import { readOperation } from '../../ton/decode-body.ts'
import { readOpcode } from '../../ton/opcodes.ts'
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import { requireAddress } from '../../chain/addresses.ts'
import type { ExplorerContext } from '../../chain/access.ts'
import { type DictionaryRecord, createDictionaryRecords } from '../store/dictionaries.ts'

type Parsed = { readonly record: DictionaryRecord; readonly content: Interface }

/** The parsed dictionaries by code hash, and the known codes of accounts. */
type Index = {
  readonly all: () => ReadonlyMap<string, Parsed>
  readonly codeOf: (network: string, address: string | undefined) => string | undefined
  readonly ofAccount: (network: string, address: string | undefined) => Parsed | undefined
  readonly noteCode: (network: string, address: string, codeHash: string) => void
}

const maxDictionaries = 200
const maxCodes = 5_000

export type Dictionaries = ReturnType<typeof createDictionaries>

export function createDictionaries(context: ExplorerContext) {
  const { access, now } = context
  const records = createDictionaryRecords(context.database)
  /** Code hashes of accounts whose contract page was opened, by network and address. */
  const codes = new LimitedMap<string, string>(maxCodes)
  let parsed: ReadonlyMap<string, Parsed> | null = null

  const all = () =>
    (parsed ??= new Map(
      records.all().flatMap((record) => {
        const content = parseStored(record.text)
        return content === null ? [] : [[record.codeHash, { record, content }] as const]
      }),
    ))
  const codeOf: Index['codeOf'] = (network, address) =>
    address === undefined ? undefined : codes.get(`${network} ${address}`)
  const index: Index = {
    all,
    codeOf,
    ofAccount: (network, address) => all().get(codeOf(network, address) ?? ''),
    noteCode: (network, address, codeHash) => void codes.set(`${network} ${address}`, codeHash),
  }

  function changed(): void {
    parsed = null
    context.events.emit('dictionary.changed', {})
  }

  return {
    handlers: {
      'dictionary.inputs'(chosen) {
        const { content, message } = requireMessage(index, chosen)
        return { inputs: inputsOf(content, message.fields) }
      },
      async 'dictionary.find'({ network, address: text }) {
        const address = requireAddress(text, access.info(network).testOnly)
        const signal = access.interest(network)
        const { code } = await access.query(network).rawAccount(address, { signal })
        const codeHash = readBoc(code)?.hash().toString('hex') ?? null
        if (codeHash !== null) index.noteCode(network, address, codeHash)
        return { codeHash, isKnown: codeHash !== null && index.all().has(codeHash) }
      },
      'dictionary.list': () => ({ dictionaries: [...index.all().values()].map(show) }),
      'dictionary.import'({ codeHash, name: given, text }) {
        const content = parseInput(text)
        if (!records.has(codeHash) && records.count() >= maxDictionaries) {
          throw refuse(`There are ${maxDictionaries} dictionaries already. Remove one first.`)
        }
        const name = given || content.name || 'Dictionary'
        const record = { codeHash, name, text, changedAt: now() }
        records.put(record)
        changed()
        return show({ record, content })
      },
      'dictionary.remove'({ codeHash }) {
        if (records.remove(codeHash) > 0) changed()
        return {}
      },
    } satisfies Partial<Handlers>,
    noteCode: index.noteCode,
    ...createNames(index),
    /** Returns the names of all messages. Different contracts may use the same name. */
    operations: () =>
      [...all().values()].flatMap(({ content }) =>
        content.messages.map(({ name, opcode }) => ({ name, opcode })),
      ),
    /** @throws AppError CHAIN_BAD_DICTIONARY, or INVALID_INPUT that names the wrong field */
    encode: ({ message: chosen, values }: MessageOrder, testOnly: boolean): Cell => {
      if (chosen === null) throw refuse('Choose a message of a dictionary.')
      const { content, message } = requireMessage(index, chosen)
      return encodeBody(content, message, values, testOnly)
    },
  }
}

/** Finds names and bodies that neither Tondesk nor the gateway knows. */
function createNames({ all, codeOf, ofAccount }: Index) {
  /**
   * Decodes by the dictionary of the account's code; else by the opcode, if all dictionaries agree;
   * else by the catalogue, which is used only if no dictionary matches.
   */
  function decode(network: string, address: string | undefined, body: Cell): DecodedBody | null {
    const own = ofAccount(network, address)
    if (own !== undefined) return decodeBody(own.content, body)
    const budget = newStepBudget()
    const found = [...all().values()].flatMap(
      ({ content }) => decodeBody(content, body, budget) ?? [],
    )
    const [first] = found
    // If the steps are used up, another dictionary could still decode the body differently.
    const isUnique =
      budget.steps > 0 && found.every((each) => JSON.stringify(each) === JSON.stringify(first))
    if (!isUnique) return null
    if (first !== undefined) return first
    const opcode = readOperation(body)
    const isOwn = opcode !== null && namesOf(opcode, all().values()).size > 0
    return isOwn ? null : decodeByCatalogue(codeOf(network, address), body)
  }

  function nameOpcode(network: string, address: string | undefined, opcode: string | null) {
    const number = readOpcode(opcode ?? '')
    if (number === null) return null
    const own = ofAccount(network, address)
    const [name, other] = namesOf(number, own === undefined ? all().values() : [own])
    if (name === undefined && own === undefined) {
      return nameByCatalogue(codeOf(network, address), number)
    }
    return name === undefined || other !== undefined ? null : { operation: name }
  }

  function describeExit(network: string, address: string, code: number): string | null {
    const own = ofAccount(network, address)?.content.errors.get(code)
    return own ?? describeExitByCatalogue(codeOf(network, address), code)
  }

  function withBody(network: string, message: MessageView): MessageView {
    // A message that Tondesk or the gateway can decode keeps its standard names.
    if (message.body !== null || message.type === 'external_in') return message
    const cell = readBoc(message.rawBody)
    // An outgoing external message is described by the contract that sends the message.
    const { address } = message.destination ?? message.source ?? {}
    const body = cell === null || message.bounced ? null : decode(network, address, cell)
    return body === null
      ? message
      : { ...message, body, operation: message.operation ?? body.operation }
  }

  return {
    nameOpcode,
    describeExit,
    /** For a call of an unknown contract, gateways use the opcode as its name. */
    nameActions: (network: string, actions: readonly ActionResponse[]): ActionResponse[] =>
      actions.map((action) => {
        const { known } = action
        if (known?.kind !== 'SmartContractExec') return action
        const { contract, operation } = known.details
        const named = nameOpcode(network, contract.address, operation)
        if (named === null) return action
        const details = { ...known.details, operation: named.operation }
        return { ...action, known: { ...known, details } }
      }),
    /** Returns the names of a get method's results; empty if no dictionary describes the method. */
    namesOfResult: (network: string, address: string, method: string): readonly StackName[] =>
      ofAccount(network, address)?.content.methods.find(({ name }) => name === method)?.result ??
      [],
    annotate(network: string, response: TransactionResult): TransactionResult {
      const { transaction, trace } = response
      const { account, inMessage, outMessages, phases } = transaction
      const { compute } = phases
      const code = compute?.success === false ? compute.exitCode : null
      const exitWords = code === null ? null : describeExit(network, account.address, code)
      return {
        ...response,
        transaction: {
          ...transaction,
          inMessage: inMessage && withBody(network, inMessage),
          outMessages: outMessages.map((message) => withBody(network, message)),
          phases: {
            ...phases,
            compute: compute && { ...compute, exitWords: exitWords ?? compute.exitWords },
          },
        },
        trace: trace && {
          ...trace,
          nodes: trace.nodes.map((node) => ({
            ...node,
            ...(node.operation === null && nameOpcode(network, node.account.address, node.opcode)),
          })),
        },
      }
    },
  }
}

/** @throws AppError CHAIN_BAD_DICTIONARY */
function requireMessage(
  { all }: Index,
  { codeHash, opcode, name }: NonNullable<MessageOrder['message']>,
) {
  const content = all().get(codeHash)?.content
  const message = content?.messages.find(
    (each) => each.name === name && formatOpcode(each.opcode) === opcode,
  )
  if (content === undefined || message === undefined) {
    throw refuse(`The dictionary no longer has the message “${name}”. Choose another one.`)
  }
  return { content, message }
}

function namesOf(opcode: number, dictionaries: Iterable<Parsed>): ReadonlySet<string> {
  const messages = [...dictionaries].flatMap(({ content }) => content.messages)
  return new Set(messages.filter((each) => each.opcode === opcode).map(({ name }) => name))
}

function parseInput(text: string): Interface {
  try {
    return parseInterface(text)
  } catch (error) {
    throw error instanceof InterfaceError ? refuse(error.message) : error
  }
}

/** A later version of Tondesk may have stored a text that this version cannot parse. */
function parseStored(text: string): Interface | null {
  try {
    return parseInterface(text)
  } catch {
    return null
  }
}

const refuse = (message: string): AppError => new AppError(chainCodes.badDictionary, message)

function show({ record, content }: Parsed): Dictionary {
  return {
    codeHash: record.codeHash,
    name: record.name,
    format: content.format,
    messages: content.messages.map(({ opcode, name, fields }) => ({
      opcode: formatOpcode(opcode),
      name,
      fields: fields.map((field) => field.name),
    })),
    methods: content.methods.map(({ name, arguments: given, returns }) => ({
      name,
      arguments: [...given],
      returns,
    })),
    errors: [...content.errors].map(([code, name]) => ({ code, name })),
    unused: [...content.unused],
    changedAt: record.changedAt,
  }
}
