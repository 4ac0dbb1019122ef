/**
 * The one error that crosses a boundary (bridge, worker, local socket).
 * `message` is a plain sentence a person can act on; `code` is what programs match.
 */
export type ErrorBody = {
  readonly code: string
  readonly message: string
  /** Machine-readable detail, such as the fields that were wrong. Never a secret. */
  readonly data?: unknown
}

export type Envelope<T> =
  { readonly ok: true; readonly data: T } | { readonly ok: false; readonly error: ErrorBody }

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

/** Codes of the bridge itself. Each domain owns its further codes, beside its routes. */
export const bridgeCodes = {
  unknownRoute: 'ROUTE_NOT_FOUND',
  invalidInput: 'INVALID_INPUT',
  forbiddenSender: 'FORBIDDEN_SENDER',
  internal: 'INTERNAL',
  disconnected: 'DISCONNECTED',
} as const
