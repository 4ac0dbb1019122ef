/** Failed delivery attempts of a webhook, grouped by what failed and by account. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DeliveryErrors } from '../../../src-preload/contract/failure.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import type { Deliveries } from '../../captures/store/deliveries.ts'
import { withLabels } from '../base-room.ts'
import { readLoggedFailure } from '../explain/causes.ts'
import type { Room } from '../room.ts'
import type { Steps } from '../store/failure-history.ts'

/** A longer list is of no use; only the newest failures count. */
const maxFailures = 20_000
const maxGroups = 100
const minuteMs = 60_000

type Failure = Pick<DeliveryErrors['groups'][number], 'cause' | 'account' | 'capture'> & {
  readonly at: number
}

/**
 * Captures name the account, and the gateway's log contains attempts that never arrived. An attempt that
 * was captured is also in the log, so logged statuses count only where no capture has them.
 */
export function joinFailures(captured: readonly Failure[], logged: readonly Failure[]): Failure[] {
  const statuses = new Set(captured.map(({ cause }) => cause))
  return [...captured, ...logged.filter(({ cause }) => !statuses.has(cause))]
}

export function groupFailures(failures: readonly Failure[]) {
  const found = Map.groupBy(failures, ({ cause, account }) => `${cause} ${account ?? ''}`)
  return [...found.values()]
    .flatMap((all) => {
      const last = all.reduce((newest, each) => (each.at > newest.at ? each : newest))
      const { cause, account, capture, at } = last
      return [{ cause, account, capture, lastAt: at, count: all.length }]
    })
    .sort((a, b) => b.count - a.count || b.lastAt - a.lastAt)
}

/** The failures of each step by their cause. */
export function countFailures(
  failures: readonly Failure[],
  { from, width, count }: Steps,
): DeliveryErrors['steps'] {
  const steps = Array.from({ length: count }, (_, step) => ({
    startsAt: (from + step * width) * minuteMs,
    counts: lookupTable<number>({}),
  }))
  for (const { at, cause } of failures) {
    const counts = steps[Math.floor((at / minuteMs - from) / width)]?.counts
    if (counts !== undefined) counts[cause] = (counts[cause] ?? 0) + 1
  }
  return steps
}

export function createDeliveryErrors(
  room: Room<'labelsOf' | 'store'> & { readonly deliveries: Deliveries },
) {
  const { deliveries, store } = room

  async function capturedFailures(tokenId: string | null, from: number, to: number) {
    const captured: Failure[] = []
    if (tokenId === null) return captured
    for (const rows of deliveries.failed(tokenId, from, to, maxFailures)) {
      for (const { id: capture, at, status, account } of rows) {
        captured.push({ at, cause: String(status ?? 'no-response'), account, capture })
      }
      await yieldToEventLoop()
    }
    return captured
  }

  return {
    async 'failure.errors'({ network, webhook, from, to, steps: maxSteps }) {
      const steps = store.failureHistory.steps({ from, to }, maxSteps, 1)
      const record = store.webhooks.get(network, webhook)
      const captured = await capturedFailures(record?.tokenId ?? null, from, to)
      const logs = store.samplerRecords.logs(record?.key ?? 0, from, to, maxFailures)
      const logged = logs.map(({ at, message }): Failure => {
        return { at, cause: String(readLoggedFailure(message)), account: null, capture: null }
      })
      const failures = joinFailures(captured, logged)
      const groups = groupFailures(failures)
      return {
        milliseconds: steps.width * minuteMs,
        steps: countFailures(failures, steps),
        total: failures.length,
        isWhole: captured.length < maxFailures,
        groups: withLabels(room, network, groups.slice(0, maxGroups)),
        moreGroups: Math.max(0, groups.length - maxGroups),
      }
    },
  } satisfies Partial<Handlers>
}
