import process from 'node:process'

export const sandboxCodes = {
  /** Another sandbox is at work on the data directory. */
  held: 'SANDBOX_HELD',
  unreadable: 'SANDBOX_UNREADABLE',
  newer: 'SANDBOX_NEWER',
  badSeed: 'SANDBOX_BAD_SEED',
  /** The chain began at another moment. */
  badNow: 'SANDBOX_BAD_NOW',
  badKeys: 'SANDBOX_BAD_KEYS',
  portTaken: 'SANDBOX_PORT_TAKEN',
} as const

type SandboxCode = (typeof sandboxCodes)[keyof typeof sandboxCodes]

/** Why a sandbox cannot start; the message is one plain sentence for the person who started it. */
export class SandboxError extends Error {
  readonly code: SandboxCode
  constructor(code: SandboxCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SandboxError'
    this.code = code
  }
}

/** Whatever looks like a credential: an error's text may quote a request. */
const credential = /(bearer\s+|(?:token|api_key)=)[^\s"'&]+/gi

/** Says on standard error what went wrong inside; of keys it says nothing. */
export function createErrorLog(secrets: readonly string[]): (error: unknown) => void {
  return (error) => {
    // Node raises this where a sender is gone before the body of its request has ended.
    const isAborted = error instanceof Error && error.message === 'aborted'
    if (isAborted && 'code' in error && error.code === 'ECONNRESET') return
    let text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    for (const secret of secrets) text = text.replaceAll(secret, '***')
    process.stderr.write(`sandbox: ${text.replace(credential, '$1***')}\n`)
  }
}
