/** Errors and their codes. */
export * from './error-codes.ts'

/**
 * The only error that is passed between processes and threads (bridge, worker, local socket).
 * `message` is a sentence for the user, `code` is for programs.
 */
export type ErrorBody = {
  readonly code: string
  readonly message: string
  /** Details for programs, such as the invalid fields, but never a secret. */
  readonly data?: unknown
}

export type Envelope<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: ErrorBody }

export class AppError extends Error {
  readonly code: string
  readonly data: unknown

  constructor(code: string, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.data = options.data
  }

  toBody(): ErrorBody {
    return this.data === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, data: this.data }
  }

  static fromBody(body: ErrorBody): AppError {
    return new AppError(body.code, body.message, { data: body.data })
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/**
 * Returns a sentence for the user. A bug is logged; its sentence is `failure`, which says what
 * action failed.
 */
export function problemOf(error: unknown, failure: string, onBug: (bug: unknown) => void): string {
  if (error instanceof AppError) return error.message
  onBug(error)
  return `${failure} The log has the details.`
}

export const bridgeCodes = {
  unknownRoute: 'ROUTE_NOT_FOUND',
  invalidInput: 'INVALID_INPUT',
  forbiddenSender: 'FORBIDDEN_SENDER',
  internal: 'INTERNAL',
  disconnected: 'DISCONNECTED',
} as const
