/** Tests discrepancies and their descriptions for every combination of gateway and chain. */
import { describe, expect, test } from 'vitest'
import {
  type AdviceInput,
  type UncountedPayment,
  adviseOnInvoice,
  adviseOn,
  adviseUncounted,
} from '../../../src-main/invoices/matching/advice.ts'
import {
  compareDiscrepancies,
  isOpen,
  isWaiting,
  overpaidBy,
  refundedInvoice,
  updateDiscrepancy,
  discrepanciesOf,
  endOf,
  tallyOf,
  unmatchedDiscrepancy,
} from '../../../src-main/invoices/matching/discrepancies.ts'
import { duration } from '../../../src-main/invoices/matching/labels.ts'

const minute = 60_000
const created = 1_764_000_000_000
const expires = created + 60 * minute

type Facts = {
  readonly status: string
  readonly overpayment?: bigint
  readonly changedAt?: number
  /** Payments, each with the minutes after the creation and whole USDT. */
  readonly paid?: readonly (readonly [minute: number, usdt: number])[]
  /** Minutes after the creation until which the chain was synced; null if it was not synced. */
  readonly readTo?: number | null
  readonly now?: number
  readonly differs?: boolean
  readonly reported?: string
  readonly isConfirmed?: boolean
  readonly isGuess?: boolean
}

const usdt = (whole: number) => BigInt(whole) * 1_000_000n

function look(facts: Facts) {
  const { status, paid = [], readTo = 120, now = 120, overpayment = 0n } = facts
  const invoice = {
    status,
    currency: 'USDT' as const,
    amount: usdt(20),
    payTo: `0:${'aa'.repeat(32)}`,
    comment: 'e3653bd1',
    overpayment,
    createdAt: created,
    expiresAt: expires,
    changedAt: facts.changedAt ?? (status === 'expired' ? expires : created + 10 * minute),
    confirmedAt: facts.isConfirmed === false ? null : created,
    reported: facts.reported === undefined ? null : { status: facts.reported, at: created },
  }
  const payments = paid.map(([at, amount], index) => ({
    at: created + at * minute,
    amount: usdt(amount),
    payer: `0:${String(index).repeat(64)}`,
    certainty: facts.isGuess === true ? ('guess' as const) : ('certain' as const),
    comment: 'e3653bd1',
  }))
  const known = {
    readTo: readTo === null ? null : created + readTo * minute,
    now: created + now * minute,
  }
  const circumstances = { ...known, differsSince: facts.differs === true ? created : null }
  const matters = discrepanciesOf(invoice, payments, circumstances)
  const open = matters.map(({ kind }) => ({ kind, isHandled: false }))
  return {
    invoice,
    payments,
    known,
    matters,
    kinds: matters.map(({ kind, amount }) => [kind, amount]),
    advice: adviseOnInvoice(invoice, payments, open, known),
    handled: adviseOnInvoice(
      invoice,
      payments,
      open.map((each) => ({ ...each, isHandled: true })),
      known,
    ),
    waits: isWaiting(invoice, tallyOf(invoice, payments), circumstances),
  }
}

type Case = readonly [
  name: string,
  facts: Facts,
  kinds: readonly (readonly [kind: string, amount: bigint | null])[],
  tone: string,
  /** Texts that the advice contains. */
  words: readonly string[],
]

const cases: readonly Case[] = [
  [
    'is pending without a payment',
    { status: 'pending', now: 48 },
    [],
    'wait',
    ['Send the link to the payer and wait.', '20 USDT is due within 12 min.'],
  ],
  [
    'is pending after its lifetime',
    { status: 'pending', now: 61 },
    [],
    'wait',
    ['Wait for the gateway to end the invoice.', 'does not report it as expired yet'],
  ],
  [
    'is pending with a payment on the chain for less than the grace period',
    { status: 'pending', paid: [[10, 20]], now: 11 },
    [],
    'wait',
    ['Wait for the gateway to confirm the payment.', 'is on the chain'],
  ],
  [
    'is pending with a payment on the chain for longer',
    { status: 'pending', paid: [[10, 20]], now: 13 },
    [['chain-ahead', null]],
    'act',
    ['Check with the gateway again.', '20 USDT has been on the chain for 3 min'],
  ],
  [
    'is pending with a partial payment',
    { status: 'pending', paid: [[5, 7]], now: 30 },
    [['partial', usdt(13)]],
    'act',
    ['Ask the payer for another 13 USDT.\n7 USDT of 20 USDT arrived.', 'within 30 min'],
  ],
  [
    'is pending with a partial payment after its lifetime',
    { status: 'pending', paid: [[5, 7]], now: 70 },
    [['partial', usdt(13)]],
    'act',
    ['Check with the gateway again.', '13 USDT is missing', 'lifetime is over'],
  ],
  [
    'is paid exactly',
    { status: 'paid', paid: [[9, 20]] },
    [],
    'good',
    [
      'No action needed.',
      '20 USDT arrived 9 min after the invoice was created. This is the exact amount',
    ],
  ],
  [
    'is paid by several payments with the exact sum',
    {
      status: 'paid',
      paid: [
        [2, 7],
        [9, 13],
      ],
    },
    [],
    'good',
    ['This is the exact amount'],
  ],
  [
    'is paid and the chain is not synced',
    { status: 'paid', readTo: null },
    [],
    'good',
    ['Sync the chain', 'not synced up to the time of the payment'],
  ],
  [
    'is paid and the chain is not synced up to the payment',
    { status: 'paid', readTo: 10 },
    [],
    'good',
    ['not synced up to the time of the payment'],
  ],
  [
    'is paid and the synced chain contains no payment',
    { status: 'paid' },
    [['gateway-ahead', usdt(20)]],
    'act',
    [
      'Find 20 USDT before you ship the order.',
      'shows no payment up to that time:',
      '20 USDT of 20 USDT is missing',
    ],
  ],
  [
    'is paid and the synced chain contains less',
    { status: 'paid', paid: [[9, 15]] },
    [['gateway-ahead', usdt(5)]],
    'act',
    ['shows only 15 USDT', '5 USDT of 20 USDT is missing'],
  ],
  [
    'is overpaid by the same amount on gateway and chain',
    { status: 'paid', overpayment: usdt(5), paid: [[9, 25]] },
    [['overpaid', usdt(5)]],
    'act',
    ['Refund 5 USDT.\nThe invoice requested 20 USDT and is paid, but 25 USDT arrived'],
  ],
  [
    'is overpaid by more on the chain',
    {
      status: 'paid',
      overpayment: usdt(5),
      paid: [
        [9, 20],
        [11, 7],
      ],
    },
    [['overpaid', usdt(7)]],
    'act',
    ['Refund 7 USDT.', 'counts an overpayment of 5 USDT; the chain shows 7 USDT'],
  ],
  [
    'is overpaid according to the gateway only',
    { status: 'paid', overpayment: usdt(5), readTo: null },
    [['overpaid', usdt(5)]],
    'act',
    ['Refund 5 USDT.\nThe invoice of 20 USDT is paid, and the gateway counts the excess'],
  ],
  [
    'is expired without a payment',
    { status: 'expired' },
    [],
    'neutral',
    ['Reissue', 'No payment was found, and the invoice expired.'],
  ],
  [
    'is expired and the chain is not synced',
    { status: 'expired', readTo: null },
    [],
    'neutral',
    ['No payment is known'],
  ],
  [
    'is expired and was paid late',
    { status: 'expired', overpayment: usdt(20), paid: [[66, 20]] },
    [['paid-late', usdt(20)]],
    'act',
    [
      'Refund 20 USDT or fulfil the order.\nThe payment arrived 6 min after the invoice expired, so the gateway counts the complete amount as overpayment and leaves the invoice’s state unchanged.',
    ],
  ],
  [
    'is expired and was paid late on the chain only',
    { status: 'expired', paid: [[66, 20]] },
    [['paid-late', usdt(20)]],
    'act',
    ['counts an overpayment of 0 USDT; the chain shows 20 USDT'],
  ],
  [
    'is expired and was paid late according to the gateway only',
    { status: 'expired', overpayment: usdt(20), readTo: null },
    [['paid-late', usdt(20)]],
    'act',
    ['Refund 20 USDT or fulfil the order.\nThe payment arrived after the invoice expired'],
  ],
  [
    'is expired and was paid partially and late',
    { status: 'expired', overpayment: usdt(3), paid: [[70, 3]] },
    [['paid-late', usdt(3)]],
    'act',
    ['Refund 3 USDT.\nThe payment arrived 10 min after'],
  ],
  [
    'is expired with a partial payment in time',
    { status: 'expired', overpayment: usdt(7), paid: [[5, 7]] },
    [['partial', usdt(7)]],
    'act',
    ['Refund 7 USDT.\n7 USDT of the requested 20 USDT arrived, so the invoice expired'],
  ],
  [
    'is expired with a partial payment according to the gateway only',
    { status: 'expired', overpayment: usdt(7), readTo: null },
    [['partial', usdt(7)]],
    'act',
    ['Refund 7 USDT.'],
  ],
  [
    'is expired with one payment in time and the rest late',
    {
      status: 'expired',
      overpayment: usdt(20),
      paid: [
        [5, 7],
        [63, 13],
      ],
    },
    [['paid-late', usdt(20)]],
    'act',
    ['7 USDT arrived in time and 13 USDT 3 min after the invoice expired'],
  ],
  [
    'is expired although it was paid in time',
    { status: 'expired', paid: [[5, 20]] },
    [['chain-ahead', usdt(20)]],
    'act',
    ['Fulfil the order or refund 20 USDT.\nThe complete amount of 20 USDT arrived'],
  ],
  [
    'is cancelled',
    { status: 'cancelled' },
    [],
    'neutral',
    ['the invoice was cancelled', 'You have to refund'],
  ],
  [
    'was paid after its cancellation',
    { status: 'cancelled', overpayment: usdt(20), paid: [[12, 20]] },
    [['paid-after-cancel', usdt(20)]],
    'act',
    [
      'Refund 20 USDT or fulfil the order.\nThe payment arrived 2 min after the invoice was cancelled, so',
    ],
  ],
  [
    'is cancelled with a partial payment before',
    { status: 'cancelled', overpayment: usdt(7), paid: [[5, 7]] },
    [['partial', usdt(7)]],
    'act',
    ['Refund 7 USDT.', 'the invoice was cancelled'],
  ],
  [
    'has an undocumented state',
    { status: 'refunded', paid: [[5, 20]] },
    [],
    'neutral',
    ['Look up what “refunded” means.', '20 USDT was received'],
  ],
  [
    'has a contradicting delivery',
    { status: 'pending', differs: true, now: 30 },
    [['reported-differs', null]],
    'act',
    ['Check with the gateway', 'which reports pending'],
  ],
  [
    'has a contradicting delivery and is overpaid',
    { status: 'paid', differs: true, overpayment: usdt(5), paid: [[9, 25]] },
    [
      ['overpaid', usdt(5)],
      ['reported-differs', null],
    ],
    'act',
    ['Refund 5 USDT.'],
  ],
  [
    'has a delivery that is being checked',
    { status: 'pending', reported: 'paid', now: 30 },
    [],
    'wait',
    [
      'Wait for the gateway.',
      'A delivery reports the invoice as paid, but the gateway reports pending',
      'is checking',
    ],
  ],
  [
    'is known from a delivery only',
    { status: 'paid', isConfirmed: false, readTo: null },
    [],
    'wait',
    ['Wait until the gateway confirms', 'Only a delivery'],
  ],
  [
    'has a payment that was matched by a guess',
    { status: 'paid', overpayment: usdt(5), paid: [[9, 25]], isGuess: true },
    [['overpaid', usdt(5)]],
    'act',
    ['One payment may be for another invoice'],
  ],
]

describe('the advice on an invoice', () => {
  test.each(cases)(
    'discrepancies and advice are right for an invoice that %s',
    (_, facts, kinds, tone, words) => {
      const { kinds: found, advice } = look(facts)
      expect(found).toEqual(kinds)
      expect(advice.tone).toBe(tone)
      for (const part of words) expect(`${advice.title}\n${advice.text}`).toContain(part)
      // Each required action must have a button.
      if (advice.tone === 'act') expect(advice.acts.length).toBeGreaterThan(0)
    },
  )

  test('the advice has whole sentences for every state, sum and time, whether handled or not', () => {
    for (const status of ['pending', 'paid', 'expired', 'cancelled', 'odd']) {
      for (const paid of [
        [],
        [[5, 7]],
        [[5, 20]],
        [[5, 27]],
        [[70, 7]],
        [[70, 20]],
        [
          [5, 7],
          [70, 20],
        ],
      ] as const) {
        for (const overpayment of [0n, usdt(7), usdt(20)]) {
          for (const readTo of [null, 5, 120]) {
            const found = look({ status, paid, overpayment, readTo })
            for (const { title, text } of [found.advice, found.handled]) {
              expect(title).toMatch(/^[A-Z].{10,60}\.$/)
              expect(text).toMatch(/\.$/)
              expect(text).not.toMatch(/undefined|NaN|null|-\d/)
            }
            if (found.matters.length > 0) expect(found.handled.text).toContain('as handled')
            for (const { kind, amount } of found.matters) {
              expect(amount ?? 1n).toBeGreaterThan(0n)
              const { title } = adviseOn(kind, found.invoice, found.payments, found.known)
              expect(title).not.toBe('')
            }
          }
        }
      }
    }
  })

  test('an invoice waits while time or further syncing decides', () => {
    expect(look({ status: 'pending', paid: [[10, 20]], now: 11 }).waits).toBe(true)
    expect(look({ status: 'paid', readTo: 10 }).waits).toBe(true)
    expect(look({ status: 'paid' }).waits).toBe(false)
    expect(look({ status: 'pending' }).waits).toBe(false)
  })

  test('an invoice counts as paid at the time of the payment that completes its amount', () => {
    const { invoice, payments } = look({
      status: 'paid',
      paid: [
        [2, 7],
        [9, 13],
        [11, 1],
      ],
    })
    const tally = tallyOf(invoice, payments)
    expect(tally.paidAt).toBe(created + 9 * minute)
    expect(tally.exceededAt).toBe(created + 11 * minute)
  })
})

describe('the stored state of a discrepancy', () => {
  const now = { kind: 'overpaid', amount: 5n, state: 'paid', since: 1 } as const
  const kept = { amount: 5n, state: 'paid', since: 1, handled: null, closedAt: null }
  const handled = { at: 7, amount: 5n, state: 'paid' }

  test('a handled discrepancy stays handled until its amount grows or its invoice changes state', () => {
    expect(updateDiscrepancy({ ...kept, handled }, now, 9)).toBeNull()
    expect(updateDiscrepancy({ ...kept, handled }, { ...now, amount: 4n }, 9)?.handled).toEqual(
      handled,
    )
    expect(updateDiscrepancy({ ...kept, handled }, { ...now, amount: 6n }, 9)?.handled).toBeNull()
    expect(
      updateDiscrepancy({ ...kept, handled }, { ...now, state: 'expired' }, 9)?.handled,
    ).toBeNull()
  })

  test('a discrepancy that has ended is closed once, and reopens as unhandled', () => {
    const closed = updateDiscrepancy({ ...kept, handled }, undefined, 9)
    expect(closed).toEqual({ ...kept, handled, closedAt: 9 })
    expect(updateDiscrepancy({ ...kept, closedAt: 9 }, undefined, 10)).toBeNull()
    expect(updateDiscrepancy({ ...kept, handled, closedAt: 9 }, now, 10)).toEqual(kept)
  })
})

describe('payments for an invoice that the gateway does not count', () => {
  const other = {
    account: `0:${'aa'.repeat(32)}`,
    currency: 'TON',
    isHandled: false,
    comment: null,
  } as const
  const ton = { ...other, amount: 295_000_000n }
  const say = (
    facts: Facts,
    uncounted: readonly UncountedPayment[],
    fitting: AdviceInput['fitting'] = [],
  ) => {
    const { invoice, payments, known, matters } = look(facts)
    const open = matters.map(({ kind }) => ({ kind, isHandled: false }))
    const advice = adviseOnInvoice(invoice, payments, open, { ...known, uncounted, fitting })
    return { ...advice, whole: `${advice.title}\n${advice.text}` }
  }

  test.each([
    ['pending', 30, 'The invoice still needs 20 USDT.'],
    ['expired', 120, 'The invoice expired.'],
    ['cancelled', 120, 'The invoice was cancelled.'],
  ] as const)(
    'the advice for an uncounted payment to a %s invoice is a refund with the reason (minute %i)',
    (status, now, state) => {
      const { whole, tone, acts } = say({ status, now }, [ton])
      expect(whole).toBe(
        `Refund 0.295 TON.\nThe gateway does not count 0.295 TON that was paid for this invoice: the invoice requests 20 USDT. ${state}`,
      )
      expect(tone).toBe('act')
      expect(acts.slice(0, 2)).toEqual(['prepare-refund', 'mark-handled'])
    },
  )

  test('uncounted payments are summed by asset and mentioned beside other advice', () => {
    const two = say({ status: 'expired' }, [ton, ton])
    expect(two.title).toBe('Refund 0.59 TON.')
    const part = say({ status: 'expired', paid: [[5, 7]] }, [ton])
    expect(part.title).toBe('Refund 7 USDT.')
    expect(part.text).toContain(
      '0.295 TON was also paid for this invoice, but the gateway does not count it',
    )
  })

  test('the advice mentions an uncounted payment even after it is handled', () => {
    for (const status of ['pending', 'paid', 'expired', 'cancelled'] as const) {
      for (const isHandled of [true, false]) {
        const { whole } = say({ status, now: 120 }, [{ ...ton, isHandled }])
        expect(whole).not.toMatch(/nothing|no payment/i)
        expect(whole).toContain('0.295 TON')
      }
    }
  })

  test('the advice mentions a payment of the exact amount without the comment', () => {
    const fitting = { currency: 'USDT' as const, amount: usdt(20), comment: null, isNaming: false }
    const { whole, acts } = say({ status: 'expired' }, [], [fitting])
    expect(whole).toContain(
      'A payment of exactly 20 USDT arrived at the invoice’s address in time, but without a comment.',
    )
    const happy = say({ status: 'expired' }, [], [{ ...fitting, comment: 'happy\nbirthday' }])
    expect(happy.whole).toContain('but with the comment “happy birthday”, which names no invoice.')
    expect(whole).not.toMatch(/no payment|nothing/i)
    expect(acts[0]).toBe('find-payment')
  })

  test('the explanation of an uncounted payment names the wrong address or the missing comment', () => {
    const id = 'e3653bd1'
    const invoice = { id, comment: id, payTo: '0:b', currency: 'USDT', amount: usdt(20) } as const
    const paid = (account: string, comment: string | null = null) =>
      adviseUncounted({ account, currency: 'USDT', amount: 1n, comment }, invoice)
    expect(paid('0:c').text).toContain('a different address')
    expect(paid('0:b').text).toContain('the comment required by the invoice is missing')
    expect(paid('0:b').acts[0]).toBe('find-payment')
    expect(paid('0:b', 'gift').text).toContain(
      'the comment is “gift”, but the invoice requires “e3653bd1”.',
    )
  })
})

test('a payment in the last valid second is in time, and a payment one millisecond later is late', () => {
  const kindsAt = (at: number) =>
    discrepanciesOf(
      {
        status: 'expired',
        amount: usdt(20),
        overpayment: usdt(20),
        createdAt: created,
        expiresAt: expires,
        changedAt: expires,
      },
      [{ at, amount: usdt(20), payer: '0:1' }],
      { readTo: null, now: expires, differsSince: null },
    ).map(({ kind }) => kind)
  expect(kindsAt(expires)).toEqual(['chain-ahead'])
  expect(kindsAt(expires + 1)).toEqual(['paid-late'])
})

test('a payment in the second of the cancellation is late, and a payment in the second before is in time', () => {
  const cancelledAt = created + 10 * minute
  const kindsAt = (at: number) =>
    discrepanciesOf(
      {
        status: 'cancelled',
        amount: usdt(20),
        overpayment: usdt(20),
        createdAt: created,
        expiresAt: expires,
        changedAt: cancelledAt,
      },
      [{ at, amount: usdt(20), payer: '0:1' }],
      { readTo: null, now: expires, differsSince: null },
    ).map(({ kind }) => kind)
  expect(kindsAt(cancelledAt)).toEqual(['paid-after-cancel'])
  expect(kindsAt(cancelledAt - 1000)).toEqual(['chain-ahead'])
})

test('a cancellation after the expiry does not prolong the invoice', () => {
  const timed = { status: 'cancelled', createdAt: created, expiresAt: expires }
  expect(endOf({ ...timed, changedAt: expires + 2 })).toBe(expires)
  expect(endOf({ ...timed, changedAt: expires + 1 })).toBe(expires)
  expect(endOf({ ...timed, changedAt: expires })).toBe(expires - 1)
})

test('the gateway is ahead only once the chain is read more than a second beyond its report', () => {
  const paid = {
    status: 'paid',
    amount: usdt(20),
    overpayment: 0n,
    createdAt: created,
    expiresAt: expires,
    changedAt: created,
  }
  const readTo = (ms: number) => ({ readTo: created + ms, now: expires, differsSince: null })
  expect(discrepanciesOf(paid, [], readTo(1000))).toEqual([])
  expect(isWaiting(paid, { received: 0n }, readTo(1000))).toBe(true)
  expect(discrepanciesOf(paid, [], readTo(1001))).toEqual([
    { kind: 'gateway-ahead', amount: usdt(20), state: 'paid', since: created },
  ])
  expect(isWaiting(paid, { received: 0n }, readTo(1001))).toBe(false)
})

test.each([
  ['pending', '5:7 9:7', 5],
  ['pending', '5:7 9:13 11:5', 9],
  ['paid', '2:20 9:3 11:4', 9],
  ['expired', '5:7 66:3 70:4', 66],
  ['expired', '5:7 9:3', 5],
  ['expired', '5:7 9:13 11:4', 9],
])(
  'of several payments (minute:USDT) of an invoice that is %s (%s), that of minute %i dates the discrepancy',
  (status, payments, first) => {
    const paid = payments.split(' ').map((each): [number, number] => {
      const [at = 0, amount = 0] = each.split(':').map(Number)
      return [at, amount]
    })
    const { matters } = look({ status, paid, now: status === 'pending' ? 30 : 120 })
    expect(matters.map(({ since }) => since)).toEqual([created + first * minute])
  },
)

describe("a payment whose comment contains the invoice's id among other words", () => {
  const inWords = (facts: Facts) => {
    const { invoice, payments, known, matters } = look(facts)
    const open = matters.map(({ kind }) => ({ kind, isHandled: false }))
    const worded = payments.map((each) => ({
      ...each,
      certainty: 'likely' as const,
      comment: 'Invoice: e3653bd1',
    }))
    const { title, text } = adviseOnInvoice(invoice, worded, open, known)
    return `${title}\n${text}`
  }
  const words =
    'The comment of a payment names the invoice, but is not exactly “e3653bd1”, so the gateway may not count the payment.'

  test('the advice for a payment below the amount with the id among other words is to accept or refund the payment', () => {
    expect(inWords({ status: 'pending', now: 30, paid: [[5, 19]] })).toBe(
      `Accept or refund the 19 USDT.\n19 USDT of 20 USDT arrived, and 1 USDT is missing. ${words} To accept it, cancel the invoice and fulfil the order.`,
    )
  })

  test.each([
    ['pending', 5],
    ['pending', 30],
    ['expired', 120],
  ] as const)(
    'the advice for a payment with the id among other words to a %s invoice (minute %i) names this reason',
    (status, now) => {
      const text = inWords({ status, now, paid: [[5, 20]] })
      expect(text).toContain(words)
      expect(text).not.toMatch(/without a|no payment|Send the link/i)
    },
  )
})

test('a payment without an invoice is a discrepancy, unless it is tiny or older than the first invoice', () => {
  const payment = {
    invoiceKey: null,
    currency: 'TON' as const,
    amount: 1_000_000n,
    commentKey: null,
    at: 10,
    linkedBy: null,
  }
  const draft = { kind: 'unmatched', state: 'unmatched', since: 10, amount: 1_000_000n }
  expect(unmatchedDiscrepancy(payment, 5)).toEqual(draft)
  expect(unmatchedDiscrepancy({ ...payment, amount: 999_999n }, 5)).toBeNull()
  expect(unmatchedDiscrepancy({ ...payment, amount: 1n, commentKey: 'a' }, 5)).not.toBeNull()
  expect(unmatchedDiscrepancy({ ...payment, amount: 1n, currency: 'USDT' }, 5)).not.toBeNull()
  // A payment at the time of the first invoice may be for that invoice.
  expect(unmatchedDiscrepancy(payment, 10)).not.toBeNull()
  expect(unmatchedDiscrepancy(payment, 11)).toBeNull()
  expect(unmatchedDiscrepancy({ ...payment, linkedBy: 'person' }, 11)).not.toBeNull()
  expect(unmatchedDiscrepancy({ ...payment, invoiceKey: 3 }, 5)).toBeNull()
})

test('a duration is described by its two largest units', () => {
  const spans = [400, 59_999, 6 * minute, 125 * minute, 25 * 3_600_000, 72 * 3_600_000]
  expect(spans.map(duration)).toEqual([
    'less than a second',
    '59 s',
    '6 min',
    '2 h 5 min',
    '1 day 1 h',
    '3 days',
  ])
})

test('an invoice is read again while the gateway and the chain may still meet', () => {
  const invoice = { status: 'pending', amount: 20n, overpayment: 0n, createdAt: 0, expiresAt: 9 }
  const waits = (status: string, received: bigint, readTo: number | null) =>
    isWaiting(
      { ...invoice, status, changedAt: 5000 },
      { received },
      { readTo, now: 9, differsSince: null },
    )
  expect(waits('pending', 19n, null)).toBe(false)
  expect(waits('pending', 20n, null)).toBe(true)
  expect(waits('paid', 19n, null)).toBe(true)
  expect(waits('paid', 19n, 6000)).toBe(true)
  expect(waits('paid', 19n, 6001)).toBe(false)
  expect(waits('paid', 20n, null)).toBe(false)
  expect(waits('expired', 19n, null)).toBe(false)
  expect(waits('cancelled', 20n, null)).toBe(false)
})

test('the overpayment is the larger of the amounts by the chain and by the gateway', () => {
  const invoice = { amount: 20n, createdAt: 0, expiresAt: 9, changedAt: 5 }
  const over = (status: string, received: bigint, overpayment: bigint) =>
    overpaidBy({ ...invoice, status, overpayment }, { received })
  expect(over('paid', 25n, 0n)).toBe(5n)
  expect(over('paid', 25n, 6n)).toBe(6n)
  expect(over('paid', 19n, 0n)).toBe(0n)
  expect(over('expired', 19n, 3n)).toBe(19n)
})

test.each([
  ['Refund of invoice abc-1_2', 'abc-1_2'],
  ['refund of INVOICE: abc', 'abc'],
  ['Partial refund of invoice "№ 7x", sorry', '7x'],
  ['Refund of payment abc', null],
  ['Refund of invoices abc', null],
  ['invoice abc', null],
  ['', null],
  [null, null],
])('a transfer with the comment %j refunds the invoice %j', (comment, id) => {
  expect(refundedInvoice({ comment })).toBe(id)
})

test('stored discrepancies are added, updated, closed and counted by their kind', () => {
  const stored = (kind: 'partial' | 'overpaid' | 'reported-differs') => ({
    key: 1,
    network: 'sandbox',
    kind,
    note: '',
    invoiceKey: 1,
    paymentKey: null,
    amount: 5n,
    state: 'paid',
    since: 7,
    handled: null,
    closedAt: null,
  })
  const draft = (kind: 'partial' | 'overpaid' | 'gateway-ahead', amount = 5n) => ({
    kind,
    amount,
    state: 'paid',
    since: 7,
  })
  const handled = { at: 8, amount: 5n, state: 'paid' }
  const [partial, over, differs] = [
    stored('partial'),
    { ...stored('overpaid'), handled },
    stored('reported-differs'),
  ]
  expect(
    compareDiscrepancies(
      [partial, over, differs],
      [draft('gateway-ahead'), draft('partial', 6n), draft('overpaid')],
      9,
    ),
  ).toEqual({
    added: [draft('gateway-ahead')],
    updated: [
      { ...partial, amount: 6n },
      { ...differs, closedAt: 9 },
    ],
    open: ['gateway-ahead', 'partial'],
  })
  expect(compareDiscrepancies([], [draft('partial')], 9)).toEqual({
    added: [draft('partial')],
    updated: [],
    open: ['partial'],
  })
  expect(isOpen({ handled, closedAt: null })).toBe(false)
  expect(isOpen({ handled: null, closedAt: 9 })).toBe(false)
  expect(isOpen({ handled, closedAt: 9 })).toBe(false)
  expect(isOpen({ handled: null, closedAt: null })).toBe(true)
})
