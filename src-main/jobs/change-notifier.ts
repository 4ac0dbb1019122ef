const everyMs = 250
/** The remaining time of a waiting job changes without an event, so it is reported each second. */
const tickMs = 1000

/** Reports changed jobs or other keys: at once after a quiet time, then at most four times a second. */
export function createChangeNotifier<K = number>(deps: {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly emit: (ids: readonly K[]) => void
  readonly running?: () => Iterable<NoInfer<K>>
  readonly onBug: (error: unknown) => void
}) {
  const changed = new Set<K>()
  const ended = new AbortController()
  let isTelling = false

  async function notifyAll(): Promise<void> {
    let quietMs = 0
    while (isTelling) {
      const ids = [...changed]
      changed.clear()
      if (ids.length > 0) {
        quietMs = 0
        deps.emit(ids)
      }
      await deps.wait(everyMs, ended.signal)
      quietMs += everyMs
      if (quietMs >= tickMs) for (const id of deps.running?.() ?? []) changed.add(id)
      isTelling = changed.size > 0 || quietMs < tickMs
    }
  }

  return {
    tell(id: K): void {
      changed.add(id)
      if (isTelling || ended.signal.aborted) return
      isTelling = true
      notifyAll().catch((error: unknown) => {
        isTelling = false
        if (!ended.signal.aborted) deps.onBug(error)
      })
    },
    stop: () => ended.abort(),
  }
}
