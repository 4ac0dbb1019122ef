/**
 * Manages rules that `tondesk listen --forward` creates. They are removed when its process ends,
 * also after a kill.
 */
import process from 'node:process'

const named = /^tondesk listen, process (\d+)$/

export const nameOfRun = (processId: number): string => `tondesk listen, process ${processId}`

/**
 * True if the rule's process has ended. If another process has the same id by then, the rule stays
 * until that process ends.
 */
export function isOrphanedSessionRule(name: string): boolean {
  const owner = named.exec(name)?.[1]
  return owner !== undefined && !belongsToAnotherSession(Number(owner))
}

/** A rule with the id of this process was created by an earlier process. */
function belongsToAnotherSession(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // EPERM means that the process is running and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
