/** Events that did not arrive, put into the inspector in the form in which they would have arrived. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { PutOrigin } from '../../threads/writer-messages.ts'
import type { Arrivals, Sample } from '../store/arrivals.ts'
import type { CheckRecord } from '../store/ledger-checks.ts'
import type { LedgerFindings, RebuildableEvent } from '../store/ledger-findings.ts'
import type { Room } from '../room.ts'
import { attribute } from './verdict.ts'

/** How a gateway writes the body of a delivery, so that one that did not arrive can be written as well. */

type Event = {
  /** Raw form. */
  readonly account: string
  readonly lt: bigint
  /** 64 lower-case hex digits. */
  readonly hash: string
}

type Slot = 'account' | 'lt' | 'ltText' | 'hash'

/** Text as it stands, and between it what differs from event to event. */
type BodyForm = readonly (string | { readonly slot: Slot })[]

/** The form that the service documents, with the type its deliveries name (gateway-facts 2.3). */
export const documentedForm: BodyForm = [
  '{"event_type":"account_tx","account_id":',
  { slot: 'account' },
  ',"lt":',
  { slot: 'lt' },
  ',"tx_hash":',
  { slot: 'hash' },
  '}',
]

export function formatBody(form: BodyForm, event: Event): string {
  return form.map((part) => (typeof part === 'string' ? part : print(part.slot, event))).join('')
}

function print(slot: Slot, { account, lt, hash }: Event): string {
  switch (slot) {
    case 'account':
      return `"${account}"`
    case 'lt':
      return lt.toString()
    case 'ltText':
      return `"${lt}"`
    case 'hash':
      return `"${hash}"`
  }
}

const space = String.raw`[ \t\n\r]*`
const text = String.raw`"(?:[^"\\\u0000-\u001f]|\\.)*"`
/** One member of a flat object: what stands before its value, the key in it, the value. */
const member = new RegExp(
  String.raw`(${space}(${text})${space}:${space})(${text}|-?\d[\d.eE+-]*|true|false|null)(${space})`,
  'y',
)
const opening = new RegExp(`${space}\\{`, 'y')
const closing = new RegExp(`\\}${space}$`, 'y')

const slotOf: Readonly<Record<string, (value: string) => Slot | null>> = {
  account_id: (value) => (/^"-?\d+:[0-9a-f]{64}"$/.test(value) ? 'account' : null),
  lt: (value) => (/^\d+$/.test(value) ? 'lt' : /^"\d+"$/.test(value) ? 'ltText' : null),
  tx_hash: (value) => (/^"[0-9a-f]{64}"$/.test(value) ? 'hash' : null),
}

/**
 * The form of a body that was delivered: order of keys, spacing and all that is the same in every
 * event. Null where it cannot be told apart: what is no flat object of these fields, one twice, one
 * written in another way, or one that is not known and may well differ from event to event.
 */
export function learnForm(body: Uint8Array): BodyForm | null {
  const source = Buffer.from(body).toString('utf8')
  if (!Buffer.from(source, 'utf8').equals(body)) return null
  const begin = match(opening, source, 0)
  if (begin === null) return null
  const form: (string | { slot: Slot })[] = [begin[0]]
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
    form.push(before, slot === undefined ? value : { slot }, after)
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
    // An escape that JSON does not know.
    return null
  }
}

export type RebuildDeps = Room<'now' | 'receiverUrl' | 'store'> & {
  readonly arrivals: Arrivals
  /** Writes captures that were not received; what was rebuilt before is left out. @returns how many */
  readonly put: (records: readonly CaptureRecord[], origin: PutOrigin) => Promise<number>
}

type Rebuilt = { rebuilt: number; captures: number[] }

const eventsAtOnce = 200
const samplesLooked = 20
const latestLooked = 2000
const largestSample = 64 * 1024
/** Ids answered with; of more, the list of captures tells. */
const maxIds = 10_000

/** @param wanted indexes of events; null for all that are missing */
export async function rebuild(
  check: CheckRecord,
  wanted: readonly number[] | null,
  deps: RebuildDeps,
): Promise<Rebuilt> {
  const findings = deps.store.ledgerFindings
  const shape = learnShape(check, deps)
  let rebuilt = 0
  const captures: number[] = []
  for (const events of wanted === null
    ? allOf(check.id, findings)
    : someOf(check.id, wanted, findings)) {
    const madeFrom = events.map((event) => event.madeFrom)
    const records = events.map((event) => toRecord(event, shape, deps.now()))
    rebuilt += await deps.put(records, { origin: 'rebuilt', madeFrom })
    if (captures.length < maxIds) captures.push(...findings.rebuilt(madeFrom))
    await breathe()
  }
  return { rebuilt, captures: captures.slice(0, maxIds) }
}

function* allOf(check: number, findings: LedgerFindings): Generator<RebuildableEvent[]> {
  let after: RebuildableEvent | null = null
  for (;;) {
    const events = findings.toRebuild(check, after, eventsAtOnce)
    const last = events.at(-1)
    if (last === undefined) return
    yield events
    after = last
  }
}

function* someOf(
  check: number,
  wanted: readonly number[],
  findings: LedgerFindings,
): Generator<RebuildableEvent[]> {
  for (let from = 0; from < wanted.length; from += eventsAtOnce) {
    const events = findings.toRebuildOf(check, wanted.slice(from, from + eventsAtOnce))
    if (events.length > 0) yield events
  }
}

/** What all deliveries of a webhook have in common. */
type Shape = { readonly form: BodyForm; readonly target: string; readonly host: string }

/** As a delivery of this webhook stands here, where one does. */
function learnShape(check: CheckRecord, deps: RebuildDeps): Shape {
  const { arrivals, store } = deps
  const findings = store.ledgerFindings
  const here = new URL(deps.receiverUrl())
  // A gateway may have taken any text for an endpoint.
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

/** Surely of this webhook: one without a known token may be anybody's. */
function isOwn({ token, tokenId }: Sample, check: CheckRecord, { store }: RebuildDeps): boolean {
  const arrival = { id: 0, lt: 0n, receivedAt: 0, status: null, isOutOfOrder: false }
  return (
    token === 'right' &&
    attribute({ ...arrival, token, tokenId }, check, store.webhooks.isTokenOfAnother) !== null
  )
}

/** Without its bearer: nobody sent it, and what is put here must not pass for a delivery. */
function toRecord(
  event: RebuildableEvent,
  { form, target, host }: Shape,
  now: number,
): CaptureRecord {
  const body = Buffer.from(formatBody(form, event))
  return {
    receivedAt: now * 1000,
    method: 'POST',
    target,
    httpVersion: '1.1',
    remoteAddress: '',
    rawHeaders: ['Host', host, 'Content-Type', 'application/json'],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: null,
    bodyBytes: body.byteLength,
    body,
  }
}
