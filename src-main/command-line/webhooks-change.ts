import type { Change } from '../../src-preload/contract/subscription.ts'
import { subscriptionCodes } from '../../src-preload/domain/error-codes.ts'
import type { Network } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Invocation, exitCodes, usageError } from './command.ts'
import { followJob, progressLine } from './follow-job.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'
import type { AskedWebhooks } from './webhooks-options.ts'
import { isMet, readPlan, refusedPlan, summaryOf } from './webhooks-plan.ts'

/** Done, and some of it was refused. */
const someRefused = 3

/** Makes the subscriptions what the file wants, first ending what an earlier call has begun. */
export async function applyFile(
  session: Session,
  network: Network,
  asked: AskedWebhooks,
  invocation: Invocation,
): Promise<number> {
  const { terminal } = invocation
  const plan = await readPlan(session, network, asked)
  if (plan.refusal !== null) throw refusedPlan(plan.refusal)
  const earlier = await unfinished(session, network, 'apply', plan.file)
  if (isMet(plan) && earlier === undefined) {
    terminal.note('All is as the file wants it.')
    return exitCodes.ok
  }
  terminal.note(summaryOf(plan))
  await confirm('Apply it?', asked, invocation)
  if (earlier === undefined) {
    const begun = await session.call('plan.apply', { id: plan.id })
    return end(session, begun, asked, invocation)
  }
  try {
    await goOn(session, earlier, asked, invocation)
  } catch (error) {
    // Others have altered the same since: only what differs now may be applied.
    if (!(error instanceof AppError) || error.code !== subscriptionCodes.changeNotNow) throw error
  }
  const left = await session.call('plan.compare', { id: plan.id })
  if (isMet(left)) return exitCodes.ok
  // What has changed since it was begun.
  return end(session, await session.call('plan.apply', { id: plan.id }), asked, invocation)
}

/** Takes back what the last apply has changed. */
export async function undoLast(
  session: Session,
  network: Network,
  asked: AskedWebhooks,
  invocation: Invocation,
): Promise<number> {
  const earlier = await unfinished(session, network, 'undo', null)
  if (earlier !== undefined) return goOn(session, earlier, asked, invocation)
  const changes = await session.call('change.list', { network: network.id })
  const last = changes.find(({ kind }) => kind === 'apply')
  if (last?.canUndo !== true) {
    const why =
      last === undefined
        ? 'Nothing was applied on this network.'
        : 'The last apply was undone already, has changed nothing, or its webhooks were altered since.'
    throw new AppError('NOTHING_TO_UNDO', why)
  }
  const { done } = last.counts
  invocation.terminal.note(`Change ${last.id}, ${plain(last.name)}: ${done} were changed.`)
  await confirm('Take them back?', asked, invocation)
  const undo = await session.call('change.undo', { id: last.id })
  return end(session, undo, asked, invocation)
}

/** @param name null takes any */
async function unfinished(
  session: Session,
  network: Network,
  kind: Change['kind'],
  name: string | null,
): Promise<Change | undefined> {
  const changes = await session.call('change.list', { network: network.id })
  const [last] = changes.filter((each) => each.kind === 'apply' || each.kind === 'undo')
  const isOpen = last?.state === 'running' || last?.state === 'paused' || last?.state === 'failed'
  return isOpen && last.kind === kind && (name === null || last.name === name) ? last : undefined
}

async function confirm(
  question: string,
  { yes, action }: AskedWebhooks,
  { terminal }: Invocation,
): Promise<void> {
  if (yes) return
  const answer = await terminal.ask(question)
  if (answer === null) {
    throw usageError(`Nobody can be asked here: \`tondesk webhooks ${action}\` needs --yes.`)
  }
  if (!answer) throw new AppError('NOT_CONFIRMED', 'Nothing was changed.')
}

async function goOn(
  session: Session,
  { id, counts }: Change,
  asked: AskedWebhooks,
  invocation: Invocation,
): Promise<number> {
  invocation.terminal.note(`Change ${id} goes on: ${counts.waiting} of ${counts.total} are left.`)
  return end(session, await session.call('change.resume', { id }), asked, invocation)
}

/** Follows it to its end. */
async function end(
  session: Session,
  { id, counts }: Change,
  { json }: AskedWebhooks,
  invocation: Invocation,
): Promise<number> {
  const { terminal } = invocation
  terminal.note(`Change ${id}: ${counts.total} in all.`)
  const change = await followJob<Change>(
    session,
    {
      name: `Change ${id}`,
      wayOn: 'The same command goes on.',
      get: () => session.call('change.get', { id }),
      pause: () => session.call('change.pause', { id }),
      seenIn({ name, payload }) {
        if (name === 'change.removed' && payload.id === id) return null
        return name === 'change.changed'
          ? payload.changes.find((each) => each.id === id)
          : undefined
      },
      progressOf: (each) =>
        progressLine(each.counts.total - each.counts.waiting, each.counts.total, each),
    },
    invocation,
  )
  const { done, unchanged, failed } = change.counts
  if (json) await terminal.print(JSON.stringify({ event: 'change', ...change }))
  terminal.note(`Done: ${done} changed, ${unchanged} were so already, ${failed} refused.`)
  return failed === 0 ? exitCodes.ok : someRefused
}
