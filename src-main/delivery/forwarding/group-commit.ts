export type GroupCommit = ReturnType<typeof createGroupCommit>

/** The pause after a transaction is its duration times the factor, within the two limits in milliseconds. */
const [restFactor, minRestMs, maxRestMs] = [4, 1, 50]
const retryMs = 1_000

/**
 * Writes the results of several attempts in one transaction, so that the receiver’s writer seldom waits.
 * @param onTrouble called once for each period in which writes fail, as on a full disk
 */
export function createGroupCommit(
  transaction: (work: () => void) => void,
  onTrouble: (problem: unknown) => void,
) {
  let waiting: { readonly write: () => void; readonly onWritten: () => void }[] = []
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  let isTroubled = false
  let restUntil = 0

  function flush(): void {
    timer = undefined
    isDue = false
    const batch = waiting
    const started = performance.now()
    try {
      transaction(() => {
        for (const { write } of batch) write()
      })
    } catch (error) {
      if (!isTroubled) onTrouble(error)
      isTroubled = true
      timer = setTimeout(flush, retryMs)
      return
    }
    isTroubled = false
    waiting = waiting.slice(batch.length)
    const tookMs = performance.now() - started
    restUntil = started + tookMs + Math.min(maxRestMs, Math.max(minRestMs, tookMs * restFactor))
    for (const { onWritten } of batch) onWritten()
  }

  return {
    /** @returns a promise that resolves when the result is on disk; after a failure `write` is called again */
    commit: (write: () => void): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ write, onWritten: resolve })
        if (timer !== undefined || isDue) return
        const restMs = restUntil - performance.now()
        if (restMs > 0) timer = setTimeout(flush, restMs)
        else {
          // `setImmediate` collects the other writes of this turn; a timer would add a millisecond of delay.
          isDue = true
          setImmediate(flush)
        }
      }),
    /** Writes the queued results and accepts no more. */
    close(): void {
      clearTimeout(timer)
      if (waiting.length > 0) flush()
      clearTimeout(timer)
    },
  }
}
