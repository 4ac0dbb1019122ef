import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { StoredRule } from '../store/forward-rules.ts'
import type { PassThrough, PassedAnswer } from '../response-rules/pass-through.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/subject.ts'
import type { Sending } from '../sender/sending.ts'
import { isForwardable, laneOf } from './watcher.ts'

type ThroughDeps = {
  readonly rules: () => readonly StoredRule[]
  /** @throws AppError QUERY_INVALID */
  readonly readFilter: (text: string) => DeliveryFilter
  readonly sending: Pick<Sending, 'ask'>
  /** Milliseconds. */
  readonly now: () => number
}

type Through = PassThrough & {
  /** Rules were changed. */
  reload(): void
}

type Rule = {
  readonly id: number
  readonly timeoutMs: number
  /** Null takes everything. */
  readonly filter: DeliveryFilter | null
}

/** `received:today` means another day tomorrow. */
const filterGoodMs = 60_000
/** The thread keeps the limit; this is for one that is too busy, or gone. */
const graceMs = 2_000

/** The main thread’s side of passing through: it tells what is passed, the send thread does it. */
export function createThrough({ rules, readFilter, sending, now }: ThroughDeps): Through {
  let active: readonly Rule[] = []
  let readAt = 0

  function reload(): void {
    readAt = now()
    active = rules().flatMap((rule) => {
      if (!rule.enabled || rule.mode !== 'through') return []
      try {
        const filter = rule.filter.trim() === '' ? null : readFilter(rule.filter)
        return [{ id: rule.id, timeoutMs: rule.timeoutSeconds * 1000, filter }]
      } catch {
        // What is wrong with it stands with the rule; the gateway gets its 200 meanwhile.
        return []
      }
    })
  }

  async function pass(
    taking: readonly Rule[],
    delivery: Delivery,
    capture: number,
  ): Promise<PassedAnswer> {
    const [first] = taking
    const timer = Promise.withResolvers<PassedAnswer>()
    const late = setTimeout(
      () => timer.resolve({ status: 504, headers: [], body: new Uint8Array(0) }),
      (first?.timeoutMs ?? 0) + graceMs,
    )
    const asked = sending.ask('forward.pass', {
      capture,
      receivedAt: delivery.receivedAt,
      lane: laneOf(delivery.account, delivery.lt),
      lt: delivery.lt,
      rules: taking.map(({ id }) => id),
    })
    try {
      return await Promise.race([asked, timer.promise])
    } finally {
      clearTimeout(late)
    }
  }

  return {
    reload,
    isActive: () => active.length > 0,
    take(delivery: Delivery, record: CaptureRecord) {
      if (now() - readAt > filterGoodMs) reload()
      if (!isForwardable({ ...delivery, status: record.status })) return null
      const taking = active.filter(({ filter }) => filter === null || filter(delivery))
      return taking.length === 0 ? null : (capture) => pass(taking, delivery, capture)
    },
  }
}
