/** Tests amounts as users in different countries write them. */
import { describe, expect, test } from 'vitest'
import { formatAmount, parseAmount } from '../../../src-preload/domain/amount.ts'
import {
  decimalMarkOf,
  formatEntry,
  possibleUnits,
  readAmount,
  readUnits,
  requireUnits,
  splitUnit,
} from '../../../src-preload/domain/written-amount.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

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
    ['1231,00,000', null],
    ['.', null],
    ['1\n5 TON', null],
    ['TON 5\n1', null],
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
    const withPoint = readAmount('1,234', 'TON', null, { decimalMark: '.' })
    expect(withPoint.warning).toBe(
      'Read as 1234 TON, because the other amounts have a decimal point.',
    )
    expect(read('1.234', 'thousands').amount).toBe(1_234_000_000_000n)
    expect(read('1.234', 'fraction').amount).toBeNull()
    expect(read('1,234', 'thousands').amount).toBeNull()
  })
})

describe('a text that is not an amount', () => {
  const notAnAmount = (text: string) => `“${text}” is not an amount.`
  test.each([
    ['', 'Enter an amount.'],
    ['\u0661', 'The amount contains digits other than 0 to 9 (\u0661). Use 0 to 9.'],
    ['1e5', 'Enter “1e5” as plain digits.'],
    ['-1e5', 'Enter “-1e5” as plain digits.'],
    ['x1e5', notAnAmount('x1e5')],
    ['1e5x', notAnAmount('1e5x')],
    ['12-5', notAnAmount('12-5')],
    ['-5', 'The amount must be above zero.'],
    ['5+', notAnAmount('5+')],
    ['.', notAnAmount('.')],
    ['0.1234567', 'This asset has 6 decimal places, but this amount has 7.'],
    ['x'.repeat(40), notAnAmount('x'.repeat(40))],
    ['x'.repeat(41), notAnAmount(`${'x'.repeat(40)}…`)],
  ])('the text %j is refused as a number of units: %s', (text, problem) => {
    expect(readUnits(text, 6)).toEqual({ units: null, problem, readings: [] })
    expect(() => requireUnits(text, 6)).toThrow(new RangeError(problem.slice(0, -1)))
  })

  test('a plus sign before an amount is accepted', () => {
    expect(readUnits('+5', 9).units).toBe(5_000_000_000n)
    expect(requireUnits('+5', 9)).toBe(5_000_000_000n)
  })
})

describe('the limits of an invoice', () => {
  const maximum = 'The maximum is 100,000 TON.'
  test.each([
    ['100000', 10n ** 14n, null],
    ['100000.000000001', 10n ** 14n + 1n, maximum],
    ['9223372036.854775807', 2n ** 63n - 1n, maximum],
    ['9223372036.854775808', null, maximum],
    ['1'.repeat(41), null, maximum],
    ['0.001', 1_000_000n, null],
    ['0.000999999', 999_999n, 'The minimum is 0.001 TON.'],
    ['0', 0n, 'The amount must be above zero.'],
  ])('the amount %s is read as %s with the problem %j', (text, amount, problem) => {
    expect(readAmount(text, 'TON')).toMatchObject({ amount, problem, readings: [] })
  })

  test.each([
    ['9999.999999999', null],
    ['10000', 'A large amount: 10,000 TON.'],
    ['12345.5', 'A large amount: 12,345.5 TON.'],
  ])('the amount %s has the warning %j', (text, warning) => {
    expect(readAmount(text, 'TON').warning).toBe(warning)
  })

  test('a refused amount keeps the chosen currency, else that of its text, else the default one', () => {
    expect(readAmount('0', 'TON').currency).toBe('TON')
    expect(readAmount('200000 USDT', null, 'TON').currency).toBe('USDT')
    expect(readAmount('0', null, 'USDT').currency).toBe('USDT')
  })
})

test.each([
  ['5 TON', '5', 'TON'],
  ['5TON', '5', 'TON'],
  ['USD₮ 5', '5', 'USD₮'],
  ['1e5', '1e5', null],
  ['1e5 TON', '1e5', 'TON'],
  ['5', '5', null],
])('the text %j has the figure %j and the unit %j', (text, figure, unit) => {
  expect(splitUnit(text)).toEqual({ figure, unit })
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
  expect(possibleUnits(`${'0'.repeat(50)}5`, 9)).toEqual([5_000_000_000n])
  expect(possibleUnits('9'.repeat(40), 0)).toEqual([10n ** 40n - 1n])
  expect(possibleUnits('9'.repeat(41), 0)).toEqual([])
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
    const random = seededRandom(locales.indexOf(locale))
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
