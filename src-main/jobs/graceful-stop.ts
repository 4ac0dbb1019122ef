/** How a run is stopped: nothing more is begun, and what is under way has so long to be answered. */
type GracefulStop = {
  /** Aborted at once. */
  readonly halt: AbortSignal
  /** Aborted when the time is over. */
  readonly abort: AbortSignal
  /** @param outcome never rejects */
  readonly stop: (outcome: Promise<unknown>, graceMs: number) => Promise<void>
  /** Ends early when halted. */
  readonly rest: (ms: number) => Promise<void>
}

/** @param wait rejects when aborted */
export function createGracefulStop(
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>,
): GracefulStop {
  const halt = new AbortController()
  const abort = new AbortController()
  return {
    halt: halt.signal,
    abort: abort.signal,
    async stop(outcome, graceMs) {
      halt.abort()
      const grace = new AbortController()
      const late = wait(graceMs, grace.signal).then(
        () => abort.abort(),
        () => undefined,
      )
      await outcome
      grace.abort()
      await late
    },
    async rest(ms) {
      try {
        await wait(ms, halt.signal)
      } catch {
        // Stopped meanwhile, which the run sees.
      }
    },
  }
}
