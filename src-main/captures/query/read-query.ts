import type { QueryProblem } from '../../../src-preload/contract/capture-query.ts'
import { captureQueryCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { type Field, type KnownFrom, fieldNamed, anyField, mentionedField } from './fields.ts'
import { type Part, splitQuery } from './split-query.ts'
import { type Query, type Term, createMatcher } from './query.ts'
import { type Test, type Names, noNames, equalsText } from './values/text.ts'
import { wordsOf, compoundBeginning } from './words.ts'
import { captureKinds } from '../../../src-preload/domain/capture-values.ts'
import { formatFriendly, readAddress } from '../../ton/address.ts'
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import { readAddressRange } from '../../ton/address-range.ts'
import { readHashPart } from '../../ton/list-text.ts'
import { inRange } from './values/chain.ts'
import type { DeliveryFilter } from './searched-capture.ts'

/** Parses words outside fields as rows display them, in any form. */

/** A shorter beginning would match nearly everything. */
const shortestBeginning = 3
const shortestAddress = 4
const maxNamed = 10

const accountFields = ['account', 'sender', 'recipient', mentionedField.names[0]]

function createFreeWords({ names = noNames, typing = false }: ReadOptions) {
  let named = 0

  function accountTests(text: string): Test[] {
    const whole = readAddress(text)
    if (whole !== null) return [...ofAccounts([equalsText(whole.raw)]), ...writtenForms(whole.raw)]
    if (!typing) return []
    const range = text.length < shortestAddress ? null : readAddressRange(text)
    if (range !== null) return ofAccounts(inRange(range))
    named += 1
    return named > maxNamed ? [] : ofAccounts(names.addressesLike(text).map(equalsText))
  }

  /** @returns null for a part without letters or digits */
  return function freeWord(part: Part, isLast: boolean): Term | null {
    const [piece] = part.pieces
    if (piece === undefined) return null
    const phrase = piece.text.replaceAll(/[*\0]/g, ' ').trim()
    if (wordsOf(phrase).length === 0) return null
    const { from, to, negated } = part
    const starts = piece.text.endsWith('*') || (typing && isLast && !piece.quoted)
    const tests = [
      ...wordTests(phrase, starts),
      ...amountTests(phrase),
      ...accountTests(phrase),
      ...(typing ? hashTests(phrase) : []),
      ...names.opcodes(phrase).map((opcode) => inField('opcode', equalsText(formatOpcode(opcode)))),
      ...(shownPhrases.get(phrase.toLowerCase()) ?? []),
      ...(typing && /^[1-5]\d\d$/.test(phrase) ? [inField('status', equalsText(phrase))] : []),
    ]
    return { from, to, negated, field: anyField, name: '', tests }
  }
}

function wordTests(phrase: string, starts: boolean): Test[] {
  const last = /[\p{L}\p{N}]*$/u.exec(phrase)?.[0].length ?? 0
  const prefix = starts && last >= shortestBeginning
  const beginning = starts && !prefix ? compoundBeginning(phrase) : null
  return [
    { is: 'words', phrase, prefix },
    ...(beginning === null ? [] : [{ is: 'compound', beginning } as const]),
  ]
}

const groupedAmount = /^[+−]?\d{1,3}(?:[,’'\u00a0\u2009\u202f]\d{3})+(?:\.\d+)?$/
const zeroEnded = /^[+−]?\d+\.\d*0$/

/** Amounts are indexed without trailing zeros, but lists display all decimals. */
function amountTests(phrase: string): Test[] {
  const isGrouped = groupedAmount.test(phrase)
  if (!isGrouped && !zeroEnded.test(phrase)) return []
  const plain = isGrouped ? phrase.replaceAll(/[^\d.]/g, '') : phrase
  const trimmed = plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
  return [{ is: 'words', phrase: trimmed, prefix: false }]
}

const ofAccounts = (tests: readonly Test[]): Test[] =>
  tests.flatMap((test) => accountFields.map((field) => inField(field, test)))

/** The forms of an address in a body; both base64 alphabets give the same words. */
function writtenForms(raw: string): Test[] {
  const flags = [true, false]
  const friendly = flags.flatMap((bounceable) =>
    flags.map((testOnly) => formatFriendly(raw, { bounceable, testOnly })),
  )
  return [raw, ...friendly].map((phrase) => ({ is: 'words', phrase, prefix: false }))
}

function hashTests(phrase: string): Test[] {
  const part = readHashPart(phrase)
  if (part === null) return []
  const [begin, end] = part
  const isWhole = begin.length === 64
  return [inField('hash', isWhole ? equalsText(begin) : { is: 'text', pattern: [begin, end] })]
}

const inField = (field: string, test: Test): Test => ({ is: 'field', field, test })

const shownPhrases: ReadonlyMap<string, readonly Test[]> = new Map([
  ...captureKinds.map((kind) => [kind, [inField('event', equalsText(kind))]] as const),
  ['wrong token', [inField('token', equalsText('wrong'))]],
  ['missing token', [inField('token', equalsText('missing'))]],
  // Captures store the coin as TON.
  ['gram', [{ is: 'words', phrase: 'TON', prefix: false }]],
  ['duplicate', [inField('duplicate', equalsText('yes'))]],
  ['out of order', [inField('order', equalsText('late'))]],
  ['truncated', [inField('complete', equalsText('truncated'))]],
  ['partial', [inField('complete', equalsText('partial'))]],
  ...['rebuilt', 'imported', 'test', 'watched'].map(
    (origin) => [origin, [inField('origin', equalsText(origin))]] as const,
  ),
])

const longestShown = 3

function joinShown(text: string, parts: readonly Part[]): Part[] {
  const joined: Part[] = []
  for (let at = 0; at < parts.length;) {
    const shown = shownAt(text, parts, at)
    const part = shown ?? parts[at]
    if (part !== undefined) joined.push(part)
    at += shown === null ? 1 : parts.slice(at).findIndex(({ to }) => to === shown.to) + 1
  }
  return joined
}

function shownAt(text: string, parts: readonly Part[], at: number): Part | null {
  for (let count = longestShown; count > 1; count -= 1) {
    const these = parts.slice(at, at + count)
    const [first, last] = [these[0], these.at(-1)]
    const [piece] = first?.pieces ?? []
    if (these.length < count || first === undefined || last === undefined || !piece) continue
    if (these.some(({ field }) => field !== null)) continue
    const words = text.slice(piece.from, last.to)
    if (!shownPhrases.has(words.toLowerCase())) continue
    const whole = { ...piece, to: last.to, text: words, cut: [words], quoted: true }
    return { ...first, to: last.to, pieces: [whole] }
  }
  return null
}

type ReadOptions = {
  /** The time in milliseconds since the epoch. */
  readonly now: number
  readonly names?: Names
  /** Refuses fields that become known later; if absent, all fields are allowed. */
  readonly stage?: Exclude<KnownFrom, 'later'>
  /**
   * True while the user types: a last word of three or more letters is a prefix, and accounts match
   * by prefix.
   */
  readonly typing?: boolean
}

/** The limit exists because each term costs a test per capture. */
const maxTerms = 60
const maxAlternatives = 200
/** The limit exists because each word of a phrase is looked up in all captures that have the other words. */
const maxWords = 100
const maxPhraseWords = 30

/** The parser takes time linear in the length of the text. */
export function readQuery(text: string, options: ReadOptions): Query {
  const { parts, problems: broken } = splitQuery(text)
  const problems: QueryProblem[] = [...broken]
  const terms: Term[] = []
  let alternatives = 0
  let words = 0
  const freeWord = createFreeWords(options)
  for (const [index, part] of joinShown(text, parts).entries()) {
    alternatives += part.pieces.length
    if (index === maxTerms || alternatives > maxAlternatives) {
      const message = `The query is too long: at most ${maxTerms} terms, with ${maxAlternatives} alternatives.`
      problems.push({ from: part.from, to: text.length, message })
      break
    }
    const term =
      part.field === null
        ? freeWord(part, part.to === text.length)
        : readTerm(part, problems, options)
    const longest = Math.max(0, ...(term?.tests ?? []).map(countWords))
    words += longest
    if (longest > maxPhraseWords || words > maxWords) {
      const message = `The query has too many words: at most ${maxWords}, and ${maxPhraseWords} next to each other.`
      problems.push({ from: part.from, to: part.to, message })
      break
    }
    if (term !== null) terms.push(term)
  }
  return { terms, problems }
}

const countWords = (test: Test): number => (test.is === 'words' ? wordsOf(test.phrase).length : 0)

/** @throws AppError QUERY_INVALID for the first problem */
export function requireQuery(text: string, options: ReadOptions): Query {
  const query = readQuery(text, options)
  const [problem] = query.problems
  if (problem === undefined) return query
  const place = text.slice(problem.from, problem.to).slice(0, 60)
  throw new AppError(
    captureQueryCodes.invalid,
    place === '' ? problem.message : `In the query at “${place}”: ${problem.message}`,
  )
}

function readTerm(part: Part, problems: QueryProblem[], options: ReadOptions): Term | null {
  const { from, to, valueFrom, negated } = part
  const problem = (message: string, at: { from: number; to: number }) => {
    problems.push({ from: at.from, to: at.to, message })
    return null
  }
  const nameFrom = negated ? from + 1 : from
  const place = { from: nameFrom, to: valueFrom }
  const [base = '', ...rest] = (part.field ?? '').split('.')
  const name = rest.join('.').toLowerCase()
  const field = fieldNamed(base)
  const isHeader = field?.names[0] === 'header'
  if (field === null || (name !== '' && !isHeader)) {
    const words = 'To search for the text itself, put it in quotes.'
    return problem(`Unknown field “${part.field ?? ''}”. ${words}`, place)
  }
  if (isHeader && name === '') {
    return problem('Add the header’s name: header.user-agent:curl*', place)
  }
  const early = tooEarly(field, options.stage)
  if (early !== null) return problem(early, place)
  const tests: Test[] = []
  for (const piece of part.pieces) {
    const read =
      piece.text === '' && !piece.quoted
        ? `The value is missing. Example: ${field.names[0]}${isHeader ? `.${name}` : ''}:${field.example}`
        : field.read(piece, {
            now: options.now,
            names: options.names ?? noNames,
            typing: options.typing === true,
          })
    if (typeof read === 'string') {
      problem(read, piece.from === piece.to ? { from: nameFrom, to } : piece)
    } else tests.push(...read)
  }
  return tests.length === 0 ? null : { from, to, negated, field, name, tests }
}

function tooEarly(field: Field, stage: ReadOptions['stage']): string | null {
  const [name] = field.names
  if (stage === undefined || field.known === 'arrival') return null
  if (field.known === 'later') {
    return `A rule cannot use ${name}: the value exists only after the delivery was processed.`
  }
  return stage === 'indexed'
    ? null
    : `A rule that decides on arrival cannot use ${name}: the value is known only moments later.`
}

/**
 * Parses a rule's filter, which is a query about data that is known when the rule runs. An empty text
 * matches everything. Words match completely; `word*` matches prefixes.
 * @param stage `arrival` is before the comparison with other deliveries: no `duplicate:`, no `order:`
 * @param now milliseconds since the epoch
 * @throws AppError QUERY_INVALID if the filter is invalid or needs later data
 */
export function readDeliveryFilter(
  text: string,
  stage: 'arrival' | 'indexed',
  now: number,
  names?: Names,
): DeliveryFilter {
  const query = requireQuery(text, { stage, now, ...(names === undefined ? {} : { names }) })
  if (query.terms.length === 0) return () => true
  const matches = createMatcher(query)
  return (delivery) => matches({ ...delivery, later: null })
}
