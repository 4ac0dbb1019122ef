/** Which ids a gateway can be asked for. A delivery may hold any text. */

/** Static words share the level of `{id}` (gateway-facts 3.2). */
const words: ReadonlySet<string> = new Set(['app', 'token', 'invoice', 'stats', 'export'])

export function isAskable(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) && !words.has(id.toLowerCase())
}
