import { diffArrays } from 'diff'
import type { DiffLine } from '../../../src-preload/contract/replay.ts'

/** Edits up to which the shortest way is looked for; beyond, lines that stand once in each guide it. */
const maxEdits = 1_000
/** Lines of a changed place beyond which they are paired by their order alone. */
const maxPaired = 200

/**
 * Two texts line by line, the shortest way from one to the other, with lines that were changed in place
 * beside each other.
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
  const parts = diffArrays([...left], [...right], { maxEditLength: maxEdits })
  // There are too many edits on the way.
  if (parts === undefined) return anchors(left, right)
  let [leftAt, rightAt] = [0, 0]
  return parts.flatMap(({ added, removed, count }) => {
    const [x, y] = [leftAt, rightAt]
    if (!added) leftAt += count
    if (!removed) rightAt += count
    return added || removed ? [] : Array.from({ length: count }, (_, at): Place => [x + at, y + at])
  })
}

/** Lines that stand once in each, as far as they are in the same order: the longest such row. */
function anchors(a: readonly string[], b: readonly string[]): Place[] {
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
function placesOfSingles(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  const seen = new Set<string>()
  lines.forEach((line, at) => {
    if (seen.has(line)) places.delete(line)
    else places.set(line, at)
    seen.add(line)
  })
  return places
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
