/** The arithmetic of accepted shortfalls. */
import { describe, expect, test } from 'vitest'
import { acceptedOf, moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import {
  discrepanciesOf,
  fixTolerance,
  tallyOf,
} from '../../../src-main/invoices/matching/discrepancies.ts'
import type { StoredInvoice } from '../../../src-main/invoices/store/invoice-rows.ts'

const amount = 1000n
const minute = 60_000
const invoice = {
  key: 1,
  id: 'a',
  status: 'pending',
  currency: 'TON',
  amount,
  received: 0n,
  overpayment: 0n,
  refunded: 0n,
  tolerance: null,
  createdAt: 0,
  expiresAt: 10 * minute,
  changedAt: 0,
} as const as unknown as StoredInvoice

const paid = (units: bigint, at = minute) => [{ at, amount: units, payer: '0:aa' }]
const decide = (part: Partial<StoredInvoice>, units: bigint, setting: bigint | null, at = minute) =>
  fixTolerance({ ...invoice, ...part }, tallyOf({ ...invoice, ...part }, paid(units, at)), setting)

describe('a tolerance', () => {
  test('accepts a payment that lacks it, and none that lacks one unit more', () => {
    expect(decide({}, amount - 50n, 50n)).toBe(50n)
    expect(decide({}, amount - 49n, 50n)).toBe(50n)
    expect(decide({}, amount - 51n, 50n)).toBeNull()
  })
  test('is not needed by the whole amount, and is off by default', () => {
    expect(decide({}, amount, 50n)).toBeNull()
    expect(decide({}, amount - 1n, null)).toBeNull()
  })
  test('of the amount or more never applies', () => {
    expect(decide({}, 1n, amount - 1n)).toBe(amount - 1n)
    expect(decide({}, 1n, amount)).toBeNull()
    expect(decide({}, 1n, amount + 1n)).toBeNull()
    expect(decide({}, 0n, amount - 1n)).toBeNull()
  })
  test('does not accept a payment after the expiry', () => {
    expect(decide({}, amount - 1n, 50n, 10 * minute)).toBe(50n)
    expect(decide({}, amount - 1n, 50n, 10 * minute + 1)).toBeNull()
  })
  test('is fixed when a payment arrives, whatever the setting is later', () => {
    const decided = { tolerance: 50n, received: amount - 50n }
    expect(decide(decided, amount - 50n, null)).toBe(50n)
    expect(decide(decided, amount - 50n, 900n)).toBe(50n)
    expect(decide({ received: amount - 50n }, amount - 50n, 50n)).toBeNull()
    expect(decide(decided, amount - 51n, 900n)).toBeNull()
  })
})

test('an accepted invoice keeps its amount and owes what came beyond it, to the unit', () => {
  for (const [came, short, excess] of [
    [950n, '50', 0n],
    [999n, '1', 0n],
    [1000n, '0', 0n],
    [1001n, '0', 1n],
  ] as const) {
    const ended = { ...invoice, status: 'expired', tolerance: 50n, overpayment: came }
    // The last part came late, so that the gateway counts everything as overpayment.
    const payments = [...paid(950n), ...paid(came - 950n, 11 * minute)]
    const drafts = discrepanciesOf(ended, payments, { readTo: 1e9, now: 1e9, differsSince: null })
    const matters = excess > 0n ? (['paid-late'] as const) : []
    expect(drafts.map(({ kind, amount: units }) => [kind, units])).toEqual(
      matters.map((kind) => [kind, excess]),
    )
    const accepted = acceptedOf(50n, 'expired', { amount, received: came })
    expect(accepted).toEqual({ tolerance: '50', short })
    const shown = { ...amountsOf(ended), received: String(came), matters: [...matters] }
    expect(moneyOf({ ...shown, accepted })).toMatchObject({ due: 0n, excess, toReturn: excess })
  }
})

function amountsOf({ status, currency, amount: units, received, overpayment }: StoredInvoice) {
  const texts = { amount: String(units), received: String(received), refunded: '0' }
  return {
    ...texts,
    status,
    currency,
    overpayment: String(overpayment),
    uncounted: [],
    matters: [],
  }
}
