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
  const isStopped = () => signal.aborted
  let isRequested = false
  let running: Promise<void> | null = null

  async function repeat(): Promise<void> {
    while (isRequested && !isStopped()) {
      isRequested = false
      try {
        await work(signal)
      } catch (error) {
        if (!isStopped()) onBug(error)
      }
    }
    running = null
  }

  return {
    signal,
    run: (): void => {
      isRequested = true
      if (!isStopped()) running ??= repeat()
    },
    idle: async (): Promise<void> => {
      while (running !== null) await running
    },
    /** Resolves when the current run has ended. */
    stop: async (): Promise<void> => {
      stopped.abort()
      await running
    },
  }
}
