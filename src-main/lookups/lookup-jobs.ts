/** Lookups as a kind of job: how they start, and how the engine runs and shows them. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { JobRecord, LookupJobs, NewJob } from './store/lookup-jobs.ts'
import type { Drafts } from './drafts.ts'
import { type LookupRunDeps, createLookupWork } from './lookup-run.ts'

export type JobsDeps = LookupRunDeps & {
  readonly jobs: Jobs
  readonly stored: LookupJobs
  readonly drafts: Drafts
  readonly now: () => number
  /** Until when the network's gateway wants no requests (Unix ms); null when it takes them. */
  readonly pausedUntil: (network: NetworkId) => number | null
  readonly onChanged: (jobs: readonly LookupJob[]) => void
  readonly onRemoved: (id: number) => void
}

const linesPerStep = 2000

export function createRunningJobs(deps: JobsDeps) {
  const { stored, lines, drafts } = deps
  const jobs = deps.jobs.add({
    noun: 'lookup',
    unknownCode: lookupCodes.jobUnknown,
    table: stored,
    items: lines,
    work: (job, control) => createLookupWork(job, control, deps),
    left: ({ counts, answered, failed }) => counts.valid - answered - failed,
    show(job, work): LookupJob {
      if (work === null) return job
      return { ...job, chunk: work.chunk(), problem: job.problem ?? describePause(job.network) }
    },
    onChanged: deps.onChanged,
    onRemoved: deps.onRemoved,
    beforeResume({ id, state, failed }) {
      if (state === 'done' || state === 'failed') lines.retry(id)
      return state !== 'done' || failed > 0
    },
    cancelGraceMs: 0,
  })

  function describePause(network: NetworkId): string | null {
    const seconds = Math.ceil(((deps.pausedUntil(network) ?? 0) - deps.now()) / 1000)
    if (seconds <= 0) return null
    return `The gateway was asked too often and wants a pause. The job goes on by itself in ${seconds} s.`
  }

  /** @param write writes the lines from an index on */
  function begin(job: NewJob, write: (id: number, from: number, to: number) => void) {
    const { valid, duplicate, wrongNetwork, invalid } = job.counts
    const total = valid + duplicate + wrongNetwork + invalid
    const id = stored.add(job)
    function* writing(): Generator<void, void> {
      for (let from = 0; from < total; from += linesPerStep) {
        write(id, from, from + linesPerStep)
        yield
      }
      stored.finish(id)
    }
    return jobs.begin(id, writing())
  }

  return {
    /** @throws AppError LOOKUP_JOB_UNKNOWN */
    find: (id: number): JobRecord => jobs.find(id),
    handlers: {
      ...jobs.routes('lookup', 'list', 'get', 'pause', 'resume', 'cancel', 'remove'),
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
        // A second start of the same list ends here, so that one list is one job.
        drafts.forget(draft)
        const createdAt = deps.now()
        return begin(
          { network, name, createdAt, counts, currency, columns, comparedTo: null },
          (id, from) => lines.add(id, list.lines(null, from, linesPerStep)),
        )
      },
      'lookup.rerun'({ id: comparedTo }) {
        const { network, name, counts, currency, columns } = jobs.find(comparedTo)
        const createdAt = deps.now()
        return begin(
          { network, name, createdAt, counts, currency, columns, comparedTo },
          (id, from, to) => lines.copy(id, comparedTo, from, to),
        )
      },
    } satisfies Partial<Handlers>,
  }
}
