/**
 * Repeats work while it is requested, one run at a time. A request during a run leads to another run. A
 * failure is reported, and the next request starts the work again.
 */
export function createBackgroundLoop(
  work: (signal: AbortSignal) => Promise<unknown>,
  onBug: (error: unknown) => void,
) {
  const stopped = new AbortController()
  const { signal } = stopped
  let isRequested = false
  let running: Promise<void> | null = null

  async function repeat(): Promise<void> {
    while (isRequested && !signal.aborted) {
      isRequested = false
      try {
        await work(signal)
      } catch (error) {
        if (!signal.aborted) onBug(error)
      }
    }
    running = null
  }

  return {
    signal,
    run(): void {
      isRequested = true
      if (!signal.aborted) running ??= repeat()
    },
    /** Resolves when the current run has ended. */
    async stop(): Promise<void> {
      stopped.abort()
      await running
    },
  }
}
