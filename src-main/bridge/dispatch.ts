import {
  type Envelope,
  type ErrorBody,
  AppError,
  bridgeCodes,
} from '../../src-preload/domain/app-error.ts'
import {
  type Handlers,
  type Input,
  type Output,
  type RouteName,
  routes,
} from '../../src-preload/contract/routes.ts'

export type Dispatch = (name: unknown, input: unknown) => Promise<Envelope<unknown>>

type DispatchOptions = {
  /**
   * Validates each output with its schema. Only tests turn this on, because types guarantee outputs
   * elsewhere.
   */
  readonly checkOutput?: boolean
  /** Null for a bug; other errors, such as a full disk, get an explanation for the user. */
  readonly explain?: (error: unknown, route: RouteName) => AppError | null
  readonly onBug?: (route: string, error: unknown) => void
}

/**
 * Calls the handler of a route with an untrusted input. Never throws. The transport must verify the
 * sender first.
 */
export function createDispatch(handlers: Handlers, options: DispatchOptions = {}): Dispatch {
  return async (name, input) => {
    if (!isRouteName(name)) {
      return refuse({ code: bridgeCodes.unknownRoute, message: 'Unknown route.' })
    }
    const parsed = routes[name].input.safeParse(input)
    if (!parsed.success) {
      return refuse({
        code: bridgeCodes.invalidInput,
        message: parsed.error.issues[0]?.message ?? 'The input is invalid.',
        data: parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
      })
    }
    try {
      // Each handler gets exactly the output of its own schema, which the type checker cannot express.
      const handler = handlers[name] as (input: unknown) => unknown
      const data = await handler(parsed.data)
      return { ok: true, data: options.checkOutput ? routes[name].output.parse(data) : data }
    } catch (error) {
      if (error instanceof AppError) return refuse(error.toBody())
      options.onBug?.(name, error)
      const explained = options.explain?.(error, name) ?? null
      if (explained !== null) return refuse(explained.toBody())
      return refuse({
        code: bridgeCodes.internal,
        message: 'An internal error occurred. The log has the details.',
      })
    }
  }
}

// `routes[name]` alone would find inherited properties such as `toString`.
const isRouteName = (name: unknown): name is RouteName =>
  typeof name === 'string' && Object.hasOwn(routes, name)

const refuse = (error: ErrorBody): Envelope<never> => ({ ok: false, error })

type Arguments<N extends RouteName> = Input<N> extends undefined ? [] : [input: Input<N>]

/** Calls a route with its types. @throws AppError */
export type Call = <N extends RouteName>(name: N, ...input: Arguments<N>) => Promise<Output<N>>

/** The types are safe because the result is the return value of the route's handler. */
export function caller(
  request: (name: string, input: unknown) => Promise<Envelope<unknown>>,
): Call {
  return async <N extends RouteName>(name: N, ...input: Arguments<N>) => {
    const envelope = await request(name, input[0])
    if (!envelope.ok) throw AppError.fromBody(envelope.error)
    return envelope.data as Output<N>
  }
}
