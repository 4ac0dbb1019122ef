import type { EventMessage } from '../../src-preload/contract/routes.ts'
import type { JobState } from '../../src-preload/contract/lookup.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Invocation } from './command.ts'
import type { Session } from './session.ts'
import { aborted } from './stop.ts'

type Job = { readonly id: number; readonly state: JobState; readonly problem: string | null }

/** What tells one sort of job from another. */
type Followed<J extends Job> = {
  /** As the sentence begins: "Job 3". */
  readonly name: string
  /** How to go on with one that was broken off, as a sentence. */
  readonly wayOn: string
  get(): Promise<J>
  pause(): Promise<unknown>
  /** The job as an event tells it; null when it tells that it was removed. */
  seenIn(message: EventMessage): J | null | undefined
  progressOf(job: J): string
}

const noteEveryMs = 2000

/**
 * Says how a job goes, until it is done. Ctrl-C pauses it.
 * @throws AppError when it ended in another way, with how to go on
 */
export async function followJob<J extends Job>(
  session: Session,
  followed: Followed<J>,
  { terminal, stop }: Pick<Invocation, 'terminal' | 'stop'>,
): Promise<J> {
  const interrupted = (why: string) => new AppError('JOB_INTERRUPTED', `${why} ${followed.wayOn}`)
  const ended = Promise.withResolvers<J>()
  // The app may be gone before this is waited for: then the question that fails tells of it.
  ended.promise.catch(() => undefined)
  let notedAt = performance.now()
  const see = (job: J) => {
    if (performance.now() - notedAt < noteEveryMs) return
    notedAt = performance.now()
    terminal.note(followed.progressOf(job))
  }
  const look = async () => {
    const job = await followed.get()
    see(job)
    if (job.state !== 'running') ended.resolve(job)
  }
  const unfollow = await session.on(
    (messages) => {
      for (const message of messages) {
        const job = followed.seenIn(message)
        if (job === null) ended.reject(new AppError('JOB_REMOVED', 'It was removed elsewhere.'))
        else if (job?.state === 'running') see(job)
        // Events come a moment late: this end may be the one it was just taken up from.
        else if (job !== undefined) look().catch(ended.reject)
      }
    },
    () => ended.reject(new AppError(bridgeCodes.disconnected, 'Tondesk has ended.')),
  )
  try {
    // It may have ended before anyone listened.
    await look()
    const job = await Promise.race([ended.promise, aborted(stop)])
    if (job === undefined) {
      await followed.pause()
      throw interrupted(`${followed.name} is paused.`)
    }
    if (job.state === 'done') return job
    throw interrupted(job.problem ?? `${followed.name} was ${job.state} elsewhere.`)
  } finally {
    unfollow()
  }
}

/** Parts that are there, in one line. */
export function progressLine(
  done: number,
  total: number,
  job: {
    readonly rate: number | null
    readonly secondsLeft: number | null
    readonly problem: string | null
  },
): string {
  const { rate, secondsLeft, problem } = job
  const parts = [
    `${done} of ${total}`,
    rate !== null && `${Math.round(rate)} a second`,
    secondsLeft !== null && `${secondsLeft} s left`,
    problem,
  ]
  return parts.filter((part) => part !== false && part !== null).join(', ')
}
