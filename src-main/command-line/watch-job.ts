import {
  type JobCounts,
  type JobName,
  type JobOf,
  jobCounts,
  jobRoutes,
} from '../../src-preload/contract/job.ts'
import type { JobState } from '../../src-preload/contract/lookup.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Terminal } from './command.ts'
import type { Run } from './session.ts'
import { waitForAbort } from './terminal.ts'

type Job = {
  readonly id: number
  readonly state: JobState
  readonly problem: string | null
  readonly rate?: number | null
  readonly secondsLeft?: number | null
}

type WatchedName = Exclude<JobName, 'missedEvents' | 'move'>

const nouns: Readonly<Record<WatchedName, string>> = {
  captureExport: 'export',
  change: 'change',
  historyExport: 'history export',
  invoiceExport: 'export',
  invoiceJob: 'job',
  lookup: 'lookup',
  replay: 'replay',
}

const pausable: readonly JobName[] = jobRoutes['job.pause'].input.shape.kind.options

const noteEveryMs = 2000

type WatchRun = Pick<Run, 'session' | 'stop'> & { readonly terminal: Pick<Terminal, 'note'> }

/**
 * Follows a job to its end. Ctrl-C pauses the job, or cancels it if it cannot be paused.
 * @param options.resumes resumes the job first: a command's own app does not resume jobs at its start
 * @throws AppError with the way to continue, if the job ends incomplete
 */
export async function watchJob<K extends WatchedName>(
  { session, terminal, stop }: WatchRun,
  kind: K,
  { id, wayOn, resumes = false }: { id: number; wayOn: string; resumes?: boolean },
): Promise<JobOf<K>> {
  const noun = nouns[kind]
  const call = (route: 'job.get' | 'job.resume' | 'job.pause' | 'job.cancel') =>
    session.call(route, { kind, id }) as Promise<JobOf<K>>
  const interrupted = (why: string) => new AppError('JOB_INTERRUPTED', `${why} ${wayOn}`)
  if (resumes && (await call('job.get')).state !== 'done') await call('job.resume')
  const ended = Promise.withResolvers<JobOf<K>>()
  // The app may end before this promise is awaited; the failed request then reports that.
  ended.promise.catch(() => undefined)
  const note = throttledNote(terminal)
  const check = async () => {
    const job = await call('job.get')
    note(() => progressLine(jobCounts[kind](job), job))
    if (job.state !== 'running') ended.resolve(job)
  }
  const unfollow = await session.on(
    (messages) => {
      for (const { name, payload } of messages) {
        if (name === 'job.removed' && payload.kind === kind && payload.id === id) {
          ended.reject(new AppError('JOB_REMOVED', 'The job was removed in the app.'))
        } else if (name === 'job.changed' && payload.kind === kind) check().catch(ended.reject)
      }
    },
    () => ended.reject(new AppError(bridgeCodes.disconnected, 'Tondesk has ended.')),
  )
  try {
    await check()
    const job = await Promise.race([ended.promise, waitForAbort(stop)])
    if (job === undefined) {
      await call(pausable.includes(kind) ? 'job.pause' : 'job.cancel')
      throw interrupted(`The ${noun} with ID ${id} was interrupted.`)
    }
    if (job.state === 'done') return job
    throw interrupted(job.problem ?? `The ${noun} with ID ${id} was ${job.state} in the app.`)
  } finally {
    unfollow()
  }
}

export function watchReplay(run: WatchRun, id: number): Promise<JobOf<'replay'>> {
  return watchJob(run, 'replay', { id, wayOn: 'You can resume the replay in the Replays view.' })
}

export function throttledNote(terminal: WatchRun['terminal']): (line: () => string) => void {
  let notedAt = performance.now()
  return (line) => {
    if (performance.now() - notedAt < noteEveryMs) return
    notedAt = performance.now()
    terminal.note(line())
  }
}

function progressLine([done, total]: JobCounts, job: Job): string {
  const { rate = null, secondsLeft = null, problem } = job
  return joinSentence([
    total === null ? `${done} so far` : `${done} of ${total}`,
    rate !== null && `${Math.round(rate)}/s`,
    secondsLeft !== null && `${secondsLeft} s left`,
    problem,
  ])
}

export function joinSentence(parts: readonly (string | false | null)[], between = ', '): string {
  return parts.filter((part) => part !== false && part !== null && part !== '').join(between)
}
