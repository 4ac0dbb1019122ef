/**
 * A table without a prototype for look-ups by foreign text, so that names of `Object.prototype`,
 * such as `constructor`, are not found.
 */
export const lookupTable = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.assign(Object.create(null) as Record<string, T>, entries)
