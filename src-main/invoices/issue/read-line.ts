/** Lines of invoices to be, as they are understood. Pure. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { DraftLine } from '../store/invoice-drafts.ts'
import { bare } from './digits.ts'
import { type CommaMeaning, currencyOf, readAmount } from './read-amount.ts'
import type { ReadLifeTime } from './read-life-time.ts'
import { issueLimits } from '../../../src-preload/domain/invoice-words.ts'

/** What an invoice is for, as its owner will see it. Pure. */

type ReadDescription = {
  readonly text: string
  /** A sentence; null when it can be asked for. */
  readonly problem: string | null
  readonly warning: string | null
}

/** Kept of one that is too long. */
const longestKept = 1000
const direction = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** All but tab and line breaks. */
const control = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function readDescription(given: string): ReadDescription {
  // Half a surrogate cannot be sent: the other side would keep something else.
  const text = given.toWellFormed()
  // As the service counts: code points. Not all of a megabyte is taken apart for it.
  const max = issueLimits.descriptionCharacters
  const isLong = text.length > 2 * max || Array.from(text).length > max
  const problem = isLong
    ? `The description has ${count(text)} characters; ${max} are allowed.`
    : text.includes('\0')
      ? 'The description holds a NUL character, which gateways do not keep.'
      : null
  const warning = direction.test(text)
    ? 'The description holds invisible marks that turn the direction of text.'
    : control.test(text)
      ? 'The description holds invisible control characters.'
      : text.includes('\ufffd')
        ? 'Some characters of the description could not be read.'
        : null
  return { text: text.slice(0, longestKept).toWellFormed(), problem, warning }
}

function count(text: string): string {
  return Array.from(text).length.toLocaleString('en')
}

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
