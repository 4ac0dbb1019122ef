import type { Asset } from '../../../src-preload/contract/chain/references.ts'
import type { TermColumn } from '../store/index/index-plan.ts'
import type { LateTraits, Searchable, Traits } from '../store/index/index-writer.ts'
import { unknownDuration } from '../store/capture-record.ts'
import type { Terms } from '../store/index/terms.ts'
import type { SearchedCapture } from './searched-capture.ts'
import { hash } from 'node:crypto'
import {
  bodyText,
  compoundText,
  queryFields,
  headerLines,
  explanationLine,
  mentionedField,
  searchedTarget,
} from './fields.ts'
import { compoundsOf } from './words.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/** Fields that become known later are stored apart from the words, so that the words need no rewrite. */
const lateFields: readonly TermColumn[] = [
  ...(['network', 'meaning', 'asset', 'direction', 'opcode', 'exit', 'success'] as const),
]

export const isLateField = (name: string): name is TermColumn =>
  (lateFields as readonly string[]).includes(name)

const marked: readonly string[] = ['pinned', 'forwarded']

/** Lists the optional properties that are present. */
export const presenceKey = 'has'

const texts = queryFields
  .filter((field) => field.by === 'text')
  .filter(({ names: [name] }) => name !== 'header' && !isLateField(name) && !marked.includes(name))
const keyed = [...queryFields.filter((field) => field.by === 'key'), mentionedField]
export const wordFields = ['body', 'comment', 'note'] as const

function facetsOf(subject: SearchedCapture, words: SubjectWords, terms: Terms): string {
  const ids = new Set<number>()
  const tokens = [allCapturesToken]
  const share = (key: string, value: string) => ids.add(terms.idOf(key, value))
  for (const field of texts) {
    for (const value of field.value(subject, '')) share(field.names[0], value)
  }
  for (const [name, value] of subject.headers) share(headerKey(name), value)
  for (const field of keyed) {
    const values = field.value(subject, '')
    for (const value of values) tokens.push(keyToken(field.names[0], value))
    if (values.length > 0) share(presenceKey, field.names[0])
  }
  for (const each of compoundsOf(compoundText(subject))) tokens.push(compoundToken(each))
  for (const name of wordFields) if (words[name] !== '') share(presenceKey, name)
  return [...tokens, ...[...ids].map(termToken)].join(' ')
}

export const headerKey = (name: string): string => `header.${name.toLowerCase()}`

/*
 * Facets are tokens of letters and digits in a column of the full-text index, which the tokenizer
 * does not split: `t` and the number of a shared value; for each property with keys, a letter and
 * the key; `j` and words that are written together.
 */

/** Every capture has this token. */
export const allCapturesToken = 'every'

export const termToken = (id: number): string => `t${id.toString(36)}`

export const compoundToken = (text: string): string => `j${text}`

const letters: Readonly<Record<string, string>> = lookupTable({
  account: 'a',
  hash: 'h',
  sender: 's',
  recipient: 'r',
  mentioned: 'm',
})

/** @returns null if the beginning of the key does not determine the beginning of its token */
export function keyTokenBeginning(field: string, beginning: string): string | null {
  const letter = letters[field]
  if (letter === undefined) return null
  if (field === 'hash') return beginning === '' ? null : letter + beginning
  const chain = beginning.startsWith('0:') ? '0' : beginning.startsWith('-1:') ? 'm' : null
  return chain === null ? null : letter + chain + beginning.slice(beginning.indexOf(':') + 1)
}

/** Addresses and hashes stay unchanged; other keys become a digest. */
export function keyToken(field: string, value: string): string {
  const readable = keyTokenBeginning(field, value.toLowerCase())
  return readable ?? `i${digest(`${field}:${value.toLowerCase()}`).toString('hex', 0, 12)}`
}

type SubjectWords = ReturnType<typeof wordsOfCapture>

const wordsOfCapture = (subject: SearchedCapture) => ({
  target: searchedTarget(subject),
  headers: headerLines(subject),
  body: bodyText(subject),
  comment: subject.later?.meaning.comment ?? '',
  note: subject.later?.note ?? '',
  meaning: explanationLine(subject),
})

/** The digest changes when mutable words or facets change. */
function digestOfMutableWords(subject: SearchedCapture): bigint {
  const { later, status } = subject
  const words = [status, later?.meaning.comment, later?.note, explanationLine(subject)]
  return digest(JSON.stringify(words)).readBigInt64LE(0)
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

export function searchableOf(subject: SearchedCapture, terms: Terms): Searchable {
  const words = wordsOfCapture(subject)
  return { ...words, facets: facetsOf(subject, words, terms) }
}

export const traitsOf = (subject: SearchedCapture, terms: Terms): Traits => ({
  receivedAt: subject.receivedAt,
  isReceived: subject.origin === 'received',
  lt: subject.lt,
  size: subject.bodyBytes,
  took: subject.durationUs ?? unknownDuration,
  ...lateTraitsOf(subject, terms),
})

/** A larger amount is indexed as this one. */
export const largestUnits = 2n ** 63n - 1n

export function lateTraitsOf(subject: SearchedCapture, terms: Terms): LateTraits {
  const explanation = subject.later?.meaning
  const amount = explanation?.amount ?? null
  const idOf = (key: string, value: string | null | undefined) =>
    value === null || value === undefined ? null : terms.idOf(key, value)
  const units = amount === null ? null : BigInt(amount.units)
  const success = explanation?.success ?? null
  return {
    network: idOf('network', subject.network),
    meaning: idOf('meaning', explanation?.state),
    asset: amount === null ? null : terms.idOf('asset', formatAsset(amount.asset)),
    amount: units !== null && units > largestUnits ? largestUnits : units,
    direction: idOf('direction', amount?.direction),
    opcode: idOf('opcode', explanation?.opcode?.toLowerCase()),
    exit: idOf('exit', explanation?.exitCode?.toString()),
    success: success === null ? null : terms.idOf('success', success ? 'yes' : 'no'),
    told: digestOfMutableWords(subject),
  }
}

const formatAsset = ({ jetton, symbol, decimals }: Asset): string =>
  [symbol.replaceAll('\n', ' '), decimals, jetton ?? ''].join('\n')

export function readAsset(value: string): Asset {
  const [symbol = '', decimals = '0', jetton = ''] = value.split('\n')
  return { symbol, decimals: Number(decimals), jetton: jetton === '' ? null : jetton }
}
