/** Events that did not arrive, put into the inspector in the form in which they would have arrived. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { PutOrigin } from '../../threads/writer-messages.ts'
import type { Arrivals, Sample } from '../store/arrivals.ts'
import type { CheckRecord } from '../store/ledger-checks.ts'
import type { LedgerFindings, RebuildableEvent } from '../store/ledger-findings.ts'
import type { Webhooks } from '../store/webhooks.ts'
import { attribute } from './attribute.ts'
import { type BodyForm, documentedForm, learnForm, formatBody } from './body-form.ts'

export type RebuildDeps = {
  readonly findings: LedgerFindings
  readonly arrivals: Arrivals
  readonly isTokenOfAnother: Webhooks['isTokenOfAnother']
  /** Writes captures that were not received; what was rebuilt before is left out. @returns how many */
  readonly put: (records: readonly CaptureRecord[], origin: PutOrigin) => Promise<number>
  /** The receiver's own URL, listening or not. */
  readonly receiverUrl: () => string
  readonly now: () => number
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
  const { findings } = deps
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
  const { findings, arrivals } = deps
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
function isOwn(
  { token, tokenId }: Sample,
  check: CheckRecord,
  { isTokenOfAnother }: RebuildDeps,
): boolean {
  const arrival = { id: 0, lt: 0n, receivedAt: 0, status: null, isOutOfOrder: false }
  return (
    token === 'right' && attribute({ ...arrival, token, tokenId }, check, isTokenOfAnother) !== null
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
