/** Lines of invoices to be, as they are understood. Pure. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { DraftLine } from '../store/invoice-drafts.ts'
import { bare, type CommaMeaning, currencyOf, readAmount, digitsProblem } from './read-amount.ts'
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

/** How long an invoice can be paid. Pure. */

type ReadLifeTime = {
  /** Null where it could not be read. */
  readonly seconds: number | null
  /** A sentence; null when it can be asked for. */
  readonly problem: string | null
}

const longestDays = issueLimits.longestSeconds / 86_400

export function checkLifeTime(seconds: number): ReadLifeTime {
  if (seconds < 1) return { seconds, problem: 'A lifetime is at least a second.' }
  if (seconds > issueLimits.longestSeconds) {
    return { seconds, problem: `A lifetime is at most ${longestDays} days.` }
  }
  return { seconds, problem: null }
}

const inSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  /** Always too long, and then said to be. */
  y: 365 * 86_400,
}
const words: Readonly<Record<string, string>> = {
  ...{ s: 's', sec: 's', secs: 's', second: 's', seconds: 's' },
  ...{ m: 'm', min: 'm', mins: 'm', minute: 'm', minutes: 'm' },
  ...{ h: 'h', hr: 'h', hrs: 'h', hour: 'h', hours: 'h' },
  ...{ d: 'd', day: 'd', days: 'd', w: 'w', week: 'w', weeks: 'w' },
  ...{ y: 'y', year: 'y', years: 'y' },
}
const part = /(\d{1,12})\s*([a-z]+)/g
const parts = /^(?:\d{1,12}\s*[a-z]+\s*)+$/

/**
 * Of a file: seconds, or `90s`, `30m`, `1h`, `7d`, `2 weeks`, `1h 30m`.
 * @param usual where it says nothing
 */
export function readLifeTime(text: string, usual: number): ReadLifeTime {
  const said = bare(text).toLowerCase()
  if (said === '') return checkLifeTime(usual)
  const unreadable = digitsProblem(said)
  if (unreadable !== null) return { seconds: null, problem: unreadable }
  if (/^[-−]/.test(said)) return { seconds: null, problem: 'A lifetime is at least a second.' }
  if (/^\d+$/.test(said)) return check(Number(said.slice(0, 15)))
  if (!parts.test(said)) return unknown(said)
  let seconds = 0
  for (const [, count = '', word = ''] of said.matchAll(part)) {
    const unit = Object.hasOwn(words, word) ? words[word] : undefined
    if (unit === undefined) return unknown(said)
    seconds += Number(count) * (inSeconds[unit] ?? 0)
  }
  return check(seconds)
}

/** Too large a number is told of, but not kept. */
function check(seconds: number): ReadLifeTime {
  const { problem } = checkLifeTime(seconds)
  return { seconds: seconds <= 1e9 ? seconds : null, problem }
}

function unknown(said: string): ReadLifeTime {
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said
  const problem = `“${shown}” is no lifetime: write seconds, or such as 30m, 1h or 7d.`
  return { seconds: null, problem }
}
