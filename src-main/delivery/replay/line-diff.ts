import type { DiffLine } from '../../../src-preload/contract/replay.ts'

/** Edits up to which the shortest way is looked for; beyond, lines that stand once in each guide it. */
const maxEdits = 1_000
/** Lines of a changed place beyond which they are paired by their order alone. */
const maxPaired = 200

/**
 * Two texts line by line, the shortest way from one to the other (Myers, “An O(ND) Difference
 * Algorithm”, 1986), with lines that were changed in place beside each other.
 */
export function diffLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1
  let leftEnd = left.length
  let rightEnd = right.length
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1
    rightEnd -= 1
  }
  const middle = align(left.slice(start, leftEnd), right.slice(start, rightEnd))
  return [...left.slice(0, start).map(same), ...middle, ...left.slice(leftEnd).map(same)]
}

export function isAllSame(lines: readonly DiffLine[]): boolean {
  return lines.every(({ kind }) => kind === 'same')
}

function same(line: string): DiffLine {
  return { kind: 'same', left: line, right: line }
}

function align(left: readonly string[], right: readonly string[]): DiffLine[] {
  const kept = commonLines(left, right)
  const lines: DiffLine[] = []
  let leftAt = 0
  let rightAt = 0
  for (const [l, r] of [...kept, [left.length, right.length] as const]) {
    for (const each of pair(left.slice(leftAt, l), right.slice(rightAt, r))) lines.push(each)
    const line = left[l]
    if (line !== undefined) lines.push(same(line))
    leftAt = l + 1
    rightAt = r + 1
  }
  return lines
}

type Place = readonly [left: number, right: number]

/** Places of the lines that both have, in order. */
function commonLines(left: readonly string[], right: readonly string[]): Place[] {
  const [a, b] = numbered(left, right)
  return shortestWay(a, b) ?? anchors(a, b)
}

/** Null where there are too many edits on the way. */
function shortestWay(a: Int32Array, b: Int32Array): Place[] | null {
  const most = Math.min(a.length + b.length, maxEdits)
  // Farthest line of the left one reached on each diagonal, by the number of edits.
  const reached = new Int32Array(2 * most + 3)
  const middle = most + 1
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reached.slice(middle - edits - 1, middle + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = nextOn(reached, middle, diagonal, edits)
      let y = x - diagonal
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1
        y += 1
      }
      reached[middle + diagonal] = x
      if (x >= a.length && y >= b.length) return backtrack(trace, a.length, b.length)
    }
  }
  return null
}

/** Lines that stand once in each, as far as they are in the same order: the longest such row. */
function anchors(a: Int32Array, b: Int32Array): Place[] {
  const inB = placesOfSingles(b)
  const candidates = [...placesOfSingles(a)].flatMap(([line, x]): Place[] => {
    const y = inB.get(line)
    return y === undefined ? [] : [[x, y]]
  })
  // Of the rows of each length the one that ends first, and what precedes each (patience sorting).
  const ends: number[] = []
  const before = new Int32Array(candidates.length)
  candidates.forEach(([, y], index) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((candidates[ends[middle] ?? 0]?.[1] ?? 0) < y) low = middle + 1
      else high = middle
    }
    before[index] = ends[low - 1] ?? -1
    ends[low] = index
  })
  const row: Place[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const place = candidates[at]
    if (place !== undefined) row.push(place)
  }
  return row.reverse()
}

/** In the order in which they stand. */
function placesOfSingles(lines: Int32Array): Map<number, number> {
  const places = new Map<number, number>()
  const seen = new Set<number>()
  lines.forEach((line, at) => {
    if (seen.has(line)) places.delete(line)
    else places.set(line, at)
    seen.add(line)
  })
  return places
}

/** Where an edit more leads to on a diagonal: a line of the right one in, or of the left one out. */
function nextOn(reached: Int32Array, middle: number, diagonal: number, edits: number): number {
  const below = reached[middle + diagonal + 1] ?? 0
  const above = reached[middle + diagonal - 1] ?? 0
  const isDown = diagonal === -edits || (diagonal !== edits && above < below)
  return isDown ? below : above + 1
}

function backtrack(trace: readonly Int32Array[], width: number, height: number): Place[] {
  const places: Place[] = []
  let x = width
  let y = height
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reached = trace[edits] ?? new Int32Array(0)
    // The copy begins one diagonal below the lowest of this many edits.
    const middle = edits + 1
    const diagonal = x - y
    const below = reached[middle + diagonal + 1] ?? 0
    const above = reached[middle + diagonal - 1] ?? 0
    const isDown = diagonal === -edits || (diagonal !== edits && above < below)
    const fromX = edits === 0 ? 0 : isDown ? below : above
    // Lines that are the same follow the edit itself.
    for (const after = edits === 0 || isDown ? fromX : fromX + 1; x > after;) {
      x -= 1
      y -= 1
      places.push([x, y])
    }
    x = fromX
    y = fromX - (isDown ? diagonal + 1 : diagonal - 1)
  }
  return places.reverse()
}

/** Equal lines as equal numbers: they are compared many times. */
function numbered(
  left: readonly string[],
  right: readonly string[],
): [left: Int32Array, right: Int32Array] {
  const numbers = new Map<string, number>()
  const number = (line: string) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return [Int32Array.from(left, number), Int32Array.from(right, number)]
}

/** What stands in one place in both, beside each other: by what precedes a colon, else by order. */
function pair(left: readonly string[], right: readonly string[]): DiffLine[] {
  if (left.length === 0) return right.map((line) => ({ kind: 'right', left: null, right: line }))
  if (right.length === 0) return left.map((line) => ({ kind: 'left', left: line, right: null }))
  if (left.length === right.length || Math.max(left.length, right.length) > maxPaired) {
    return pairByOrder(left, right)
  }
  const lines: DiffLine[] = []
  let leftAt = 0
  let rightAt = 0
  const alike = commonLines(left.map(nameOf), right.map(nameOf))
  for (const [l, r] of [...alike, [left.length, right.length] as const]) {
    lines.push(...pairByOrder(left.slice(leftAt, l), right.slice(rightAt, r)))
    lines.push(...pairByOrder(left.slice(l, l + 1), right.slice(r, r + 1)))
    leftAt = l + 1
    rightAt = r + 1
  }
  return lines
}

function pairByOrder(left: readonly string[], right: readonly string[]): DiffLine[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const l = left[index] ?? null
    const r = right[index] ?? null
    return { kind: r === null ? 'left' : l === null ? 'right' : 'changed', left: l, right: r }
  })
}

/** The key of a line of JSON, the name of a header. */
function nameOf(line: string): string {
  const colon = line.indexOf(':')
  return colon === -1 ? line : line.slice(0, colon)
}
