import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { pagesOf, slicesOf } from '../../database/pages.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { AccountSubscription } from '../../gateway/webhooks.ts'
import { rawAddress } from '../../ton/address.ts'
import type { BaseRoom } from '../base-room.ts'
import { unknownWebhook } from '../store/webhooks.ts'

/**
 * A pass over the subscriptions of one webhook. Pages are taken by offset, so changes during a pass shift
 * rows: one may repeat or be skipped. A pass that was replaced by another does nothing.
 */
export type SubscriptionReading = {
  /** @returns true when the pass has ended and `conclude` must follow */
  step(queryOptions: QueryOptions): Promise<boolean>
  rows(): number
  /** The webhook's own count; null where the gateway does not report it. */
  expected(): number | null
  /** Rows met in the local copy, and rows subscribed meanwhile. */
  readonly seen: Set<number>
  /** Accounts just removed by the user: pages requested before may still list them. */
  readonly removed: Set<string>
  /**
   * Removes rows whose absence is proved or was shown by two passes.
   * @returns false when another pass is needed to agree with the gateway
   */
  conclude(): Promise<boolean>
}

/** The API's maximum and default. */
const pageRows = 1000

export function createSubscriptionReadings(
  { access, now, store }: Pick<BaseRoom, 'access' | 'now' | 'store'>,
  onChanged: (key: number) => void,
) {
  const { subscriptions, webhooks } = store
  const started = new Map<number, SubscriptionReading>()

  function start(key: number, previous: ReadonlySet<number> | null): SubscriptionReading {
    const beganAt = now()
    const expected = () => webhooks.byKey(key)?.accounts ?? null
    const before = expected()
    const seen = new Set<number>()
    const removed = new Set<string>()
    let offset = 0
    let added = 0
    const isCurrent = () => started.get(key) === reading

    function setRead(readAt: number | null): void {
      webhooks.setSubscriptionsRead(key, readAt)
      onChanged(key)
    }

    async function step(queryOptions: QueryOptions): Promise<boolean> {
      if (!isCurrent()) return true
      const webhook = webhooks.byKey(key)
      if (webhook === null) throw unknownWebhook('of before')
      removed.clear()
      const client = access.webhooks(webhook.network)
      const page = await client.subscriptions(webhook.id, { offset }, queryOptions)
      const record = webhooks.byKey(key)
      // Otherwise the pass was dropped or replaced while the page was requested.
      if (record !== null && isCurrent()) {
        const rows = page.map(toReading).filter(({ account }) => !removed.has(account))
        const isComplete = record.subscriptionsReadAt !== null
        for (const { id, isNew } of subscriptions.land(key, rows, now(), isComplete)) {
          seen.add(id)
          added += Number(isNew)
        }
        setRead(null)
      }
      offset += page.length
      const count = expected()
      if (page.length === 0 || offset === count) return true
      // A gateway may return smaller pages than requested.
      return page.length < pageRows && (count === null || offset > count)
    }

    async function conclude(): Promise<boolean> {
      const after = expected()
      const missing: number[] = []
      for await (const page of pagesOf<{ id: number; account: string }>((last) =>
        subscriptions.page(key, last?.account ?? '', pageRows),
      )) {
        for (const { id } of page) if (!seen.has(id)) missing.push(id)
      }
      // The count alone is no proof: a removed row can hide a skipped one.
      const isCounted =
        seen.size === after && (missing.length === 0 || (before === after && added === 0))
      const isProved = isCounted || (previous !== null && isSame(previous, seen))
      if (!isCurrent()) return false
      const gone = isProved ? missing : missing.filter((id) => previous?.has(id) === false)
      for (const slice of slicesOf(gone, pageRows)) {
        // Rows may have been subscribed by the user meanwhile.
        subscriptions.removeIds(slice.filter((id) => !seen.has(id)))
        await yieldToEventLoop()
      }
      if (webhooks.byKey(key) === null || !isCurrent()) return false
      // Plausible: no row seems to be skipped, even if the set changed during the pass.
      const isPlausible =
        before === null ||
        after === null ||
        (seen.size >= Math.min(before, after) && seen.size <= Math.max(before, after))
      const isRead = isProved || (previous !== null && isPlausible)
      setRead(isRead ? beganAt : null)
      if (isProved) started.delete(key)
      else start(key, seen)
      return isRead
    }

    const reading = { step, rows: () => offset, expected, seen, removed, conclude }
    started.set(key, reading)
    return reading
  }

  return {
    of: (key: number) => started.get(key) ?? start(key, null),
    restart: (key: number) => start(key, null),
    added(key: number, ids: readonly number[]): void {
      for (const id of ids) started.get(key)?.seen.add(id)
    },
    removed(key: number, accounts: readonly string[], ids: readonly number[]): void {
      const reading = started.get(key)
      for (const account of accounts) reading?.removed.add(account)
      for (const id of ids) reading?.seen.delete(id)
    },
    drop: (key: number) => void started.delete(key),
  }
}

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}

function toReading({ account, lastDeliveredLt, failedLt, ...rest }: AccountSubscription) {
  return {
    ...rest,
    // An address that cannot be parsed stays as the gateway spells it, so that it can be unsubscribed.
    account: rawAddress(account),
    lastDeliveredLt: BigInt(lastDeliveredLt),
    failedLt: failedLt === null ? null : BigInt(failedLt),
  }
}
