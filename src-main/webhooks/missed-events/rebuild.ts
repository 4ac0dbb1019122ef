import { pagesOf, slicesOf } from '../../database/pages.ts'
import { exactText } from '../../captures/exchange/exported.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { PutOrigin } from '../../threads/writer-messages.ts'
import type { Arrivals, Sample } from '../store/arrivals.ts'
import type { CheckRecord } from '../store/ledger-checks.ts'
import type { LedgerFindings, RebuildableEvent } from '../store/ledger-findings.ts'
import type { Room } from '../room.ts'
import { attribute } from './verdict.ts'
import { formatFriendly, readAddress } from '../../ton/address.ts'
import { readHash } from '../../ton/hash.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

type RebuiltEvent = Pick<RebuildableEvent, 'account' | 'lt' | 'hash'>

/** Writes a value of an event in the spelling of the sample. */
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

export function formatBody(form: BodyForm, event: RebuiltEvent): string {
  return form.map((part) => (typeof part === 'string' ? part : part(event))).join('')
}

const space = String.raw`[ \t\n\r]*`
const text = String.raw`"(?:[^"\\\u0000-\u001f]|\\.)*"`
/** Matches a member of a flat JSON object: the text before its value, its key, its value. */
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

/** The spelling in which the sample has the value; null for one that would not write the sample again. */
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
 * Null unless the body is a flat object of the known fields, each once, and of members that are the same
 * in every event.
 */
export function learnForm(body: Uint8Array): BodyForm | null {
  const source = exactText(body)
  if (source === null) return null
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

export type RebuildDeps = Room<'now' | 'receiver' | 'store'> & {
  readonly arrivals: Arrivals
  /** Skips captures that were rebuilt before. @returns the number inserted */
  readonly put: (records: readonly CaptureRecord[], origin: PutOrigin) => Promise<number>
}

const eventsAtOnce = 200
const samplesLooked = 20
const latestLooked = 2000
const largestSample = 64 * 1024
const maxIds = 10_000

/** @param wanted indexes of events; null for all that are missing */
export async function rebuild(
  check: CheckRecord,
  wanted: readonly number[] | null,
  deps: RebuildDeps,
) {
  const findings = deps.store.ledgerFindings
  const shape = learnShape(check, deps)
  let rebuilt = 0
  const captures: number[] = []

  const pages =
    wanted === null
      ? pagesOf<RebuildableEvent>((last) =>
          findings.toRebuild(check.id, last ?? null, eventsAtOnce),
        )
      : slicesOf(wanted, eventsAtOnce).map((slice) => findings.toRebuildOf(check.id, slice))
  for await (const events of pages) {
    if (events.length === 0) continue
    const madeFrom = events.map((event) => event.madeFrom)
    const records = events.map((event) => rebuildRecord(event, shape, deps.now()))
    rebuilt += await deps.put(records, { origin: 'rebuilt', madeFrom })
    if (captures.length < maxIds) captures.push(...findings.rebuilt(madeFrom))
  }
  return { rebuilt, captures: captures.slice(0, maxIds) }
}

type Shape = {
  readonly form: BodyForm
  readonly target: string
  readonly host: string
  /** Names and values alternate. */
  readonly moreHeaders?: readonly string[]
}

function learnShape(check: CheckRecord, deps: RebuildDeps): Shape {
  const { arrivals, store } = deps
  const findings = store.ledgerFindings
  const here = new URL(deps.receiver.url())
  // A gateway may have accepted an endpoint that is not a URL.
  const endpoint = URL.parse(check.endpoint) ?? here
  const { host } = endpoint
  const hook = check.isHere ? endpoint : here
  for (const id of sampleIds(check, findings, arrivals)) {
    const sample = arrivals.sample(id, largestSample)
    if (sample === null || !isOwn(sample, check, deps)) continue
    const form = learnForm(sample.body)
    if (form !== null) return { form, target: sample.target, host }
  }
  return { form: documentedForm, target: hook.pathname + hook.search, host }
}

function* sampleIds(
  { network, webhook }: CheckRecord,
  findings: LedgerFindings,
  arrivals: Arrivals,
): Generator<number> {
  yield* findings.deliveries(network, webhook, samplesLooked)
  yield* arrivals.latest(latestLooked)
}

/** A capture without a known token may belong to another webhook. */
function isOwn({ token, tokenId }: Sample, check: CheckRecord, { store }: RebuildDeps): boolean {
  const arrival = { id: 0, lt: 0n, receivedAt: 0, status: null, isOutOfOrder: false }
  return (
    token === 'right' &&
    attribute({ ...arrival, token, tokenId }, check, store.webhooks.isTokenOfAnother) !== null
  )
}

/** The delivery of an event without the bearer token: a rebuilt capture must not pass for a delivery. */
export function rebuildRecord(
  event: RebuiltEvent,
  { form, target, host, moreHeaders = [] }: Shape,
  now: number,
): CaptureRecord {
  const body = Buffer.from(formatBody(form, event))
  return {
    receivedAt: now * 1000,
    method: 'POST',
    target,
    httpVersion: '1.1',
    remoteAddress: '',
    rawHeaders: ['Host', host, 'Content-Type', 'application/json', ...moreHeaders],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: null,
    bodyBytes: body.byteLength,
    body,
  }
}
