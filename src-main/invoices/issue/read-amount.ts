/** Parses typed and pasted amounts exactly, or says why it cannot. Pure. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { DraftLine } from '../store/invoice-drafts.ts'
import { issueLimits } from '../../../src-preload/domain/invoice-words.ts'
import {
  coinName,
  currencyName,
  decimalsOf,
  parseAmount,
} from '../../../src-preload/domain/amount.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

type ReadAmount = Pick<DraftLine, 'amount' | 'currency' | 'problem' | 'warning'>

/** How to read `1,234`: the text alone does not tell, so the user decides before anything is issued. */
export type CommaMeaning = 'ask' | 'fraction' | 'thousands'

const units: Readonly<Record<string, InvoiceCurrency>> = lookupTable({
  ...{ TON: 'TON', GRAM: 'TON', USDT: 'USDT', 'USD₮': 'USDT' },
})

export function currencyOf(text: string): InvoiceCurrency | null {
  return units[bare(text).toUpperCase()] ?? null
}

/** Spaces of every width, and other marks that group thousands. */
const space = String.raw`[ \u00a0\u2000-\u200a\u202f\u205f\u3000_'’]`
const unitAfter = /^(.*?[\d.,])[\s\u00a0]*([\p{L}₮$€£]{1,12})$/u
const unitBefore = /^([\p{L}₮$€£]{1,12})[\s\u00a0]*([\d.,].*)$/u
const scientific = /^[+\-−]?[\d.,]+e[+\-−]?\d+$/i

/** Whole units from which an amount gets a warning. */
const large = 10_000n
const longestShown = 40
const maxDigits = 40

/**
 * @param chosen the selected currency; a currency in the text must be the same
 * @param fallback the currency when neither is present
 */
export function readAmount(
  text: string,
  chosen: InvoiceCurrency | null,
  fallback: InvoiceCurrency | null = null,
  comma: CommaMeaning = 'ask',
): ReadAmount {
  const refuse = (problem: string, amount: bigint | null = null): ReadAmount => {
    return { amount, currency: chosen ?? said ?? fallback, problem, warning: null }
  }
  let said: InvoiceCurrency | null = null
  const whole = bare(text)
  if (whole === '') return refuse('Enter an amount.')
  const unreadable = digitsProblem(whole)
  if (unreadable !== null) return refuse(unreadable)
  if (scientific.test(whole)) return refuse(`Enter ${shown(whole)} as plain digits.`)
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
  if (/^[-−]/.test(figure)) return refuse('The amount must be above zero.')
  const read = plainDecimal(figure)
  const plain =
    read?.mayBeThousands === true && comma === 'thousands'
      ? { ...read, decimal: read.decimal.replace('.', '') }
      : read
  if (plain === null) return refuse(`${shown(whole)} is not an amount.`)
  const [decimals, name] = [decimalsOf[currency], currencyName(currency)]
  const places = plain.decimal.split('.')[1]?.length ?? 0
  if (places > decimals) {
    return refuse(`${name} has ${decimals} decimal places, but this amount has ${places}.`)
  }
  const max = `The maximum is ${inThousands(issueLimits.most)} ${name}.`
  if (plain.decimal.length > maxDigits) return refuse(max)
  const amount = parseAmount(plain.decimal, decimals)
  if (amount === 0n) return refuse('The amount must be above zero.', amount)
  if (amount < parseAmount(issueLimits.least, decimals)) {
    return refuse(`The minimum is ${issueLimits.least} ${name}.`, amount)
  }
  if (amount > parseAmount(issueLimits.most, decimals)) {
    return refuse(max, amount < 2n ** 63n ? amount : null)
  }
  const isLarge = amount >= large * 10n ** BigInt(decimals)
  if (plain.mayBeThousands && comma === 'ask') {
    const [fraction, thousands] = [plain.decimal, plain.decimal.replace('.', '')]
    return refuse(`${shown(figure)} can mean ${fraction} or ${thousands}: enter one of these.`)
  }
  const warning = plain.mayBeThousands
    ? `Read as ${plain.decimal} ${name}, as you chose.`
    : isLarge
      ? `A large amount: ${inThousands(plain.decimal)} ${name}.`
      : null
  return { amount, currency, problem: null, warning }
}

function splitUnit(text: string): { figure: string; unit: string | null } {
  const [, figure, after] = unitAfter.exec(text) ?? []
  if (figure !== undefined && after !== undefined) return { figure, unit: after }
  const [, before, rest] = unitBefore.exec(text) ?? []
  if (before !== undefined && rest !== undefined) return { figure: rest, unit: before }
  return { figure: text, unit: null }
}

const grouped = new RegExp(String.raw`^\d{1,3}(?:${space}\d{3})+$`)
const groupedFraction = new RegExp(String.raw`^\d{3}(?:${space}\d{3})*${space}\d{1,3}$`)
const spaces = new RegExp(space, 'g')

function plainDecimal(figure: string): { decimal: string; mayBeThousands: boolean } | null {
  const marks: readonly string[] = figure.match(/[.,]/g) ?? []
  const [first] = marks
  const last = marks.at(-1)
  let [whole, fraction]: [string, string] = [figure, '']
  if (marks.length === 1) {
    const at = figure.search(/[.,]/)
    ;[whole, fraction] = [figure.slice(0, at), figure.slice(at + 1)]
  } else if (first !== undefined && last !== undefined && marks.length > 1) {
    // Repeated equal marks group thousands; of two different marks the last one is the decimal mark.
    const isFraction = first !== last
    if (isFraction && marks.indexOf(last) !== marks.length - 1) return null
    const at = isFraction ? figure.lastIndexOf(last) : figure.length
    ;[whole, fraction] = [figure.slice(0, at), figure.slice(at + 1)]
    if (!/^\d{1,3}(?:[.,]\d{3})+$/.test(whole)) return null
    whole = whole.replace(/[.,]/g, '')
  }
  if (grouped.test(whole)) whole = whole.replace(spaces, '')
  if (groupedFraction.test(fraction)) fraction = fraction.replace(spaces, '')
  if (!/^\d*$/.test(whole) || !/^\d*$/.test(fraction) || whole + fraction === '') return null
  const digits = whole.replace(/^0+(?=\d)/, '')
  return {
    decimal: `${digits === '' ? '0' : digits}${fraction === '' ? '' : `.${fraction}`}`,
    mayBeThousands: marks.length === 1 && /^[1-9]\d{0,2},\d{3}$/.test(figure),
  }
}

function inThousands(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? parted : `${parted}.${fraction}`
}

function shown(text: string): string {
  return `“${text.length > longestShown ? `${text.slice(0, longestShown)}…` : text}”`
}

/** Zero-width and direction marks, which web pages leave in copied text. */
const unseen = /[\u200b-\u200f\u2060\ufeff]/g

/** These characters reverse the displayed order: `12` may appear as `21`. */
const turning = /[\u202a-\u202e\u2066-\u2069]/

export function bare(text: string): string {
  return text.replace(unseen, '').trim()
}

export function digitsProblem(text: string): string | null {
  if (turning.test(text)) {
    return 'The amount contains an invisible character that changes the direction of text. Type the amount again.'
  }
  const foreign = /(?![0-9])\p{Nd}/u.exec(text)?.[0]
  return foreign === undefined
    ? null
    : `The amount contains digits other than 0 to 9 (${foreign}). Use 0 to 9.`
}
