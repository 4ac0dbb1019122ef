/** So many of what was asked for last. */
type Kept<T> = {
  get(name: string): T | undefined
  has(name: string): boolean
  set(name: string, value: T): void
  /** What is kept of this name, or is made now. */
  take(name: string, make: () => T): T
  entries(): [string, T][]
  clear(): void
}

export function createLruCache<T>(limit: number): Kept<T> {
  const values = new Map<string, T>()

  function get(name: string): T | undefined {
    const value = values.get(name)
    if (value === undefined) return undefined
    // What was asked for last stands last.
    values.delete(name)
    values.set(name, value)
    return value
  }

  function set(name: string, value: T): void {
    values.set(name, value)
    const [oldest] = values.keys()
    if (values.size > limit && oldest !== undefined) values.delete(oldest)
  }

  return {
    get,
    set,
    has: (name) => values.has(name),
    take(name, make) {
      const kept = get(name)
      if (kept !== undefined) return kept
      const made = make()
      set(name, made)
      return made
    },
    entries: () => [...values],
    clear: () => values.clear(),
  }
}
