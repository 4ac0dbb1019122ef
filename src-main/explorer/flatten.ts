export type Leaf = {
  /** Of nested values dotted, of lists by their index. */
  readonly name: string
  readonly value: string | number | bigint | boolean
}

const deepest = 8

/** Values of whatever JSON a gateway gives, in its order; null is left out, and so is what is beyond `most`. */
export function flatten(json: unknown, max: number): Leaf[] {
  const leaves: Leaf[] = []

  function add(name: string, value: unknown, depth: number): void {
    if (leaves.length >= max) return
    if (typeof value === 'object' && value !== null) {
      if (depth === deepest) return
      for (const [key, each] of Object.entries(value)) {
        add(name === '' ? key : `${name}.${key}`, each, depth + 1)
      }
    } else if (isPlain(value)) {
      leaves.push({ name: name === '' ? 'value' : name, value })
    }
  }

  add('', json, 0)
  return leaves
}

function isPlain(value: unknown): value is Leaf['value'] {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}
