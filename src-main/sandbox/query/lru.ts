/** A map that forgets what was used longest ago. */
export type Lru<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

export function createLru<Key, Value>(most: number): Lru<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= most) return
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    },
  }
}
