import { doubledPause } from '../../../src-preload/domain/time-span.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/searched-capture.ts'
import { subpathOf } from '../../captures/hook-path.ts'
import type { ForwardLog, ForwardedRequest, LoggedDelivery } from '../store/forward-log.ts'
import { type ForwardQueue, type NewDelivery, maxWaitMs } from '../store/forward-queue.ts'
import type { ForwardRows } from '../store/forward-rows.ts'
import type { ForwardRules, StoredRule, StoredTarget } from '../store/forward-rules.ts'
import type { Guard } from '../sender/guard.ts'
import { deliveryHeader } from '../sender/request-headers.ts'
import type { DeliveryResult, SendOptions, Sender } from '../targets/target-kind.ts'

type DeliveryKey = Pick<NewDelivery, 'target' | 'capture' | 'receivedAt'>

/**
 * The value of the `X-Tondesk-Delivery` header, equal in each attempt of one capture at one target.
 * The id contains the arrival time, because a restored backup assigns capture ids again.
 */
export function deliveryId(install: string, { target, capture, receivedAt }: DeliveryKey): string {
  return `${install}-${target}-${capture}-${receivedAt.toString(36)}`
}

export function readDeliveryId(id: string): { target: number; capture: number } | null {
  const [, target, capture] = /^[0-9a-f]+-(\d{1,15})-(\d{1,15})-[0-9a-z]+$/.exec(id) ?? []
  if (target === undefined || capture === undefined) return null
  return { target: Number(target), capture: Number(capture) }
}

export function createAttempter(install: string, send: Sender['send']) {
  return (
    delivery: Omit<DeliveryKey, 'target'>,
    request: ForwardedRequest,
    rule: StoredRule,
    target: StoredTarget,
    options: Pick<SendOptions, 'keepBytes' | 'signal'>,
  ): Promise<DeliveryResult> =>
    send(request, target.url, {
      timeoutMs: rule.timeoutSeconds * 1000,
      keepHost: rule.keepHost,
      subpath: rule.appendPath ? subpathOf(request.target) : null,
      extraHeaders: [[deliveryHeader, deliveryId(install, { ...delivery, target: target.id })]],
      ...options,
    })
}

/** The common dependencies of the parts of forwarding. */
export type ForwardContext = {
  readonly rules: ForwardRules
  readonly rows: ForwardRows
  readonly queue: ForwardQueue
  readonly log: ForwardLog
  readonly guard: Pick<Guard, 'demand'>
  /** The part of each delivery id that identifies the installation. */
  readonly install: string
  readonly attempt: ReturnType<typeof createAttempter>
  readonly deliveryOf: (capture: LoggedDelivery) => Promise<Delivery>
  /** @throws AppError QUERY_INVALID, also for fields that do not exist yet at that stage */
  readonly readFilter: (text: string, stage: 'arrival' | 'indexed') => DeliveryFilter
  /** The current time in microseconds. */
  readonly now: () => number
  /** Called with a changed capture, or with null if rules, targets or many captures changed. */
  readonly onChanged: (capture: number | null) => void
  readonly onTrouble: (problem: unknown) => void
}

const firstMs = 1_000

/** Returns milliseconds. `random`, from 0 to 1, spreads the retries of deliveries that failed together. */
export function retryPause(failures: number, random: number, maxMs = maxWaitMs): number {
  const base = doubledPause(failures, firstMs, maxMs)
  return Math.round(Math.min(maxMs, base * (0.75 + random / 2)))
}
