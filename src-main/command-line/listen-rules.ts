/** Rules of `listen --forward`: there for one run, and removed after a kill by the next, or by the app. */
import process from 'node:process'
import { isOrphanedSessionRule, nameOfRun } from '../delivery/forwarding/session-rules.ts'
import { readingQuery } from './capture-query.ts'
import type { AskedListen } from './listen-options.ts'
import type { Session } from './session.ts'

/** @returns the rule's id; null where nothing is forwarded. @throws AppError USAGE for a filter */
export async function addRule(
  session: Session,
  { targets, filter, mode }: AskedListen,
): Promise<number | null> {
  if (targets.length === 0) return null
  await removeLeftOver(session)
  const rule = {
    name: nameOfRun(process.pid),
    filter,
    targets: [...targets],
    mode,
    appendPath: false,
  }
  const { id } = await readingQuery('--filter', () => session.call('forwardRule.save', rule))
  return id
}

/** What waits goes with it: it was for this run. @returns how many were not delivered */
export async function removeRule(session: Session, id: number): Promise<number> {
  return (await session.call('forwardRule.remove', { id })).waiting
}

async function removeLeftOver(session: Session): Promise<void> {
  for (const { id, name } of await session.call('forwardRule.list')) {
    if (isOrphanedSessionRule(name)) await removeRule(session, id)
  }
}
