import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { ForwardLog, LoggedDelivery } from '../store/forward-log.ts'
import type { ForwardQueue, Waiting } from '../store/forward-queue.ts'
import type { ForwardRules, StoredRule, StoredTarget } from '../store/forward-rules.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/subject.ts'
import type { Sender } from '../sender/sender.ts'
import { conflictsOf } from './conflicts.ts'
import { createWatcher } from './watcher.ts'
import { createJournal } from './journal.ts'
import { type Lanes, createLanes } from './ordered-queues.ts'
import { type Line, createLine } from './target-sender.ts'
import { type Passed, type Passing, passThrough } from './pass.ts'
import { createMonotonicClock } from './monotonic-clock.ts'

type ForwarderDeps = {
  readonly rules: ForwardRules
  readonly queue: ForwardQueue
  readonly log: ForwardLog
  /** Of this installation: part of each delivery’s id. */
  readonly install: string
  readonly send: Sender['send']
  readonly subpathOf: (target: string) => string
  readonly deliveryOf: (capture: LoggedDelivery) => Promise<Delivery>
  /** @throws AppError QUERY_INVALID */
  readonly readFilter: (text: string) => DeliveryFilter
  /** Something of these captures, or of the rules and their targets, has changed. */
  readonly onChanged: (capture: number | null) => void
  /** It cannot go on at the moment, and tries again by itself. */
  readonly onTrouble: (problem: unknown) => void
}

/** Sends captures on by rules: all of it but what is asked from outside. */
export type Forwarder = {
  /** Follows and sends from now on. */
  start(): void
  /** There may be captures to look at. */
  wake(): void
  /** Captures were deleted. */
  deleted(): void
  /** Who may be sent to has changed. */
  guardChanged(): void
  /** Rules were changed in the store. */
  reload(): void
  /** What is known of a rule now. */
  view(rule: StoredRule, all: readonly StoredRule[]): ForwardRule
  /** Tries now what waits for these targets. */
  hurry(targets: readonly number[]): void
  line(target: number): Line | undefined
  /** When something is sent to a target next, in microseconds by the clock on the wall. */
  nextTryAt(target: number): number | null
  /** It waits (again). */
  queued(target: number, row: Waiting): void
  dropped(target: number, delivery: number, lane: string): void
  pass(passing: Passing): Promise<Passed>
  /** Milliseconds by the clock that waits go by. */
  now(): number
  stop(): Promise<void>
}

type Way = { readonly line: Line; readonly lanes: Lanes; readonly rule: { current: StoredRule } }

/** Events of an account that arrive within moments out of order are put into order. */
const reorderMs = 100
/** The index may have stopped: nothing is held for ever. In a rush it stands back for a while. */
const maxHeldMs = 60_000
/** Many captures a second are a rush: disk and cores are theirs, and what is sent on waits. */
const burstPerSecond = 3_000
const burstPauseMs = 400
const againMs = 1_000
const chorePauseMs = 20
const choreRows = 200
/** What has waited for too long is looked for this often at most. */
const giveUpEveryMs = 10_000
const filterAgeMs = 60_000
const hourUs = 3_600_000_000

export function newInstall(): string {
  return randomBytes(4).toString('hex')
}

export function createForwarder(deps: ForwarderDeps): Forwarder {
  const { rules: store, queue, log, onChanged } = deps
  const clock = createMonotonicClock(() => {
    for (const { line } of ways.values()) line.hurry()
  })
  const goesOn = () => !isStopped
  const nowUs = () => Math.round(clock.now() * 1000)
  const ways = new Map<number, Way>()
  /** Targets not in use any more, to which something is still under way. */
  const leaving = new Set<number>()
  const seenBoth = new Set<string>()
  const problems = new Map<number, string>()
  const gaveUpAt = new Map<number, number>()
  const downSince = new Map<number, number | null>()
  const startedAt = clock.now()
  let rules: readonly StoredRule[] = []
  let filtersReadAt = 0
  let isStarted = false
  let isStopped = false
  let isWanted = false
  let working: Promise<void> | null = null
  let tidying: Promise<void> | null = null
  let hasAbandoned = true
  let hasDeletions = true

  const journal = createJournal({
    write: (batch) => queue.write(batch),
    now: nowUs,
    onTrouble: deps.onTrouble,
  })
  const watcher = createWatcher({
    log,
    queue,
    deliveryOf: deps.deliveryOf,
    now: nowUs,
    onQueued(rows) {
      for (const { target, row } of rows) {
        ways.get(target)?.lanes.add(row)
        onChanged(row.capture)
      }
      for (const target of new Set(rows.map((each) => each.target))) ways.get(target)?.line.pump()
    },
    onBoth(one, other) {
      const pair = pairOf(one, other)
      if (seenBoth.has(pair)) return
      seenBoth.add(pair)
      onChanged(null)
    },
  })

  const pairOf = (one: number, other: number) => `${Math.min(one, other)}-${Math.max(one, other)}`

  /** When a delivery may be sent: after its wait for the next try, or for earlier ones of its account. */
  function notBefore(row: Waiting): number {
    const now = clock.now()
    // A clock that was set back must not keep it waiting for longer than it would have.
    if (row.attempts > 0) return Math.min(row.nextAt / 1000, now + 300_000)
    if (row.lane === '') return 0
    const age = now - row.receivedAt / 1000
    return now + Math.max(0, reorderMs - Math.max(0, age))
  }

  /** What arrived within moments of it may be behind in the index, and belong before it. */
  function isHeld(row: Waiting, rule: number): boolean {
    // What waited for a start has waited for nothing yet: the index may have stopped behind it.
    const since = Math.max(row.queuedAt / 1000, startedAt)
    if (row.lane === '' || clock.now() - since > maxHeldMs) return false
    return watcher.horizon(rule) < row.receivedAt + reorderMs * 1000
  }

  function openWay(target: StoredTarget, rule: StoredRule): Way {
    const current = { current: rule }
    const lanes = createLanes({
      head: (lane, limit) => queue.head(target.id, lane, limit),
      lanesAfter: (lane, limit) => queue.lanesAfter(target.id, lane, limit),
      notBefore,
      isHeld: (row) => isHeld(row, current.current.id),
    })
    const line = createLine({
      target,
      rule: () => current.current,
      lanes,
      install: deps.install,
      send: deps.send,
      request: (capture) => log.request(capture),
      subpathOf: deps.subpathOf,
      journal,
      now: () => clock.now(),
      random: Math.random,
      onFailed: () => giveUp(target.id, current.current),
      onTrouble: deps.onTrouble,
      onChanged,
    })
    lanes.open()
    return { line, lanes, rule: current }
  }

  /** Drops what has waited longer than its rule wants, the target having been tried just now. */
  function giveUp(target: number, { id, giveUpHours }: StoredRule): void {
    if (giveUpHours === null || clock.now() - (gaveUpAt.get(target) ?? 0) < giveUpEveryMs) return
    gaveUpAt.set(target, clock.now())
    let dropped: ReturnType<ForwardQueue['dropOlder']> = []
    try {
      dropped = queue.dropOlder(id, target, nowUs() - giveUpHours * hourUs, nowUs())
    } catch (error) {
      // Not now, as on a full disk.
      deps.onTrouble(error)
    }
    if (dropped.length === 0) return
    for (const delivery of dropped) ways.get(target)?.lanes.remove(delivery.id, delivery.lane)
    // There may be more as old.
    gaveUpAt.set(target, clock.now() - giveUpEveryMs + chorePauseMs)
    onChanged(null)
  }

  function readFilters(): void {
    filtersReadAt = performance.now()
    problems.clear()
    const followed = rules.flatMap((rule) => {
      try {
        const filter = rule.filter.trim() === '' ? null : deps.readFilter(rule.filter)
        const { id, reached, upTo, gaps } = rule
        return [
          { id, filter, targets: rule.targets.map((target) => target.id), reached, upTo, gaps },
        ]
      } catch (error) {
        problems.set(rule.id, error instanceof Error ? error.message : String(error))
        return []
      }
    })
    const urls = rules.flatMap(({ targets }) => targets.map(({ id, url }) => [id, url] as const))
    watcher.setRules(followed, new Map(urls))
  }

  function reload(): void {
    rules = store.list()
    readFilters()
    onChanged(null)
    if (!isStarted || isStopped) return
    const used = new Map(
      rules.flatMap((rule) => rule.targets.map((target) => [target.id, { rule, target }] as const)),
    )
    for (const [id, way] of ways) {
      if (used.has(id)) continue
      ways.delete(id)
      leaving.add(id)
      void way.line.stop().then(() => {
        leaving.delete(id)
        reload()
      })
    }
    for (const [id, { rule, target }] of used) {
      const known = ways.get(id)
      // What is still under way there must not be sent a second time.
      if (leaving.has(id)) continue
      if (known === undefined) ways.set(id, openWay(target, rule))
      else known.rule.current = rule
      ways.get(id)?.line.pump()
    }
    hasAbandoned = true
    tidy()
    wake()
  }

  function nextTryAt(target: number): number | null {
    const next = ways.get(target)?.line.health().nextTryAt ?? null
    return next === null ? null : clock.toWall(Math.max(next, clock.now()))
  }

  function wake(): void {
    isWanted = true
    if (isStarted && !isStopped) working ??= follow().finally(() => (working = null))
  }

  async function follow(): Promise<void> {
    const rate = createRate()
    while (isWanted && goesOn()) {
      isWanted = false
      try {
        // `received:today` is another day’s by and by.
        if (performance.now() - filtersReadAt > filterAgeMs) readFilters()
        while (goesOn() && (await watcher.step())) {
          if (rate(log.newestId()) > burstPerSecond) await pause(burstPauseMs)
          else await nextTurn()
        }
      } catch (error) {
        deps.onTrouble(error)
        isWanted = true
        await pause(againMs)
      }
    }
  }

  /** What follows deletions, and what rules have left behind, in small steps. */
  function tidy(): void {
    if (isStarted && !isStopped) tidying ??= tidyAll().finally(() => (tidying = null))
  }

  async function tidyAll(): Promise<void> {
    try {
      while ((hasAbandoned || hasDeletions) && !isStopped) {
        if (hasAbandoned) {
          hasAbandoned = false
          for (const target of store.abandoned()) {
            const dropped = queue.dropAbandoned(target, choreRows, nowUs())
            hasAbandoned ||= dropped === choreRows
            onChanged(null)
          }
        }
        hasDeletions = queue.followDeletions(choreRows)
        await pause(chorePauseMs)
      }
    } catch (error) {
      deps.onTrouble(error)
    }
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      reload()
    },
    wake,
    deleted() {
      hasDeletions = true
      tidy()
    },
    guardChanged() {
      for (const { line } of ways.values()) line.guardChanged()
    },
    reload,
    view(rule, all) {
      const { id, targets } = rule
      return {
        id,
        name: rule.name,
        filter: rule.filter,
        mode: rule.mode,
        enabled: rule.enabled,
        keepHost: rule.keepHost,
        appendPath: rule.appendPath,
        timeoutSeconds: rule.timeoutSeconds,
        fullAnswer: rule.fullAnswer,
        giveUpHours: rule.giveUpHours,
        createdAt: rule.createdAt,
        targets: targets.map(({ url }) => url),
        problem: problems.get(id) ?? null,
        conflicts: conflictsOf(rule, all, (one, other) => seenBoth.has(pairOf(one, other))),
        health: targets.map((target) => {
          const { lastStatus, lastProblem, lastTriedAt, waiting, delivered, dropped } = target
          // What passes through goes another way than what waits.
          const now = rule.mode === 'after' ? ways.get(target.id)?.line.health() : undefined
          const isDown = now === undefined ? target.downSince !== null : now.isDown
          const next = waiting > 0 && rule.enabled ? nextTryAt(target.id) : null
          return {
            url: target.url,
            state: isDown ? 'down' : lastTriedAt === null ? 'unknown' : 'up',
            ...{ waiting, delivered, dropped, lastStatus, lastProblem, lastTriedAt },
            downSince: isDown ? target.downSince : null,
            nextTryAt: next,
            medianUs: now?.medianUs ?? null,
          }
        }),
      }
    },
    hurry(targets) {
      for (const target of targets) ways.get(target)?.line.hurry()
    },
    line: (target) => ways.get(target)?.line,
    nextTryAt,
    queued(target, row) {
      ways.get(target)?.lanes.add(row)
      ways.get(target)?.line.pump()
    },
    dropped(target, delivery, lane) {
      ways.get(target)?.lanes.remove(delivery, lane)
      ways.get(target)?.line.pump()
    },
    pass: (passing) =>
      passThrough(passing, {
        rules: () => rules,
        install: deps.install,
        send: deps.send,
        request: (capture) => log.request(capture),
        subpathOf: deps.subpathOf,
        journal,
        downSince,
        onChanged,
      }),
    now: () => clock.now(),
    async stop() {
      isStopped = true
      clock.stop()
      await Promise.all([...ways.values()].map(({ line }) => line.stop()))
      await working
      await tidying
      journal.close()
      if (isStarted) watcher.save()
    },
  }
}

/** How fast a counter grows, a second. */
function createRate(): (count: number) => number {
  let from = { count: 0, at: 0 }
  let perSecond = 0
  return (count) => {
    const now = performance.now()
    if (now - from.at >= 100) {
      perSecond = from.at === 0 ? 0 : ((count - from.count) * 1000) / (now - from.at)
      from = { count, at: now }
    }
    return perSecond
  }
}
