import { describe, expect, it } from 'vitest'
import {
  formatLifetime,
  formatShareText,
  readLifetime,
  splitCurrency,
  splitLifetime,
} from '../../../../src-renderer/features/invoices/create/typed-invoice.ts'

describe('the amount of a new invoice', () => {
  it('a currency that is pasted with an amount is selected', () => {
    expect(splitCurrency('1 284,75 TON')).toEqual({ amount: '1 284,75', currency: 'TON' })
    expect(splitCurrency(' usdt 4.20 ')).toEqual({ amount: '4.20', currency: 'USDT' })
    expect(splitCurrency('9 USD₮')).toEqual({ amount: '9', currency: 'USDT' })
    // The texts have an incomplete currency, and none.
    expect(splitCurrency('12 TO')).toEqual({ amount: '12 TO', currency: null })
    expect(splitCurrency('1.5')).toEqual({ amount: '1.5', currency: null })
  })
})

describe('the lifetime of a new invoice', () => {
  it('a lifetime is whole seconds up to 90 days, and is formatted in its largest whole unit', () => {
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

describe('the text for a payer', () => {
  it('the text for a payer contains the exact amount, and the expiry in UTC', () => {
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
