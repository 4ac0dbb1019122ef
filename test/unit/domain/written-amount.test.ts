/** Amounts as users in different countries write them. */
import { describe, expect, test } from 'vitest'
import { formatAmount, parseAmount } from '../../../src-preload/domain/amount.ts'
import {
  decimalMarkOf,
  formatEntry,
  possibleUnits,
  readAmount,
  readUnits,
} from '../../../src-preload/domain/written-amount.ts'
import { seeded } from '../../fixtures/seeded.ts'

const ton = (text: string) => readAmount(text, 'TON').amount

describe('an unambiguous amount', () => {
  test.each([
    ['125,50', '125.5'],
    ['125.50', '125.5'],
    ['1.2345', '1.2345'],
    ['1,2345', '1.2345'],
    ['0.125', '0.125'],
    ['0,125', '0.125'],
    ['.125', '0.125'],
    [',125', '0.125'],
    ['1234.567', '1234.567'],
    ['1234,567', '1234.567'],
    ['01.234', '1.234'],
    ['1 234', '1234'],
    ['1 234,567', '1234.567'],
    ['1\u202f234.567', '1234.567'],
    ['1’234', '1234'],
    ["1'234.567", '1234.567'],
    ['1_234', '1234'],
    ['12.345,678', '12345.678'],
    ['12,345.678', '12345.678'],
    ['10.000,00', '10000'],
    ['10,000.00', '10000'],
    ['1,00,000', '100000'],
    ['12,345,', null],
    ['99,999,', null],
    ['+5', null],
  ])('the text %j is parsed as %j TON', (text, decimal) => {
    expect(ton(text)).toBe(decimal === null ? null : parseAmount(decimal, 9))
  })
})

describe('an ambiguous amount', () => {
  test.each([
    ['1.234', '1.2340', '1234'],
    ['1,234', '1.2340', '1234'],
    ['10.000', '10.0000', '10000'],
    ['10,000', '10.0000', '10000'],
    ['99.999', '99.9990', '99999'],
  ])(
    'the amount %j is refused as ambiguous between %s and %s, and each of them is accepted',
    (text, fraction, thousands) => {
      const read = readAmount(text, 'USDT')
      expect(read).toMatchObject({ amount: null, readings: [fraction, thousands] })
      expect(read.problem).toBe(
        `“${text}” can mean ${fraction} or ${thousands}: enter one of these.`,
      )
      for (const reading of read.readings) expect(readUnits(reading, 6).problem).toBeNull()
      const chosen = (explanation: 'fraction' | 'thousands') =>
        readAmount(text, 'USDT', null, { meaning: explanation })
      expect(chosen('fraction').amount).toBe(parseAmount(fraction, 6))
      expect(chosen('thousands').amount).toBe(parseAmount(thousands, 6))
    },
  )
})

describe('the decimal mark of a file', () => {
  test.each([
    [['125,50', '3'], ','],
    [['125.50'], '.'],
    [['1.234.567'], ','],
    [['1,234,567'], '.'],
    [['1.234,5 TON'], ','],
    [['125,50', '125.50'], null],
    [['1.234', '1,234', '7'], null],
    [[], null],
  ] as const)('the amounts %j have the decimal mark %j', (texts, mark) => {
    expect(decimalMarkOf(texts)).toBe(mark)
  })

  test('both marks are parsed by the decimal mark of the file, with a warning, and a contrary choice is refused', () => {
    const read = (text: string, explanation?: 'fraction' | 'thousands') =>
      readAmount(text, 'TON', null, {
        decimalMark: ',',
        ...(explanation && { meaning: explanation }),
      })
    expect(read('1.234')).toMatchObject({
      amount: 1_234_000_000_000n,
      warning: 'Read as 1234 TON, because the other amounts have a decimal comma.',
    })
    expect(read('1,234')).toMatchObject({ amount: 1_234_000_000n, problem: null })
    expect(read('1.234', 'thousands').amount).toBe(1_234_000_000_000n)
    expect(read('1.234', 'fraction').amount).toBeNull()
    expect(read('1,234', 'thousands').amount).toBeNull()
  })
})

test('an amount formatted for a field is parsed as the same amount', () => {
  for (const units of [1n, 1_234_000_000n, 1_234_000_000_000n, 10n ** 10n, 125_000_000n]) {
    const text = formatEntry(units, 9)
    expect(readUnits(text, 9), text).toMatchObject({ units })
  }
})

test('a search finds each possible value of an amount', () => {
  expect(possibleUnits('1.234', 9)).toEqual([1_234_000_000n, 1_234_000_000_000n])
  expect(possibleUnits('12,5', 6)).toEqual([12_500_000n])
  expect(possibleUnits('1.2345678', 6)).toEqual([])
  expect(possibleUnits('abc', 6)).toEqual([])
})

const locales = [
  ...['en-US', 'en-IN', 'en-ZA', 'de-DE', 'de-AT', 'de-CH', 'fr-FR', 'fr-CH', 'it-IT', 'es-ES'],
  ...['es-MX', 'pt-BR', 'pt-PT', 'ru-RU', 'uk-UA', 'pl-PL', 'cs-CZ', 'sv-SE', 'nb-NO', 'da-DK'],
  ...['fi-FI', 'nl-NL', 'tr-TR', 'ja-JP', 'zh-CN', 'ko-KR', 'hi-IN-u-nu-latn', 'ar-EG-u-nu-latn'],
  ...['bg-BG', 'et-EE', 'el-GR', 'id-ID', 'vi-VN', 'hu-HU', 'ro-RO', 'sl-SI', 'lt-LT', 'kk-KZ'],
]

test.each(locales)(
  'an amount formatted for %s is parsed exactly or refused as ambiguous',
  (locale) => {
    const random = seeded(locales.indexOf(locale))
    const whole = (most: number) => Math.floor(random() * (most + 1))
    for (let round = 0; round < 200; round += 1) {
      const places = whole(6)
      const units = BigInt(1 + whole(10 ** (1 + whole(10))))
      const digits = formatAmount(units, places)
      const format = new Intl.NumberFormat(locale, {
        minimumFractionDigits: 0,
        maximumFractionDigits: 6,
      })
      const text = format.format(digits as Intl.StringNumericLiteral)
      const read = readUnits(text, 9)
      const expected = parseAmount(digits, 9)
      if (read.units !== null) expect(read.units, `${digits} as ${text}`).toBe(expected)
      else {
        const readings = read.readings.map((each) => parseAmount(each, 9))
        expect(readings, `${digits} as ${text}: ${read.problem}`).toContain(expected)
      }
    }
  },
)
