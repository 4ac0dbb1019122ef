import process from 'node:process'
import { redact } from '../../src-preload/domain/mask.ts'

export const sandboxCodes = {
  failed: 'SANDBOX_FAILED',
  held: 'SANDBOX_HELD',
  unreadable: 'SANDBOX_UNREADABLE',
  newer: 'SANDBOX_NEWER',
  badSeed: 'SANDBOX_BAD_SEED',
  badNow: 'SANDBOX_BAD_NOW',
  badKeys: 'SANDBOX_BAD_KEYS',
  portTaken: 'SANDBOX_PORT_TAKEN',
} as const

type SandboxCode = (typeof sandboxCodes)[keyof typeof sandboxCodes]

/** These codes mean a refused value of an option; other errors are about the directory or the port. */
export const optionCodes: readonly SandboxCode[] = [sandboxCodes.badSeed, sandboxCodes.badNow]

export class SandboxError extends Error {
  readonly code: SandboxCode
  constructor(code: SandboxCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SandboxError'
    this.code = code
  }
}

/** Writes errors to stderr without keys. */
export function createErrorLog(secrets: readonly string[]): (error: unknown) => void {
  return (error) => {
    // Node throws this error if the sender disconnects before the end of the body.
    const isAborted = error instanceof Error && error.message === 'aborted'
    if (isAborted && 'code' in error && error.code === 'ECONNRESET') return
    let text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    for (const secret of secrets) text = text.replaceAll(secret, '***')
    process.stderr.write(`sandbox: ${redact(text)}\n`)
  }
}
