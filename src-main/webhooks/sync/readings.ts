/** Passes over webhooks' subscriptions, read in one go or a slice at a time, and what they prove. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Asking } from '../../gateway/query.ts'
import type { AccountSubscription, WebhooksClient } from '../../gateway/webhooks.ts'
import type { Subscriptions } from '../store/subscriptions.ts'
import type { Webhooks } from '../store/webhooks.ts'
import { readAddress } from '../../ton/address.ts'
import { unknownWebhook } from '../webhook-book.ts'
import { type Pass, type PassResult, agrees, createPass, isPlausible } from './pass.ts'

type ReadingsDeps = {
  readonly client: (network: NetworkId) => WebhooksClient
  readonly subscriptions: Subscriptions
  readonly webhooks: Pick<Webhooks, 'byKey' | 'setSubscriptionsRead'>
  /** Rows of this webhook changed. */
  readonly onChanged: (key: number) => void
  readonly now: () => number
  /** Lets others have their turn. */
  readonly breathe: () => Promise<unknown>
}

/** A pass over one webhook. Where another has taken its place it does nothing any more. */
export type Reading = {
  /** Reads a page. @returns true when the pass has ended: then it is to be concluded */
  step(asking: Asking): Promise<boolean>
  /** Read by now, repeated ones included. */
  rows(): number
  /** Rows of the copy that were met by now. */
  met(): number
  expected(): number | null
  /**
   * Ends the pass, by the webhook's own count as read after it. What is not there any more is removed
   * where that is proved, or shown by two passes.
   * @returns false when the copy may not agree with the gateway: another pass will tell
   */
  conclude(): Promise<boolean>
}

type Readings = {
  /** The one under way, or a new one. `key` is the webhook's row. */
  of(key: number): Reading
  /** A new one in place of what is under way. */
  restart(key: number): Reading
  /** Rows that were added by hand are there, whatever is met. */
  added(key: number, ids: readonly number[]): void
  /** Just removed by hand: a page that was asked for before may still bring them. */
  removed(key: number, accounts: readonly string[], ids: readonly number[]): void
  drop(key: number): void
}

type Started = Reading & {
  readonly seen: Set<number>
  readonly removed: Set<string>
}

/** Rows looked through, or removed, at a time. */
const slice = 1000

export function createReadings(deps: ReadingsDeps): Readings {
  const { subscriptions, webhooks, now } = deps
  const started = new Map<number, Started>()

  const countOf = (key: number) => webhooks.byKey(key)?.accounts ?? null

  /** @param previous rows that the pass before has met; null where it has proved itself */
  function start(key: number, previous: ReadonlySet<number> | null): Started {
    const beganAt = now()
    const before = countOf(key)
    const removed = new Set<string>()
    const isCurrent = () => started.get(key) === reading

    async function page(offset: number, asking: Asking): Promise<AccountSubscription[]> {
      const record = webhooks.byKey(key)
      if (record === null) throw unknownWebhook('of before')
      removed.clear()
      const client = deps.client(record.network)
      return client.subscriptions(record.id, { offset }, asking)
    }

    function land(read: readonly AccountSubscription[]) {
      const record = webhooks.byKey(key)
      // Forgotten, or begun anew, while the page was under way.
      if (record === null || !isCurrent()) return { ids: [], added: 0 }
      const rows = read.map(toReading).filter(({ account }) => !removed.has(account))
      const landed = subscriptions.land(key, rows, now(), record.subscriptionsReadAt !== null)
      setRead(key, record.subscriptionsReadAt)
      deps.onChanged(key)
      return {
        ids: landed.map(({ id }) => id),
        added: landed.filter(({ isNew }) => isNew).length,
      }
    }

    async function conclude(): Promise<boolean> {
      const result: PassResult = {
        before,
        after: countOf(key),
        seen: pass.seen,
        added: pass.added(),
        missing: await missingIn(key, pass),
      }
      const isProved = agrees(result, previous)
      const gone = isProved
        ? result.missing
        : result.missing.filter((id) => previous !== null && !previous.has(id))
      if (!isCurrent()) return false
      await remove(gone, pass)
      const record = webhooks.byKey(key)
      if (record === null || !isCurrent()) return false
      const isRead = isProved || (previous !== null && isPlausible(result))
      setRead(key, isRead ? beganAt : record.subscriptionsReadAt)
      deps.onChanged(key)
      if (isProved) started.delete(key)
      else start(key, pass.seen)
      return isRead
    }

    const pass = createPass({ page, land, expected: () => countOf(key) })
    const reading: Started = {
      step: async (asking) => !isCurrent() || (await pass.step(asking)),
      rows: () => pass.rows(),
      met: () => pass.seen.size,
      expected: () => countOf(key),
      conclude,
      seen: pass.seen,
      removed,
    }
    started.set(key, reading)
    return reading
  }

  function setRead(key: number, readAt: number | null): void {
    webhooks.setSubscriptionsRead(key, { failing: subscriptions.countFailing(key), readAt })
  }

  async function missingIn(key: number, { seen }: Pass): Promise<number[]> {
    const missing: number[] = []
    let after = ''
    for (;;) {
      const rows = subscriptions.page(key, after, slice)
      for (const { id } of rows) if (!seen.has(id)) missing.push(id)
      const last = rows.at(-1)
      if (last === undefined) return missing
      after = last.account
      await deps.breathe()
    }
  }

  async function remove(ids: readonly number[], { seen }: Pass): Promise<void> {
    for (let from = 0; from < ids.length; from += slice) {
      // Some may have been subscribed from here meanwhile.
      subscriptions.removeIds(ids.slice(from, from + slice).filter((id) => !seen.has(id)))
      await deps.breathe()
    }
  }

  return {
    of: (key) => started.get(key) ?? start(key, null),
    restart: (key) => start(key, null),
    added(key, ids) {
      for (const id of ids) started.get(key)?.seen.add(id)
    },
    removed(key, accounts, ids) {
      const reading = started.get(key)
      for (const account of accounts) reading?.removed.add(account)
      for (const id of ids) reading?.seen.delete(id)
    },
    drop: (key) => void started.delete(key),
  }
}

function toReading({ account, lastDeliveredLt, failedLt, ...rest }: AccountSubscription) {
  return {
    ...rest,
    // One that cannot be read stays as the gateway has it, and can be unsubscribed by that.
    account: readAddress(account)?.raw ?? account,
    lastDeliveredLt: BigInt(lastDeliveredLt),
    failedLt: failedLt === null ? null : BigInt(failedLt),
  }
}
