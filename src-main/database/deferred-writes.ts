/**
 * Keeps writes that wait while the database is locked or its disk is full, and reports exactly
 * these failures. A later write with the same key replaces a waiting one. A failure is reported
 * once, until writing works again.
 */
export function createDeferredWrites(isBlocked: () => boolean, onBug: (error: unknown) => void) {
  const waiting = new Map<unknown, () => void>()
  let hasFailed = false

  function flush(): void {
    // A write to a locked database would block this thread.
    if (isBlocked()) return
    try {
      for (const [key, change] of waiting) {
        change()
        waiting.delete(key)
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) onBug(error)
      hasFailed = true
    }
  }

  return {
    flush,
    /** After a failure the write waits for the next `flush`. */
    write(key: unknown, change: () => void): void {
      waiting.set(key, change)
      if (!hasFailed) flush()
    },
    isEmpty: () => waiting.size === 0,
  }
}
