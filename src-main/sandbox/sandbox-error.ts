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

export type SandboxCode = (typeof sandboxCodes)[keyof typeof sandboxCodes]

/** Why a sandbox cannot start; the message is one plain sentence for the person who started it. */
export class SandboxError extends Error {
  readonly code: SandboxCode
  constructor(code: SandboxCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SandboxError'
    this.code = code
  }
}
