import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import type { StoredRule } from '../store/forward-rules.ts'
import { forwardConflicts } from '../conflicts.ts'
import type { ForwardContext } from './attempt.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { createArrivalRate } from '../../captures/store/arrival-rate.ts'
import { createGroupCommit } from './group-commit.ts'
import { type Passed, type Passing, passThrough } from './pass-through.ts'
import { type TargetLoop, startTargetLoop } from './target-loop.ts'
import { createWatcher } from './watcher.ts'

export type Forwarder = ReturnType<typeof createForwarder>

/**
 * Above this number of captures per second, forwarding pauses between steps to leave disk and cores
 * to the receiver.
 */
const burstPerSecond = 3_000
const burstPauseMs = 400
const retryMs = 1_000
const chorePauseMs = 20
const choreRows = 200
/** Filters are compiled again after this time, because `received:today` means another day tomorrow. */
const filterAgeMs = 60_000
const hourUs = 3_600_000_000

export function createForwarder(context: ForwardContext) {
  const { rules: store, queue, log, onChanged, onTrouble } = context
  const loops = new Map<number, TargetLoop>()
  const ruleOf = new Map<number, StoredRule>()
  const seenBoth = new Set<string>()
  const problems = new Map<number, string>()
  let rules: readonly StoredRule[] = []
  const isBurst = createBurstCheck(log)
  let filtersReadAt = 0
  let isStarted = false

  const chores = createChores(context)
  const commits = createGroupCommit(queue.transaction, onTrouble)
  const watcher = createWatcher({
    ...context,
    onQueued(deliveries) {
      for (const { capture } of deliveries) onChanged(capture)
      for (const target of new Set(deliveries.map((each) => each.target))) loops.get(target)?.wake()
    },
    onBoth(one, other) {
      const pair = pairOf(one, other)
      if (seenBoth.has(pair)) return
      seenBoth.add(pair)
      onChanged(null)
    },
  })
  const loopContext = {
    ...context,
    commit: commits.commit,
    request: (capture: number) => log.request(capture),
    horizon: (rule: number) => watcher.horizon(rule),
    wallNow: Date.now,
    random: Math.random,
    onFailed: chores.failed,
  }

  function readFilters(): void {
    filtersReadAt = performance.now()
    problems.clear()
    const watched = rules.flatMap((rule) => {
      try {
        const filter = rule.filter.trim() === '' ? null : context.readFilter(rule.filter, 'indexed')
        return [{ ...rule, filter }]
      } catch (error) {
        problems.set(rule.id, messageOf(error))
        return []
      }
    })
    watcher.setRules(watched)
  }

  function reload(): void {
    rules = store.list()
    readFilters()
    onChanged(null)
    if (!isStarted || watching.signal.aborted) return
    ruleOf.clear()
    for (const rule of rules) {
      for (const target of rule.targets) {
        const { id } = target
        ruleOf.set(id, rule)
        const loop = loops.get(id) ?? startTargetLoop(target, () => ruleOf.get(id), loopContext)
        loops.set(id, loop)
        loop.wake()
      }
    }
    chores.reloaded()
    wake()
  }

  const watching = createBackgroundLoop(
    async (signal) => {
      if (performance.now() - filtersReadAt > filterAgeMs) readFilters()
      while (!signal.aborted && (await watcher.step())) {
        if (isBurst()) await pause(burstPauseMs)
        else await nextTurn()
      }
    },
    (error) => {
      onTrouble(error)
      setTimeout(wake, retryMs).unref()
    },
  )

  function wake(): void {
    if (isStarted) watching.run()
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      reload()
    },
    wake,
    deleted() {
      if (isStarted) chores.deleted()
    },
    guardChanged() {
      for (const loop of loops.values()) loop.guardChanged()
    },
    reload,
    view: (rule: StoredRule, all: readonly StoredRule[]): ForwardRule =>
      viewOf(rule, {
        problem: problems.get(rule.id) ?? null,
        conflicts: forwardConflicts(rule, all, (one, other) => seenBoth.has(pairOf(one, other))),
        healthOf: (target) => (rule.mode === 'after' ? loops.get(target)?.health() : undefined),
      }),
    loop: (target: number) => (ruleOf.has(target) ? loops.get(target) : undefined),
    pass: (passing: Passing): Promise<Passed> => passThrough(passing, rules, context, commits),
    async stop() {
      const ends = [watching.stop(), chores.stop()]
      await Promise.all([...ends, ...[...loops.values()].map((loop) => loop.stop())])
      commits.close()
      if (isStarted) watcher.save()
    },
  }
}

/** Drops deliveries of removed targets, of deleted captures, and those that are too old. */
function createChores({ rules, queue, now, onChanged, onTrouble }: ForwardContext) {
  const failed = new Map<number, StoredRule>()
  let hasAbandoned = true
  let hasDeletions = true

  const loop = createBackgroundLoop(async (signal) => {
    while ((hasAbandoned || hasDeletions || failed.size > 0) && !signal.aborted) {
      if (hasAbandoned) {
        hasAbandoned = false
        for (const target of rules.abandoned()) {
          hasAbandoned ||= queue.dropAbandoned(target, choreRows, now()) === choreRows
          onChanged(null)
        }
      }
      for (const [target, rule] of failed) {
        const before = now() - (rule.giveUpHours ?? Infinity) * hourUs
        if (queue.dropOlder(rule.id, target, before, now()) === 0) failed.delete(target)
        else onChanged(null)
      }
      hasDeletions = queue.followDeletions(choreRows, now())
      await pause(chorePauseMs)
    }
  }, onTrouble)

  return {
    failed: (rule: StoredRule, target: number): void => {
      if (rule.giveUpHours === null) return
      failed.set(target, rule)
      loop.run()
    },
    reloaded(): void {
      hasAbandoned = true
      loop.run()
    },
    deleted(): void {
      hasDeletions = true
      loop.run()
    },
    stop: loop.stop,
  }
}

const pairOf = (one: number, other: number) => `${Math.min(one, other)}-${Math.max(one, other)}`

function createBurstCheck(log: ForwardContext['log']): () => boolean {
  const arrivals = createArrivalRate()
  let newestId = log.newestId()
  return () => {
    const id = log.newestId()
    arrivals.add(id - newestId)
    newestId = id
    return arrivals.perSecond() > burstPerSecond
  }
}

function viewOf(
  { targets, reached, upTo, gaps, ...rule }: StoredRule,
  {
    healthOf,
    ...found
  }: Pick<ForwardRule, 'problem' | 'conflicts'> & {
    /** Undefined for a target without a loop. */
    readonly healthOf: (target: number) => ReturnType<TargetLoop['health']> | undefined
  },
): ForwardRule {
  const health = targets.map(({ id, downSince, ...stored }) => {
    const now = healthOf(id)
    const isDown = now?.isDown ?? downSince !== null
    const isUnknown = stored.lastTriedAt === null
    return {
      ...stored,
      state: isDown ? ('down' as const) : isUnknown ? ('unknown' as const) : ('up' as const),
      downSince: isDown ? downSince : null,
      nextTryAt: stored.waiting > 0 && rule.enabled ? (now?.nextTryAt ?? null) : null,
      medianUs: now?.medianUs ?? null,
    }
  })
  return { ...rule, ...found, targets: targets.map(({ url }) => url), health }
}
