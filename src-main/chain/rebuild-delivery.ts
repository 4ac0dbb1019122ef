/** Rebuilds the delivery of an event on the chain in the form of a delivery that was received. */
import { isUtf8 } from 'node:buffer'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'
import { formatFriendly, readAddress } from '../ton/address.ts'
import { readHash } from '../ton/hash.ts'

type RebuiltEvent = { readonly account: string; readonly lt: bigint; readonly hash: string }

/** Writes one value of an event in the same notation as the sample. */
type Slot = (event: RebuiltEvent) => string

type BodyForm = readonly (string | Slot)[]

/** The documented body, with the event type that deliveries carry (gateway-facts 2.3). */
export const documentedForm: BodyForm = [
  '{"event_type":"account_tx","account_id":',
  ({ account }) => `"${account}"`,
  ',"lt":',
  ({ lt }) => `${lt}`,
  ',"tx_hash":',
  ({ hash }) => `"${hash}"`,
  '}',
]

export const formatBody = (form: BodyForm, event: RebuiltEvent): string =>
  form.map((part) => (typeof part === 'string' ? part : part(event))).join('')

const space = String.raw`[ \t\n\r]*`
const text = String.raw`"(?:[^"\\\u0000-\u001f]|\\.)*"`
/** Matches a member of a flat JSON object: the text before its value, its key and its value. */
const member = new RegExp(
  String.raw`(${space}(${text})${space}:${space})(${text}|-?\d[\d.eE+-]*|true|false|null)(${space})`,
  'y',
)
const opening = new RegExp(`${space}\\{`, 'y')
const closing = new RegExp(`\\}${space}$`, 'y')

type Spelling = (value: string) => string

const accountSpellings: readonly Spelling[] = [
  (raw) => raw,
  (raw) => raw.toUpperCase(),
  ...[true, false].flatMap((bounceable) =>
    [false, true].flatMap((testOnly) =>
      [true, false].map(
        (urlSafe) => (raw: string) => formatFriendly(raw, { bounceable, testOnly, urlSafe }),
      ),
    ),
  ),
]
const hashSpellings: readonly Spelling[] = [
  (hash) => hash,
  (hash) => hash.toUpperCase(),
  (hash) => Buffer.from(hash, 'hex').toString('base64'),
  (hash) => Buffer.from(hash, 'hex').toString('base64url'),
]

/** The notation of a value in the sample; null if no notation reproduces the sample. */
function spellingOf(quoted: string, value: string | null, spellings: readonly Spelling[]) {
  if (value === null) return null
  return spellings.find((spell) => `"${spell(value)}"` === quoted) ?? null
}

const slotOf: Readonly<Record<string, (value: string) => Slot | null>> = lookupTable({
  account_id(value) {
    const raw = readAddress(value.slice(1, -1))?.raw ?? null
    const spell = spellingOf(value, raw, accountSpellings)
    return spell && (({ account }) => `"${spell(account)}"`)
  },
  lt(value) {
    if (/^\d+$/.test(value)) return ({ lt }) => `${lt}`
    return /^"\d+"$/.test(value) ? ({ lt }) => `"${lt}"` : null
  },
  tx_hash(value) {
    const spell = spellingOf(value, readHash(value.slice(1, -1)), hashSpellings)
    return spell && (({ hash }) => `"${spell(hash)}"`)
  },
})

/**
 * Returns null unless the body is a flat object whose members are the documented fields, each once,
 * or members that are equal in every event.
 */
export function learnForm(body: Uint8Array): BodyForm | null {
  if (!isUtf8(body)) return null
  const source = Buffer.from(body).toString()
  const begin = match(opening, source, 0)
  if (begin === null) return null
  const form: (string | Slot)[] = [begin[0]]
  const seen = new Set<string>()
  let at = begin[0].length
  for (;;) {
    const found = match(member, source, at)
    if (found === null) return null
    const [all, before = '', key = '', value = '', after = ''] = found
    const name = readText(key)
    if (name === null || seen.has(name)) return null
    seen.add(name)
    const slot = Object.hasOwn(slotOf, name) ? slotOf[name]?.(value) : undefined
    if (slot === null) return null
    if (slot === undefined && !(name === 'event_type' && readText(value) === 'account_tx')) {
      return null
    }
    form.push(before, slot ?? value, after)
    at += all.length
    if (source[at] !== ',') break
    form.push(',')
    at += 1
  }
  const end = match(closing, source, at)
  const isWhole = Object.keys(slotOf).every((name) => seen.has(name))
  return end === null || !isWhole ? null : [...form, end[0]]
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function readText(quoted: string): string | null {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' ? value : null
  } catch {
    // The text contains an invalid JSON escape.
    return null
  }
}

export type DeliveryShape = {
  readonly form: BodyForm
  readonly target: string
  readonly host: string
  /** Header names and values, in turn. */
  readonly moreHeaders?: readonly string[]
}

/**
 * A rebuilt delivery has no bearer token, because a rebuilt capture must not be mistaken for a
 * received one.
 */
export function rebuildDelivery(
  event: RebuiltEvent,
  { form, target, host, moreHeaders = [] }: DeliveryShape,
  now: number,
) {
  const body = Buffer.from(formatBody(form, event))
  return {
    receivedAt: now * 1000,
    method: 'POST',
    target,
    httpVersion: '1.1',
    remoteAddress: '',
    rawHeaders: ['Host', host, 'Content-Type', 'application/json', ...moreHeaders],
    completeness: 'complete' as const,
    incident: null,
    token: 'unchecked' as const,
    tokenId: null,
    status: null,
    bodyBytes: body.byteLength,
    body,
  }
}
