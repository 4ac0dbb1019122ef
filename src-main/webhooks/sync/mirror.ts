import type { Lag, MirrorState } from '../../../src-preload/contract/subscription.ts'
import { subscriptionCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, problemOf } from '../../../src-preload/domain/app-error.ts'
import { pagesOf } from '../../database/pages.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import { type WebhookBook, unlessAborted } from '../book.ts'
import type { BaseRoom } from '../base-room.ts'
import { unknownWebhook } from '../store/webhooks.ts'
import { type SubscriptionReading, createSubscriptionReadings } from './subscription-readings.ts'

type Whole = {
  reading: SubscriptionReading
  readonly done: Promise<void>
  readonly halt: AbortController
  waiting: number
}

/** Passes before the app gives up on a set that keeps changing. */
const maxPasses = 4
const slice = 1000
/** The keys of webhooks begin at 1. */
const noKey = 0

export type Mirror = ReturnType<typeof createMirror>

/** The local copy of account subscriptions. Addresses are raw; lists are sorted and begin after `after`. */
export function createMirror(
  room: Pick<BaseRoom, 'access' | 'events' | 'now' | 'onBug' | 'store' | 'wait'> & {
    readonly book: WebhookBook
  },
) {
  const { book, onBug } = room
  const { webhooks, subscriptions } = room.store
  const wholes = new Map<number, Whole>()
  let isStopped = false
  const refreshes = new Map<number, AbortController>()
  const problems = new Map<number, string>()
  const notifier = createChangeNotifier({
    wait: room.wait,
    emit(keys) {
      const records = keys.flatMap((key) => webhooks.byKey(key) ?? [])
      for (const [network, each] of Map.groupBy(records, (record) => record.network)) {
        const changed = { network, webhooks: each.map(({ id }) => id) }
        room.events.emit('subscription.changed', changed)
      }
    },
    running: () => wholes.keys(),
    onBug,
  })
  const readings = createSubscriptionReadings(room, (key) => notifier.tell(key))

  const keyOf = (network: NetworkId, webhook: string) =>
    webhooks.get(network, webhook)?.key ?? noKey

  function find(network: NetworkId, webhook: string): number {
    const key = keyOf(network, webhook)
    if (key === noKey) throw unknownWebhook(webhook)
    return key
  }

  function readWhole(network: NetworkId, key: number): Whole {
    const halt = new AbortController()
    const queryOptions: QueryOptions = {
      signal: halt.signal,
      priority: 'job',
      owner: `mirror ${key}`,
    }
    const reading = readings.restart(key)

    async function readAll(): Promise<void> {
      // The webhook's own count shows the end of the pass and whether rows shifted.
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
      notifier.tell(key)
    })
    const whole: Whole = { reading, done, halt, waiting: 0 }
    wholes.set(key, whole)
    notifier.tell(key)
    return whole
  }

  async function read(network: NetworkId, webhook: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const key = find(network, webhook)
    const whole = wholes.get(key) ?? readWhole(network, key)
    whole.waiting += 1
    try {
      await unlessAborted(whole.done, signal)
      problems.delete(key)
    } finally {
      whole.waiting -= 1
      // No caller waits for this reading any more; later callers start a new one.
      if (whole.waiting === 0) {
        leave(key, whole)
        whole.halt.abort(signal.reason)
      }
    }
  }

  function leave(key: number, whole: Whole): void {
    if (wholes.get(key) === whole) wholes.delete(key)
  }

  return {
    state(network: NetworkId, webhook: string): MirrorState {
      const record = webhooks.get(network, webhook)
      const key = record?.key ?? noKey
      const reading = wholes.get(key)?.reading
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
          notifier.tell(key)
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
      notifier.tell(key)
    },
    unsubscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void {
      const key = keyOf(network, webhook)
      readings.removed(key, accounts, subscriptions.remove(key, accounts))
      webhooks.setSubscriptionsRead(key, null)
      notifier.tell(key)
    },
    /** Discards the pass under way, because its rows belonged to another webhook until now. */
    beginAnew: (network: NetworkId, webhook: string) => readings.drop(keyOf(network, webhook)),
    accounts: (network: NetworkId, webhook: string, after: string, limit: number): string[] =>
      subscriptions.page(keyOf(network, webhook), after, limit).map(({ account }) => account),
    among: (network: NetworkId, webhook: string, accounts: readonly string[]) =>
      subscriptions.among(keyOf(network, webhook), accounts),
    /** When the account was subscribed here, or first appeared in a complete reading; null where unknown. */
    since: (network: NetworkId, webhook: string, account: string) =>
      subscriptions.since(keyOf(network, webhook), account),
    page: (network: NetworkId, webhook: string, after: string, limit: number) =>
      subscriptions.followed(keyOf(network, webhook), after, limit),
    /** Failed attempts since the last call. */
    takeFailures: (network: NetworkId, webhook: string) =>
      subscriptions.takeFailures(keyOf(network, webhook)),
    find: (network: NetworkId, webhook: string, account: string) =>
      subscriptions.find(keyOf(network, webhook), account),
    saveLags(network: NetworkId, webhook: string, lags: ReadonlyMap<string, Lag>): void {
      const key = keyOf(network, webhook)
      subscriptions.saveLags(key, lags, room.now())
      notifier.tell(key)
    },
    watch(network: NetworkId, webhook: string, accounts: readonly string[], on: boolean): void {
      const key = find(network, webhook)
      subscriptions.setWatched(key, accounts, on)
      notifier.tell(key)
    },
    /** The pass that is read in slices; null while all is read at once. `key` is the webhook's row. */
    slice: (key: number) => (wholes.has(key) ? null : readings.of(key)),
    drop: (key: number) => readings.drop(key),
    async forget(network: NetworkId): Promise<void> {
      for (const { key } of webhooks.all(network)) {
        wholes.get(key)?.halt.abort(unknownWebhook('of before'))
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
      for (const { halt } of wholes.values()) halt.abort()
    },
  }
}
