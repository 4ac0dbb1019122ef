/** What was used last, up to a limit; the rest has to be read again. */
type Recent<T> = {
  get(key: string): T | null
  put(key: string, value: T): void
  clear(): void
}

/** @param sizeOf in the unit of the limit; what was put last stays whatever its size */
export function createRecent<T>(limit: number, sizeOf: (value: T) => number): Recent<T> {
  /** In order of use: a Map keeps the order in which its keys were added. */
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
