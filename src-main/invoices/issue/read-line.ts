/** Lines of invoices to be, as they are understood. Pure. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { DraftLine } from '../store/invoice-drafts.ts'
import { bare } from './digits.ts'
import { type CommaMeaning, currencyOf, readAmount } from './read-amount.ts'
import { readDescription } from './read-description.ts'
import type { ReadLifeTime } from './read-life-time.ts'

const longestShown = 200

/** As it was given. */
type GivenLine = {
  /** From 1. */
  readonly line: number
  /** What it says as a whole, for whoever has to find it again. */
  readonly text: string
  readonly amount: string
  /** Chosen, or a cell of a file; an empty one says nothing. */
  readonly currency: string
  readonly lifeTime: ReadLifeTime
  readonly description: string
  /** Why all of it cannot be read. */
  readonly problem?: string | undefined
}

/** @param usual where neither the cell nor the amount says it */
export function readLine(
  given: GivenLine,
  usual: InvoiceCurrency | null,
  comma: CommaMeaning = 'ask',
): DraftLine {
  const chosen = currencyOf(given.currency)
  const isUnknown = chosen === null && bare(given.currency) !== ''
  const { amount, currency, ...read } = readAmount(
    given.amount,
    chosen,
    isUnknown ? null : usual,
    comma,
  )
  const description = readDescription(given.description)
  const unknown = isUnknown ? `“${given.currency.slice(0, 40)}” is not TON or USDT.` : null
  const problems = [
    given.problem,
    unknown ?? read.problem,
    given.lifeTime.problem,
    description.problem,
  ].flatMap((problem) => problem ?? [])
  const warnings = [read.warning, description.warning].flatMap((warning) => warning ?? [])
  return {
    line: given.line,
    text: given.text.slice(0, longestShown).toWellFormed(),
    currency: isUnknown ? null : currency,
    amount: isUnknown ? null : amount,
    lifeTimeSeconds: given.lifeTime.seconds,
    description: description.text,
    problem: problems.length > 0 ? problems.join(' ') : null,
    warning: warnings.length > 0 ? warnings.join(' ') : null,
  }
}

/** With a warning on each that stands there before already, in all it says. */
export function warnOfTwins(lines: readonly DraftLine[]): DraftLine[] {
  const seen = new Map<string, number>()
  return lines.map((line) => {
    if (line.problem !== null) return line
    const { currency, amount, lifeTimeSeconds, description } = line
    const key = [currency, amount, lifeTimeSeconds, description].join('\n')
    const before = seen.get(key)
    if (before === undefined) {
      seen.set(key, line.line)
      return line
    }
    const warnings = [line.warning, `The same as line ${before}.`].flatMap((each) => each ?? [])
    return { ...line, warning: warnings.join(' ') }
  })
}
