import type { LookupJob } from '../../src-preload/contract/index.ts'
import { AppError, bridgeCodes } from '../../src-preload/contract/index.ts'
import type { Invocation } from './command.ts'
import type { Session } from './session.ts'
import { aborted } from './stop.ts'

const noteEveryMs = 2000

/**
 * Says how a job goes, until it is done. Ctrl-C pauses it.
 * @throws AppError when it ended in another way, with how to go on
 */
export async function followLookup(
  session: Session,
  begun: LookupJob,
  { terminal, stop }: Invocation,
): Promise<LookupJob> {
  const { id } = begun
  const ended = Promise.withResolvers<LookupJob>()
  // The app may be gone before this is waited for: then the question that fails tells of it.
  ended.promise.catch(() => undefined)
  let notedAt = performance.now()
  const see = (job: LookupJob | undefined) => {
    if (job === undefined) return
    if (job.state !== 'running') ended.resolve(job)
    if (performance.now() - notedAt < noteEveryMs) return
    notedAt = performance.now()
    terminal.note(progressOf(job))
  }
  const unfollow = await session.on(
    (messages) => {
      for (const { name, payload } of messages) {
        if (name === 'lookup.changed') see(payload.jobs.find((job) => job.id === id))
        if (name === 'lookup.removed' && payload.id === id) ended.reject(removed())
      }
    },
    () => ended.reject(new AppError(bridgeCodes.disconnected, 'Tondesk has ended.')),
  )
  try {
    // It may have ended before anyone listened.
    see(await session.call('lookup.get', { id }))
    const job = await Promise.race([ended.promise, aborted(stop)])
    if (job === undefined) {
      await session.call('lookup.pause', { id })
      throw interrupted(`Job ${id} is paused.`)
    }
    if (job.state !== 'done') {
      throw interrupted(job.problem ?? `Job ${id} was ${job.state} elsewhere.`)
    }
    const { answered, failed, requests, problem } = job
    terminal.note(`Done: ${answered} answered, ${failed} without an answer, ${requests} requests.`)
    if (problem !== null) terminal.note(problem)
    return job
  } finally {
    unfollow()
  }
}

function progressOf({ answered, failed, counts, rate, secondsLeft, problem }: LookupJob): string {
  const done = answered + failed
  const parts = [
    `${done} of ${counts.valid}`,
    rate !== null && `${Math.round(rate)} a second`,
    secondsLeft !== null && `${secondsLeft} s left`,
    problem,
  ]
  return parts.filter((part) => part !== false && part !== null).join(', ')
}

function interrupted(why: string): AppError {
  return new AppError('LOOKUP_INTERRUPTED', `${why} The same command with --resume goes on.`)
}

function removed(): AppError {
  return new AppError('LOOKUP_REMOVED', 'The job was removed elsewhere.')
}
