import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Asking } from '../../gateway/query.ts'
import type { AccountSubscription, WebhooksClient } from '../../gateway/webhooks.ts'
import type { Subscriptions } from '../store/subscriptions.ts'
import { type Webhooks, unknownWebhook } from '../store/webhooks.ts'
import { readAddress } from '../../ton/address.ts'

/** Pages are taken by offset, so changes during a pass shift rows: one may repeat or be skipped. */

/** The API's maximum and default. */
const pageRows = 1000

type PassDeps = {
  readonly page: (offset: number, asking: Asking) => Promise<readonly AccountSubscription[]>
  readonly land: (page: readonly AccountSubscription[]) => {
    readonly ids: readonly number[]
    readonly added: number
  }
  /** The webhook's own count; null where the gateway does not report it. */
  readonly expected: () => number | null
}

type Pass = {
  step(asking: Asking): Promise<boolean>
  /** Rows met in the local copy, and rows subscribed meanwhile. */
  readonly seen: Set<number>
  rows(): number
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
      // A gateway may return smaller pages than requested.
      return read.length < pageRows && (count === null || offset > count)
    },
  }
}

type PassResult = {
  readonly before: number | null
  readonly after: number | null
  readonly seen: ReadonlySet<number>
  readonly added: number
  readonly missing: readonly number[]
}

/** True when rows not met are gone. The count alone is no proof: a removed row can hide a skipped one. */
function agrees(
  { before, after, seen, added, missing }: PassResult,
  previous: ReadonlySet<number> | null,
): boolean {
  if (seen.size === after && (missing.length === 0 || (before === after && added === 0))) {
    return true
  }
  return previous !== null && isSame(previous, seen)
}

/** True when no row seems to be skipped, even if the set changed during the pass. */
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
  readonly onChanged: (key: number) => void
  readonly now: () => number
}

/** A pass over one webhook. A pass that was replaced by another does nothing. */
export type Reading = {
  /** @returns true when the pass has ended and `conclude` must follow */
  step(asking: Asking): Promise<boolean>
  rows(): number
  met(): number
  expected(): number | null
  /**
   * Removes rows whose absence is proved or was shown by two passes.
   * @returns false when another pass is needed to agree with the gateway
   */
  conclude(): Promise<boolean>
}

type Readings = {
  of(key: number): Reading
  restart(key: number): Reading
  added(key: number, ids: readonly number[]): void
  /** Accounts just removed by the user: pages requested before may still list them. */
  removed(key: number, accounts: readonly string[], ids: readonly number[]): void
  drop(key: number): void
}

type Started = Reading & {
  readonly seen: Set<number>
  readonly removed: Set<string>
}

const slice = 1000

export function createReadings(deps: ReadingsDeps): Readings {
  const { subscriptions, webhooks, now } = deps
  const started = new Map<number, Started>()

  const countOf = (key: number) => webhooks.byKey(key)?.accounts ?? null

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
      // The pass was dropped or replaced while the page was requested.
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
      // Rows may have been subscribed by the user meanwhile.
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
    // An address that cannot be parsed stays as the gateway spells it, so that it can be unsubscribed.
    account: readAddress(account)?.raw ?? account,
    lastDeliveredLt: BigInt(lastDeliveredLt),
    failedLt: failedLt === null ? null : BigInt(failedLt),
  }
}
