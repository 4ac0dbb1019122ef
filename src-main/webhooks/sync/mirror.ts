import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Lag, MirrorState } from '../../../src-preload/contract/subscription.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, problemOf, subscriptionCodes } from '../../../src-preload/domain/app-error.ts'
import { pagesOf, slicesOf } from '../../database/pages.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { AccountSubscription } from '../../gateway/webhooks.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import { rawAddress } from '../../ton/address.ts'
import type { BaseRoom } from '../base-room.ts'
import { type WebhookBook, unlessAborted } from '../book.ts'
import { unknownWebhook } from '../store/webhooks.ts'

/** Maximum number of passes over a set that keeps changing. */
const maxPasses = 4
const slice = 1000
/** A key that no webhook has, because keys begin at 1. */
const noKey = 0

type MirrorRoom = Pick<BaseRoom, 'access' | 'events' | 'now' | 'onBug' | 'store' | 'wait'> & {
  readonly book: WebhookBook
}

export type Mirror = ReturnType<typeof createMirror>

/** The local copy of account subscriptions. Addresses are raw; lists are sorted and begin after `after`. */
export function createMirror(room: MirrorRoom) {
  const { onBug } = room
  const { webhooks, subscriptions } = room.store
  let isStopped = false
  const refreshes = new Map<number, AbortController>()
  const problems = new Map<number, string>()
  const notifier = createChangeNotifier({
    wait: room.wait,
    emit(keys) {
      const records = keys.flatMap((key) => webhooks.byKey(key) ?? [])
      for (const [network, each] of Map.groupBy(records, (record) => record.network)) {
        room.events.emit('subscription.changed', { network, webhooks: each.map(({ id }) => id) })
      }
    },
    running: () => wholes.keys(),
    onBug,
  })
  const notify = (key: number) => notifier.tell(key)
  const readings = createSubscriptionReadings(room, notify)
  const wholes = createWholeReadings(room, readings, notify)

  const keyOf = (network: NetworkId, webhook: string) =>
    webhooks.get(network, webhook)?.key ?? noKey

  function find(network: NetworkId, webhook: string): number {
    const key = keyOf(network, webhook)
    if (key === noKey) throw unknownWebhook(webhook)
    return key
  }

  async function read(network: NetworkId, webhook: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const key = find(network, webhook)
    await wholes.read(network, key, signal)
    problems.delete(key)
  }

  return {
    state(network: NetworkId, webhook: string): MirrorState {
      const record = webhooks.get(network, webhook)
      const key = record?.key ?? noKey
      const reading = wholes.get(key)
      return {
        readAt: record?.subscriptionsReadAt ?? null,
        reading: reading ? { rows: reading.rows(), expected: reading.expected() } : null,
        problem: problems.get(key) ?? null,
      }
    },
    /** Resolves when the copy agrees with the gateway. Concurrent calls share a reading. */
    read,
    refresh(network: NetworkId, webhook: string): void {
      const key = find(network, webhook)
      if (refreshes.has(key)) return
      const control = new AbortController()
      refreshes.set(key, control)
      problems.delete(key)
      read(network, webhook, control.signal)
        .catch((error: unknown) => {
          if (control.signal.aborted || isStopped) return
          problems.set(key, problemOf(error, 'Loading failed.', onBug))
        })
        .finally(() => {
          refreshes.delete(key)
          notify(key)
        })
        .catch(onBug)
    },
    cancelRefresh(network: NetworkId, webhook: string): void {
      refreshes.get(find(network, webhook))?.abort()
    },
    subscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void {
      const key = keyOf(network, webhook)
      if (key === noKey) return
      readings.added(key, subscriptions.add(key, accounts, room.now()))
      notify(key)
    },
    unsubscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void {
      const key = keyOf(network, webhook)
      readings.removed(key, accounts, subscriptions.remove(key, accounts))
      webhooks.setSubscriptionsRead(key, null)
      notify(key)
    },
    /** Discards the running pass, because its rows belonged to another webhook until now. */
    beginAnew: (network: NetworkId, webhook: string) => readings.drop(keyOf(network, webhook)),
    accounts: (network: NetworkId, webhook: string, after: string, limit: number): string[] =>
      subscriptions.page(keyOf(network, webhook), after, limit).map(({ account }) => account),
    among: (network: NetworkId, webhook: string, accounts: readonly string[]) =>
      subscriptions.among(keyOf(network, webhook), accounts),
    /** When the account was subscribed here, or first appeared in a complete reading; null if unknown. */
    since: (network: NetworkId, webhook: string, account: string) =>
      subscriptions.since(keyOf(network, webhook), account),
    page: (network: NetworkId, webhook: string, after: string, limit: number) =>
      subscriptions.followed(keyOf(network, webhook), after, limit),
    /** Returns the number of failed attempts since the last call. */
    takeFailures: (network: NetworkId, webhook: string) =>
      subscriptions.takeFailures(keyOf(network, webhook)),
    find: (network: NetworkId, webhook: string, account: string) =>
      subscriptions.find(keyOf(network, webhook), account),
    saveLags(network: NetworkId, webhook: string, lags: ReadonlyMap<string, Lag>): void {
      const key = keyOf(network, webhook)
      subscriptions.saveLags(key, lags, room.now())
      notify(key)
    },
    watch(network: NetworkId, webhook: string, accounts: readonly string[], on: boolean): void {
      const key = find(network, webhook)
      subscriptions.setWatched(key, accounts, on)
      notify(key)
    },
    /** The pass that is read in slices; null while everything is read at once. `key` is the webhook's row. */
    slice: (key: number) => (wholes.get(key) === undefined ? readings.of(key) : null),
    drop: (key: number) => readings.drop(key),
    async forget(network: NetworkId): Promise<void> {
      for (const { key } of webhooks.all(network)) {
        wholes.abort(key, unknownWebhook('of before'))
        readings.drop(key)
        problems.delete(key)
        for await (const rows of pagesOf(() => subscriptions.page(key, '', slice))) {
          subscriptions.removeIds(rows.map(({ id }) => id))
        }
      }
    },
    stop(): void {
      isStopped = true
      notifier.stop()
      wholes.stop()
    },
  }
}

type Whole = {
  reading: SubscriptionReading
  readonly done: Promise<void>
  readonly halt: AbortController
  waiting: number
}

/** Reads all subscriptions of a webhook, with as many passes as the copy needs to agree with the gateway. */
function createWholeReadings(
  { book, store }: MirrorRoom,
  readings: ReturnType<typeof createSubscriptionReadings>,
  notify: (key: number) => void,
) {
  const { webhooks } = store
  const wholes = new Map<number, Whole>()

  function readWhole(network: NetworkId, key: number): Whole {
    const halt = new AbortController()
    const queryOptions: QueryOptions = {
      signal: halt.signal,
      priority: 'job',
      owner: `mirror ${key}`,
    }
    const reading = readings.restart(key)

    async function readAll(): Promise<void> {
      // The webhook's own count shows the end of the pass, and whether rows have shifted.
      await book.readAnew(network, queryOptions)
      halt.signal.throwIfAborted()
      whole.reading = readings.restart(key)
      for (let pass = 0; pass < maxPasses; pass += 1) {
        while (!(await whole.reading.step(queryOptions))) halt.signal.throwIfAborted()
        await book.readAnew(network, queryOptions)
        const record = webhooks.byKey(key)
        if (record?.goneAt !== null) throw unknownWebhook(record?.id ?? '')
        if (await whole.reading.conclude()) return
        halt.signal.throwIfAborted()
        whole.reading = readings.of(key)
      }
      throw new AppError(
        subscriptionCodes.moving,
        'Another program kept changing the subscriptions while they were loaded. Try again when no other program is changing them.',
      )
    }

    const done = readAll().finally(() => {
      leave(key, whole)
      notify(key)
    })
    const whole: Whole = { reading, done, halt, waiting: 0 }
    wholes.set(key, whole)
    notify(key)
    return whole
  }

  function leave(key: number, whole: Whole): void {
    if (wholes.get(key) === whole) wholes.delete(key)
  }

  return {
    get: (key: number) => wholes.get(key)?.reading,
    keys: () => wholes.keys(),
    async read(network: NetworkId, key: number, signal: AbortSignal): Promise<void> {
      const whole = wholes.get(key) ?? readWhole(network, key)
      whole.waiting += 1
      try {
        await unlessAborted(whole.done, signal)
      } finally {
        whole.waiting -= 1
        // No caller waits for this reading any more, so a later call starts a new one.
        if (whole.waiting === 0) {
          leave(key, whole)
          whole.halt.abort(signal.reason)
        }
      }
    },
    abort: (key: number, reason: Error) => wholes.get(key)?.halt.abort(reason),
    stop(): void {
      for (const { halt } of wholes.values()) halt.abort()
    },
  }
}

/**
 * A pass over the subscriptions of one webhook. Pages are read by offset, so changes during a pass
 * shift rows: a row may repeat or be skipped. A pass that was replaced by another one does nothing.
 */
export type SubscriptionReading = {
  /** @returns true when the pass has ended and `conclude` must follow */
  step(queryOptions: QueryOptions): Promise<boolean>
  rows(): number
  /** The webhook's own count; null if the gateway does not report it. */
  expected(): number | null
  /** Rows of the local copy that the pass has found, and rows subscribed meanwhile. */
  readonly seen: Set<number>
  /** Accounts that the user has just removed, because pages requested before may still list them. */
  readonly removed: Set<string>
  /**
   * Removes rows whose absence is proved or was shown by two passes.
   * @returns false if another pass is needed to agree with the gateway
   */
  conclude(): Promise<boolean>
}

/** The API's maximum and default. */
const pageRows = 1000

function createSubscriptionReadings(
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
      // If this fails, the pass was dropped or replaced while the page was requested.
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
      // The count alone proves nothing, because a removed row can hide a skipped one.
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
      // True if no row seems to be skipped, even if the set changed during the pass.
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

const isSame = (one: ReadonlySet<number>, other: ReadonlySet<number>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id))

function toReading({ account, lastDeliveredLt, failedLt, ...rest }: AccountSubscription) {
  return {
    ...rest,
    // An unreadable address stays as the gateway writes it, so that it can be unsubscribed.
    account: rawAddress(account),
    lastDeliveredLt: BigInt(lastDeliveredLt),
    failedLt: failedLt === null ? null : BigInt(failedLt),
  }
}
