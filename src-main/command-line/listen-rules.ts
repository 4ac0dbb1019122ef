/** Rules of `listen --forward`: there for one run, and removed after a crash by the next. */
import process from 'node:process'
import type { Session } from './session.ts'
import { readingQuery } from './capture-query.ts'
import type { AskedListen } from './listen-options.ts'

const named = /^tondesk listen, process (\d+)$/

/** @returns the rule's id; null where nothing is forwarded. @throws AppError USAGE for a filter */
export async function addRule(
  session: Session,
  { targets, filter, mode }: AskedListen,
): Promise<number | null> {
  if (targets.length === 0) return null
  await removeLeftOver(session)
  const rule = {
    name: `tondesk listen, process ${process.pid}`,
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

/** The process it was for is gone. */
async function removeLeftOver(session: Session): Promise<void> {
  for (const { id, name } of await session.call('forwardRule.list')) {
    const owner = named.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) await removeRule(session, id)
  }
}

function isAlive(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // Somebody else's is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
