/**
 * A table for look-ups by foreign text. It has no prototype, so that names of `Object.prototype`, such as
 * `constructor`, are not found in it.
 */
export function lookupTable<T>(entries: Readonly<Record<string, T>>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, entries)
}
