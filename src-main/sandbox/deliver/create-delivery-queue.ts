import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { type Database, transaction } from '../store/database.ts'
import { type DeliveryStore, createDeliveryStore } from '../store/deliveries.ts'
import {
  retryDelay,
  type Delivery,
  type DeliveryPolicy,
  type DeliveryTargets,
  type DropFilter,
  type QueuedDelivery,
} from './delivery-queue.ts'
import { createPoster } from './poster.ts'

const graceMs = 500

type QueueDeps = {
  readonly database: Database
  readonly clock: Clock
  readonly policy: () => DeliveryPolicy
  /** Called when a delivery is due, because owners of targets are created after the queue. */
  readonly targets: () => DeliveryTargets
  readonly allowHost: (host: string) => boolean
  /** Called when deliveries may be due at another time. */
  readonly onPlanned?: () => void
  /** Called for bugs and database errors; the target then stops until the next start. */
  readonly onError?: (error: unknown) => void
}

/**
 * Delivers at least once, in order within a `lane`; targets are independent. New deliveries are sent at once;
 * `runDue` sends those that are due again.
 */
export class DeliveryQueue {
  readonly #deps: QueueDeps
  readonly #store: DeliveryStore
  readonly #poster: ReturnType<typeof createPoster>
  readonly #targets = new Map<string, Target>()
  readonly #touched = new Set<Target>()
  readonly #waiters: (() => void)[] = []
  #nextId = 0
  #turn: NodeJS.Immediate | null = null
  #isClosed = false
  #isSuspended = false

  constructor(deps: QueueDeps) {
    this.#deps = deps
    this.#store = createDeliveryStore(deps.database)
    this.#poster = createPoster(deps.allowHost)
    this.#load()
  }

  /** Call this in the transaction of the cause; sending starts after `wake`. */
  add(deliveries: readonly Delivery[]): void {
    const at = this.#deps.clock.now()
    for (const delivery of deliveries) {
      this.#store.add(this.#nextId, delivery, at)
      this.#nextId += 1
      this.#touch(this.#targetOf(delivery.target))
    }
  }

  /** Starts due deliveries. Call this after the commit, and once after the start. */
  wake(): void {
    if (this.#turn !== null || this.#isClosed || this.#touched.size === 0) return
    this.#turn = setImmediate(() => {
      this.#turn = null
      const targets = [...this.#touched]
      this.#touched.clear()
      this.#proceed(targets)
    })
  }

  /** Sets a target offline until `resume`. */
  hold(name: string): void {
    this.#targetOf(name).set(this.#store, { isOffline: true })
  }

  /** Makes waiting deliveries due now, and counts their attempts from 0 again. */
  resume(name: string): void {
    const target = this.#targetOf(name)
    transaction(this.#deps.database, () => {
      this.#store.hurry(name, this.#deps.clock.now())
      target.set(this.#store, { failingSince: null, isOffline: false })
    })
    this.#touch(target)
    this.wake()
  }

  drop(name: string, filter: DropFilter = {}): void {
    const target = this.#targetOf(name)
    target.giveUp((delivery) => matches(delivery, filter))
    const isWhole = Object.keys(filter).length === 0
    transaction(this.#deps.database, () => {
      this.#store.drop(name, filter, this.#deps.clock.now())
      if (isWhole) target.set(this.#store, { failingSince: null, isOffline: false })
      // Dropped deliveries do not count as failures of later ones.
      else if (this.#store.heads(name, 1).length === 0) {
        target.set(this.#store, { failingSince: null })
      }
    })
    this.#touch(target)
    target.laterDue = null
    if (isWhole && target.underWay.size === 0) {
      this.#targets.delete(name)
      this.#touched.delete(target)
    } else this.wake()
  }

  list(page: { readonly limit: number; readonly offset: number }): QueuedDelivery[] {
    return this.#store.list(page)
  }

  /** Deliveries whose request is open: the endpoint has not responded yet. */
  underWay(): QueuedDelivery[] {
    const targets = this.#targets.values()
    return [...targets].flatMap(({ underWay }) =>
      [...underWay.values()].map((each) => each.delivery),
    )
  }

  /** `failing` counts failed deliveries, at most one per `lane`. */
  count() {
    return this.#store.count()
  }

  retrying(): number {
    return this.#store.retrying()
  }

  waitingByTarget(): ReadonlyMap<string, number> {
    return this.#store.waitingByTarget()
  }

  /** Null unless deliveries to the target fail and are repeated. */
  retryOf(name: string) {
    const target = this.#targets.get(name)
    const nextAttemptAt = target?.nextDueIn(this.#store) ?? null
    const { failingSince = null } = target ?? {}
    if (failingSince === null || nextAttemptAt === null) return null
    // After a change of the policy this time may have passed; the next attempt then counts.
    const offlineAt = Math.max(nextAttemptAt, failingSince + this.#deps.policy().offlineAfterMs)
    return { nextAttemptAt, offlineAt }
  }

  nextDue(): number | null {
    const isReal = this.#deps.clock.mode === 'real'
    const moments = [...this.#targets.values()]
      .map((target) => (isReal ? target.laterDue : target.nextDueIn(this.#store)))
      .filter((moment) => moment !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  async runDue(): Promise<void> {
    this.#touched.clear()
    this.#proceed(this.#targets.values())
    if (this.#deps.clock.mode === 'virtual') await this.settled()
  }

  /** Resolves when nothing is due and nothing is being sent. */
  async settled(): Promise<void> {
    if (this.#isQuiet()) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#waiters.push(() => resolve(undefined))
    await promise
  }

  /** Aborts pending requests and starts none until `reload`. */
  async suspend(): Promise<void> {
    this.#isSuspended = true
    this.#cancelTurn()
    this.#giveUpAll()
    await this.settled()
  }

  /** Sends a request outside the queue without changing the queue; null for an unknown target. */
  async test(name: string, body: string, headers: Readonly<Record<string, string>>) {
    const to = this.#deps.targets().describe(name)
    const { timeoutMs } = this.#deps.policy()
    return to && this.#poster.test(to, { body, headers, timeoutMs })
  }

  reload(): void {
    this.#isSuspended = false
    this.#giveUpAll()
    this.#load()
    this.wake()
  }

  /** Waits briefly for pending requests; unacknowledged deliveries stay in the queue. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTurn()
    await Promise.race([this.settled(), wait(graceMs, undefined, { ref: false })])
    this.#giveUpAll()
    await this.#poster.close()
    await this.settled()
  }

  #load(): void {
    this.#targets.clear()
    this.#touched.clear()
    // Ids from before the tables were replaced are not reused, because their responses may still arrive.
    this.#nextId = Math.max(this.#nextId, this.#store.lastId() + 1)
    for (const { target, ...state } of this.#store.targetStates()) {
      Object.assign(this.#targetOf(target), state)
    }
    for (const name of this.#store.waitingTargets()) this.#touched.add(this.#targetOf(name))
  }

  #targetOf(name: string): Target {
    const target = this.#targets.get(name) ?? new Target(name)
    this.#targets.set(name, target)
    return target
  }

  #touch(target: Target): void {
    target.nextDue = undefined
    this.#touched.add(target)
  }

  #proceed(targets: Iterable<Target>): void {
    let isPlanned = false
    for (const target of targets) {
      const before = target.laterDue
      try {
        this.#attend(target)
      } catch (error) {
        this.#breakOff(target, error)
      }
      isPlanned ||= target.laterDue !== null && target.laterDue !== before
    }
    if (isPlanned) this.#deps.onPlanned?.()
    if (this.#isQuiet()) for (const resolve of this.#waiters.splice(0)) resolve()
  }

  #attend(target: Target): void {
    target.laterDue = null
    if (this.#isClosed || this.#isSuspended || target.isPaused) return
    const room = Math.max(1, this.#deps.policy().concurrency) - target.underWay.size
    if (room <= 0) return
    const now = this.#deps.clock.now()
    let started = 0
    for (const head of this.#store.heads(target.name, target.underWay.size + room + 1)) {
      if (target.underWay.has(head.id)) continue
      if (head.dueAt > now) {
        target.laterDue = head.dueAt
        break
      }
      if (started === room) break
      const delivery = this.#store.get(head.id)
      if (delivery === null) continue
      started += 1
      void this.#perform(target, delivery)
    }
  }

  async #perform(target: Target, delivery: QueuedDelivery): Promise<void> {
    const giveUp = new AbortController()
    target.underWay.set(delivery.id, { delivery, giveUp })
    try {
      const to = this.#deps.targets().describe(target.name)
      const { timeoutMs } = this.#deps.policy()
      let problem: string | null = null
      if (to === null) this.drop(target.name)
      else problem = await this.#poster.post(to, delivery.body, timeoutMs, giveUp.signal)
      if (!giveUp.signal.aborted) {
        transaction(this.#deps.database, () => {
          if (problem === null) this.#succeed(target, delivery)
          else this.#fail(target, delivery, problem)
        })
      }
    } catch (error) {
      this.#breakOff(target, error)
    }
    target.underWay.delete(delivery.id)
    target.nextDue = undefined
    // After a reload another object has this name.
    this.#proceed(this.#targets.get(target.name) === target ? [target] : [])
  }

  #breakOff(target: Target, error: unknown): void {
    target.isBroken = true
    this.#deps.onError?.(error)
  }

  #succeed(target: Target, delivery: QueuedDelivery): void {
    const at = this.#deps.clock.now()
    if (!this.#store.remove(delivery.id, at)) return
    target.set(this.#store, { failingSince: null })
    this.#deps.targets().delivered(delivery, at)
  }

  #fail(target: Target, delivery: QueuedDelivery, problem: string): void {
    const policy = this.#deps.policy()
    const at = this.#deps.clock.now()
    const attempts = delivery.attempts + 1
    const failingSince = target.failingSince ?? at
    const retryAt = at + retryDelay(policy, attempts)
    const offlineAt = failingSince + policy.offlineAfterMs
    const dueAt = at < offlineAt && offlineAt < retryAt ? offlineAt : retryAt
    if (!this.#store.postpone(delivery.id, attempts, dueAt, problem)) return
    const isOnline = this.#deps.targets().failed(delivery, attempts, problem, at, failingSince)
    target.set(this.#store, { failingSince, isOffline: target.isOffline || !isOnline })
  }

  #isQuiet(): boolean {
    return (
      this.#turn === null && this.#targets.values().every(({ underWay }) => underWay.size === 0)
    )
  }

  #giveUpAll(): void {
    for (const target of this.#targets.values()) target.giveUp(() => true)
  }

  #cancelTurn(): void {
    if (this.#turn !== null) clearImmediate(this.#turn)
    this.#turn = null
  }
}

type TargetState = { readonly failingSince: number | null; readonly isOffline: boolean }

class Target implements TargetState {
  readonly name: string
  failingSince: number | null = null
  isOffline = false
  /** True after an internal error; the target is then skipped, so that the error does not recur forever. */
  isBroken = false
  /** Aborted when the result no longer counts: the delivery was dropped, or the sandbox ends. */
  readonly underWay = new Map<number, { delivery: QueuedDelivery; giveUp: AbortController }>()
  /** Undefined until it is read from the database. */
  nextDue: number | null | undefined
  laterDue: number | null = null

  constructor(name: string) {
    this.name = name
  }

  get isPaused(): boolean {
    return this.isOffline || this.isBroken
  }

  nextDueIn(store: DeliveryStore): number | null {
    if (this.isPaused) return null
    if (this.nextDue === undefined) this.nextDue = store.heads(this.name, 1)[0]?.dueAt ?? null
    return this.nextDue
  }

  giveUp(which: (delivery: QueuedDelivery) => boolean): void {
    for (const { delivery, giveUp } of this.underWay.values()) if (which(delivery)) giveUp.abort()
  }

  set(store: DeliveryStore, change: Partial<TargetState>): void {
    const { failingSince = this.failingSince, isOffline = this.isOffline } = change
    if (failingSince === this.failingSince && isOffline === this.isOffline) return
    store.saveTarget({ target: this.name, failingSince, isOffline })
    Object.assign(this, { failingSince, isOffline })
  }
}

const matches = (delivery: QueuedDelivery, filter: DropFilter): boolean =>
  Object.entries(filter).every(([name, value]) => Reflect.get(delivery, name) === value)
