import { setImmediate as breathe } from 'node:timers/promises'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { replayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { PlannedCapture } from '../store/replay-jobs.ts'
import type { CaptureSource, ReplayFacts } from './sequence.ts'

export const maxOrdered = 100_000

export const tooManyToOrder = (): AppError =>
  new AppError(
    replayCodes.tooMany,
    `A replay in logical-time order can send at most ${maxOrdered.toLocaleString('en')} captures. Narrow the query, or choose the order of arrival.`,
  )

/**
 * Orders a job's captures by logical time. Arrival times belong to the positions, not to the captures, so that the
 * original pace is kept.
 * @throws AppError REPLAY_TOO_MANY
 */
export async function makePlan(source: CaptureSource, factsOf: ReplayFacts, signal: AbortSignal) {
  const all: PlannedCapture[] = []
  const ordered: Ordered[] = []
  for (let after: number | null = 0; after !== null;) {
    const page = await source(after)
    const facts = factsOf(page.captures.map(({ id }) => id))
    for (const { id, at } of page.captures) {
      all.push({ id, at })
      const lt = facts.get(id)?.lt ?? null
      ordered.push({ id, lt: lt === null ? null : BigInt(lt) })
    }
    if (all.length > maxOrdered) throw tooManyToOrder()
    after = page.next
    await breathe()
    if (signal.aborted) return null
  }
  const timeless = ordered.filter(({ lt }) => lt === null).length
  const remarks =
    timeless === 0
      ? []
      : [`${countWithNoun(timeless, 'capture')} without a logical time kept their places.`]
  return { captures: inPlaces(all, orderByLt(ordered)), remarks }
}

const inPlaces = (places: readonly PlannedCapture[], ids: readonly number[]): PlannedCapture[] =>
  places.map(({ id, at }, index) => ({ id: ids[index] ?? id, at }))

export const countWithNoun = (n: number, what: string): string =>
  `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`

export type Ordered = {
  readonly id: number
  /** A capture without a logical time keeps its position. */
  readonly lt: bigint | null
}

export function orderByLt(captures: readonly Ordered[]): number[] {
  const timed = captures.flatMap(({ id, lt }) => (lt === null ? [] : [{ id, lt }]))
  timed.sort((a, b) => (a.lt < b.lt ? -1 : a.lt > b.lt ? 1 : a.id - b.id))
  let next = 0
  return captures.map(({ id, lt }) => (lt === null ? id : (timed[next++]?.id ?? id)))
}
