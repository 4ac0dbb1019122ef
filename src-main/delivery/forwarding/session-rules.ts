/**
 * Rules that `tondesk listen --forward` makes: they are removed when the process ends, also after a
 * kill.
 */
import process from 'node:process'

const named = /^tondesk listen, process (\d+)$/

export function nameOfRun(processId: number): string {
  return `tondesk listen, process ${processId}`
}

/**
 * True for the rule of a process that has ended. If another process has its number now, the rule
 * stays for a while.
 */
export function isOrphanedSessionRule(name: string): boolean {
  const owner = named.exec(name)?.[1]
  return owner !== undefined && !isAnothers(Number(owner))
}

/** A rule with the number of this process was made by an earlier one. */
function isAnothers(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // A process of another user is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
