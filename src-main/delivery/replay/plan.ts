import { setImmediate as breathe } from 'node:timers/promises'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { replayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ReplayFacts } from '../store/replay-facts.ts'
import type { ReplayRecord } from '../store/replay-jobs.ts'
import type { PlannedCapture } from '../store/replay-plans.ts'
import { type Ordered, orderByLt, shuffleByLt } from './order.ts'
import type { CaptureSource } from './sequence.ts'

/** Most captures that are put in another order than that of their arrival. */
export const maxOrdered = 100_000

type Plan = {
  readonly captures: readonly PlannedCapture[]
  /** What of it could not be put in that order. */
  readonly remarks: readonly string[]
}

export function tooManyToOrder(): AppError {
  return new AppError(
    replayCodes.tooMany,
    `By logical time or shuffled, at most ${maxOrdered.toLocaleString('en')} captures are sent in one job. Narrow the query, or send them in the order of arrival.`,
  )
}

/**
 * The captures of a job in its order; moments of arrival stay with the places, so that the pace of
 * the original is that of what had arrived.
 * @throws AppError REPLAY_TOO_MANY
 */
export async function makePlan(
  { options, seed }: ReplayRecord,
  source: CaptureSource,
  factsOf: ReplayFacts,
  signal: AbortSignal,
): Promise<Plan | null> {
  const all: PlannedCapture[] = []
  const ordered: Ordered[] = []
  for (let after: number | null = 0; after !== null;) {
    const page = await source.page(after)
    const facts = factsOf(page.captures.map(({ id }) => id))
    for (const { id, at } of page.captures) {
      all.push({ id, at })
      ordered.push({ id, ...(facts.get(id) ?? { account: null, lt: null }) })
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
      : [`${count(timeless, 'capture')} without a logical time kept their places.`]
  if (options.order === 'lt') return { captures: inPlaces(all, orderByLt(ordered)), remarks }
  const { ids, accounts, orderless } = shuffleByLt(ordered, seed ?? 0)
  remarks.push(
    `Events of ${count(accounts, 'account')} are out of order` +
      (orderless === 0
        ? '.'
        : `; ${count(orderless, 'account')} had one event only, or several of one logical time.`),
  )
  return { captures: inPlaces(all, ids), remarks }
}

function inPlaces(places: readonly PlannedCapture[], ids: readonly number[]): PlannedCapture[] {
  return places.map(({ id, at }, index) => ({ id: ids[index] ?? id, at }))
}

export function count(n: number, what: string): string {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
}

/** Each is sent so many times in a row. */
export function copiesOf(order: ReplayRecord['options']['order']): number {
  return order === 'doubled' ? 2 : 1
}
