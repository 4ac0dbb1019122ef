import { readAmount } from '../../../components/amount.ts'
import { type Currency, decimalsOf } from '../../../../src-preload/domain/amount.ts'
import { formatNumber } from '../../../ui/format.ts'
import { issueLimits } from '../../../../src-preload/domain/invoice-words.ts'

type TypedAmount =
  /** Whole numbers of the smallest unit. */
  | { readonly units: string }
  /** Why it cannot be asked for, as a sentence; null while nothing is typed. */
  | {
      readonly units: null
      readonly why: string | null
      /** What it can mean, written so that it means one thing. */
      readonly readings?: readonly string[]
    }

/**
 * What was typed or pasted, such as `1 284,75`, `1,284.75` or `0.5`. A mark that stands there once is
 * the decimal one; of two kinds it is the last. What can be read in two ways is asked.
 */
export function readTypedAmount(typed: string, currency: Currency): TypedAmount {
  const plain = typed.replaceAll(/[\s'’_]/g, '')
  if (plain === '') return refuse(null)
  const odd = whyNoNumber(plain)
  if (odd !== null) return refuse(odd)
  if (/^[1-9]\d{0,2},\d{3}$/.test(plain)) {
    const readings = [plain.replace(',', '.'), plain.replace(',', '')]
    return { units: null, why: `${plain} can mean two amounts. Choose one.`, readings }
  }
  const [whole, fraction = ''] = splitDecimals(plain) ?? []
  if (whole === undefined) return refuse('Which of its marks is the decimal one? Write 1284.75.')
  const finest = decimalsOf[currency]
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > finest) {
    return refuse(`${currency} has ${finest} decimals; this has ${digits.length}.`)
  }
  if (whole.length > 18) return refuse(tooMuch(currency))
  const units = readAmount(
    `${whole === '' ? '0' : whole}.${digits === '' ? '0' : digits}`,
    currency,
  )
  if (units === null) return refuse(noNumber)
  if (BigInt(units) < unitsOf(issueLimits.least, currency)) {
    return refuse(`At least ${issueLimits.least} ${currency}.`)
  }
  if (BigInt(units) > unitsOf(issueLimits.most, currency)) return refuse(tooMuch(currency))
  return { units }
}

/** A currency that stands before or behind the amount, and the amount without it. */
export function splitCurrency(typed: string): { amount: string; currency: Currency | null } {
  const [, before, amount = '', after] =
    /^\s*(TON|USDT|USD₮)?([^a-z₮]*?)(TON|USDT|USD₮)?\s*$/i.exec(typed) ?? []
  const word = (before ?? after)?.toUpperCase()
  if (word === undefined) return { amount: typed, currency: null }
  return { amount: amount.trim(), currency: word === 'TON' ? 'TON' : 'USDT' }
}

const noNumber = 'Type an amount, such as 12.5.'

function refuse(why: string | null): TypedAmount {
  return { units: null, why }
}

function tooMuch(currency: Currency): string {
  return `At most ${formatNumber(issueLimits.most)} ${currency}.`
}

function unitsOf(whole: string, currency: Currency): bigint {
  return BigInt(readAmount(whole, currency) ?? 0)
}

function whyNoNumber(plain: string): string | null {
  if (/^[-−+]/.test(plain)) return 'Without a sign: an invoice asks for more than nothing.'
  if (/^\d[\d.,]*e[-+]?\d+$/i.test(plain)) return 'Write it out, without an exponent.'
  if (/^[\p{Nd}.,٫٬]+$/u.test(plain) && /[^\d.,]/.test(plain)) {
    return 'Use the digits 0 to 9.'
  }
  return /^(?=.*\d)[\d.,]+$/.test(plain) ? null : noNumber
}

/** The digits before and after the decimal mark; null when it cannot be told which mark that is. */
function splitDecimals(plain: string): [whole: string, fraction: string] | null {
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  const mark = plain[last]
  if (mark === undefined) return [plain, '']
  const isAlone = plain.indexOf(mark) === last
  // Several of one kind part groups: the decimal mark stands once.
  const head = isAlone ? plain.slice(0, last) : plain
  const isGrouped = /^\d{1,3}(?:\.\d{3})+$|^\d{1,3}(?:,\d{3})+$/.test(head)
  if (!isGrouped && /[.,]/.test(head)) return null
  return [head.replaceAll(/[.,]/g, ''), isAlone ? plain.slice(last + 1) : '']
}
