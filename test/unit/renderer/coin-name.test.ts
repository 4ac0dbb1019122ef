/** Tests the displayed name of the native coin: its choice, and the texts that contain it. */
import { afterEach, describe, expect, test } from 'vitest'
import { assetName } from '../../../src-preload/contract/chain/references.ts'
import { defaultSettings } from '../../../src-preload/contract/settings.ts'
import {
  coinOf,
  currencyName,
  formatMoney,
  showCoinAs,
} from '../../../src-preload/domain/amount.ts'
import { formatEvent } from '../../../src-main/invoices/ledger/invoice-routes.ts'
import { readAmount } from '../../../src-preload/domain/written-amount.ts'
import {
  currencyChoices,
  formatColumnMoney,
  formatMoney as formatShown,
  renameCoin,
} from '../../../src-renderer/components/amount.ts'
import { symbolOf } from '../../../src-renderer/components/chain/chain-text.tsx'
import { splitCurrency } from '../../../src-renderer/features/invoices/create/typed-invoice.ts'

afterEach(() => showCoinAs('TON'))

describe("the name of a network's coin", () => {
  const { appearance } = defaultSettings
  const gramNetworks = ['mainnet']

  test("the coin is named TON until the network's gateway sends a field with the name GRAM", () => {
    expect(coinOf(appearance, 'mainnet')).toBe('TON')
    expect(coinOf({ ...appearance, gramNetworks }, 'mainnet')).toBe('GRAM')
    expect(coinOf({ ...appearance, gramNetworks }, 'testnet')).toBe('TON')
  })

  test('the coin has the name that the user chose on every network', () => {
    expect(coinOf({ coinName: 'TON', gramNetworks }, 'mainnet')).toBe('TON')
    expect(coinOf({ coinName: 'GRAM', gramNetworks: [] }, 'sandbox')).toBe('GRAM')
  })
})

test('amounts, choices and sentences contain the chosen name of the coin, and other assets keep their names', () => {
  const coin = { jetton: null, symbol: 'TON', decimals: 9 }
  const jetton = { jetton: `0:${'ab'.repeat(32)}`, symbol: 'TON', decimals: 9 }
  const extra = { jetton: null, extraCurrency: 100, symbol: 'TON', decimals: 9 }
  const event = {
    kind: 'created',
    source: 'created-here',
    detail: { amount: '15', currency: 'TON' },
  }
  const names = () => [
    ...['TON', 'USDT', 'EUR'].map(currencyName),
    ...[coin, jetton, extra].map(assetName),
    ...[coin, jetton, extra].map(symbolOf),
    formatMoney('1500000000', 'TON'),
    formatMoney(1_500_000n, 'USDT'),
    formatShown('1500000000', 'TON'),
    formatColumnMoney('1500000000', 'TON'),
    formatEvent(event as Parameters<typeof formatEvent>[0], String),

    readAmount('1e', null).problem,
    renameCoin('5f3c paid 1.500000000 TON'),
    ...currencyChoices().map(({ value, label }) => `${value}: ${label}`),
  ]
  const asTon = names()
  showCoinAs('GRAM')
  const changed = names().filter((name, at) => name !== asTon[at])
  expect(asTon).toContain('1.5 TON')
  expect(changed).toEqual([
    ...['GRAM', 'GRAM', 'GRAM', '1.5 GRAM', '1.5 GRAM', '1.500000000 GRAM'],
    'Created with Tondesk for 0.000000015 GRAM.',
    '“e” is not GRAM or USDT.',
    '5f3c paid 1.500000000 GRAM',
    'TON: GRAM',
  ])
})

test('an entered amount may have either name of the coin', () => {
  for (const name of ['TON', 'gram']) {
    expect(splitCurrency(`12.5 ${name}`)).toEqual({ amount: '12.5', currency: 'TON' })
    expect(readAmount(`12.5 ${name}`, null)).toMatchObject({
      amount: 12_500_000_000n,
      currency: 'TON',
      problem: null,
    })
  }
})
