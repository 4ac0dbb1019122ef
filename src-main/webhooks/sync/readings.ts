/** Passes over webhooks' subscriptions, read in one go or a slice at a time, and what they prove. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Asking } from '../../gateway/query.ts'
import type { AccountSubscription, WebhooksClient } from '../../gateway/webhooks.ts'
import type { Subscriptions } from '../store/subscriptions.ts'
import { type Webhooks, unknownWebhook } from '../store/webhooks.ts'
import { readAddress } from '../../ton/address.ts'

/**
 * One pass over a webhook's subscriptions, page by page. Pages are taken by offset, so that what is
 * subscribed or unsubscribed meanwhile shifts them: a row may come twice, and one may be skipped.
 */

/** What the API gives at most, and without being asked for a number. */
const pageRows = 1000

type PassDeps = {
  readonly page: (offset: number, asking: Asking) => Promise<readonly AccountSubscription[]>
  /** Keeps a page. Returns the row of each account, and how many of them are new. */
  readonly land: (page: readonly AccountSubscription[]) => {
    readonly ids: readonly number[]
    readonly added: number
  }
  /** How many there are by the webhook's own count; null where it does not tell. */
  readonly expected: () => number | null
}

type Pass = {
  /** Reads the next page. @returns true when it was the last */
  step(asking: Asking): Promise<boolean>
  /** Rows of the local copy that were met. Whoever subscribes meanwhile adds to them. */
  readonly seen: Set<number>
  rows(): number
  /** Accounts that the copy did not hold. */
  added(): number
}

function createPass({ page, land, expected }: PassDeps): Pass {
  const seen = new Set<number>()
  let offset = 0
  let added = 0
  return {
    seen,
    rows: () => offset,
    added: () => added,
    async step(asking) {
      const read = await page(offset, asking)
      const landed = land(read)
      for (const id of landed.ids) seen.add(id)
      added += landed.added
      offset += read.length
      const count = expected()
      if (read.length === 0 || offset === count) return true
      // A gateway may give smaller pages than it was asked for.
      return read.length < pageRows && (count === null || offset > count)
    },
  }
}

/** What a pass has shown, beside the webhook's own count before it and after it. */
type PassResult = {
  readonly before: number | null
  readonly after: number | null
  readonly seen: ReadonlySet<number>
  readonly added: number
  /** Rows of the copy that it did not meet. */
  readonly missing: readonly number[]
}

/**
 * Whether nothing has shifted, as far as can be told: then what was not met is not there. The count
 * alone does not tell, for one that went can hide one that was skipped.
 */
function agrees(
  { before, after, seen, added, missing }: PassResult,
  previous: ReadonlySet<number> | null,
): boolean {
  if (seen.size === after && (missing.length === 0 || (before === after && added === 0))) {
    return true
  }
  return previous !== null && isSame(previous, seen)
}

/** Nothing seems to be skipped, though the set was changed while it was read. */
function isPlausible({ before, after, seen }: PassResult): boolean {
  if (before === null || after === null) return true
  return seen.size >= Math.min(before, after) && seen.size <= Math.max(before, after)
}

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}

type ReadingsDeps = {
  readonly client: (network: NetworkId) => WebhooksClient
  readonly subscriptions: Subscriptions
  readonly webhooks: Pick<Webhooks, 'byKey' | 'setSubscriptionsRead'>
  /** Rows of this webhook changed. */
  readonly onChanged: (key: number) => void
  readonly now: () => number
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
      await yieldToEventLoop()
    }
  }

  async function remove(ids: readonly number[], { seen }: Pass): Promise<void> {
    for (let from = 0; from < ids.length; from += slice) {
      // Some may have been subscribed from here meanwhile.
      subscriptions.removeIds(ids.slice(from, from + slice).filter((id) => !seen.has(id)))
      await yieldToEventLoop()
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
