/** The job engine runs, pauses and resumes all kinds of jobs; each kind is one object. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { JobState } from '../../src-preload/contract/lookup.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { isDiskFull } from '../database/database.ts'
import { createChangeNotifier } from './change-notifier.ts'
import {
  type JobClock,
  type JobControl,
  type JobWork,
  createJobRun,
  runInSteps,
  toUnstoredEnd,
} from './job-run.ts'
import type { JobTable, StoredJob } from './store/job-table.ts'

type JobKind<J extends StoredJob, W extends JobWork, V> = {
  /** The noun for messages such as "There is no such lookup." */
  readonly noun: string
  readonly unknownCode: string
  readonly unknownMessage?: string
  readonly table: JobTable<J>
  /** Items in the kind's own tables, removed a few at a time. */
  readonly items?: {
    /** Ids of jobs whose items a kill left half written or half removed. */
    orphans(): Iterable<number>
    /** @returns false when none are left */
    removeSome(id: number): boolean
  }
  readonly work: (job: J, control: JobControl) => W
  readonly left: (job: J) => number | null
  readonly show: (job: J & JobProgress, work: W | null) => V
  readonly onChanged: (jobs: readonly V[]) => void
  readonly onRemoved?: (id: number) => void
  readonly onEnd?: (job: J) => void
  /** False for states without a run; by default all but `running`. */
  readonly isActive?: (job: J) => boolean
  /**
   * Called at the app's start for each job, before it runs, to settle items whose request was pending at a
   * kill. Not needed if the work looks for such items itself.
   */
  readonly recover?: (job: J) => void
  /**
   * Makes failed items wait again. False leaves the job unchanged.
   * @throws AppError if the job cannot be resumed now
   */
  readonly beforeResume?: (job: J) => boolean | Promise<boolean>
  /** Time for pending requests after a cancellation; a second by default. */
  readonly cancelGraceMs?: number
  readonly afterCancel?: (id: number) => unknown
  /** @throws AppError if the job must not be removed now */
  readonly beforeRemove?: (job: J) => void
}

type JobProgress = {
  /** Items per second; null when the job does not run. */
  readonly rate: number | null
  readonly secondsLeft: number | null
}

const pauseGraceMs = 5000
const shortGraceMs = 1000

export type Jobs = ReturnType<typeof createJobs>

export function createJobs(
  deps: JobClock & {
    readonly onBug: (error: unknown, noun: string) => void
    readonly resources: AsyncDisposableStack
  },
) {
  const kinds: { resumeAll(): void }[] = []
  return {
    add<J extends StoredJob, W extends JobWork, V>(kind: JobKind<J, W, V>) {
      const jobs = createJobsOf(kind, deps, (error) => deps.onBug(error, kind.noun))
      kinds.push(jobs)
      deps.resources.defer(() => jobs.stop())
      return jobs
    },
    /** Resumes jobs that ran when the app ended, and removes half-written ones. */
    resumeAll() {
      for (const kind of kinds) kind.resumeAll()
    },
  }
}

function createJobsOf<J extends StoredJob, W extends JobWork, V>(
  kind: JobKind<J, W, V>,
  clock: JobClock,
  onBug: (error: unknown) => void,
) {
  const { table, items, noun } = kind
  const runs = new Map<number, ReturnType<typeof createJobRun<W>>>()
  let isStopped = false
  const notifier = createChangeNotifier({
    wait: clock.wait,
    emit: (ids) => kind.onChanged(ids.flatMap((id) => get(id) ?? []).map(show)),
    running: () => runs.keys(),
    onBug,
  })
  const notify = (id: number) => notifier.tell(id)
  const isActive = kind.isActive ?? (({ state }: J) => state === 'running')

  /** Ends that could not be stored. The next start resumes these jobs. */
  const unstored = new Map<number, Pick<StoredJob, 'state' | 'problem'>>()
  const withEnd = (job: J): J => ({ ...job, ...unstored.get(job.id) })

  function get(id: number): J | null {
    const job = table.get(id)
    return job === null ? null : withEnd(job)
  }

  /** @throws AppError with the kind's `unknownCode` */
  function find(id: number): J {
    const job = get(id)
    if (job !== null) return job
    throw new AppError(
      kind.unknownCode,
      kind.unknownMessage ??
        `${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found. It may have been removed.`,
    )
  }

  const runOf = (job: J) => (isActive(job) ? runs.get(job.id) : undefined)
  const view = (id: number) => show(find(id))

  function show(job: J): V {
    const run = runOf(job)
    if (run === undefined) return kind.show({ ...job, rate: null, secondsLeft: null }, null)
    const rate = run.rate()
    const left = kind.left(job)
    const secondsLeft = left === null || rate === null || rate === 0 ? null : Math.ceil(left / rate)
    const problem = run.problem() ?? job.problem
    return kind.show({ ...job, problem, rate, secondsLeft }, run.work)
  }

  function start(id: number): void {
    // The app is ending; the next start resumes the job.
    if (isStopped) return
    const makeWork = (control: JobControl) => kind.work(find(id), control)
    const run = createJobRun(noun, makeWork, clock, () => notify(id), onBug)
    runs.set(id, run)
    run.outcome
      .then((end) => {
        runs.delete(id)
        const job = table.get(id)
        // A state that the user or the work has stored meanwhile takes precedence.
        if (end === null || job === null || !isActive(job)) return
        const { state, problem } = end
        try {
          setState(id, state, problem)
        } catch (error) {
          unstored.set(id, toUnstoredEnd(error, noun))
          notify(id)
          if (!isDiskFull(error)) onBug(error)
          return
        }
        kind.onEnd?.(find(id))
      })
      .catch(onBug)
  }

  function setState(id: number, state: JobState, problem: string | null = null): void {
    const isOver = state !== 'running' && state !== 'paused'
    table.setState(id, { state, problem, finishedAt: isOver ? clock.now() : null })
    unstored.delete(id)
    notify(id)
  }

  async function halt(id: number, graceMs: number): Promise<void> {
    await runs.get(id)?.stop(graceMs)
  }

  /** @param prepare returns false to leave the job unchanged */
  async function restart(id: number, prepare: (job: J) => boolean | Promise<boolean>) {
    // A run that was just paused may still wait for a response.
    await halt(id, pauseGraceMs)
    if (runs.has(id) || !(await prepare(find(id))) || runs.has(id)) return
    setState(id, 'running')
    start(id)
  }

  async function cancel(id: number): Promise<void> {
    setState(id, 'cancelled')
    await halt(id, kind.cancelGraceMs ?? shortGraceMs)
    await kind.afterCancel?.(id)
    notify(id)
  }

  async function remove(id: number): Promise<void> {
    await halt(id, 0)
    table.remove(id)
    kind.onRemoved?.(id)
  }

  async function removeSoon(id: number): Promise<void> {
    await remove(id)
    void clear(id)
  }

  async function clear(id: number): Promise<void> {
    try {
      while (!isStopped && items?.removeSome(id) === true) await yieldToEventLoop()
    } catch (error) {
      onBug(error)
    }
  }

  type Job = { readonly id: number }
  const routes = {
    list: (where?: Readonly<Record<string, unknown>>) =>
      table.list(where).map((job) => show(withEnd(job))),
    get: ({ id }: Job) => view(id),
    async pause({ id }: Job) {
      if (isActive(find(id))) {
        setState(id, 'paused')
        await halt(id, pauseGraceMs)
      }
      return view(id)
    },
    async resume({ id }: Job) {
      if (runOf(find(id)) === undefined) await restart(id, kind.beforeResume ?? (() => true))
      return view(id)
    },
    async cancel({ id }: Job) {
      const { state } = find(id)
      if (state !== 'done' && state !== 'cancelled') await cancel(id)
      return view(id)
    },
    async remove({ id }: Job) {
      kind.beforeRemove?.(find(id))
      await removeSoon(id)
      return {}
    },
  }

  return {
    find,
    view,
    cancel,
    remove: removeSoon,
    notify,
    isRunning: (id: number) => runOf(find(id)) !== undefined,
    /** Resolves when no run of the job is left; its end is stored then. */
    ended: async (id: number) => void (await runs.get(id)?.outcome),
    /** Stops a current run and runs the job again, in any state. */
    restart: (id: number) => restart(id, () => true),
    /**
     * Runs a newly stored job.
     * @param writing writes its items in short steps that yield to other work; if a step throws, the written
     * items are removed
     */
    async begin(id: number, writing: Iterable<unknown> = []): Promise<V> {
      try {
        await runInSteps(writing)
      } catch (error) {
        void clear(id)
        throw error
      }
      start(id)
      notify(id)
      return view(id)
    },
    async removeAll(where: Readonly<Record<string, unknown>>): Promise<void> {
      for (const { id } of table.list(where)) {
        await remove(id)
        await clear(id)
      }
    },
    resumeAll(): void {
      for (const id of items?.orphans() ?? []) void clear(id)
      for (const job of table.list().reverse()) {
        kind.recover?.(job)
        if (isActive(find(job.id))) start(job.id)
      }
    },
    async stop(): Promise<void> {
      isStopped = true
      notifier.stop()
      await Promise.all([...runs.keys()].map((id) => halt(id, shortGraceMs)))
    },
    routes: <P extends string, N extends keyof typeof routes>(
      prefix: P,
      ...verbs: readonly N[]
    ): { readonly [K in N as `${P}.${K}`]: (typeof routes)[K] } =>
      Object.fromEntries(verbs.map((verb) => [`${prefix}.${verb}`, routes[verb]])) as never,
  }
}
