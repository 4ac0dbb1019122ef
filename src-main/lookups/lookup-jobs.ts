/** Jobs over lists of addresses: begun, run, paused, taken up again, removed. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { JobRecord, LookupJobs, NewJob } from './store/lookup-jobs.ts'
import type { LookupLines } from './store/lookup-lines.ts'
import { createJobRuns } from '../jobs/job-runs.ts'
import type { Drafts } from './drafts.ts'
import { type LookupRunDeps, createLookupRun } from './lookup-run.ts'

export type JobsDeps = Omit<LookupRunDeps, 'onChanged'> & {
  readonly jobs: LookupJobs
  readonly lines: LookupLines
  readonly drafts: Drafts
  /** Until when the network's gateway wants no requests (Unix ms); null when it takes them. */
  readonly pausedUntil: (network: NetworkId) => number | null
  readonly onChanged: (jobs: readonly LookupJob[]) => void
  readonly onRemoved: (id: number) => void
}

type JobRoute =
  | 'lookup.start'
  | 'lookup.list'
  | 'lookup.get'
  | 'lookup.pause'
  | 'lookup.resume'
  | 'lookup.cancel'
  | 'lookup.remove'
  | 'lookup.rerun'

type RunningJobs = {
  readonly handlers: Pick<Handlers, JobRoute>
  /** Takes up what ran when the app ended, and clears away what a kill has left half made. */
  resumeAll(): void
  /** @throws AppError LOOKUP_JOB_UNKNOWN */
  find(id: number): JobRecord
  stop(): Promise<void>
}

const linesAtOnce = 2000

export function createRunningJobs(deps: JobsDeps): RunningJobs {
  const { jobs, lines, drafts } = deps
  const runs = createJobRuns({
    ...deps,
    make: (id) => createLookupRun(find(id), { ...deps, onChanged: () => runs.tell(id) }),
    stateOf: (id) => jobs.get(id)?.state ?? null,
    setState: (id, change) => jobs.setState(id, change),
    emit: (ids) => deps.onChanged(ids.flatMap((id) => jobs.get(id) ?? []).map(show)),
  })

  function find(id: number): JobRecord {
    const job = jobs.get(id)
    if (job !== null) return job
    throw new AppError(lookupCodes.jobUnknown, 'There is no such lookup. It may have been removed.')
  }

  function show(job: JobRecord): LookupJob {
    const run = runs.get(job.id)
    const isRunning = run !== undefined && job.state === 'running'
    if (!isRunning) return { ...job, rate: null, secondsLeft: null }
    const rate = run.rate()
    const left = job.counts.valid - job.answered - job.failed
    return {
      ...job,
      chunk: run.chunk(),
      problem: run.problem() ?? queuePause(job.network),
      rate,
      secondsLeft: rate === null || rate === 0 ? null : Math.ceil(left / rate),
    }
  }

  function queuePause(network: NetworkId): string | null {
    const seconds = Math.ceil(((deps.pausedUntil(network) ?? 0) - deps.now()) / 1000)
    if (seconds <= 0) return null
    return `The gateway was asked too often and wants a pause. The job goes on by itself in ${seconds} s.`
  }

  const read = (id: number) => show(find(id))

  async function make(job: NewJob, write: (id: number) => Iterable<unknown>): Promise<LookupJob> {
    const id = jobs.begin(job)
    const steps = write(id)[Symbol.iterator]()
    while (steps.next().done !== true) await breathe()
    jobs.finish(id)
    runs.start(id)
    runs.tell(id)
    return read(id)
  }

  async function clear(id: number): Promise<void> {
    while (lines.removeSome(id)) await breathe()
  }

  return {
    find,
    resumeAll() {
      for (const id of lines.orphans()) void clear(id).catch(deps.onBug)
      for (const job of jobs.list()) if (job.state === 'running') runs.start(job.id)
    },
    stop: () => runs.stop(),
    handlers: {
      async 'lookup.start'({ draft, name, currency }) {
        const { network, list } = await drafts.take(draft)
        const counts = list.counts()
        const columns = list.columns()
        if (counts.valid === 0) {
          throw new AppError(
            lookupCodes.nothingValid,
            'There is no address to look up: none of the lines holds one that is valid.',
          )
        }
        // Whoever was told to start it a second time meanwhile ends here: one list is one job.
        drafts.forget(draft)
        const createdAt = deps.now()
        return make(
          { network, name, createdAt, counts, currency, columns, comparedTo: null },
          (id) =>
            slices(list.total(null)).map((from) =>
              lines.add(id, list.lines(null, from, linesAtOnce)),
            ),
        )
      },
      'lookup.list': () => jobs.list().map(show),
      'lookup.get': ({ id }) => read(id),
      async 'lookup.pause'({ id }) {
        if (find(id).state === 'running') await runs.pause(id)
        return read(id)
      },
      async 'lookup.resume'({ id }) {
        const { state, failed } = find(id)
        if (state === 'running' && runs.get(id) !== undefined) return read(id)
        if (state === 'done' && failed === 0) return read(id)
        await runs.resume(id, () => {
          if (state === 'done' || state === 'failed') lines.retry(id)
        })
        return read(id)
      },
      async 'lookup.cancel'({ id }) {
        const { state } = find(id)
        if (state !== 'done' && state !== 'cancelled') await runs.cancel(id, 0)
        return read(id)
      },
      async 'lookup.remove'({ id }) {
        find(id)
        await runs.halt(id, 0)
        jobs.remove(id)
        deps.onRemoved(id)
        void clear(id).catch(deps.onBug)
        return {}
      },
      'lookup.rerun'({ id }) {
        const { network, name, counts, currency, columns } = find(id)
        const { valid, duplicate, wrongNetwork, invalid } = counts
        const total = valid + duplicate + wrongNetwork + invalid
        const createdAt = deps.now()
        return make(
          { network, name, createdAt, counts, currency, columns, comparedTo: id },
          (made) => slices(total).map((from) => lines.copy(made, id, from, from + linesAtOnce)),
        )
      },
    },
  }
}

/** Where each part of so many lines begins. */
function* slices(total: number): Generator<number, void> {
  for (let from = 0; from < total; from += linesAtOnce) yield from
}
