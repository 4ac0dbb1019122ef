/**
 * Parses amounts in the notations of all countries. An amount that can mean two numbers is never
 * read as one of them unless the file or the user decides.
 */
import {
  type Currency,
  coinName,
  currencyName,
  decimalsOf,
  formatAmount,
  groupDigits,
  parseAmount,
} from './amount.ts'
import { issueLimits } from './invoice-values.ts'

/** How to read `1,234` and `1.234`, which are ambiguous on their own. */
export type MarkReading = 'ask' | 'fraction' | 'thousands'

type Mark = '.' | ','

type Reading = {
  /** Digits with a point before the fraction. */
  readonly decimal: string
  readonly decimalMark: Mark | null
  readonly groupMark: Mark | null
}

/** Facts about the context of the text that help to read it. */
export type AmountContext = {
  readonly meaning?: MarkReading
  /** The decimal mark of the other amounts in the same file. */
  readonly decimalMark?: Mark | null
}

/** Spaces of every width and other marks that group digits and are never decimal marks. */
const spacing = String.raw`[ \u00a0\u2000-\u200a\u202f\u205f\u3000_'’ʼ\`´˙]`
const anyMark = new RegExp(String.raw`[.,]|${spacing}`, 'g')

/**
 * Groups of digits such as `1 234`, `12.345.678` or, in India and its neighbors, `12,34,567`. All
 * marks must be equal.
 */
const western = new RegExp(String.raw`^\d{1,3}(?:([.,]|${spacing})\d{3})(?:\1\d{3})*$`)
const indian = /^\d{1,2}(?:,\d{2})+,\d{3}$/
const groupedFraction = new RegExp(String.raw`^\d{3}(?:(${spacing})\d{3})*(?:${spacing}\d{1,3})$`)

/** An amount with this number of digits is above every limit. */
const maxDigits = 40
const maxShown = 40

/**
 * The possible readings of a number without sign and unit: none, one number, or both the fraction
 * and the thousands.
 */
function readingsOf(figure: string): readonly Reading[] {
  const marks: readonly Mark[] = figure.match(/[.,]/g)?.map((mark) => mark as Mark) ?? []
  const last = marks.at(-1)
  const whole = readWhole(figure)
  const readings: Reading[] = whole === null ? [] : [toReading(whole, '', null)]
  if (last === undefined || marks.indexOf(last) !== marks.length - 1) return readings
  const at = figure.lastIndexOf(last)
  const before =
    figure.slice(0, at) === '' ? { digits: '0', groupMark: null } : readWhole(figure.slice(0, at))
  const fraction = readFraction(figure.slice(at + 1))
  if (before === null || fraction === null || figure.length === 1) return readings
  return [toReading(before, fraction, last), ...readings]
}

type Whole = { readonly digits: string; readonly groupMark: Mark | null }

function readWhole(text: string): Whole | null {
  if (/^\d+$/.test(text)) return { digits: text, groupMark: null }
  // A number with groups does not begin with a zero, so `0.125` is a fraction.
  if (text.startsWith('0') || !(western.test(text) || indian.test(text))) return null
  const groupMark = (/[.,]/.exec(text)?.[0] ?? null) as Mark | null
  return { digits: text.replaceAll(anyMark, ''), groupMark }
}

function readFraction(text: string): string | null {
  if (/^\d*$/.test(text)) return text
  return groupedFraction.test(text) ? text.replaceAll(anyMark, '') : null
}

function toReading(
  { digits, groupMark }: Whole,
  fraction: string,
  decimalMark: Mark | null,
): Reading {
  const whole = digits.replace(/^0+(?=\d)/, '')
  return { decimal: fraction === '' ? whole : `${whole}.${fraction}`, decimalMark, groupMark }
}

/** Formats an amount exactly and without ambiguity for a field or file that is read again: `1.2340`. */
export function formatEntry(units: bigint, decimals: number): string {
  const text = formatAmount(units, decimals)
  return readingsOf(text).length > 1 ? `${text}0` : text
}

/** The decimal mark of those amounts that can mean only one number; null if they do not agree. */
export function decimalMarkOf(texts: readonly string[]): Mark | null {
  const found = new Set<Mark>()
  for (const text of texts) {
    const [reading, other] = readingsOf(splitUnit(stripMarks(text)).figure)
    if (reading === undefined || other !== undefined) continue
    const { decimalMark, groupMark } = reading
    if (decimalMark !== null) found.add(decimalMark)
    else if (groupMark !== null) found.add(groupMark === '.' ? ',' : '.')
  }
  const [mark, other] = found
  return other === undefined ? (mark ?? null) : null
}

type ReadFigure =
  | { readonly decimal: string; readonly note: string | null; readonly problem: null }
  | { readonly decimal: null; readonly problem: string; readonly readings: readonly string[] }

/** @param figure the number without its unit */
function readFigure(
  figure: string,
  { meaning = 'ask', decimalMark = null }: AmountContext,
): ReadFigure {
  const unreadable = (problem: string) => ({ decimal: null, problem, readings: [] })
  if (/^[+\-−]?[\d.,]+e[+\-−]?\d+$/i.test(figure)) {
    return unreadable(`Enter ${shown(figure)} as plain digits.`)
  }
  if (/^[-−]/.test(figure)) return unreadable('The amount must be above zero.')
  const [first, second] = readingsOf(figure)
  if (first === undefined) return unreadable(`${shown(figure)} is not an amount.`)
  if (second === undefined) return { decimal: first.decimal, note: null, problem: null }
  const ofFile = decimalMark === null ? null : first.decimalMark === decimalMark ? first : second
  const chosen = meaning === 'ask' ? null : meaning === 'fraction' ? first : second
  const read = chosen ?? ofFile
  if (read === null || (ofFile !== null && ofFile !== read)) {
    // If a zero is appended, the fraction can no longer mean thousands.
    const readings = [`${first.decimal}0`, second.decimal]
    const why = `${shown(figure)} can mean ${readings.join(' or ')}: enter one of these.`
    return { decimal: null, problem: why, readings }
  }
  const because =
    chosen === null
      ? `because the other amounts have a decimal ${decimalMark === ',' ? 'comma' : 'point'}`
      : 'as you chose'
  return { decimal: read.decimal, note: because, problem: null }
}

type ReadUnits =
  | { readonly units: bigint; readonly problem: null }
  | {
      readonly units: null
      readonly problem: string
      /** The possible numbers, each without ambiguity; empty if the text is not a number. */
      readonly readings: readonly string[]
    }

/**
 * Parses an amount to minimal units; the caller checks limits.
 * @param name the asset's name for the message
 */
export function readUnits(text: string, decimals: number, name = 'This asset'): ReadUnits {
  const figure = stripMarks(text)
  const odd = figure === '' ? 'Enter an amount.' : digitsProblem(figure)
  if (odd !== null) return { units: null, problem: odd, readings: [] }
  const read = readFigure(figure.replace(/^\+/, ''), {})
  if (read.decimal === null) return { units: null, problem: read.problem, readings: read.readings }
  const problem = placesProblem(read.decimal, decimals, name)
  if (problem !== null) return { units: null, problem, readings: [] }
  return { units: parseAmount(trimFraction(read.decimal), decimals), problem: null }
}

/** @throws RangeError with the problem that `readUnits` reports, without a full stop */
export function requireUnits(text: string, decimals: number): bigint {
  const { units, problem } = readUnits(text, decimals)
  if (units === null) throw new RangeError(problem.replace(/\.$/, ''))
  return units
}

/**
 * All amounts in minimal units that a text in a search field can mean; empty if the text is not an
 * amount of the asset.
 */
export const possibleUnits = (figure: string, decimals: number): bigint[] =>
  readingsOf(figure).flatMap(({ decimal }) => {
    const fits = decimal.length <= maxDigits && placesProblem(decimal, decimals, '') === null
    return fits ? [parseAmount(trimFraction(decimal), decimals)] : []
  })

/** Removes the zeros at the end of a fraction, which do not count as decimal places. */
const trimFraction = (decimal: string): string =>
  decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal

function placesProblem(decimal: string, decimals: number, name: string): string | null {
  const places = trimFraction(decimal).split('.')[1]?.length ?? 0
  if (places <= decimals) return null
  return `${name} has ${decimals} decimal places, but this amount has ${places}.`
}

type ReadAmount = {
  readonly amount: bigint | null
  readonly currency: Currency | null
  readonly problem: string | null
  readonly warning: string | null
  /** The two readings of an ambiguous amount, each without ambiguity. */
  readonly readings: readonly string[]
}

const unitNames: ReadonlyMap<string, Currency> = new Map([
  ['TON', 'TON'],
  ['GRAM', 'TON'],
  ['USDT', 'USDT'],
  ['USD₮', 'USDT'],
])

export const currencyOf = (text: string): Currency | null =>
  unitNames.get(stripMarks(text).toUpperCase()) ?? null

/** An amount of this many whole units or more gets a warning. */
const large = '10000'

/**
 * Parses the amount of an invoice: checks its limits, and accepts a currency in the text.
 * @param chosen the selected currency, which a currency in the text must equal
 * @param fallback the currency if neither is present
 */
export function readAmount(
  text: string,
  chosen: Currency | null,
  fallback: Currency | null = null,
  context: AmountContext = {},
): ReadAmount {
  let said: Currency | null = null
  const refuse = (
    problem: string,
    amount: bigint | null = null,
    readings: readonly string[] = [],
  ): ReadAmount => ({
    amount,
    currency: chosen ?? said ?? fallback,
    problem,
    warning: null,
    readings,
  })
  const whole = stripMarks(text)
  if (whole === '') return refuse('Enter an amount.')
  const odd = digitsProblem(whole)
  if (odd !== null) return refuse(odd)
  const { figure, unit } = splitUnit(whole)
  if (unit !== null) {
    said = currencyOf(unit)
    if (said === null) return refuse(`${shown(unit)} is not ${coinName()} or USDT.`)
    if (chosen !== null && said !== chosen) {
      return refuse(
        `The amount says ${currencyName(said)}, but the currency is ${currencyName(chosen)}.`,
      )
    }
  }
  const currency = chosen ?? said ?? fallback
  if (currency === null) return refuse(`Choose ${coinName()} or USDT.`)
  const read = readFigure(figure, context)
  if (read.decimal === null) return refuse(read.problem, null, read.readings)
  const [decimals, name] = [decimalsOf[currency], currencyName(currency)]
  const finer = placesProblem(read.decimal, decimals, name)
  if (finer !== null) return refuse(finer)
  const max = `The maximum is ${inThousands(issueLimits.most)} ${name}.`
  if (read.decimal.length > maxDigits) return refuse(max)
  const amount = parseAmount(trimFraction(read.decimal), decimals)
  if (amount === 0n) return refuse('The amount must be above zero.', amount)
  if (amount < parseAmount(issueLimits.least, decimals)) {
    return refuse(`The minimum is ${issueLimits.least} ${name}.`, amount)
  }
  if (amount > parseAmount(issueLimits.most, decimals)) {
    return refuse(max, amount < 2n ** 63n ? amount : null)
  }
  const written = formatAmount(amount, decimals)
  const isLarge = amount >= parseAmount(large, decimals)
  const warning =
    read.note !== null
      ? `Read as ${written} ${name}, ${read.note}.`
      : isLarge
        ? `A large amount: ${inThousands(written)} ${name}.`
        : null
  return { amount, currency, problem: null, warning, readings: [] }
}

const unitAfter = /^(?<figure>.*?[\d.,])[\s\u00a0]*(?<unit>[\p{L}₮$€£]{1,12})$/u
const unitBefore = /^(?<unit>[\p{L}₮$€£]{1,12})[\s\u00a0]*(?<figure>[\d.,].*)$/u

/** Separates the unit before or after a figure. */
export function splitUnit(text: string): { figure: string; unit: string | null } {
  const { figure = text, unit = null } =
    (unitAfter.exec(text) ?? unitBefore.exec(text))?.groups ?? {}
  return { figure, unit }
}

function inThousands(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const parted = groupDigits(whole, ',')
  return fraction === undefined ? parted : `${parted}.${fraction}`
}

const shown = (text: string): string =>
  `“${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}”`

/** Zero-width and direction marks, which web pages leave in copied text. */
const unseen = /[\u200b-\u200f\u2060\ufeff]/g

/** These characters reverse the displayed order: `12` may appear as `21`. */
const turning = /[\u202a-\u202e\u2066-\u2069]/

export const stripMarks = (text: string): string => text.replace(unseen, '').trim()

export function digitsProblem(text: string): string | null {
  if (turning.test(text)) {
    return 'The amount contains an invisible character that changes the direction of text. Type the amount again.'
  }
  const foreign = /(?![0-9])\p{Nd}/u.exec(text)?.[0]
  return foreign === undefined
    ? null
    : `The amount contains digits other than 0 to 9 (${foreign}). Use 0 to 9.`
}
