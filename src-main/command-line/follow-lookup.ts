import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import type { Invocation } from './command.ts'
import { followJob, progressLine } from './follow-job.ts'
import type { Session } from './session.ts'

/**
 * Says how a lookup goes, until it is done. Ctrl-C pauses it.
 * @throws AppError when it ended in another way, with how to go on
 */
export async function followLookup(
  session: Session,
  { id }: LookupJob,
  invocation: Invocation,
): Promise<LookupJob> {
  const job = await followJob<LookupJob>(
    session,
    {
      name: `Job ${id}`,
      wayOn: 'The same command with --resume goes on.',
      get: () => session.call('lookup.get', { id }),
      pause: () => session.call('lookup.pause', { id }),
      seenIn({ name, payload }) {
        if (name === 'lookup.removed' && payload.id === id) return null
        return name === 'lookup.changed' ? payload.jobs.find((each) => each.id === id) : undefined
      },
      progressOf: (each) => progressLine(each.answered + each.failed, each.counts.valid, each),
    },
    invocation,
  )
  const { answered, failed, requests, problem } = job
  const { terminal } = invocation
  terminal.note(`Done: ${answered} answered, ${failed} without an answer, ${requests} requests.`)
  if (problem !== null) terminal.note(problem)
  return job
}
