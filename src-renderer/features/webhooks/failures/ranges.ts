import type { HistoryRange } from '../../../app/webhooks-route.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Range = {
  readonly name: HistoryRange
  readonly label: string
  /** In milliseconds, as all here. */
  readonly span: number
  /** One of those history is told in. */
  readonly step: number
}

/** How far back history is drawn, and in which steps. */
export const ranges: readonly Range[] = [
  { name: '6h', label: '6 h', span: 6 * hour, step: 5 * minute },
  { name: '24h', label: '24 h', span: day, step: 10 * minute },
  { name: '7d', label: '7 d', span: 7 * day, step: 2 * hour },
  { name: '30d', label: '30 d', span: 30 * day, step: 6 * hour },
  { name: '90d', label: '90 d', span: 90 * day, step: day },
]

/** From a whole step on until now, and in how many steps that is. */
export function boundsOf(name: HistoryRange, now: number) {
  const { span, step } = findRange(name)
  const from = Math.ceil((now - span) / step) * step
  return { from, to: now, steps: Math.ceil((now - from) / step) + 1 }
}

export function findRange(name: HistoryRange): Range {
  const range = ranges.find((each) => each.name === name)
  if (range === undefined) throw new Error(`no range ${name}`)
  return range
}
