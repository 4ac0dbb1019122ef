/**
 * A process of browser mode and its supervisor (build/lib/supervise.mjs) communicate by environment
 * variables and exit codes. The supervisor restarts a serving process after a crash.
 */
import process from 'node:process'

/** The number of restarts so far; unset without a supervisor. */
const restarts = process.env['TONDESK_RESTARTS']
// Child processes must not inherit the variable: they have another supervisor, or none.
delete process.env['TONDESK_RESTARTS']

export const isRestarted = restarts !== undefined && restarts !== '0'

/**
 * The exit code is EX_SOFTWARE of sysexits.h. Only the supervisor sees it; users get the exit codes
 * of the command line.
 */
const crashExitCode = 70

/** @param usual the exit code without a supervisor */
export const exitCodeOfCrash = (usual: number): number =>
  restarts === undefined ? usual : crashExitCode

/** After this call the supervisor restarts this process if it crashes. */
export function reportServing(): void {
  if (restarts !== undefined)
    process.send?.({ event: 'serving' }, undefined, undefined, () => undefined)
}
