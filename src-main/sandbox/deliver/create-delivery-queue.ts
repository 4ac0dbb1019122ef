import type { Clock } from '../clock.ts'
import { type Database, transaction } from '../store/database.ts'
import { createDeliveryStore } from '../store/deliveries.ts'
import {
  retryDelay,
  type Delivery,
  type DeliveryPolicy,
  type DeliveryTargets,
  type DropFilter,
  type QueuedDelivery,
} from './delivery-queue.ts'
import { createPoster } from './poster.ts'

type Target = {
  readonly name: string
  failingSince: number | null
  isOffline: boolean
  /** An internal error occurred; the target is skipped, so that it does not recur for ever. */
  isBroken: boolean
  /** Aborted when the result no longer counts: the delivery was dropped or the sandbox ends. */
  readonly underWay: Map<number, { delivery: QueuedDelivery; giveUp: AbortController }>
  nextDue: number | null | undefined
  laterDue: number | null
}

const graceMs = 500
/** Maximum timer delay; limits how late retries are after the computer slept. */
const longestSleepMs = 30_000

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>

/**
 * Delivers at least once, in order within a `lane`; targets are independent. With a real clock the queue times
 * its retries itself; with a virtual one `runDue` starts them.
 * @param deps.targets called when a delivery is due: owners of targets are created after this queue
 * @param deps.onError called for bugs and database errors; the target then rests until the next start
 */
export function createDeliveryQueue(deps: {
  readonly database: Database
  readonly clock: Clock
  readonly policy: () => DeliveryPolicy
  readonly targets: () => DeliveryTargets
  readonly allowHost: (host: string) => boolean
  readonly onError?: (error: unknown) => void
}) {
  const { database, clock, policy } = deps
  const store = createDeliveryStore(database)
  const poster = createPoster(deps.allowHost)
  const known = new Map<string, Target>()
  const touched = new Set<Target>()
  const waiters: (() => void)[] = []
  let nextId = 0
  let turn: NodeJS.Immediate | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isSuspended = false

  load()

  function load(): void {
    known.clear()
    touched.clear()
    // Ids from before the tables were replaced are not reused: their responses may still arrive.
    nextId = Math.max(nextId, store.lastId() + 1)
    for (const { target, failingSince, isOffline } of store.targetStates()) {
      Object.assign(targetOf(target), { failingSince, isOffline })
    }
    for (const name of store.waitingTargets()) touched.add(targetOf(name))
  }

  function targetOf(name: string): Target {
    const found = known.get(name)
    if (found !== undefined) return found
    const target: Target = {
      name,
      failingSince: null,
      isOffline: false,
      isBroken: false,
      underWay: new Map(),
      nextDue: undefined,
      laterDue: null,
    }
    known.set(name, target)
    return target
  }

  function attend(target: Target): void {
    target.laterDue = null
    if (isClosed || isSuspended || target.isOffline || target.isBroken) return
    const room = Math.max(1, policy().concurrency) - target.underWay.size
    if (room <= 0) return
    const now = clock.now()
    let started = 0
    for (const head of store.heads(target.name, target.underWay.size + room + 1)) {
      if (target.underWay.has(head.id)) continue
      if (head.dueAt > now) {
        target.laterDue = head.dueAt
        break
      }
      if (started === room) break
      const delivery = store.get(head.id)
      if (delivery === null) continue
      started += 1
      void perform(target, delivery)
    }
  }

  async function perform(target: Target, delivery: QueuedDelivery): Promise<void> {
    const giveUp = new AbortController()
    target.underWay.set(delivery.id, { delivery, giveUp })
    try {
      const to = deps.targets().describe(target.name)
      const { timeoutMs } = policy()
      let problem: string | null = null
      if (to === null) drop(target.name)
      else problem = await poster.post(to, delivery.body, timeoutMs, giveUp.signal)
      if (!giveUp.signal.aborted) {
        transaction(database, () => {
          if (problem === null) succeed(target, delivery)
          else fail(target, delivery, problem)
        })
      }
    } catch (error) {
      target.isBroken = true
      deps.onError?.(error)
    }
    target.underWay.delete(delivery.id)
    target.nextDue = undefined
    // After a reload another object has this name.
    proceed(known.get(target.name) === target ? [target] : [])
  }

  function giveUpOn(target: Target, which: (delivery: QueuedDelivery) => boolean): void {
    for (const { delivery, giveUp } of target.underWay.values()) {
      if (which(delivery)) giveUp.abort()
    }
  }

  function succeed(target: Target, delivery: QueuedDelivery): void {
    const at = clock.now()
    if (!store.remove(delivery.id, at)) return
    if (target.failingSince !== null) note(target, { failingSince: null })
    deps.targets().delivered(delivery, at)
  }

  function fail(target: Target, delivery: QueuedDelivery, problem: string): void {
    const at = clock.now()
    const attempts = delivery.attempts + 1
    const failingSince = target.failingSince ?? at
    const { offlineAfterMs } = policy()
    let dueAt = at + retryDelay(policy(), attempts)
    const offlineAt = failingSince + offlineAfterMs
    if (at < offlineAt && offlineAt < dueAt) dueAt = offlineAt
    if (!store.postpone(delivery.id, attempts, dueAt, problem)) return
    const isOffline = !deps.targets().failed(delivery, attempts, problem, at, failingSince)
    note(target, { failingSince, isOffline: target.isOffline || isOffline })
  }

  function note(target: Target, change: Partial<Pick<Target, 'failingSince' | 'isOffline'>>): void {
    const { failingSince, isOffline } = { ...target, ...change }
    if (failingSince === target.failingSince && isOffline === target.isOffline) return
    store.saveTarget({ target: target.name, failingSince, isOffline })
    Object.assign(target, { failingSince, isOffline })
  }

  function proceed(targets: Iterable<Target>): void {
    for (const target of targets) {
      try {
        attend(target)
      } catch (error) {
        target.isBroken = true
        deps.onError?.(error)
      }
    }
    setTimer()
    if (isQuiet()) for (const resolve of waiters.splice(0)) resolve()
  }

  function isQuiet(): boolean {
    return turn === null && known.values().every(({ underWay }) => underWay.size === 0)
  }

  function setTimer(): void {
    clearTimeout(timer)
    if (isClosed || clock.mode !== 'real') return
    const next = soonest(({ laterDue }) => laterDue)
    if (next === null) return
    const delay = Math.min(Math.max(0, next - clock.now()), longestSleepMs)
    timer = setTimeout(() => proceed(known.values()), delay)
    timer.unref()
  }

  function soonest(of: (target: Target) => number | null): number | null {
    const moments = [...known.values()].map(of).filter((moment) => moment !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  function nextDueOf(target: Target): number | null {
    if (target.isOffline || target.isBroken) return null
    if (target.nextDue === undefined) target.nextDue = store.heads(target.name, 1)[0]?.dueAt ?? null
    return target.nextDue
  }

  function giveUpAll(): void {
    for (const target of known.values()) giveUpOn(target, () => true)
  }

  function cancelTurn(): void {
    if (turn !== null) clearImmediate(turn)
    turn = null
  }

  function wake(): void {
    if (turn !== null || isClosed || touched.size === 0) return
    turn = setImmediate(() => {
      turn = null
      const targets = [...touched]
      touched.clear()
      proceed(targets)
    })
  }

  function drop(name: string, filter: DropFilter = {}): void {
    const target = targetOf(name)
    giveUpOn(target, (delivery) => matches(delivery, filter))
    const isWhole = Object.keys(filter).length === 0
    transaction(database, () => {
      store.drop(name, filter, clock.now())
      if (isWhole) note(target, { failingSince: null, isOffline: false })
      // Dropped deliveries do not count as failures of later ones.
      else if (store.heads(name, 1).length === 0) note(target, { failingSince: null })
    })
    target.nextDue = undefined
    target.laterDue = null
    if (isWhole && target.underWay.size === 0) {
      known.delete(name)
      touched.delete(target)
    } else {
      touched.add(target)
      wake()
    }
  }

  async function settled(): Promise<void> {
    if (isQuiet()) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    waiters.push(() => resolve(undefined))
    await promise
  }

  return {
    /** Call inside the transaction of the cause; sending starts after `wake`. */
    add(deliveries: readonly Delivery[]): void {
      const at = clock.now()
      for (const delivery of deliveries) {
        const target = targetOf(delivery.target)
        store.add(nextId, delivery, at)
        nextId += 1
        target.nextDue = undefined
        touched.add(target)
      }
    },
    /** Starts due deliveries; call after the commit and once after the start. */
    wake,
    /** Sets a target offline until `resume`. */
    hold: (name: string) => note(targetOf(name), { isOffline: true }),
    /** Makes waiting deliveries due now, with attempts counted from 0. */
    resume(name: string): void {
      const target = targetOf(name)
      transaction(database, () => {
        store.hurry(name, clock.now())
        note(target, { failingSince: null, isOffline: false })
      })
      target.nextDue = undefined
      touched.add(target)
      wake()
    },
    drop,
    list: store.list,
    /** `failing` counts deliveries that failed, at most one per `lane`. */
    count: store.count,
    retrying: store.retrying,
    waitingByTarget: store.waitingByTarget,
    /** Null unless deliveries to the target fail and are repeated. */
    retryOf(name: string) {
      const target = known.get(name)
      const nextAttemptAt = target === undefined ? null : nextDueOf(target)
      const { failingSince = null } = target ?? {}
      if (failingSince === null || nextAttemptAt === null) return null
      // After a change of the policy the moment may have passed; the next attempt then counts.
      const offlineAt = Math.max(nextAttemptAt, failingSince + policy().offlineAfterMs)
      return { nextAttemptAt, offlineAt }
    },
    nextDue: () => soonest(clock.mode === 'real' ? ({ laterDue }) => laterDue : nextDueOf),
    async runDue(): Promise<void> {
      touched.clear()
      proceed(known.values())
      if (clock.mode === 'virtual') await settled()
    },
    /** Resolves when nothing is due now and nothing is under way. */
    settled,
    /** Aborts requests under way and starts none until `reload`. */
    async suspend(): Promise<void> {
      isSuspended = true
      cancelTurn()
      giveUpAll()
      await settled()
    },
    /** Sends a request beside the queue, which changes nothing in it; null for an unknown target. */
    async test(name: string, body: string, headers: Readonly<Record<string, string>>) {
      const to = deps.targets().describe(name)
      return to && poster.test(to, { body, headers, timeoutMs: policy().timeoutMs })
    },
    reload(): void {
      isSuspended = false
      giveUpAll()
      load()
      wake()
    },
    /** Waits briefly for requests under way; unacknowledged deliveries stay. */
    async close(): Promise<void> {
      isClosed = true
      cancelTurn()
      clearTimeout(timer)
      const grace = Promise.withResolvers<undefined>()
      const end = setTimeout(() => grace.resolve(undefined), graceMs)
      await Promise.race([settled(), grace.promise])
      clearTimeout(end)
      giveUpAll()
      await poster.close()
      await settled()
    },
  }
}

function matches(delivery: QueuedDelivery, filter: DropFilter): boolean {
  return Object.entries(filter).every(([name, value]) => Reflect.get(delivery, name) === value)
}
