import { setImmediate as breathe } from 'node:timers/promises'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { replayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ReplayRecord, PlannedCapture } from '../store/replay-jobs.ts'
import type { CaptureSource, ReplayFacts } from './sequence.ts'

export const maxOrdered = 100_000

export const tooManyToOrder = (): AppError =>
  new AppError(
    replayCodes.tooMany,
    `A replay in logical-time or shuffled order can send at most ${maxOrdered.toLocaleString('en')} captures. Narrow the query, or choose the order of arrival.`,
  )

/**
 * Orders a job's captures. Arrival times belong to the positions, not to the captures, so that the
 * original pace is kept.
 * @throws AppError REPLAY_TOO_MANY
 */
export async function makePlan(
  { options, seed }: ReplayRecord,
  source: CaptureSource,
  factsOf: ReplayFacts,
  signal: AbortSignal,
) {
  const all: PlannedCapture[] = []
  const ordered: Ordered[] = []
  for (let after: number | null = 0; after !== null;) {
    const page = await source(after)
    const facts = factsOf(page.captures.map(({ id }) => id))
    for (const { id, at } of page.captures) {
      all.push({ id, at })
      const { account = null, lt = null } = facts.get(id) ?? {}
      ordered.push({ id, account, lt: lt === null ? null : BigInt(lt) })
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
  if (options.order === 'lt') return { captures: inPlaces(all, orderByLt(ordered)), remarks }
  const { ids, accounts, orderless } = shuffleByLt(ordered, seed ?? 0)
  remarks.push(
    `Events of ${countWithNoun(accounts, 'account')} are shuffled` +
      (orderless === 0
        ? '.'
        : `; ${countWithNoun(orderless, 'account')} had only one event, or several with the same logical time.`),
  )
  return { captures: inPlaces(all, ids), remarks }
}

const inPlaces = (places: readonly PlannedCapture[], ids: readonly number[]): PlannedCapture[] =>
  places.map(({ id, at }, index) => ({ id: ids[index] ?? id, at }))

export const countWithNoun = (n: number, what: string): string =>
  `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`

export const copiesOf = (order: ReplayRecord['options']['order']): number =>
  order === 'doubled' ? 2 : 1

export type Ordered = {
  readonly id: number
  readonly account: string | null
  /** A capture without a logical time keeps its position. */
  readonly lt: bigint | null
}

export function orderByLt(captures: readonly Ordered[]): number[] {
  const timed = captures.flatMap(({ id, lt }) => (lt === null ? [] : [{ id, lt }]))
  timed.sort((a, b) => (a.lt < b.lt ? -1 : a.lt > b.lt ? 1 : a.id - b.id))
  let next = 0
  return captures.map(({ id, lt }) => (lt === null ? id : (timed[next++]?.id ?? id)))
}

export function shuffleByLt(captures: readonly Ordered[], seed: number) {
  const random = createRandom(seed)
  const ids = captures.map(({ id }) => id)
  const placed = captures.map((capture, place) => ({ ...capture, place }))
  const timed = placed.filter(({ account, lt }) => account !== null && lt !== null)
  let accounts = 0
  let orderless = 0
  for (const events of Map.groupBy(timed, ({ account }) => account).values()) {
    if (events.every(({ lt }) => lt === events[0]?.lt)) {
      orderless += 1
      continue
    }
    accounts += 1
    outOfOrder(events, random).forEach(({ id }, index) => (ids[events[index]?.place ?? 0] = id))
  }
  return { ids, accounts, orderless }
}

function outOfOrder(events: readonly Ordered[], random: () => number): Ordered[] {
  const shuffled = [...events]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    swap(shuffled, last, Math.floor(random() * (last + 1)))
  }
  const isInOrder = shuffled.every(
    ({ lt }, index) => index === 0 || (lt ?? 0n) >= (shuffled[index - 1]?.lt ?? 0n),
  )
  // The shuffle produced the original order; the first and the last capture have different logical times.
  if (isInOrder) swap(shuffled, 0, shuffled.length - 1)
  return shuffled
}

function swap(list: Ordered[], one: number, other: number): void {
  const [a, b] = [list[one], list[other]]
  if (a === undefined || b === undefined) return
  list[one] = b
  list[other] = a
}

/** The mulberry32 generator returns the same numbers in [0, 1) for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
