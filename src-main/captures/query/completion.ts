import type {
  FilterStage,
  QueryCompletion,
  QueryReading,
} from '../../../src-preload/contract/capture-query.ts'
import { maskHeader, maskTarget } from '../mask.ts'
import { headerKey, isLateField } from './facets.ts'
import { type Field, fieldNamed, fields } from './fields.ts'
import { readAsset } from './index-entry.ts'
import { type Part, cutParts } from './parts.ts'
import { knownOpcodes, formatOpcode } from '../../ton/opcodes.ts'

/** What there is to choose from, beyond what every query knows. */
export type Choices = {
  /** Values that captures have had, by the property they are of. */
  readonly values: (key: string) => readonly string[]
  /** Names of headers that came. */
  readonly headers: () => readonly string[]
  /** Labels with this part, with what they are of. */
  readonly labels: (part: string) => readonly QueryCompletion[]
  readonly networks: () => readonly QueryCompletion[]
  readonly webhooks: () => readonly QueryCompletion[]
}

type Completion = QueryReading['completion']

const maxChoices = 30

/** What could stand at the cursor: a field, or a value of the field before it. */
export function complete(
  text: string,
  cursor: number,
  choices: Choices,
  stage?: FilterStage,
): Completion {
  const part = cutParts(text).parts.find(({ from, to }) => from < cursor && cursor <= to)
  if (part === undefined) return offer(cursor, cursor, '', fieldChoices('', stage))
  const start = part.negated ? part.from + 1 : part.from
  if (part.field === null || cursor < part.valueFrom) {
    const to = part.field === null ? part.to : part.valueFrom
    const typed = text.slice(start, cursor)
    // What is in quotes is no field.
    if (typed.startsWith('"')) return offer(cursor, cursor, '', [])
    const found = typed.toLowerCase().startsWith('header.')
      ? choices.headers().map((name) => ({ text: `header.${name}:`, hint: 'header' }))
      : fieldChoices(typed, stage)
    return offer(start, to, typed, found)
  }
  return completeValue(text, cursor, part, choices)
}

function fieldChoices(typed: string, stage: FilterStage | undefined): QueryCompletion[] {
  return fields.flatMap((field) => {
    if (!isKnown(field, stage)) return []
    const { names, hint } = field
    const name = names.find((each) => each.startsWith(typed.toLowerCase())) ?? names[0]
    return { text: name === 'header' ? 'header.' : `${name}:`, hint }
  })
}

function isKnown({ known }: Field, stage: FilterStage | undefined): boolean {
  return stage === undefined || known === 'arrival' || known === stage
}

function completeValue(text: string, cursor: number, part: Part, choices: Choices): Completion {
  const piece = part.pieces.find(({ from, to }) => from <= cursor && cursor <= to)
  const [base = '', ...rest] = (part.field ?? '').split('.')
  const field = fieldNamed(base)
  if (piece === undefined || field === null) return offer(cursor, cursor, '', [])
  const from = piece.from + piece.lead.length
  const typed = text.slice(from, cursor).replace(/^"/, '')
  const found = valueChoices(field, rest.join('.'), typed, choices)
  // Of what is offered, only amounts can be compared.
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
      return knownOpcodes().map((each) => ({ text: each.name, hint: formatOpcode(each.opcode) }))
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

/** As it has to be written to be read as one value. */
function written(value: string): string {
  return /[\s",*]|^[<>]|\.\./.test(value)
    ? `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
    : value
}

/** What begins so first, then what holds it; what stands there already is no choice. */
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
