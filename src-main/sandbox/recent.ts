/**
 * The most recently used values up to a limit.
 * @param sizeOf in units of the limit; the newest value always stays
 */
export function createRecent<T>(limit: number, sizeOf: (value: T) => number = () => 1) {
  /** A Map keeps insertion order, here the order of use. */
  const values = new Map<string, T>()
  let size = 0

  function drop(key: string): void {
    const value = values.get(key)
    if (value === undefined) return
    values.delete(key)
    size -= sizeOf(value)
  }

  return {
    get(key: string): T | null {
      const value = values.get(key)
      if (value === undefined) return null
      values.delete(key)
      values.set(key, value)
      return value
    },
    put(key: string, value: T): void {
      drop(key)
      values.set(key, value)
      size += sizeOf(value)
      for (const oldest of values.keys()) {
        if (size <= limit || oldest === key) break
        drop(oldest)
      }
    },
    clear(): void {
      values.clear()
      size = 0
    },
  }
}
