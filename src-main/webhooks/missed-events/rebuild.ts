import { pagesOf, slicesOf } from '../../database/pages.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import {
  type DeliveryShape,
  documentedForm,
  learnForm,
  rebuildDelivery,
} from '../../chain/rebuild-delivery.ts'
import type { PutOrigin } from '../../threads/writer-messages.ts'
import type { Arrivals, Sample } from '../../captures/store/arrivals.ts'
import type { CheckRecord } from '../store/missed-event-checks.ts'
import type { MissedEventFindings, RebuildableEvent } from '../store/missed-event-findings.ts'
import type { Room } from '../room.ts'
import { attribute } from './verdict.ts'

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
    const records = events.map((event) => rebuildDelivery(event, shape, deps.now()))
    rebuilt += await deps.put(records, { origin: 'rebuilt', madeFrom })
    if (captures.length < maxIds) captures.push(...findings.rebuilt(madeFrom))
  }
  return { rebuilt, captures: captures.slice(0, maxIds) }
}

function learnShape(check: CheckRecord, deps: RebuildDeps): DeliveryShape {
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
  findings: MissedEventFindings,
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
