import type { AppContext } from '../../app/context.ts'
import { isDiskFull } from '../../database/database.ts'
import {
  type JobControl,
  type JobEnd,
  type JobWork,
  done,
  failed,
  paused,
  problemOfFullDisk,
} from '../../jobs/job-run.ts'
import type { DeliveryResult, Sender } from '../targets/target-kind.ts'
import type { Guard } from '../sender/guard.ts'
import type { ForwardedRequest } from '../store/forward-log.ts'
import type { ReplayCaptures } from '../store/replay-captures.ts'
import type { createJobs } from '../../jobs/jobs.ts'
import type { ReplayJobs, ReplayPlans, ReplayRecord } from '../store/replay-jobs.ts'
import type { ReplaySendings } from '../store/replay-sendings.ts'
import { createJournal } from './journal.ts'
import { countWithNoun, makePlan } from './plan.ts'
import type { ComparedSide } from './compare.ts'
import { replayId, toRequest } from './request.ts'
import {
  type Finder,
  type Item,
  type ReplayFacts,
  type Sequence,
  arrivalSource,
  createSequence,
  planSource,
} from './sequence.ts'
import type { ReplayPace } from '../../../src-preload/contract/replay.ts'
import { subpathOf } from '../../captures/hook-path.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'

/** Timers are late, so delays up to this are compensated; longer delays come from a slow target. */
const graceMs = 50

/**
 * Returns a function from a capture's arrival in microseconds (null if unknown) to the milliseconds to wait.
 * @param now milliseconds of a monotonic clock
 */
export function createSendTimes(
  pace: ReplayPace,
  now: () => number,
): (at: number | null) => number {
  let last: number | null = null
  let before: number | null = null

  function gap(at: number | null): number {
    if (pace.kind === 'rate') return 1000 / pace.perSecond
    if (pace.kind === 'fast' || at === null) return 0
    // A negative gap comes from a clock that was set back or from the next round.
    const ms = before === null ? 0 : Math.max(0, at - before) / 1000 / pace.factor
    before = at
    return ms
  }

  return (at) => {
    const ms = gap(at)
    const present = now()
    last = last === null ? present : Math.max(last + ms, present - graceMs)
    return Math.max(0, last - present)
  }
}

export type ReplayContext = Pick<AppContext, 'now' | 'onBug' | 'wait'> & {
  readonly events: Parameters<typeof createJobs>[0]['events']
  readonly jobs: ReplayJobs
  readonly plans: ReplayPlans
  readonly captures: ReplayCaptures
  readonly sendings: ReplaySendings
  readonly finder: Finder
  readonly factsOf: ReplayFacts
  readonly guard: Pick<Guard, 'demand' | 'verdict'>
  readonly send: Sender['send']
  readonly classified: (upTo: number) => Promise<unknown>
  readonly forwardAnswer: (deliveryId: string) => ComparedSide | null
  /** Returns an integer from 0 to below 2^31. */
  /** The time in microseconds since the epoch. */
  readonly unix: () => number
}

/** Requests may run this far ahead of the oldest unanswered one. */
const maxAhead = 10_000
const aheadMs = 20
/** A Node timer takes at most 2^31 ms. */
const longestWaitMs = 3_600_000
/** The job pauses after this many requests in a row without a response. */
const maxSilent = 50
const readAhead = 99
const nothing = new Uint8Array(0)

export function createReplayWork(
  job: ReplayRecord,
  { halt, abort, rest, count: countSent, notify }: JobControl,
  context: ReplayContext,
): JobWork {
  const { options } = job
  const { jobs, sendings } = context
  const times = options.pace.kind === 'fast' ? null : createSendTimes(options.pace, context.now)
  const onWritten = (answered: number) => {
    countSent(answered)
    notify()
  }
  const onTrouble = (error: unknown) => end(toTrouble(error))
  const journal = createJournal(job, sendings, context.now, onWritten, onTrouble)
  const send = createSend(job, journal, context, end)
  let remarks = job.remarks
  let ending: JobEnd | null = null
  let sequence: Sequence | null = null
  let isPlanning = false
  let [senders, active] = [0, 0]

  const halted = new Promise<null>((resolve) => {
    halt.addEventListener('abort', () => resolve(null))
  })

  const isOver = () => halt.aborted || ending !== null

  function end(first: JobEnd): void {
    ending ??= first
  }

  function remark(...more: readonly string[]): void {
    remarks = [...new Set([...remarks, ...more])]
    jobs.setRemarks(job.id, remarks)
  }

  async function sendAll(sequence: Sequence): Promise<void> {
    // Each sender has its own signal, because listeners on a shared signal would keep each other's
    // requests in memory.
    const aborted = new AbortController()
    abort.addEventListener('abort', () => aborted.abort())
    while (!isOver()) {
      const item = sequence.take()
      if (item === null) {
        if ((await orHalted(sequence.fill())) === true) continue
        return
      }
      if (item.cursor.index >= sendings.most) {
        end(failed(`One job sends at most ${sendings.most.toLocaleString('en')} requests.`))
        return
      }
      if (!journal.take(item)) continue
      if (times !== null) await restUntilDue(times(item.at))
      if (item.cursor.index % 1024 === 0) await keepTogether(item.cursor.index)
      if (isOver()) return
      await send(item, sequence, aborted.signal)
    }
  }

  function orHalted<T>(work: Promise<T>): Promise<T | null> {
    return Promise.race([work, halted])
  }

  async function restUntilDue(ms: number): Promise<void> {
    for (let left = ms; left > 0 && !isOver(); left -= longestWaitMs) {
      await rest(Math.min(left, longestWaitMs))
    }
  }

  /** Limits how far requests run ahead, so that a run after a kill has few requests to verify. */
  async function keepTogether(index: number): Promise<void> {
    while (!isOver() && index - journal.lowest().index > maxAhead) await rest(aheadMs)
  }

  async function plan(): Promise<JobEnd | null> {
    try {
      if (journal.unknown > 0) {
        const which = countWithNoun(journal.unknown, 'request')
        remark(
          `Tondesk ended during the replay and sent ${which} again with the same id. The target may have received ${journal.unknown === 1 ? 'it' : 'them'} before.`,
        )
      }
      sequence = await orHalted(sequenceOf(job, context, halt, remark))
      return null
    } catch (error) {
      return failed(messageOf(error))
    }
  }

  /** An error in one sender ends the others; the last sender writes the journal. */
  async function runSender(items: Sequence): Promise<JobEnd | null> {
    active += 1
    try {
      await sendAll(items)
    } catch (error) {
      onTrouble(error)
    }
    active -= 1
    try {
      if (active === 0) journal.close()
    } catch (error) {
      onTrouble(error)
    }
    return ending
  }

  const maxSenders = Math.min(options.parallel, Math.max(1, job.total - job.cursor.index))

  return {
    maxParallel: () => (sequence === null ? 1 : maxSenders),
    next() {
      if (!isPlanning) {
        isPlanning = true
        return plan()
      }
      if (sequence === null || senders === maxSenders) return null
      senders += 1
      return runSender(sequence)
    },
    finish() {
      jobs.setTotal(job.id, sequence?.total() ?? job.total)
      return done
    },
  }
}

function toTrouble(error: unknown): JobEnd {
  if (isDiskFull(error)) return paused(problemOfFullDisk('replay'))
  const why = `its requests could not be read or stored (${messageOf(error)})`
  return failed(`The replay cannot continue: ${why}.`)
}

/** Sends one request and records its outcome. */
function createSend(
  job: ReplayRecord,
  journal: ReturnType<typeof createJournal>,
  context: ReplayContext,
  end: (first: JobEnd) => void,
) {
  const { options, target } = job
  const edited = job.isEdited ? context.jobs.requestOf(job.id) : null
  let read: ReadonlyMap<number, ForwardedRequest> = new Map()
  let silent = 0

  function requestOf({ capture, cursor }: Item, sequence: Sequence) {
    if (edited !== null) return toRequest(job, edited, cursor.index)
    // A capture with a send time is read at that time only, because it may be deleted before.
    if (options.pace.kind === 'fast' && !read.has(capture)) {
      read = context.captures.some([capture, ...sequence.ahead(readAhead)])
    }
    const found = read.get(capture) ?? context.captures.get(capture)
    if (found === null) return `Capture ${capture} was deleted during the replay.`
    const refusal = found.change ?? found.missing
    if (refusal !== null) return refusal
    return toRequest(job, { ...found, subpath: subpathOf(found.target) }, cursor.index)
  }

  function record(item: Item, { outcome, hasResponded, problem, detail }: DeliveryResult): void {
    const what = problem ?? detail.problem
    // A response that broke off is not compared, because the missing part may differ.
    const isOk = what === null
    journal.record(item, { at: detail.at, isOk, answer: detail })
    if (!isOk && options.stopAtFailure) {
      end(failed(`Stopped at the first failure, ${replayId(job.id, item.cursor.index)}: ${what}`))
    }
    silent = outcome === 'down' && !hasResponded ? silent + 1 : 0
    if (silent < maxSilent) return
    end(paused(`The target did not respond ${silent} times in a row. ${what}`))
  }

  return async (item: Item, sequence: Sequence, signal: AbortSignal): Promise<void> => {
    const made = requestOf(item, sequence)
    if (typeof made === 'string') {
      const problem = made
      const response = { status: null, headers: [], body: nothing, bodyBytes: 0, durationUs: 0 }
      journal.record(item, { at: context.unix(), isOk: false, answer: { ...response, problem } })
      if (options.stopAtFailure) end(failed(`Stopped at the first failure: ${problem}`))
      return
    }
    journal.begin(item)
    const result = await context.send(made.request, target, { ...made.options, signal })
    // An aborted request may have arrived; the next run sends it again.
    if (result.cause === 'aborted') return
    if (result.cause === 'blocked') {
      end(paused(result.problem ?? 'Tondesk sends nothing to this target.'))
    } else record(item, result)
  }
}

/** @returns null once the job is halted */
async function sequenceOf(
  job: ReplayRecord,
  { captures, plans, finder, classified, factsOf }: ReplayContext,
  halt: AbortSignal,
  remark: (...remarks: readonly string[]) => void,
): Promise<Sequence | null> {
  const { source, order, times } = job.options
  const arrivals =
    source.kind === 'captures'
      ? planSource(job.id, plans)
      : arrivalSource(source, job.newestId, captures, finder)
  // A replay that an earlier version has begun in another order continues by its stored plan.
  const isPlanned = order === 'lt' || job.planned !== null
  if (isPlanned && job.planned === null) {
    await classified(job.newestId)
    const made = await makePlan(arrivals, factsOf, halt)
    if (made === null || halt.aborted) return null
    plans.put(job.id, made.captures)
    remark(...made.remarks)
  }
  const ordered = isPlanned ? planSource(job.id, plans) : arrivals
  return createSequence(ordered, times, job.cursor, halt)
}
