import type { ErrorBody } from '../../../src-preload/domain/app-error.ts'
import type { Input, Output, RouteName } from '../../../src-preload/contract/routes.ts'
import { toAppError } from '../../app/bridge.ts'

/** The app's `request`; a test gives its own. */
export type Ask = <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>

/** Calls `work` after `ms`; a test lets time pass by hand. */
export type Later = (ms: number, work: () => void) => void

export function errorBody(error: unknown): ErrorBody {
  return toAppError(error).toBody()
}

/**
 * Runs `work` at most once every `ms` and never twice at the same time. Calls in between lead to
 * one run afterwards, so the last of them is never lost. A run that fails leaves what is shown as
 * it was: the next event, or the reconnect, asks again.
 */
export function createThrottle(ms: number, later: Later, work: () => Promise<void>): () => void {
  let resting = false
  let wanted = false
  const run = () => {
    wanted = false
    resting = true
    const rest = () =>
      later(ms, () => {
        resting = false
        if (wanted) run()
      })
    work().then(rest, rest)
  }
  return () => {
    if (resting) wanted = true
    else run()
  }
}
