import { describe, expect, it } from 'vitest'
import {
  formatLifetime,
  formatShareText,
  readLifetime,
  readTypedAmount,
  splitCurrency,
  splitLifetime,
} from '../../../../src-renderer/features/invoices/create/typed-invoice.ts'

describe('an amount that is typed', () => {
  it.each([
    ['12.5', 'TON', '12500000000'],
    ['12,5', 'TON', '12500000000'],
    ['.5', 'USDT', '500000'],
    ['5.', 'USDT', '5000000'],
    ['0.001', 'TON', '1000000'],
    ['100000', 'USDT', '100000000000'],
    ['1\u00a0284,75', 'TON', '1284750000000'],
    ["1'284.75", 'TON', '1284750000000'],
    ['1,284.75', 'USDT', '1284750000'],
    ['1.284,75', 'USDT', '1284750000'],
    // One mark alone is the decimal one; a comma before three digits may part thousands, and asks.
    ['1,284', 'USDT', null],
    ['0,284', 'USDT', '284000'],
    ['1,28', 'USDT', '1280000'],
    ['1.284', 'USDT', '1284000'],
    ['12,345,678', 'TON', null],
    ['99,999.1', 'TON', '99999100000000'],
    // The zeros at its end are no finer than it is.
    ['1.5000000000000', 'USDT', '1500000'],
  ] as const)('%j %s asks for what a person means', (typed, currency, units) => {
    expect(readTypedAmount(typed, currency).units).toBe(units)
  })

  it('that can mean two amounts offers both, and takes neither by itself (U3b)', () => {
    const read = readTypedAmount('1,234', 'TON')
    expect(read).toMatchObject({ units: null, readings: ['1.234', '1234'] })
    const readings = 'readings' in read ? (read.readings ?? []) : []
    expect(readings.map((each) => readTypedAmount(each, 'TON').units)).toEqual([
      '1234000000',
      '1234000000000',
    ])
  })

  it.each([
    ['', 'TON', null],
    ['0', 'TON', 'Enter at least 0.001 TON.'],
    ['0.000999', 'USDT', 'Enter at least 0.001 USDT.'],
    ['100000.000001', 'USDT', 'Enter at most 100\u202f000 USDT.'],
    ['9'.repeat(40), 'TON', 'Enter at most 100\u202f000 TON.'],
    ['1.2345678901', 'TON', 'TON allows 9 decimal places. This amount has 10.'],
    ['1.2345678', 'USDT', 'USDT allows 6 decimal places. This amount has 7.'],
    ['-1', 'TON', 'Enter the amount without a sign.'],
    ['1e30', 'TON', 'Enter the amount without an exponent.'],
    ['١٢', 'TON', 'Enter the digits 0 to 9.'],
    ['1.2.3', 'TON', 'The decimal mark is not clear. Write the amount like 1284.75.'],
    ['1,28,4.5', 'TON', 'The decimal mark is not clear. Write the amount like 1284.75.'],
    ['twelve', 'TON', 'Enter an amount, such as 12.5.'],
    ['.', 'TON', 'Enter an amount, such as 12.5.'],
  ] as const)('%j %s is refused with its reason', (typed, currency, why) => {
    expect(readTypedAmount(typed, currency)).toEqual({ units: null, why })
  })

  it('brings its currency along when it is pasted with it', () => {
    expect(splitCurrency('1 284,75 TON')).toEqual({ amount: '1 284,75', currency: 'TON' })
    expect(splitCurrency(' usdt 4.20 ')).toEqual({ amount: '4.20', currency: 'USDT' })
    expect(splitCurrency('9 USD₮')).toEqual({ amount: '9', currency: 'USDT' })
    // While one types it, and what is none.
    expect(splitCurrency('12 TO')).toEqual({ amount: '12 TO', currency: null })
    expect(splitCurrency('1.5')).toEqual({ amount: '1.5', currency: null })
  })
})

describe('a lifetime', () => {
  it('is whole seconds of at most 90 days, and stands in the field as it was', () => {
    expect(readLifetime('1,5', 'h')).toEqual({ seconds: 5400 })
    expect(readLifetime('90', 'd')).toEqual({ seconds: 7_776_000 })
    for (const typed of ['90.1', '3651']) {
      expect(readLifetime(typed, 'd')).toEqual({ seconds: null, why: 'Enter at most 90 days.' })
    }
    expect(readLifetime('0', 'min')).toEqual({ seconds: null, why: 'Enter at least 1 second.' })
    expect(readLifetime('-1', 'min').seconds).toBeNull()
    expect(splitLifetime(5400)).toEqual({ amount: '90', unit: 'min' })
    expect(splitLifetime(259_200)).toEqual({ amount: '3', unit: 'd' })
    expect(formatLifetime(86_400)).toBe('24 h')
    expect(formatLifetime(273_600)).toBe('3 d 4 h')
  })
})

describe('what is sent to a payer', () => {
  it('says the amount to its last unit, and until when in a zone that both know', () => {
    const shared = {
      amount: '12500000001',
      currency: 'TON',
      description: ' order-4711 ',
      link: 'https://app.tonkeeper.com/transfer/UQ?amount=1',
      expiresAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    } as const
    expect(formatShareText(shared)).toBe(
      [
        'Please pay 12.500000001 TON',
        'order-4711',
        'https://app.tonkeeper.com/transfer/UQ?amount=1',
        'Until 2026-01-02 03:04 UTC',
      ].join('\n'),
    )
    expect(
      formatShareText({ ...shared, amount: '4200000', currency: 'USDT', expiresAt: null }),
    ).toContain('Please pay 4.20 USDT\n')
  })
})
