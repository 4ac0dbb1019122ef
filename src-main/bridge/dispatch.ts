import {
  type Envelope,
  type ErrorBody,
  AppError,
  bridgeCodes,
} from '../../src-preload/domain/app-error.ts'
import { type Handlers, type RouteName, routes } from '../../src-preload/contract/routes.ts'

export type Dispatch = (name: unknown, input: unknown) => Promise<Envelope<unknown>>

type DispatchOptions = {
  /** Parse each answer with its schema too. On in tests; off in the product, where types do. */
  readonly checkOutput?: boolean
  /** Told of every error that is not an AppError, with its full detail. */
  /** What the user can be told of an error that is no bug, such as a full disk; null for all others. */
  readonly explain?: (error: unknown) => AppError | null
  readonly onBug?: (route: string, error: unknown) => void
}

/**
 * Turns a route's name and an untrusted input into an envelope. Pure but for the handlers: it knows
 * no transport, so the sender must have been checked before. Never throws.
 */
export function createDispatch(handlers: Handlers, options: DispatchOptions = {}): Dispatch {
  return async (name, input) => {
    if (!isRouteName(name)) {
      return refuse({ code: bridgeCodes.unknownRoute, message: 'There is no such route.' })
    }
    const parsed = routes[name].input.safeParse(input)
    if (!parsed.success) {
      return refuse({
        code: bridgeCodes.invalidInput,
        message: parsed.error.issues[0]?.message ?? 'The input is not of the form expected.',
        data: parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
      })
    }
    try {
      // Each handler takes exactly what its own schema parsed; the union is beyond the type checker.
      const handler = handlers[name] as (input: unknown) => unknown
      const data = await handler(parsed.data)
      return { ok: true, data: options.checkOutput ? routes[name].output.parse(data) : data }
    } catch (error) {
      if (error instanceof AppError) return refuse(error.toBody())
      options.onBug?.(name, error)
      const explained = options.explain?.(error) ?? null
      if (explained !== null) return refuse(explained.toBody())
      return refuse({
        code: bridgeCodes.internal,
        message: 'Something went wrong inside Tondesk. The log has the details.',
      })
    }
  }
}

// `routes[name]` alone would find what every object inherits, such as `toString`.
function isRouteName(name: unknown): name is RouteName {
  return typeof name === 'string' && Object.hasOwn(routes, name)
}

function refuse(error: ErrorBody): Envelope<never> {
  return { ok: false, error }
}
