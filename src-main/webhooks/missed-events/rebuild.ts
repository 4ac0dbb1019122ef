import { pagesOf, slicesOf } from '../../database/pages.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import {
  type DeliveryShape,
  documentedForm,
  learnForm,
  rebuildDelivery,
} from '../../chain/rebuild-delivery.ts'
import type { PutOrigin } from '../../threads/writer-messages.ts'
import type { Arrivals } from '../../captures/store/arrivals.ts'
import type { CheckRecord, RebuildableEvent } from '../store/missed-event-checks.ts'
import type { Room } from '../room.ts'

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
  const { network, webhook } = check
  const findings = store.ledgerFindings
  const here = new URL(deps.receiver.url())
  // A gateway may have accepted an endpoint that is not a URL.
  const endpoint = URL.parse(check.endpoint) ?? here
  const { host } = endpoint
  const hook = check.isHere ? endpoint : here
  const delivered = findings.deliveries(network, webhook, samplesLooked)
  for (const id of [...delivered, ...arrivals.latest(latestLooked)]) {
    const sample = arrivals.sample(id, largestSample)
    // A capture without a known token may belong to another webhook.
    if (sample?.token !== 'right') continue
    if (store.webhooks.isTokenOfAnother(sample.tokenId, network, webhook)) continue
    const form = learnForm(sample.body)
    if (form !== null) return { form, target: sample.target, host }
  }
  return { form: documentedForm, target: hook.pathname + hook.search, host }
}
