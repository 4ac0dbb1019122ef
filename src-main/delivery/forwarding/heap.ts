/** Entries of which the first, by an order, is at hand. */
type Heap<T> = {
  peek(): T | undefined
  push(entry: T): void
  pop(): T | undefined
}

/** @param isBefore where neither is before the other, any of the two comes first */
export function createHeap<T>(isBefore: (one: T, other: T) => boolean): Heap<T> {
  const entries: T[] = []

  function goesBefore(one: number, other: number): boolean {
    const [a, b] = [entries[one], entries[other]]
    return a !== undefined && b !== undefined && isBefore(a, b)
  }

  function swap(one: number, other: number): void {
    const [a, b] = [entries[one], entries[other]]
    if (a === undefined || b === undefined) return
    entries[one] = b
    entries[other] = a
  }

  return {
    peek: () => entries[0],
    push(entry) {
      let index = entries.push(entry) - 1
      for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
        if (!goesBefore(index, parent)) return
        swap(index, parent)
        index = parent
      }
    },
    pop() {
      const [first] = entries
      const last = entries.pop()
      if (last === undefined || entries.length === 0) return first
      entries[0] = last
      for (let index = 0; ;) {
        const left = index * 2 + 1
        const smaller = goesBefore(left + 1, left) ? left + 1 : left
        if (!goesBefore(smaller, index)) return first
        swap(smaller, index)
        index = smaller
      }
    },
  }
}
