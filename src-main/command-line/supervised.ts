/**
 * How a process of browser mode and the program that supervises it (build/lib/supervise.mjs) talk: the
 * supervisor sets an environment variable, and restarts what was serving before it crashed.
 */
import process from 'node:process'

/** The number of restarts so far; unset without a supervisor. */
const restarts = process.env['TONDESK_RESTARTS']
// The programs that the app starts have another supervisor, or none.
delete process.env['TONDESK_RESTARTS']

export const isRestarted = restarts !== undefined && restarts !== '0'

/** EX_SOFTWARE of sysexits.h. Only the supervisor sees it; users get the exit codes of the command line. */
const crashExitCode = 70

/** @param usual without a supervisor */
export function exitCodeOfCrash(usual: number): number {
  return restarts === undefined ? usual : crashExitCode
}

/** From now on the supervisor restarts this process if it crashes. */
export function reportServing(): void {
  if (restarts !== undefined)
    process.send?.({ event: 'serving' }, undefined, undefined, () => undefined)
}
