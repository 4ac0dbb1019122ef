/** Deliveries that this receiver had, in steps of time. */
import type { CaptureCounts, CountedOf } from '../../captures/store/capture-counts.ts'
import type { Steps } from '../store/failure-history.ts'

const minuteMs = 60_000
type Received = { received: number; refused: number }

/** A step that ended so long ago does not change any more. */
const settledMs = 5 * minuteMs
const maxKept = 10_000

export function createReceived(deps: {
  readonly counts: CaptureCounts
  readonly now: () => number
  readonly breathe: () => Promise<unknown>
}) {
  /** Of steps that have settled. */
  const kept = new Map<string, Received>()

  /** One for each step. */
  return async function received(of: CountedOf, steps: Steps): Promise<Received[]> {
    const keyOf = (step: number) =>
      `${JSON.stringify(of)} ${steps.width} ${steps.from + step * steps.width}`
    const found = Array.from({ length: steps.count }, (_, step) => kept.get(keyOf(step)) ?? null)
    const first = found.indexOf(null)
    if (first === -1) return found.flatMap((each) => each ?? [])
    const counted = Array.from({ length: steps.count - first }, () => ({ received: 0, refused: 0 }))
    const from = (steps.from + first * steps.width) * minuteMs
    const widthMs = steps.width * minuteMs
    const range = deps.counts.range(from, from + counted.length * widthMs)
    let next = range?.first ?? null
    while (range !== null && next !== null) {
      const slice = deps.counts.slice(of, next, range.last)
      for (const { at, isTaken } of slice.captures) {
        const step = counted[Math.floor((at - from) / widthMs)]
        if (step !== undefined) step[isTaken ? 'received' : 'refused'] += 1
      }
      next = slice.next
      await deps.breathe()
    }
    if (kept.size > maxKept) kept.clear()
    counted.forEach((each, index) => {
      const endsAt = from + (index + 1) * widthMs
      if (endsAt < deps.now() - settledMs) kept.set(keyOf(first + index), each)
    })
    return [...found.slice(0, first).flatMap((each) => each ?? []), ...counted]
  }
}
