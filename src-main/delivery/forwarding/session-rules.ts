/** Rules that `tondesk listen --forward` makes for one run: they are to go with it, also after a kill. */
import process from 'node:process'

const named = /^tondesk listen, process (\d+)$/

export function nameOfRun(processId: number): string {
  return `tondesk listen, process ${processId}`
}

/** True for a rule of a run that has ended. A process that has its number by now keeps it a while longer. */
export function isOrphanedSessionRule(name: string): boolean {
  const owner = named.exec(name)?.[1]
  return owner !== undefined && !isAnothers(Number(owner))
}

/** This process is a run of its own: what bears its number is of one before it. */
function isAnothers(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // Somebody else's is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
