/** Tests the received, due and returnable amounts of an invoice, and the sentence that describes them. */
import { describe, expect, test } from 'vitest'
import {
  type InvoiceAmounts,
  describeMoney,
  describeUncounted,
  isMoved,
  linkForDue,
  linkWithReference,
  moneyOf,
} from '../../../src-preload/contract/invoice-money.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'

const invoice: InvoiceAmounts = {
  status: 'pending',
  currency: 'TON',
  amount: '4000000000',
  received: '0',
  overpayment: '0',
  refunded: '0',
  uncounted: [],
  matters: [],
}
const usdt = [{ currency: 'USDT' as const, amount: '295000000' }]

type Row = readonly [
  name: string,
  figures: Partial<InvoiceAmounts>,
  due: bigint,
  excess: bigint,
  words: string,
]

const rows: readonly Row[] = [
  [
    'is unknown before the chain is synced',
    { received: null },
    4_000_000_000n,
    0n,
    'The chain is not synced yet.',
  ],
  ['is nothing', {}, 4_000_000_000n, 0n, 'No payment found.'],
  [
    'is a part',
    { received: '2000000000', matters: ['partial'] },
    2_000_000_000n,
    0n,
    '2 TON received of 4 TON, 2 TON due.',
  ],
  ['is complete but not confirmed', { received: '4000000000' }, 0n, 0n, '4 TON received.'],
  ['is exact', { status: 'paid', received: '4000000000' }, 0n, 0n, '4 TON received.'],
  [
    'is too high',
    { status: 'paid', received: '4400000000', overpayment: '400000000', matters: ['overpaid'] },
    0n,
    400_000_000n,
    '4.4 TON received; 0.4 TON to return.',
  ],
  [
    'is too high and handled',
    { status: 'paid', received: '4400000000', overpayment: '400000000' },
    0n,
    400_000_000n,
    '4.4 TON received; 0.4 TON overpaid, marked as handled.',
  ],
  [
    'is a part and the invoice has expired',
    { status: 'expired', received: '2000000000', matters: ['partial'] },
    0n,
    2_000_000_000n,
    '2 TON received; 2 TON to return.',
  ],
  [
    'is reported by the gateway alone',
    { status: 'expired', received: null, overpayment: '4000000000', matters: ['paid-late'] },
    0n,
    4_000_000_000n,
    '4 TON to return.',
  ],
  [
    'is in another asset',
    { status: 'expired', uncounted: usdt, matters: ['unmatched'] },
    0n,
    0n,
    '295 USDT received, not counted.',
  ],
  [
    'is a part, and more arrived in another asset',
    { received: '1', uncounted: usdt },
    3_999_999_999n,
    0n,
    '0.000000001 TON received of 4 TON, 3.999999999 TON due; 295 USDT received, not counted.',
  ],
  [
    'is too high and a part of the excess is refunded',
    { status: 'paid', received: '4400000000', refunded: '100000000', matters: ['overpaid'] },
    0n,
    400_000_000n,
    '4.4 TON received; 0.3 TON to return; 0.1 TON refunded.',
  ],
  [
    'is too high and the whole excess is refunded',
    { status: 'paid', received: '4400000000', refunded: '400000000', matters: ['overpaid'] },
    0n,
    400_000_000n,
    '4.4 TON received; 0.4 TON refunded.',
  ],
  [
    'is counted as overpayment of a pending invoice',
    { received: '1000000000', overpayment: '500000000' },
    3_000_000_000n,
    500_000_000n,
    '1 TON received of 4 TON, 3 TON due; 0.5 TON counted as overpayment.',
  ],
  [
    'is in two other assets',
    { uncounted: [...usdt, { currency: 'TON', amount: '1000000000' }] },
    4_000_000_000n,
    0n,
    '295 USDT and 1 TON received, not counted.',
  ],
]

describe('the money received for an invoice', () => {
  test.each(rows)(
    'the amount due, the excess and the sentence are right when the received amount %s',
    (_, figures, due, excess, words) => {
      const full = { ...invoice, ...figures }
      expect(moneyOf(full)).toMatchObject({ due, excess })
      expect(describeMoney(full)).toBe(words)
      // The texts must never deny that money was received.
      const hasCome =
        (full.received ?? '0') !== '0' || excess > 0n || describeUncounted(full) !== ''
      expect(/no payment|not synced/i.test(words)).toBe(!hasCome)
    },
  )
})

test.each(['overpaid', 'paid-late', 'paid-after-cancel', 'partial', 'chain-ahead'] as const)(
  'the money of an ended invoice is to be returned while its discrepancy %s is open',
  (kind) => {
    const ended = { ...invoice, status: 'cancelled', received: '1', refunded: '0' } as const
    expect(moneyOf({ ...ended, matters: [kind] })).toMatchObject({ isToReturn: true, toReturn: 1n })
    expect(moneyOf({ ...ended, matters: ['unmatched'] })).toMatchObject({
      isToReturn: false,
      toReturn: 0n,
    })
  },
)

test('nothing is to be returned without an excess, and never less than nothing', () => {
  expect(moneyOf({ ...invoice, matters: ['overpaid'] }).isToReturn).toBe(false)
  const refunded = { ...invoice, status: 'paid', received: '4000000001', refunded: '5' } as const
  expect(moneyOf({ ...refunded, matters: ['overpaid'] }).toReturn).toBe(0n)
})

test('payments that do not count are listed with their units', () => {
  expect(moneyOf({ ...invoice, uncounted: usdt }).uncounted).toEqual([
    { currency: 'USDT', units: 295_000_000n },
  ])
})

test('a payment link requests the amount due after a partial payment, and is otherwise unchanged', () => {
  const link = 'https://app.tonkeeper.com/transfer/UQab?amount=4000000000&text=60ffb0a1&exp=7'
  const rest = 'https://app.tonkeeper.com/transfer/UQab?amount=1500000000&text=60ffb0a1&exp=7'
  const part = { ...invoice, received: '2500000000' }
  expect(linkForDue(link, part)).toBe(rest)
  expect(linkForDue('ton://transfer/UQab?text=a&amount=4000000000', part)).toBe(
    'ton://transfer/UQab?text=a&amount=1500000000',
  )
  const rounded = link.replace('4000000000', '4000000001')
  for (const received of ['0', null, '4000000000']) {
    expect(linkForDue(link, { ...invoice, received })).toBe(link)
    expect(linkForDue(rounded, { ...invoice, received })).toBe(rounded)
  }
  expect(linkForDue(link, { ...part, status: 'expired' })).toBe(link)
  // The amount in this link cannot be recognized.
  expect(linkForDue('https://pay.example/4000000000', part)).toBe('https://pay.example/4000000000')
})

// A payment with a comment of its own would not match the gateway's invoice.
test('an order reference becomes the comment only of a link without a comment', () => {
  const link = 'https://app.tonkeeper.com/transfer/UQab?amount=4'
  expect(linkWithReference(link, 'order 7&8')).toBe(`${link}&text=order%207%268`)
  expect(linkWithReference('ton://transfer/UQab', '7')).toBe('ton://transfer/UQab?text=7')
  expect(linkWithReference('ton://transfer/UQab#top', '7')).toBe('ton://transfer/UQab?text=7#top')
  for (const kept of [`${link}&text=60ffb0a1`, 'ton://transfer/UQab?bin=te6c', '']) {
    expect(linkWithReference(kept, '7')).toBe(kept)
  }
  expect(linkWithReference(link, '')).toBe(link)
})

test('an amount is shown with as many decimals as it needs', () => {
  expect(formatMoney(0n, 'TON')).toBe('0 TON')
  expect(formatMoney(1_500_000n, 'USDT')).toBe('1.5 USDT')
  expect(formatMoney(9_007_199_254_740_993n, 'TON')).toBe('9007199.254740993 TON')
})

test('the amount in an invoice delivery counts as received only if the invoice is paid', () => {
  const told = (status: string) =>
    isMoved({ kind: 'invoice', summary: `60ffb0a1 ${status} 4.000000000 TON` })
  expect(['pending', 'paid', 'expired', 'cancelled'].map(told)).toEqual([false, true, false, false])
  expect(isMoved({ kind: 'invoice', summary: '60ffb0a1 was paid' })).toBe(false)
  expect(isMoved({ kind: 'account_tx', summary: '' })).toBe(true)
})
