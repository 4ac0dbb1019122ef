/** Free words: what a row shows, however it is written. */
import { captureKinds } from '../../../src-preload/domain/capture-words.ts'
import { formatFriendly, readAddress } from '../../ton/address.ts'
import { readAddressRange } from '../../ton/address-range.ts'
import { readHashPart } from '../../ton/list-text.ts'
import { anywhere, mentioned } from './fields.ts'
import type { Part } from './parts.ts'
import type { Term } from './query.ts'
import type { Test } from './value-test.ts'
import { inRange } from './values/chain.ts'
import { type Names, noNames } from './values/read-value.ts'
import { is } from './values/text.ts'
import { compoundBeginning, wordsOf } from './words.ts'

/** Shorter beginnings match nearly everything. */
const shortestBeginning = 3
const shortestAddress = 4
/** Each looks through the address book. */
const maxNamed = 10

const accountFields = ['account', 'sender', 'recipient', mentioned.names[0]]

type Options = { readonly names?: Names; readonly typing?: boolean }

/** Null where there is nothing to look for: a dash, a bracket. */
type FreeWord = (part: Part, isLast: boolean) => Term | null

export function createFreeWords({ names = noNames, typing = false }: Options): FreeWord {
  let named = 0

  /** Of the accounts that the text stands for: by an address, its beginning, or a name. */
  function accountTests(text: string): Test[] {
    const whole = readAddress(text)
    if (whole !== null) return [...ofAccounts([is(whole.raw)]), ...writtenForms(whole.raw)]
    if (!typing) return []
    const range = text.length < shortestAddress ? null : readAddressRange(text)
    if (range !== null) return ofAccounts(inRange(range))
    named += 1
    return named > maxNamed ? [] : ofAccounts(names.addressesLike(text).map(is))
  }

  return function freeWord(part, isLast) {
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
      ...(shownPhrases.get(phrase.toLowerCase()) ?? []),
      ...(typing && /^[1-5]\d\d$/.test(phrase) ? [inField('status', is(phrase))] : []),
    ]
    return { from, to, negated, field: anywhere, name: '', tests }
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

/** An amount is indexed without its last zeros: lists show all decimals. */
function amountTests(phrase: string): Test[] {
  const isGrouped = groupedAmount.test(phrase)
  if (!isGrouped && !zeroEnded.test(phrase)) return []
  const plain = isGrouped ? phrase.replaceAll(/[^\d.]/g, '') : phrase
  const trimmed = plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
  return [{ is: 'words', phrase: trimmed, prefix: false }]
}

function ofAccounts(tests: readonly Test[]): Test[] {
  return tests.flatMap((test) => accountFields.map((field) => inField(field, test)))
}

/** As it may stand in a body. Both alphabets of base64 make the same words. */
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
  return [inField('hash', isWhole ? is(begin) : { is: 'text', pattern: [begin, end] })]
}

function inField(field: string, test: Test): Test {
  return { is: 'field', field, test }
}

/** What a row says in words of its own, and what that means. */
const shownPhrases: ReadonlyMap<string, readonly Test[]> = new Map([
  ...captureKinds.map((kind) => [kind, [inField('event', is(kind))]] as const),
  ['wrong token', [inField('token', is('wrong'))]],
  ['missing token', [inField('token', is('missing'))]],
  ['duplicate', [inField('duplicate', is('yes'))]],
  ['out of order', [inField('order', is('late'))]],
  ['truncated', [inField('complete', is('truncated'))]],
  ['partial', [inField('complete', is('partial'))]],
  ...['rebuilt', 'imported', 'test'].map(
    (origin) => [origin, [inField('origin', is(origin))]] as const,
  ),
])

const longestShown = 3

/** Free words that stand side by side in the text as a row shows them are one part. */
export function joinShown(text: string, parts: readonly Part[]): Part[] {
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
