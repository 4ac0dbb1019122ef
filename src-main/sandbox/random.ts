import { createHash } from 'node:crypto'

/** Numbers that look random and are the same for the same words, on every machine. */
export type Random = {
  /** From 0 to `below`, exclusive. */
  below(below: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

export function randomFrom(...words: readonly (string | number)[]): Random {
  let state = createHash('sha256').update(words.join('\n')).digest()
  let offset = 0

  function below(limit: number): number {
    if (offset + 4 > state.length) {
      state = createHash('sha256').update(state).digest()
      offset = 0
    }
    const drawn = state.readUInt32BE(offset)
    offset += 4
    return Math.floor((drawn / 2 ** 32) * limit)
  }

  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
  }
}
