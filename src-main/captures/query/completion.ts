import type {
  FilterStage,
  QueryCompletion,
  QueryReading,
} from '../../../src-preload/contract/capture-query.ts'
import { maskHeader, maskTarget } from '../../../src-preload/domain/mask.ts'
import { headerKey, isLateField, readAsset } from './index-entry.ts'
import { type Field, fieldNamed, queryFields } from './fields.ts'
import { type Part, splitQuery } from './split-query.ts'
import { formatFriendly } from '../../ton/address.ts'
import { knownOpcodes } from '../../ton/opcodes.ts'
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Names } from './values/text.ts'
import { hasPhrase, wordLine, wordsOf } from './words.ts'

export type Choices = {
  readonly values: (key: string) => readonly string[]
  readonly headers: () => readonly string[]
  readonly labels: (part: string) => readonly QueryCompletion[]
  readonly networks: () => readonly QueryCompletion[]
  readonly operations: () => readonly QueryCompletion[]
  readonly webhooks: () => readonly QueryCompletion[]
}

type Completion = QueryReading['completion']

const maxChoices = 30

export function completeQuery(
  text: string,
  cursor: number,
  choices: Choices,
  stage?: FilterStage,
): Completion {
  const part = splitQuery(text).parts.find(({ from, to }) => from < cursor && cursor <= to)
  if (part === undefined) return offer(cursor, cursor, '', fieldChoices('', stage))
  const start = part.negated ? part.from + 1 : part.from
  if (part.field === null || cursor < part.valueFrom) {
    const to = part.field === null ? part.to : part.valueFrom
    const typed = text.slice(start, cursor)
    if (typed.startsWith('"')) return offer(cursor, cursor, '', [])
    const found = typed.toLowerCase().startsWith('header.')
      ? choices.headers().map((name) => ({ text: `header.${name}:`, hint: 'header' }))
      : fieldChoices(typed, stage)
    return offer(start, to, typed, found)
  }
  return completeValue(text, cursor, part, choices)
}

const fieldChoices = (typed: string, stage: FilterStage | undefined): QueryCompletion[] =>
  queryFields.flatMap((field) => {
    if (!isKnownField(field, stage)) return []
    const { names, hint } = field
    const name = names.find((each) => each.startsWith(typed.toLowerCase())) ?? names[0]
    return { text: name === 'header' ? 'header.' : `${name}:`, hint }
  })

const isKnownField = ({ known }: Field, stage: FilterStage | undefined): boolean =>
  stage === undefined || known === 'arrival' || known === stage

function completeValue(text: string, cursor: number, part: Part, choices: Choices): Completion {
  const piece = part.pieces.find(({ from, to }) => from <= cursor && cursor <= to)
  const [base = '', ...rest] = (part.field ?? '').split('.')
  const field = fieldNamed(base)
  if (piece === undefined || field === null) return offer(cursor, cursor, '', [])
  const from = piece.from + piece.lead.length
  const typed = text.slice(from, cursor).replace(/^"/, '')
  const found = valueChoices(field, rest.join('.'), typed, choices)
  // Among the suggested values, only amounts can be compared.
  return offer(from, piece.to, typed, piece.lead === '' || field.by === 'amount' ? found : [])
}

function valueChoices(
  field: Field,
  header: string,
  typed: string,
  choices: Choices,
): readonly QueryCompletion[] {
  const [name] = field.names
  const fixed = (field.choices ?? []).map(({ value, hint }) => ({ text: value, hint }))
  const seen = (key: string) =>
    choices.values(key).map((value) => ({ text: written(value), hint: '' }))
  switch (name) {
    case 'header':
      return choices
        .values(headerKey(header))
        .filter((value) => maskHeader([header, value])[1] === value)
        .map((value) => ({ text: written(value), hint: '' }))
    case 'path':
      return seen(name).filter(({ text }) => maskTarget(text) === text)
    case 'network':
      return [...fixed, ...choices.networks()]
    case 'webhook':
      return choices.webhooks().map((each) => ({ ...each, text: written(each.text) }))
    case 'account':
    case 'sender':
    case 'recipient':
      return choices.labels(typed).map((each) => ({ ...each, text: written(each.text) }))
    case 'amount':
      return /^\d+(?:\.\d+)?$/.test(typed)
        ? symbols(choices).map((symbol) => ({ text: typed + symbol, hint: '' }))
        : []
    case 'asset':
      return symbols(choices).map((symbol) => ({ text: written(symbol), hint: '' }))
    case 'opcode':
      return choices.operations().map((each) => ({ ...each, text: written(each.text) }))
    case 'status':
      return [...seen(name), ...fixed]
    default:
      if (fixed.length > 0) return fixed
      return field.by === 'text' || isLateField(name) ? seen(name) : []
  }
}

function symbols(choices: Choices): string[] {
  const seen = choices.values('asset').map((value) => readAsset(value).symbol)
  return [...new Set(['TON', ...seen])]
}

const written = (value: string): string =>
  /[\s",*]|^[<>]|\.\./.test(value)
    ? `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
    : value

/** Values that begin with the text come first; a text that is already complete is not suggested. */
function offer(
  from: number,
  to: number,
  typed: string,
  found: readonly QueryCompletion[],
): Completion {
  const wanted = typed.toLowerCase()
  const bare = ({ text }: QueryCompletion) => text.toLowerCase().replace(/^"/, '')
  const unique = [...new Map(found.map((each) => [each.text, each])).values()]
  const begins = unique.filter((each) => bare(each).startsWith(wanted))
  const holds = unique.filter((each) => !begins.includes(each) && bare(each).includes(wanted))
  const choices = [...begins, ...(wanted === '' ? [] : holds)].slice(0, maxChoices)
  return { from, to, choices: choices.filter(({ text }) => text.toLowerCase() !== wanted) }
}

type Named = { readonly name: string; readonly address: string }

export type NamesDeps = {
  readonly labels: {
    list(
      network: NetworkId,
      which: { readonly part: string },
      page: { readonly offset: number; readonly limit: number },
    ): { readonly labels: readonly (Named & { readonly network: string })[] }
  }
  readonly accountNames: {
    like(text: string, limit: number): readonly Named[]
    of(network: string, address: string): { readonly isWallet: boolean | null } | null
  }
  readonly networks: () => readonly { readonly id: NetworkId; readonly name: string }[]
  /** Returns the names in the user's dictionaries. */
  readonly operations: () => readonly { readonly name: string; readonly opcode: number }[]
  readonly webhookTokens: () => readonly { readonly id: string; readonly label: string }[]
}

const maxLabels = 20
/** A label may have many addresses, and a query searches all of them at once. */
const maxOfLabel = 50
const maxLike = 2000
const shortestName = 2

export function createNames({
  labels,
  accountNames,
  networks,
  operations,
  webhookTokens,
}: NamesDeps) {
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

  const labelled = (part: string, limit: number) =>
    networks().flatMap(({ id }) => labels.list(id, { part }, { offset: 0, limit }).labels)

  const like = (text: string) => [...labelled(text, maxLike), ...accountNames.like(text, maxLike)]
  const addressesOf = (found: readonly { readonly address: string }[]) =>
    [...new Set(found.map(({ address }) => address))].slice(0, maxOfLabel)

  const names: Names = {
    addresses: (label) => addressesOf(like(label).filter(({ name }) => same(name, label))),
    addressesLike(text) {
      const words = wordsOf(text)
      if (words.join('').length < shortestName) return []
      const found = like(text).map((each) => ({ ...each, line: wordLine(each.name) }))
      const whole = found.filter(({ line }) => hasPhrase(line, words, false))
      return addressesOf(
        whole.length > 0 ? whole : found.filter(({ line }) => hasPhrase(line, words, true)),
      )
    },
    networks: (wanted) =>
      networks()
        .filter(({ name }) => same(name, wanted))
        .map(({ id }) => id),
    opcodes: (wanted) =>
      operations().flatMap(({ name, opcode }) => (same(name, wanted) ? [opcode] : [])),
    webhooks: (wanted) =>
      webhookTokens()
        .filter(({ id, label }) => same(label, wanted) || id === wanted)
        .map(({ id }) => id),
  }

  /** Friendly forms without the test-only flag are valid on each network. */
  function hintOf(network: string, address: string): string {
    const bounceable = accountNames.of(network, address)?.isWallet !== true
    const friendly = formatFriendly(address, { bounceable, testOnly: false })
    return `${friendly.slice(0, 6)}…${friendly.slice(-4)}`
  }

  const choices: Pick<Choices, 'labels' | 'networks' | 'operations' | 'webhooks'> = {
    labels: (part) =>
      labelled(part, maxLabels).map(({ network, name, address }): QueryCompletion => ({
        text: name,
        hint: hintOf(network, address),
      })),
    networks: () =>
      networks()
        .filter(({ id }) => id.startsWith('custom-'))
        .map(({ id, name }) => ({ text: id, hint: name })),
    operations: () =>
      [...knownOpcodes(), ...operations()].map(({ name, opcode }) => ({
        text: name,
        hint: formatOpcode(opcode),
      })),
    webhooks: () => webhookTokens().map(({ label }) => ({ text: label, hint: 'webhook' })),
  }
  return { names, choices }
}
