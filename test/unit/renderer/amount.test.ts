import { describe, expect, it } from 'vitest'
import {
  formatAmount,
  formatColumnMoney,
  formatMoney,
  formatUnits,
  readCoins,
} from '../../../src-renderer/components/amount.ts'
import { decimalsOf, formatAmount as formatDecimal } from '../../../src-preload/domain/amount.ts'

describe('amounts of money', () => {
  it.each([
    ['0', 'TON', '0.000000000'],
    ['1', 'TON', '0.000000001'],
    ['1284750000000', 'TON', '1\u202f284.750000000'],
    ['9310400000', 'USDT', '9\u202f310.400000'],
    // This amount exceeds the precision of a float, so a float would change its last digit.
    [
      '9007199254740993123456789',
      'TON',
      '9\u202f007\u202f199\u202f254\u202f740\u202f993.123456789',
    ],
  ] as const)('the amount %s %s is formatted exactly', (units, currency, printed) => {
    expect(formatAmount(units, currency)).toBe(printed)
  })

  it('an amount has trailing zeros only in columns', () => {
    const units = ['1284750000000', '20000000000', '1'] as const
    expect(units.map((each) => formatMoney(each, 'TON'))).toEqual([
      '1\u202f284.75 TON',
      '20 TON',
      '0.000000001 TON',
    ])
    expect(units.map((each) => formatColumnMoney(each, 'TON'))).toEqual([
      '1\u202f284.750000000 TON',
      '20.000000000 TON',
      '0.000000001 TON',
    ])
  })

  it.each([
    ['1', 'TON', '1000000000'],
    ['1.5', 'USDT', '1500000'],
    ['1,5', 'USDT', '1500000'],
    ['0.000000001', 'TON', '1'],
    ['1 284.75', 'TON', '1284750000000'],
    ['1.500000000000', 'USDT', '1500000'],
    ['007', 'USDT', '7000000'],
    ['0', 'TON', '0'],
  ] as const)('the text %j is parsed as an amount of %s', (text, currency, units) => {
    expect(readCoins(text, currency).units).toBe(units)
  })

  it.each(['', '-1', '1e9', '0x10', '1.2.3', '1,23,4567', 'NaN', '0.0000001', '9'.repeat(30)])(
    'the text %j is refused as an amount of USDT',
    (text) => {
      expect(readCoins(text, 'USDT').units).toBeNull()
    },
  )

  it.each(['1000000000', '1', '1284750000000', '0'])(
    'the amount %s is formatted for a field and parsed back',
    (units) => {
      expect(readCoins(formatDecimal(BigInt(units), decimalsOf.TON), 'TON').units).toBe(units)
    },
  )

  it.each([
    ['-1500000000', 9, '−1.500000000'],
    ['-5', 9, '−0.000000005'],
    ['12', 0, '12'],
    ['0', 18, '0.000000000000000000'],
    ['123456789012345678901234567890', 2, '1 234 567 890 123 456 789 012 345 678.90'],
  ])('%s units of an asset with %d decimals are formatted exactly', (units, decimals, text) => {
    expect(formatUnits(units, decimals).replaceAll('\u202f', ' ')).toBe(text)
  })
})
