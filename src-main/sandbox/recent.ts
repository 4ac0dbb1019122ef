/** The most recently used values up to a limit. */
type Recent<T> = {
  get(key: string): T | null
  put(key: string, value: T): void
  clear(): void
}

/** @param sizeOf in units of the limit; the newest value always stays */
export function createRecent<T>(limit: number, sizeOf: (value: T) => number): Recent<T> {
  /** A Map keeps insertion order, here the order of use. */
  const held = new Map<string, T>()
  let size = 0

  function drop(key: string): void {
    const value = held.get(key)
    if (value === undefined) return
    held.delete(key)
    size -= sizeOf(value)
  }

  return {
    get(key) {
      const value = held.get(key)
      if (value === undefined) return null
      held.delete(key)
      held.set(key, value)
      return value
    },
    put(key, value) {
      drop(key)
      held.set(key, value)
      size += sizeOf(value)
      for (const oldest of held.keys()) {
        if (size <= limit || oldest === key) break
        drop(oldest)
      }
    },
    clear() {
      held.clear()
      size = 0
    },
  }
}
