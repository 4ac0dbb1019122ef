/** The arithmetic of invoices that count together. */
import { expect, test } from 'vitest'
import { moneyOf, restOf } from '../../../src-preload/contract/invoice-money.ts'
import { discrepanciesOf } from '../../../src-main/invoices/matching/discrepancies.ts'
import { describeGroup, uniteInvoices } from '../../../src-main/invoices/matching/together.ts'
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
  restOf: null,
  createdAt: 0,
  expiresAt: 10 * minute,
  changedAt: 0,
} as const as unknown as StoredInvoice

const paid = (units: bigint, at = minute) => [{ at, amount: units, payer: '0:aa' }]

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

/** The gateway counts all that came to an ended invoice, or beyond a paid one, as overpayment. */
function member(key: number, units: bigint, came: bigint, end: 'pending' | 'expired') {
  const isPaid = came >= units && units > 0n
  const status = isPaid ? 'paid' : end
  const overpayment = isPaid ? came - units : end === 'expired' ? came : 0n
  const restOfKey = key === 1 ? null : 1
  const part = { key, id: 'abc'[key - 1] ?? '', amount: units, received: came }
  return { ...invoice, ...part, status, overpayment, restOf: restOfKey }
}

test('the money of invoices that count together adds up, whatever each of them got', () => {
  let seed = 20261128
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return BigInt(seed % below)
  }
  for (let round = 0; round < 5000; round += 1) {
    const part = 1n + random(999)
    const near = amount - part + random(3) - 1n
    const [more, toRest] = [
      random(2) * random(1200),
      [near, 0n, random(1200)][Number(random(3))] ?? 0n,
    ]
    const ends = [random(2), random(2)].map((end) => (end === 0n ? 'pending' : 'expired'))
    const first = member(1, amount, part + more, ends[0] as 'pending')
    const rest = member(2, amount - part, toRest, ends[1] as 'pending')
    const group = [first, rest] as const
    const whole = uniteInvoices(group)
    const came = part + more + toRest
    expect([whole.amount, whole.received]).toEqual([amount, came])

    const money = group.map((each) => {
      const together = describeGroup(group, each.id)
      return moneyOf({ ...amountsOf(each), together, matters: ['overpaid'] })
    })
    const isPaid = group.some(({ status }) => status === 'paid')
    const isPending = group.some(({ status }) => status === 'pending')
    const beyond = came > amount ? came - amount : 0n
    const expected = isPaid ? beyond : isPending ? whole.overpayment : came
    expect(money.map(({ excess }) => excess).reduce((a, b) => a + b)).toBe(expected)
    // The excess belongs to one of them, so that no sum has it twice.
    expect(money.filter(({ excess }) => excess > 0n).length).toBe(expected > 0n ? 1 : 0)
    const due = !isPaid && isPending && came < amount ? amount - came : 0n
    expect(money.map((each) => each.due).reduce((a, b) => a + b)).toBe(due)
    const together = describeGroup(group, 'b')
    expect(restOf({ ...amountsOf(rest), together })).toBe(
      isPaid || came > amount ? 0n : amount - came,
    )
  }
})

test('an overpayment of two invoices begins with the first unit beyond the amount', () => {
  for (const more of [-1n, 0n, 1n]) {
    const group = [
      member(1, amount, 400n + 600n, 'pending'),
      member(2, 600n, 600n + more, 'pending'),
    ]
    const [first, rest] = group as [StoredInvoice, StoredInvoice]
    const whole = uniteInvoices([first, rest])
    const payments = [...paid(400n), ...paid(600n + more), ...paid(600n)]
    const drafts = discrepanciesOf(whole, payments, { readTo: 1e9, now: 1e9, differsSince: null })
    expect(drafts.map(({ kind, amount: units }) => [kind, units])).toEqual([
      ['overpaid', 600n + more],
    ])
  }
})
