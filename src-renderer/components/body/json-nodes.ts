import type { JsonProblem } from './json-problem.ts'

/** What a node is. `problem` holds the rest of the text from the token that is not JSON. */
export const nodeKind = {
  object: 0,
  array: 1,
  string: 2,
  number: 3,
  word: 4,
  problem: 5,
} as const

/**
 * A JSON text as a flat list of nodes in the order they stand in it. Nothing is converted: a node
 * is a place in the text, so a number keeps its digits, a string its escapes, an object its
 * duplicate keys. Typed arrays, because a body of 1 MiB can hold half a million nodes.
 */
export type JsonTree = {
  readonly text: string
  readonly size: number
  readonly kinds: Uint8Array
  /** The literal, quotes included; of a container from its bracket to past its closing one. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** The key's literal, or -1 where there is none. */
  readonly keyStarts: Int32Array
  readonly keyEnds: Int32Array
  /** Index of the first node that is not inside this one. */
  readonly afters: Int32Array
  readonly parents: Int32Array
  readonly depths: Int32Array
  /** Place among its siblings, from 0. */
  readonly positions: Int32Array
  /** Members or items of a container. */
  readonly counts: Int32Array
  readonly flags: Uint8Array
  readonly problem: JsonProblem | null
}

export const nodeFlag = { duplicateKey: 1, unclosed: 2 } as const

/** Growing columns for the nodes of a tree; a node is an index into all of them. */
export function createNodes() {
  let size = 0
  let room = 256
  const bytes = () => new Uint8Array(room)
  const ints = () => new Int32Array(room)
  const columns = {
    kinds: bytes(),
    flags: bytes(),
    starts: ints(),
    ends: ints(),
    keyStarts: ints(),
    keyEnds: ints(),
    afters: ints(),
    parents: ints(),
    depths: ints(),
    positions: ints(),
    counts: ints(),
  }

  const names = Object.keys(columns) as (keyof typeof columns)[]

  function widen(): void {
    room *= 2
    for (const name of names) {
      const wider = columns[name] instanceof Uint8Array ? bytes() : ints()
      wider.set(columns[name])
      Object.assign(columns, { [name]: wider })
    }
  }

  return Object.assign(columns, {
    size: () => size,
    add(): number {
      if (size === room) widen()
      size += 1
      return size - 1
    },
    take: () => ({
      size,
      kinds: columns.kinds,
      flags: columns.flags,
      starts: columns.starts,
      ends: columns.ends,
      keyStarts: columns.keyStarts,
      keyEnds: columns.keyEnds,
      afters: columns.afters,
      parents: columns.parents,
      depths: columns.depths,
      positions: columns.positions,
      counts: columns.counts,
    }),
  })
}
