import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Lag, MirrorState } from '../../../src-preload/contract/subscription.ts'
import { subscriptionCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Asking } from '../../gateway/query.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { StoredSubscription } from '../store/subscription-rows.ts'
import type { FollowedAccount, Mirror, Room } from '../room.ts'
import { unknownWebhook } from '../store/webhooks.ts'
import { type Reading, createReadings } from './readings.ts'

type Whole = {
  readonly reading: () => Reading
  readonly done: Promise<void>
  readonly halt: AbortController
  waiting: number
}

/** Passes before the app gives up on a set that keeps changing. */
const maxPasses = 4
const slice = 1000

export function createMirror(
  deps: Room<'access' | 'book' | 'now' | 'onBug' | 'store' | 'wait'> & {
    readonly onChanged: (network: NetworkId, webhooks: readonly string[]) => void
  },
): Mirror {
  const { store, book } = deps
  const { webhooks, subscriptions } = store
  const wholes = new Map<number, Whole>()
  let isStopped = false
  const refreshes = new Map<number, AbortController>()
  const problems = new Map<number, string>()
  const notifier = createChangeNotifier({
    wait: deps.wait,
    emit: tell,
    running: () => wholes.keys(),
    onBug: deps.onBug,
  })
  const readings = createReadings({
    client: (network) => deps.access.webhooks(network),
    subscriptions,
    webhooks,
    onChanged: (key) => notifier.tell(key),
    now: deps.now,
  })

  function tell(keys: readonly number[]): void {
    const records = keys.flatMap((key) => webhooks.byKey(key) ?? [])
    const byNetwork = Map.groupBy(records, ({ network }) => network)
    for (const [network, each] of byNetwork)
      deps.onChanged(
        network,
        each.map(({ id }) => id),
      )
  }

  const keyOf = (network: NetworkId, webhook: string) => webhooks.get(network, webhook)?.key ?? null

  /** @throws AppError WEBHOOK_UNKNOWN */
  function find(network: NetworkId, webhook: string): number {
    const key = keyOf(network, webhook)
    if (key === null) throw unknownWebhook(webhook)
    return key
  }

  function readWhole(network: NetworkId, key: number): Whole {
    const halt = new AbortController()
    const asking: Asking = { signal: halt.signal, priority: 'job', owner: `mirror ${key}` }
    let reading = readings.restart(key)

    async function readAll(): Promise<void> {
      // The webhook's own count shows the end of the pass and whether rows shifted.
      await book.readAnew(network, asking)
      halt.signal.throwIfAborted()
      reading = readings.restart(key)
      for (let pass = 0; pass < maxPasses; pass += 1) {
        while (!(await reading.step(asking))) halt.signal.throwIfAborted()
        await book.readAnew(network, asking)
        if (webhooks.byKey(key)?.goneAt !== null)
          throw unknownWebhook(webhooks.byKey(key)?.id ?? '')
        if (await reading.conclude()) return
        halt.signal.throwIfAborted()
        reading = readings.of(key)
      }
      throw new AppError(
        subscriptionCodes.moving,
        'The subscriptions changed each time while they were read. Read them again when nothing ' +
          'else subscribes or unsubscribes so many.',
      )
    }

    const done = readAll().finally(() => {
      leave(key, whole)
      notifier.tell(key)
    })
    const whole: Whole = { reading: () => reading, done, halt, waiting: 0 }
    wholes.set(key, whole)
    notifier.tell(key)
    return whole
  }

  async function read(network: NetworkId, webhook: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const key = find(network, webhook)
    const whole = wholes.get(key) ?? readWhole(network, key)
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    whole.waiting += 1
    try {
      await Promise.race([whole.done, aborted.promise])
      problems.delete(key)
    } finally {
      signal.removeEventListener('abort', abort)
      whole.waiting -= 1
      // Nobody waits for this reading any more; later callers start a new one.
      if (whole.waiting === 0) {
        leave(key, whole)
        whole.halt.abort(signal.reason)
      }
    }
  }

  function leave(key: number, whole: Whole): void {
    if (wholes.get(key) === whole) wholes.delete(key)
  }

  function state(network: NetworkId, webhook: string): MirrorState {
    const record = webhooks.get(network, webhook)
    if (record === null) return { readAt: null, reading: null, problem: null }
    const reading = wholes.get(record.key)?.reading()
    return {
      readAt: record.subscriptionsReadAt,
      reading: reading ? { rows: reading.rows(), expected: reading.expected() } : null,
      problem: problems.get(record.key) ?? null,
    }
  }

  function changed(key: number, failing = true): void {
    const record = webhooks.byKey(key)
    if (record !== null && failing) {
      const readAt = record.subscriptionsReadAt
      webhooks.setSubscriptionsRead(key, { failing: subscriptions.countFailing(key), readAt })
    }
    notifier.tell(key)
  }

  return {
    state,
    read,
    refresh(network, webhook) {
      const key = find(network, webhook)
      if (refreshes.has(key)) return
      const control = new AbortController()
      refreshes.set(key, control)
      problems.delete(key)
      read(network, webhook, control.signal)
        .catch((error: unknown) => {
          if (control.signal.aborted || isStopped) return
          if (!(error instanceof AppError)) deps.onBug(error)
          problems.set(
            key,
            error instanceof AppError ? error.message : 'Reading failed; see the log.',
          )
        })
        .finally(() => {
          refreshes.delete(key)
          notifier.tell(key)
        })
        .catch(deps.onBug)
    },
    cancelRefresh(network, webhook) {
      refreshes.get(find(network, webhook))?.abort()
    },
    subscribed(network, webhook, accounts) {
      const key = keyOf(network, webhook)
      if (key === null) return
      readings.added(key, subscriptions.add(key, accounts, deps.now()))
      changed(key, false)
    },
    unsubscribed(network, webhook, accounts) {
      const key = keyOf(network, webhook)
      if (key === null) return
      readings.removed(key, accounts, subscriptions.remove(key, accounts))
      changed(key)
    },
    beginAnew(network, webhook) {
      const key = keyOf(network, webhook)
      if (key !== null) readings.drop(key)
    },
    accounts(network, webhook, after, limit) {
      const key = keyOf(network, webhook)
      return key === null ? [] : subscriptions.page(key, after, limit).map((row) => row.account)
    },
    among(network, webhook, accounts) {
      const key = keyOf(network, webhook)
      return key === null ? new Set() : subscriptions.among(key, accounts)
    },
    since(network, webhook, account) {
      const key = keyOf(network, webhook)
      return key === null ? null : subscriptions.since(key, account)
    },
    page(network, webhook, after, limit) {
      const key = keyOf(network, webhook)
      if (key === null) return []
      const accounts = store.followedAccounts.page(key, after, limit)
      const rows = store.subscriptionRows.byAccounts(key, accounts).map(toFollowed)
      return rows.sort((one, other) => (one.account < other.account ? -1 : 1))
    },
    find(network, webhook, account) {
      const key = keyOf(network, webhook)
      const [row] = key === null ? [] : store.subscriptionRows.byAccounts(key, [account])
      return row === undefined ? null : toFollowed(row)
    },
    saveLags(network, webhook, lags: ReadonlyMap<string, Lag>) {
      const key = keyOf(network, webhook)
      if (key === null) return
      store.followedAccounts.saveLags(key, lags, deps.now())
      notifier.tell(key)
    },
    watch(network, webhook, accounts, watched) {
      const key = find(network, webhook)
      store.followedAccounts.setWatched(key, accounts, watched)
      notifier.tell(key)
    },
    drop: (key) => readings.drop(key),
    slice: (key) => (wholes.has(key) ? null : readings.of(key)),
    async forget(network) {
      for (const { key } of webhooks.all(network)) {
        wholes.get(key)?.halt.abort(unknownWebhook('of before'))
        readings.drop(key)
        problems.delete(key)
        for (;;) {
          const rows = subscriptions.page(key, '', slice)
          if (rows.length === 0) break
          subscriptions.removeIds(rows.map(({ id }) => id))
          await yieldToEventLoop()
        }
      }
    },
    stop() {
      isStopped = true
      notifier.stop()
      for (const { halt } of wholes.values()) halt.abort()
    },
  }
}

function toFollowed({
  account,
  lastDeliveredLt,
  failedLt,
  ...row
}: StoredSubscription): FollowedAccount {
  return {
    account,
    lastDeliveredLt: BigInt(lastDeliveredLt),
    failedAt: row.failedAt,
    failedLt: failedLt === null ? null : BigInt(failedLt),
    failedAttempts: row.failedAttempts,
    isFailing: row.isFailing,
    isWatched: row.isWatched,
    lag: row.lag,
  }
}
