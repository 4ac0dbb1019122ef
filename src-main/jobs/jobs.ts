/** The job engine runs, pauses and resumes all kinds of jobs; each kind is one object. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { JobOf, JobName } from '../../src-preload/contract/job.ts'
import type { JobState } from '../../src-preload/contract/lookup.ts'
import type { Events } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { isDiskFull } from '../database/database.ts'
import { createChangeNotifier } from './change-notifier.ts'
import {
  type JobClock,
  type JobControl,
  type JobEnd,
  type JobRun,
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
    /** Ids of jobs whose items are half written or half removed after a kill. */
    orphans(): Iterable<number>
    /** @returns false when none are left */
    removeSome(id: number): boolean
  }
  readonly work: (job: J, control: JobControl) => W
  readonly left: (job: J) => number | null
  readonly show: (job: J & JobProgress, work: W | null) => V
  readonly onRemoved?: (id: number) => void
  readonly onEnd?: (job: J) => void
  /** False for a state in which the job does not run; by default every state but `running`. */
  readonly isActive?: (job: J) => boolean
  /**
   * Called at the app's start for each job, before it runs, to handle items whose request was
   * pending at a kill. Not needed if the work finds such items itself.
   */
  readonly recover?: (job: J) => void
  /**
   * Makes failed items pending again. False leaves the job unchanged.
   * @throws AppError if the job cannot be resumed now
   */
  readonly beforeResume?: (job: J) => boolean | Promise<boolean>
  /** The number of milliseconds that pending requests get after a cancellation; 1000 by default. */
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

type KindDeps<V> = JobClock & {
  readonly onChanged: (jobs: readonly V[]) => void
  readonly onRemoved: (id: number) => void
  readonly onBug: (error: unknown) => void
}

type JobEvents = Pick<Events, 'job.changed' | 'job.removed'>
type Where = Readonly<Record<string, unknown>>

/** The view of a job for each kind of jobs. */
export type JobViews = { readonly [K in JobName]: JobOf<K> }

const pauseGraceMs = 5000
const shortGraceMs = 1000

export type Jobs<Views extends object = JobViews> = ReturnType<typeof createJobs<Views>>

export function createJobs<Views extends object = JobViews>(
  deps: JobClock & {
    readonly onBug: (error: unknown, noun: string) => void
    readonly resources: AsyncDisposableStack
    readonly events: { emit<N extends keyof JobEvents>(name: N, payload: JobEvents[N]): void }
  },
) {
  const all: { resumeAll(): void }[] = []
  const named = new Map<keyof Views, unknown>()
  const { events } = deps

  function open<J extends StoredJob, W extends JobWork, V>(
    kind: JobKind<J, W, V>,
    onChanged: (jobs: readonly V[]) => void,
    onRemoved: (id: number) => void,
  ): JobsOfKind<J, W, V> {
    const onBug = (error: unknown) => deps.onBug(error, kind.noun)
    const jobs = new JobsOfKind(kind, { ...deps, onChanged, onRemoved, onBug })
    all.push(jobs)
    deps.resources.defer(() => jobs.stop())
    return jobs
  }

  return {
    add<K extends keyof Views, J extends StoredJob, W extends JobWork>(
      name: K,
      kind: JobKind<J, W, Views[K]>,
    ): JobsOfKind<J, W, Views[K]> {
      const jobs = open(
        kind,
        (changed) => events.emit('job.changed', { kind: name, jobs: changed } as never),
        (id) => events.emit('job.removed', { kind: name, id } as never),
      )
      named.set(name, jobs)
      return jobs
    },
    /** Adds a kind of jobs that has its own routes and events. */
    addUnnamed: <J extends StoredJob, W extends JobWork, V>(
      kind: JobKind<J, W, V>,
      onChanged: (jobs: readonly V[]) => void,
    ) => open(kind, onChanged, () => undefined),
    of: <K extends keyof Views>(name: K) =>
      named.get(name) as JobsOfKind<StoredJob, JobWork, Views[K]>,
    /** Resumes jobs that were running when the app ended, and removes half-written ones. */
    resumeAll() {
      for (const kind of all) kind.resumeAll()
    },
  }
}

/** All jobs of one kind, and their runs. */
class JobsOfKind<J extends StoredJob, W extends JobWork, V> {
  readonly #kind: JobKind<J, W, V>
  readonly #deps: KindDeps<V>
  readonly #runs = new Map<number, JobRun<W>>()
  /** Results of jobs that could not be stored. The next start resumes these jobs. */
  readonly #unstored = new Map<number, Pick<StoredJob, 'state' | 'problem'>>()
  readonly #notifier: ReturnType<typeof createChangeNotifier<number>>
  #isStopped = false

  constructor(kind: JobKind<J, W, V>, deps: KindDeps<V>) {
    this.#kind = kind
    this.#deps = deps
    this.#notifier = createChangeNotifier({
      wait: deps.wait,
      emit: (ids) =>
        deps.onChanged(ids.flatMap((id) => this.#read(id) ?? []).map((job) => this.#show(job))),
      running: () => this.#runs.keys(),
      onBug: deps.onBug,
    })
  }

  list(where?: Where): V[] {
    return this.#kind.table.list(where).map((job) => this.#show(this.#withEnd(job)))
  }

  /** @throws AppError with the kind's `unknownCode` */
  find(id: number): J {
    const job = this.#read(id)
    if (job !== null) return job
    const { noun, unknownCode, unknownMessage } = this.#kind
    const subject = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
    const message = unknownMessage ?? `${subject} not found. It may have been removed.`
    throw new AppError(unknownCode, message)
  }

  get(id: number): V {
    return this.#show(this.find(id))
  }

  isRunning(id: number): boolean {
    return this.#runOf(this.find(id)) !== undefined
  }

  /** Resolves when no run of the job is left; its result is stored by then. */
  async ended(id: number): Promise<void> {
    await this.#runs.get(id)?.outcome
  }

  notify(id: number): void {
    this.#notifier.tell(id)
  }

  async pause(id: number): Promise<V> {
    if (this.#isActive(this.find(id))) {
      this.#setState(id, 'paused')
      await this.#halt(id, pauseGraceMs)
    }
    return this.get(id)
  }

  async resume(id: number): Promise<V> {
    if (!this.isRunning(id)) await this.#restart(id, this.#kind.beforeResume ?? (() => true))
    return this.get(id)
  }

  async cancel(id: number): Promise<V> {
    const { state } = this.find(id)
    if (state !== 'done' && state !== 'cancelled') {
      this.#setState(id, 'cancelled')
      await this.#halt(id, this.#kind.cancelGraceMs ?? shortGraceMs)
      await this.#kind.afterCancel?.(id)
      this.notify(id)
    }
    return this.get(id)
  }

  async remove(id: number): Promise<void> {
    this.#kind.beforeRemove?.(this.find(id))
    await this.#remove(id)
    void this.#clear(id)
  }

  async removeAll(where: Where): Promise<void> {
    for (const { id } of this.#kind.table.list(where)) {
      await this.#remove(id)
      await this.#clear(id)
    }
  }

  /** Stops a current run and runs the job again, in any state. */
  restart(id: number): Promise<void> {
    return this.#restart(id, () => true)
  }

  /**
   * Runs a newly stored job.
   * @param writing writes its items in short steps that yield to other work; if a step throws, the written
   * items are removed
   */
  async begin(id: number, writing: Iterable<unknown> = []): Promise<V> {
    try {
      await runInSteps(writing)
    } catch (error) {
      void this.#clear(id)
      throw error
    }
    this.#start(id)
    this.notify(id)
    return this.get(id)
  }

  resumeAll(): void {
    const { items, recover, table } = this.#kind
    for (const id of items?.orphans() ?? []) void this.#clear(id)
    for (const job of table.list().reverse()) {
      recover?.(job)
      if (this.#isActive(this.find(job.id))) this.#start(job.id)
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#notifier.stop()
    await Promise.all([...this.#runs.keys()].map((id) => this.#halt(id, shortGraceMs)))
  }

  #read(id: number): J | null {
    const job = this.#kind.table.get(id)
    return job === null ? null : this.#withEnd(job)
  }

  #withEnd(job: J): J {
    return { ...job, ...this.#unstored.get(job.id) }
  }

  #isActive(job: J): boolean {
    return this.#kind.isActive?.(job) ?? job.state === 'running'
  }

  #runOf(job: J): JobRun<W> | undefined {
    return this.#isActive(job) ? this.#runs.get(job.id) : undefined
  }

  #show(job: J): V {
    const run = this.#runOf(job)
    const { left: countLeft, show } = this.#kind
    if (run === undefined) return show({ ...job, rate: null, secondsLeft: null }, null)
    const rate = run.rate()
    const left = countLeft(job)
    const secondsLeft = left === null || rate === null || rate === 0 ? null : Math.ceil(left / rate)
    const problem = run.problem() ?? job.problem
    return show({ ...job, problem, rate, secondsLeft }, run.work)
  }

  #setState(id: number, state: JobState, problem: string | null = null): void {
    const isOver = state !== 'running' && state !== 'paused'
    const finishedAt = isOver ? this.#deps.now() : null
    this.#kind.table.setState(id, { state, problem, finishedAt })
    this.#unstored.delete(id)
    this.notify(id)
  }

  #start(id: number): void {
    // The app is ending; the next start resumes the job.
    if (this.#isStopped) return
    const makeWork = (control: JobControl) => this.#kind.work(this.find(id), control)
    const notify = () => this.notify(id)
    const { onBug } = this.#deps
    const run = createJobRun(this.#kind.noun, makeWork, this.#deps, notify, onBug)
    this.#runs.set(id, run)
    run.outcome.then((end) => this.#storeEnd(id, end)).catch(onBug)
  }

  #storeEnd(id: number, end: JobEnd | null): void {
    this.#runs.delete(id)
    const job = this.#kind.table.get(id)
    // A state that the user or the work has stored meanwhile is kept.
    if (end === null || job === null || !this.#isActive(job)) return
    try {
      this.#setState(id, end.state, end.problem)
    } catch (error) {
      this.#unstored.set(id, toUnstoredEnd(error, this.#kind.noun))
      this.notify(id)
      if (!isDiskFull(error)) this.#deps.onBug(error)
      return
    }
    this.#kind.onEnd?.(this.find(id))
  }

  async #halt(id: number, graceMs: number): Promise<void> {
    await this.#runs.get(id)?.stop(graceMs)
  }

  /** @param prepare returns false to leave the job unchanged */
  async #restart(id: number, prepare: (job: J) => boolean | Promise<boolean>): Promise<void> {
    // A run that was just paused may still wait for a response.
    await this.#halt(id, pauseGraceMs)
    if (this.#runs.has(id) || !(await prepare(this.find(id))) || this.#runs.has(id)) return
    this.#setState(id, 'running')
    this.#start(id)
  }

  async #remove(id: number): Promise<void> {
    await this.#halt(id, 0)
    this.#kind.table.remove(id)
    this.#kind.onRemoved?.(id)
    this.#deps.onRemoved(id)
  }

  async #clear(id: number): Promise<void> {
    const { items } = this.#kind
    try {
      while (!this.#isStopped && items?.removeSome(id) === true) await yieldToEventLoop()
    } catch (error) {
      this.#deps.onBug(error)
    }
  }
}
