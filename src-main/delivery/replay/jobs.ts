/** Replays as jobs: begun, run, cancelled, taken up again, removed. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { ReplayJob, ReplayOrder } from '../../../src-preload/contract/replay.ts'
import { replayCodes, targetCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { createJobRuns } from '../../jobs/job-runs.ts'
import type { ReplayOptions, ReplayRecord } from '../store/replay-jobs.ts'
import type { Guard } from '../sender/guard.ts'
import type { ReadEdit } from './edit.ts'
import { checkSubject, readSubject, totalOf, warningsOf } from './preview.ts'
import { type ReplayRun, type ReplayRunDeps, createReplayRun } from './run.ts'

export type ReplayJobsDeps = Omit<ReplayRunDeps, 'onChanged'> & {
  readonly verdict: Guard['verdict']
  /** @throws AppError CAPTURE_NOT_FOUND, REPLAY_BAD_EDIT */
  readonly readEdit: (order: ReplayOrder) => Promise<ReadEdit | null>
  /** From 0 to below 2^31. */
  readonly newSeed: () => number
  readonly onChanged: (jobs: readonly ReplayJob[]) => void
  readonly onRemoved: (id: number) => void
  readonly onBug: (error: unknown) => void
}

type JobRoute =
  | 'replay.preview'
  | 'replay.start'
  | 'replay.list'
  | 'replay.get'
  | 'replay.cancel'
  | 'replay.resume'
  | 'replay.remove'

type RunningReplays = {
  readonly handlers: Pick<Handlers, JobRoute>
  /** Takes up what ran when the app ended. */
  resumeAll(): void
  /** @throws AppError REPLAY_UNKNOWN */
  find(id: number): ReplayRecord
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

/** What is under way when a person cancels has this long to be answered. */
const cancelGraceMs = 1000

export function createRunningReplays(deps: ReplayJobsDeps): RunningReplays {
  const { jobs, plans, sendings, captures } = deps
  let isStopped = false
  const runs = createJobRuns<ReplayRun>({
    make: (id) => createReplayRun(find(id), { ...deps, onChanged: () => runs.tell(id) }),
    stateOf: (id) => jobs.get(id)?.state ?? null,
    setState: (id, change) => jobs.setState(id, change),
    emit: (ids) => deps.onChanged(ids.flatMap((id) => jobs.get(id) ?? []).map(show)),
    now: deps.unix,
    wait: deps.wait,
    onBug: deps.onBug,
  })

  function find(id: number): ReplayRecord {
    const job = jobs.get(id)
    if (job !== null) return job
    throw new AppError(replayCodes.unknown, 'There is no such replay. It may have been removed.')
  }

  function show(job: ReplayRecord): ReplayJob {
    const run = job.state === 'running' ? runs.get(job.id) : undefined
    const sent = job.delivered + job.failed
    const rate = run?.rate() ?? null
    return {
      id: job.id,
      target: job.target,
      subject: job.subject,
      state: job.state,
      problem: job.problem,
      createdAt: job.createdAt,
      finishedAt: job.finishedAt,
      total: Math.max(job.total, sent),
      sent,
      delivered: job.delivered,
      failed: job.failed,
      rate,
      secondsLeft:
        rate === null || rate === 0 ? null : Math.ceil(Math.max(0, job.total - sent) / rate),
      edited: job.isEdited,
      order: job.options.order,
      seed: job.seed,
      remarks: [...job.remarks],
    }
  }

  const read = (id: number) => show(find(id))

  async function demandTarget(url: string): Promise<void> {
    const { kind, isConfirmed, problem, host } = await deps.verdict(url)
    if (kind === 'refused') {
      throw new AppError(targetCodes.refused, problem ?? `Nothing is sent to ${host}.`)
    }
    if (kind === 'public' && !isConfirmed) {
      throw new AppError(
        targetCodes.unconfirmed,
        `${host} is not on this computer. Confirm it before anything is sent there.`,
        { data: { host } },
      )
    }
  }

  function remove(id: number): void {
    jobs.remove(id)
    plans.remove(id)
    deps.onRemoved(id)
    void clear(id).catch(deps.onBug)
  }

  async function clear(id: number): Promise<void> {
    while (!isStopped && sendings.removeSome(id)) await breathe()
  }

  return {
    find,
    resumeAll() {
      for (const job of jobs.list()) if (job.state === 'running') runs.start(job.id)
      // Of a job that was being removed when the app ended.
      for (const id of sendings.jobs()) {
        if (jobs.get(id) === null) void clear(id).catch(deps.onBug)
      }
    },
    stop() {
      isStopped = true
      return runs.stop()
    },
    handlers: {
      async 'replay.preview'(order) {
        const edit = await deps.readEdit(order)
        const subject = await readSubject(order, deps)
        checkSubject(order, subject, sendings.most)
        const verdict = await deps.verdict(order.target)
        const warnings = warningsOf(order, subject, verdict, edit?.warnings ?? [])
        return { total: totalOf(order, subject.captures), warnings }
      },
      async 'replay.start'(order) {
        const newestId = captures.newestId()
        const edit = await deps.readEdit(order)
        await demandTarget(order.target)
        const subject = await readSubject(order, deps)
        checkSubject(order, subject, sendings.most)
        const id = jobs.add({
          target: order.target,
          subject: subject.words,
          options: optionsOf(order),
          newestId,
          createdAt: deps.unix(),
          total: totalOf(order, subject.captures),
          seed: order.order === 'shuffled' ? deps.newSeed() : null,
          request: edit?.request ?? null,
        })
        if (order.subject.kind === 'captures') {
          plans.add(id, captures.existing([...new Set(order.subject.ids)]))
        }
        runs.start(id)
        runs.tell(id)
        for (const old of jobs.surplus()) remove(old)
        return read(id)
      },
      'replay.list': () => jobs.list().map(show),
      'replay.get': ({ id }) => read(id),
      async 'replay.cancel'({ id }) {
        const { state } = find(id)
        if (state !== 'done' && state !== 'cancelled') await runs.cancel(id, cancelGraceMs)
        return read(id)
      },
      async 'replay.resume'({ id }) {
        const { state } = find(id)
        const isRunning = state === 'running' && runs.get(id) !== undefined
        if (state !== 'done' && !isRunning) await runs.resume(id)
        return read(id)
      },
      async 'replay.remove'({ id }) {
        find(id)
        await runs.halt(id, 0)
        remove(id)
        return {}
      },
    },
  }
}

function optionsOf(order: ReplayOrder): ReplayOptions {
  const { subject, pace, parallel, times, keepHost, appendPath, timeoutSeconds, stopAtFailure } =
    order
  const source: ReplayOptions['source'] =
    subject.kind === 'captures' ? { kind: 'captures' } : subject
  return {
    source,
    pace,
    parallel,
    times,
    order: order.order,
    keepHost,
    appendPath,
    timeoutSeconds,
    stopAtFailure,
  }
}
