import type { JobState } from '../../src-preload/contract/lookup.ts'
import type { ReplayJob } from '../../src-preload/contract/replay.ts'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Terminal } from './command.ts'
import type { Run } from './session.ts'
import { aborted } from './terminal.ts'

type Job = {
  readonly id: number
  readonly state: JobState
  readonly problem: string | null
  readonly rate?: number | null
  readonly secondsLeft?: number | null
}

type WatchedJob<J extends Job> = {
  readonly id: number
  readonly name: string
  readonly wayOn: string
  get(): Promise<J>
  pause(): Promise<unknown>
  readonly changed: EventMessage['name']
  readonly removed?: EventMessage['name']
  /** The total is null until it is known. */
  countsOf(job: J): readonly [done: number, total: number | null]
}

const noteEveryMs = 2000

/** Ctrl-C pauses the job. @throws AppError with the way to continue, if the job ends incomplete */
export async function watchJob<J extends Job>(
  { session, terminal, stop }: Run,
  followed: WatchedJob<J>,
): Promise<J> {
  const { id, name: what } = followed
  const interrupted = (why: string) => new AppError('JOB_INTERRUPTED', `${why} ${followed.wayOn}`)
  const ended = Promise.withResolvers<J>()
  // The app may end before this promise is awaited; the failed request then reports that.
  ended.promise.catch(() => undefined)
  const note = throttledNote(terminal)
  const check = async () => {
    const job = await followed.get()
    note(() => progressLine(followed.countsOf(job), job))
    if (job.state !== 'running') ended.resolve(job)
  }
  const unfollow = await session.on(
    (messages) => {
      for (const { name, payload } of messages) {
        if (name === followed.removed && 'id' in payload && payload.id === id) {
          ended.reject(new AppError('JOB_REMOVED', 'The job was removed in the app.'))
        } else if (name === followed.changed) check().catch(ended.reject)
      }
    },
    () => ended.reject(new AppError(bridgeCodes.disconnected, 'Tondesk has ended.')),
  )
  try {
    await check()
    const job = await Promise.race([ended.promise, aborted(stop)])
    if (job === undefined) {
      await followed.pause()
      throw interrupted(`The ${what} with ID ${id} was interrupted.`)
    }
    if (job.state === 'done') return job
    throw interrupted(job.problem ?? `The ${what} with ID ${id} was ${job.state} in the app.`)
  } finally {
    unfollow()
  }
}

export function watchReplay(run: Run, id: number): Promise<ReplayJob> {
  const { session } = run
  return watchJob<ReplayJob>(run, {
    id,
    name: 'replay',
    changed: 'replay.changed',
    wayOn: 'You can resume the replay in the Replays view.',
    get: () => session.call('replay.get', { id }),
    pause: () => session.call('replay.cancel', { id }),
    countsOf: (job) => [job.sent, job.total],
  })
}

export function throttledNote(terminal: Terminal): (line: () => string) => void {
  let notedAt = performance.now()
  return (line) => {
    if (performance.now() - notedAt < noteEveryMs) return
    notedAt = performance.now()
    terminal.note(line())
  }
}

function progressLine([done, total]: readonly [number, number | null], job: Job): string {
  const { rate = null, secondsLeft = null, problem } = job
  return sentence([
    total === null ? `${done} so far` : `${done} of ${total}`,
    rate !== null && `${Math.round(rate)}/s`,
    secondsLeft !== null && `${secondsLeft} s left`,
    problem,
  ])
}

export function sentence(parts: readonly (string | false | null)[], between = ', '): string {
  return parts.filter((part) => part !== false && part !== null && part !== '').join(between)
}
