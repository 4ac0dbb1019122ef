import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { DraftLine } from '../store/invoice-drafts.ts'
import { bare, type CommaMeaning, currencyOf, readAmount, digitsProblem } from './read-amount.ts'
import { issueLimits } from '../../../src-preload/domain/invoice-words.ts'

type ReadDescription = {
  readonly text: string
  readonly problem: string | null
  readonly warning: string | null
}

const longestKept = 1000
const direction = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** Control characters except tab and line breaks. */
const control = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function readDescription(given: string): ReadDescription {
  // A lone surrogate cannot be sent: the gateway would store a different text.
  const text = given.toWellFormed()
  // The service counts code points. Only the start is split, because the text may be megabytes long.
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

type GivenLine = {
  readonly line: number
  readonly text: string
  readonly amount: string
  readonly currency: string
  readonly lifeTime: ReadLifeTime
  readonly description: string
  readonly problem?: string | undefined
}

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

type ReadLifeTime = {
  readonly seconds: number | null
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
  /** A year is always too long; it is parsed so that the error can say so. */
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

/** Parses seconds, or `90s`, `30m`, `1h`, `7d`, `2 weeks`, `1h 30m`. Empty text means `usual`. */
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

function check(seconds: number): ReadLifeTime {
  const { problem } = checkLifeTime(seconds)
  return { seconds: seconds <= 1e9 ? seconds : null, problem }
}

function unknown(said: string): ReadLifeTime {
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said
  const problem = `“${shown}” is no lifetime: write seconds, or such as 30m, 1h or 7d.`
  return { seconds: null, problem }
}
