import process from 'node:process'

/** A failure that the developer can fix: the message names the problem and the fix. */
export class Problem extends Error {
  constructor(what, wayOut) {
    super(what)
    this.name = 'Problem'
    this.wayOut = wayOut
  }
}

const permission = new Set(['EACCES', 'EPERM', 'EROFS'])

/** Turns a system error about a file into a sentence; any other error stays unchanged. */
export function asProblem(error, where) {
  if (permission.has(error?.code)) {
    return new Problem(
      `${where} cannot be written to by this user.`,
      'Make it yours (chown), or put the clone into a folder of your own.',
    )
  }
  if (error?.code === 'ENOSPC') {
    return new Problem('The disk is full.', 'Free about 1 GB and run this again.')
  }
  return error
}

/** Runs a program and sets its exit code. A problem is printed as a sentence, never as a stack trace. */
export async function guarded(main) {
  try {
    process.exitCode = await main()
  } catch (error) {
    const lines =
      error instanceof Problem
        ? [error.message, error.wayOut]
        : [
            `This should not have happened: ${error instanceof Error ? error.message : String(error)}`,
            'Run it with TONDESK_TRACE=1 to see where, and please tell us.',
          ]
    console.error(lines.join('\n'))
    if (process.env.TONDESK_TRACE && error instanceof Error) console.error(error.stack)
    process.exitCode = 1
  }
}
