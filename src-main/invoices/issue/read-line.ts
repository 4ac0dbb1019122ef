import { parseSpan } from '../../../src-preload/domain/time-span.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { DraftLine } from '../store/invoice-drafts.ts'
import { issueLimits, maxOrderReference } from '../../../src-preload/domain/invoice-values.ts'
import {
  type AmountContext,
  bare,
  currencyOf,
  digitsProblem,
  readAmount,
} from '../../../src-preload/domain/written-amount.ts'

const longestKept = 1000
const direction = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** Control characters except tab and line breaks. */
const control = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function readDescription(given: string) {
  // A lone surrogate cannot be sent: the gateway would store a different text.
  const text = given.toWellFormed()
  // The service counts code points. Only the start is split, because the text may be megabytes long.
  const max = issueLimits.descriptionCharacters
  const isLong = text.length > 2 * max || Array.from(text).length > max
  const problem = isLong
    ? `The description has ${Array.from(text).length.toLocaleString('en')} characters; at most ${max} are allowed.`
    : text.includes('\0')
      ? 'The description contains a NUL character, which the gateway does not store.'
      : null
  const warning = direction.test(text)
    ? 'The description contains invisible characters that change the direction of text.'
    : control.test(text)
      ? 'The description contains invisible control characters.'
      : text.includes('\ufffd')
        ? 'Some characters of the description could not be read.'
        : null
  return { text: text.slice(0, longestKept).toWellFormed(), problem, warning }
}

const longestShown = 200

type GivenLine = {
  readonly line: number
  readonly text: string
  readonly amount: string
  readonly currency: string
  readonly lifeTime: ReadLifeTime
  readonly description: string
  readonly orderReference: string
  readonly problem?: string | undefined
}

export function readLine(
  given: GivenLine,
  usual: InvoiceCurrency | null,
  context: AmountContext = {},
): DraftLine {
  const chosen = currencyOf(given.currency)
  const isUnknown = chosen === null && bare(given.currency) !== ''
  const fallback = isUnknown ? null : usual
  const { amount, currency, ...read } = readAmount(given.amount, chosen, fallback, context)
  const description = readDescription(given.description)
  const unknown = isUnknown
    ? `“${given.currency.slice(0, 40)}” is not ${coinName()} or USDT.`
    : null
  const orderReference = given.orderReference.toWellFormed().trim()
  const longReference =
    orderReference.length > maxOrderReference
      ? `The order reference has ${orderReference.length.toLocaleString('en')} characters; at most ${maxOrderReference} are allowed.`
      : null
  const problems = [given.problem, unknown ?? read.problem, given.lifeTime.problem]
  return {
    line: given.line,
    text: given.text.slice(0, longestShown).toWellFormed(),
    currency: isUnknown ? null : currency,
    amount: isUnknown ? null : amount,
    lifeTimeSeconds: given.lifeTime.seconds,
    description: description.text,
    orderReference: orderReference.slice(0, maxOrderReference),
    problem: joinSentences(...problems, description.problem, longReference),
    warning: joinSentences(read.warning, description.warning),
  }
}

function joinSentences(...sentences: readonly (string | null | undefined)[]): string | null {
  const present = sentences.flatMap((sentence) => sentence ?? [])
  return present.length === 0 ? null : present.join(' ')
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
    return { ...line, warning: joinSentences(line.warning, `Same as line ${before}.`) }
  })
}

type ReadLifeTime = { readonly seconds: number | null; readonly problem: string | null }

const tooShort = 'The lifetime must be at least one second.'
const longestDays = issueLimits.longestSeconds / 86_400

export function checkLifeTime(seconds: number): ReadLifeTime {
  const isLong = seconds > issueLimits.longestSeconds
  const problem = isLong ? `The lifetime must be at most ${longestDays} days.` : null
  return { seconds, problem: seconds < 1 ? tooShort : problem }
}

/** Parses a time span of whole seconds. Empty text means `usual`. */
export function readLifeTime(text: string, usual: number): ReadLifeTime {
  const said = bare(text).toLowerCase()
  if (said === '') return checkLifeTime(usual)
  const unreadable = digitsProblem(said)
  if (unreadable !== null) return { seconds: null, problem: unreadable }
  if (/^[-−]/.test(said)) return { seconds: null, problem: tooShort }
  const ms = parseSpan(said)
  return ms === null || ms % 1000 !== 0 ? unknown(said) : check(ms / 1000)
}

function check(seconds: number): ReadLifeTime {
  const { problem } = checkLifeTime(seconds)
  return { seconds: seconds <= 1e9 ? seconds : null, problem }
}

function unknown(said: string): ReadLifeTime {
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said
  const problem = `“${shown}” is not a lifetime. Enter seconds, or a time such as 30m, 1h or 7d.`
  return { seconds: null, problem }
}
