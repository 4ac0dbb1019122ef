import type { DiffLine } from '../../../src-preload/contract/replay.ts'

/** One row on the screen: a line, or the number of equal lines that are folded. */
type Folded =
  | { readonly kind: 'line'; readonly index: number; readonly line: DiffLine }
  | { readonly kind: 'fold'; readonly from: number; readonly count: number }

/** Equal lines shown around each change. */
const around = 3
/** Fewer equal lines are not folded. */
const least = 4

/** Folds equal lines that are far from a change. `opened` holds the starts of folds that the user opened. */
export function foldSame(lines: readonly DiffLine[], opened: ReadonlySet<number>): Folded[] {
  const shown: Folded[] = []
  let from = 0
  while (from < lines.length) {
    const run = sameFrom(lines, from)
    const start = from === 0 ? from : from + around
    const end = from + run === lines.length ? lines.length : from + run - around
    const folds = end - start >= least && !opened.has(start)
    const stop = run === 0 ? from + 1 : from + run
    for (let index = from; index < stop; index += 1) {
      if (folds && index === start) shown.push({ kind: 'fold', from: start, count: end - start })
      const line = lines[index]
      if (line === undefined || (folds && index >= start && index < end)) continue
      shown.push({ kind: 'line', index, line })
    }
    from = stop
  }
  return shown
}

function sameFrom(lines: readonly DiffLine[], from: number): number {
  let at = from
  while (lines[at]?.kind === 'same') at += 1
  return at - from
}

/** The index at which each run of changed lines starts. */
export function changeStarts(lines: readonly DiffLine[]): number[] {
  return lines.flatMap((line, index) =>
    line.kind !== 'same' && (index === 0 || lines[index - 1]?.kind === 'same') ? [index] : [],
  )
}

export function countChanged(lines: readonly DiffLine[]): number {
  return lines.filter(({ kind }) => kind !== 'same').length
}

export type Parts = {
  readonly before: string
  readonly changed: string
  readonly after: string
}

/** The part of each of two lines in which they differ. */
export function changedParts(left: string, right: string): readonly [Parts, Parts] {
  const most = Math.min(left.length, right.length)
  let head = 0
  while (head < most && left[head] === right[head]) head += 1
  // Never between the two halves of a surrogate pair.
  if (isLowHalf(left.charCodeAt(head)) || isLowHalf(right.charCodeAt(head)))
    head -= head > 0 ? 1 : 0
  let tail = 0
  while (tail < most - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1
  if (tail > 0 && isLowHalf(left.charCodeAt(left.length - tail))) tail -= 1
  const cut = (line: string): Parts => ({
    before: line.slice(0, head),
    changed: line.slice(head, line.length - tail),
    after: line.slice(line.length - tail),
  })
  return [cut(left), cut(right)]
}

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
