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
 * The `X-Tondesk-Delivery` header, the same in each attempt of one capture at one target. The arrival
 * time is part of the id, since a restored backup assigns capture ids again.
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

/** The dependencies that the parts of forwarding share. */
export type ForwardContext = {
  readonly rules: ForwardRules
  readonly rows: ForwardRows
  readonly queue: ForwardQueue
  readonly log: ForwardLog
  readonly guard: Pick<Guard, 'demand'>
  /** Part of each delivery id. */
  readonly install: string
  readonly attempt: ReturnType<typeof createAttempter>
  readonly deliveryOf: (capture: LoggedDelivery) => Promise<Delivery>
  /** @throws AppError QUERY_INVALID, also for fields that do not exist yet at that stage */
  readonly readFilter: (text: string, stage: 'arrival' | 'indexed') => DeliveryFilter
  /** Microseconds. */
  readonly now: () => number
  /** Null if rules, targets or many captures changed. */
  readonly onChanged: (capture: number | null) => void
  readonly onTrouble: (problem: unknown) => void
}

const firstMs = 1_000

/** Returns milliseconds; `random`, from 0 to 1, spreads the retries of deliveries that failed together. */
export function backoff(failures: number, random: number, maxMs = maxWaitMs): number {
  const base = doubledPause(failures, firstMs, maxMs)
  return Math.round(Math.min(maxMs, base * (0.75 + random / 2)))
}
