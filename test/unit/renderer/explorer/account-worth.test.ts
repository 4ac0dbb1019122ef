/** Tests the value of an account at the gateway's rates. */
import { expect, test } from 'vitest'
import { worthOf } from '../../../../src-renderer/features/explorer/account-assets.tsx'
import type { JettonBalance } from '../../../../src-preload/contract/chain/account.ts'

function jetton(symbol: string, more: Partial<JettonBalance>): JettonBalance {
  return {
    asset: { jetton: `0:${symbol}`, symbol, decimals: 6 },
    name: symbol,
    balance: '1000000',
    walletAddress: symbol,
    verification: 'whitelist',
    lock: null,
    price: null,
    ...more,
  }
}

const usd = (rate: string | null) => ({ rate, currency: 'USD' }) as const

test('jettons without a rate, with a blacklist entry or with a display multiplier are counted as not valued', () => {
  const scale = { numerator: '3', denominator: '2' }
  const jettons = [
    jetton('A', { price: '2.5' }),
    jetton('B', {}),
    jetton('C', { price: '1000000', verification: 'blacklist' }),
    jetton('D', { price: '9', asset: { jetton: '0:d', symbol: 'D', decimals: 6, scale } }),
    jetton('E', { balance: '0', price: '7' }),
  ]
  const account = { balance: '1500000000', jettons, currency: 'USD' } as const
  expect(worthOf(account, usd('3'))).toEqual({
    coins: '4.50',
    total: '7.00',
    countedJettons: 1,
    otherJettons: 3,
  })
})

test('no total is shown without a rate of the coin or with rates in different currencies', () => {
  const jettons = [jetton('A', { price: '2' })]
  const account = { balance: '1', jettons, currency: 'USD' } as const
  expect(worthOf(account, usd(null))).toMatchObject({ coins: null, total: null })
  const euro = { rate: '2', currency: 'EUR' } as const
  expect(worthOf(account, euro)).toMatchObject({ coins: '0.00', total: null })
})

test('the value of a balance beyond 2^53 is exact to the cent', () => {
  const account = { balance: '9007199254740993000000000', jettons: null, currency: 'USD' } as const
  expect(worthOf(account, usd('1')).total).toBe('9007199254740993.00')
})
