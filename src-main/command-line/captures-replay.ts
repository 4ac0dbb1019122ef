import type { Input } from '../../src-preload/contract/routes.ts'
import type { ReplayJob } from '../../src-preload/contract/replay.ts'
import { readingQuery } from './capture-query.ts'
import type { AskedCaptures } from './captures-options.ts'
import { type Invocation, exitCodes } from './command.ts'
import { confirmTargets } from './confirm-targets.ts'
import { followJob, progressLine } from './follow-job.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

/** Done, and not every answer was 2xx. */
const someFailed = 3

export async function replay(
  session: Session,
  asked: Extract<AskedCaptures, { action: 'replay' }>,
  invocation: Invocation,
): Promise<number> {
  const { terminal } = invocation
  const { subject, target, pace, parallel, times, order, appendPath, stopAtFailure } = asked
  await confirmTargets(session, [target], asked.yes, invocation)
  const wanted: Input<'replay.start'> = {
    ...{ subject, target, pace, parallel, times, order, appendPath, stopAtFailure },
  }
  const { id } = await readingQuery('--query', () => session.call('replay.start', wanted))
  const done = await followJob<ReplayJob>(
    session,
    {
      name: 'The replay',
      wayOn: 'It stands in the Replays view, where it can be resumed.',
      get: () => session.call('replay.get', { id }),
      pause: () => session.call('replay.cancel', { id }),
      seenIn: ({ name, payload }) =>
        name === 'replay.changed' ? payload.jobs.find((each) => each.id === id) : undefined,
      progressOf: (job) => progressLine(job.sent, job.total, job),
    },
    invocation,
  )
  const { total, sent, delivered, failed, seed, remarks } = done
  if (asked.json) {
    const told = {
      event: 'replayed',
      job: id,
      target,
      total,
      sent,
      delivered,
      failed,
      seed,
      remarks,
    }
    await terminal.print(JSON.stringify(told))
  }
  for (const remark of remarks) terminal.note(plain(remark))
  terminal.note(`${sent} of ${total} sent: ${delivered} answered 2xx, ${failed} not.`)
  if (failed > 0) terminal.note(await firstFailure(session, id))
  return failed === 0 ? exitCodes.ok : someFailed
}

async function firstFailure(session: Session, id: number): Promise<string> {
  const asked = { id, onlyFailed: true, limit: 1 }
  const [first] = (await session.call('replay.sendings', asked)).sendings
  if (first === undefined) return ''
  const { status, problem } = first.answer
  const why = status === null ? plain(problem ?? 'no answer') : `status ${status}`
  return `The first that failed was capture ${first.capture}: ${why.replace(/\.$/, '')}.`
}
