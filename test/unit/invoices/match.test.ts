/** Tests which invoice a payment is matched to, and the evidence for the match. */
import { beginCell, comment as textComment, Address } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { transactionResponse } from '../../../src-main/gateway/query-responses.ts'
import { incomingOf, outgoingOf } from '../../../src-main/invoices/chain/transfers.ts'
import { differenceOf } from '../../../src-main/invoices/reconciliation/compare.ts'
import {
  type Candidate,
  type LinkedPayment,
  type MatchInvoice,
  type MatchPayment,
  evidenceOf,
  findMatch,
} from '../../../src-main/invoices/matching/match.ts'
import { refundsAmong } from '../../../src-main/invoices/matching/discrepancies.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const raw = (digit: string) => `0:${digit.repeat(64)}`
const [shop, alice, bob, usdtWallet, usdtMaster] = ['a', '1', '2', 'b', 'c'].map(raw) as [
  string,
  string,
  string,
  string,
  string,
]
const created = 1_764_000_000_000
const minute = 60_000

function candidate(
  key: number,
  over: Partial<MatchInvoice> & Partial<Pick<Candidate, 'others' | 'isOwnAddress'>> = {},
): Candidate {
  const { others = [], isOwnAddress = false, ...invoice } = over
  return {
    others,
    isOwnAddress,
    invoice: {
      key,
      id: `invoice${key}`,
      description: '',
      orderReference: '',
      status: 'pending',
      currency: 'TON',
      amount: 500n,
      overpayment: 0n,
      payTo: shop,
      paidBy: null,
      comment: null,
      createdAt: created + key,
      expiresAt: created + 60 * minute,
      changedAt: created + key,
      ...invoice,
    },
  }
}

const payment: MatchPayment = {
  account: shop,
  at: created + 10 * minute,
  lt: 100n,
  currency: 'TON',
  amount: 500n,
  payer: alice,
  comment: null,
}
/** The payment was linked before, with the same evidence and an earlier time. */
const before: LinkedPayment = { ...payment, lt: 99n, linkedBy: 'rule' }
const after: LinkedPayment = { ...before, lt: 101n }
const named: LinkedPayment = { ...after, comment: 'abc1' }
const paid = { status: 'paid', paidBy: alice, changedAt: payment.at } as const
const ended = {
  status: 'expired',
  expiresAt: created + minute,
  changedAt: created + minute,
} as const

/** Matches again until no link changes, as the reconciliation does. */
function linkInOrder(
  payments: readonly MatchPayment[],
  invoices: readonly Candidate[],
  order: readonly number[],
): (number | null)[] {
  const links = payments.map((): number | null => null)
  const known: number[] = []
  for (const next of order) {
    known.push(next)
    for (let isMoved = true; isMoved;) {
      isMoved = false
      for (const index of known) {
        const others = (key: number) =>
          payments.flatMap((other, at) =>
            at !== index && links[at] === key ? [{ ...other, linkedBy: 'rule' as const }] : [],
          )
        const candidates = invoices.map((each) => ({ ...each, others: others(each.invoice.key) }))
        const one = payments[index]
        const to = one === undefined ? null : findMatch(one, candidates).invoiceKey
        isMoved ||= links[index] !== to
        links[index] = to
      }
    }
  }
  return links
}

function orders(length: number): number[][] {
  if (length === 0) return [[]]
  return orders(length - 1).flatMap((order) =>
    Array.from({ length }, (_, at) => order.toSpliced(at, 0, length - 1)),
  )
}

describe('the match of a payment', () => {
  test.each<
    readonly [
      name: string,
      payment: Partial<MatchPayment>,
      candidates: readonly Candidate[],
      key: number | null,
      certainty: string | null,
    ]
  >([
    [
      'a comment matches its invoice',
      { comment: ' ABC1 ' },
      [candidate(1, { comment: 'abc1' })],
      1,
      'certain',
    ],
    [
      'a comment matches its invoice for a partial amount',
      { comment: 'abc1', amount: 7n },
      [candidate(1, { comment: 'abc1' })],
      1,
      'certain',
    ],
    [
      'a comment matches its invoice after the expiry',
      { comment: 'abc1' },
      [candidate(1, { comment: 'abc1', ...ended })],
      1,
      'certain',
    ],
    [
      'a comment takes precedence over an amount',
      { comment: 'abc1' },
      [candidate(2), candidate(1, { comment: 'abc1', amount: 7n })],
      1,
      'certain',
    ],
    [
      'a comment does not match in the wrong asset',
      { comment: 'abc1', currency: 'USDT' },
      [candidate(1, { comment: 'abc1' })],
      null,
      null,
    ],
    [
      'a comment does not match at another address',
      { comment: 'abc1', account: bob },
      [candidate(1, { comment: 'abc1' })],
      null,
      null,
    ],
    [
      'an address of one invoice matches any amount',
      { amount: 7n },
      [candidate(1, { isOwnAddress: true })],
      1,
      'certain',
    ],
    [
      'an address of one invoice does not match in the wrong asset',
      { currency: 'USDT' },
      [candidate(1, { isOwnAddress: true })],
      null,
      null,
    ],
    [
      'an amount matches the only fitting invoice',
      {},
      [candidate(1), candidate(2, { amount: 501n })],
      1,
      'likely',
    ],
    [
      'an amount of several fitting invoices matches the oldest as a guess',
      {},
      [candidate(2), candidate(1)],
      1,
      'guess',
    ],
    [
      'an amount of two invoices of one millisecond matches the one with the lower number as a guess',
      {},
      [candidate(2, { createdAt: created }), candidate(1, { createdAt: created })],
      1,
      'guess',
    ],
    [
      'an amount matches the invoice without another payment',
      {},
      [candidate(2), candidate(1, { others: [before] })],
      2,
      'likely',
    ],
    [
      'an amount matches the invoice whose payer the gateway names',
      {},
      [candidate(1), candidate(2, paid)],
      2,
      'certain',
    ],
    [
      'an amount does not match an invoice that another payment has paid',
      {},
      [candidate(1, { ...paid, others: [before] })],
      null,
      null,
    ],
    [
      'a second payment matches the overpayment that the gateway counts',
      {},
      [candidate(1, { ...paid, others: [before], overpayment: 500n })],
      1,
      'certain',
    ],
    [
      'an amount matches an invoice ahead of a later payment',
      {},
      [candidate(1, { others: [after] })],
      1,
      'likely',
    ],
    [
      'the payer that the gateway names takes precedence over an earlier payer',
      {},
      [candidate(1, { ...paid, others: [{ ...before, payer: bob, at: payment.at - minute }] })],
      1,
      'certain',
    ],
    [
      'an amount does not match an invoice that the user has linked to another payment',
      {},
      [candidate(1, { ...paid, others: [{ ...after, payer: bob, linkedBy: 'person' }] })],
      null,
      null,
    ],
    [
      'an amount matches the nearest in time of two invoices with the payer',
      {},
      [candidate(1, { ...paid, changedAt: payment.at + minute }), candidate(2, paid)],
      2,
      'likely',
    ],
    [
      'an invoice that was paid at the time of the payment precedes a pending invoice',
      {},
      [candidate(1), candidate(2, { ...paid, paidBy: null })],
      2,
      'likely',
    ],
    [
      'a pending invoice precedes an invoice that another payer paid at another time',
      {},
      [candidate(1, { ...paid, paidBy: bob, changedAt: created }), candidate(2)],
      2,
      'likely',
    ],
    [
      'a late payment matches an expired invoice with an overpayment',
      {},
      [candidate(1, { ...ended, overpayment: 500n })],
      1,
      'likely',
    ],
    [
      'a late payment matches the invoice that ended last as a guess',
      {},
      [
        candidate(1, { ...ended, overpayment: 500n }),
        candidate(2, { ...ended, changedAt: created + 2 * minute, overpayment: 500n }),
      ],
      2,
      'guess',
    ],
    ['late, and not counted', {}, [candidate(1, ended)], null, null],
    [
      'a late payment does not match without an overpayment',
      {},
      [candidate(1, { comment: 'abc1' })],
      null,
      null,
    ],
    [
      'a payment without the required comment matches if the gateway names its payer',
      {},
      [candidate(1, { comment: 'abc1', ...paid })],
      1,
      'likely',
    ],
    [
      "a payment without the comment does not match if a payment with the comment covers the gateway's amount",
      {},
      [candidate(1, { comment: 'abc1', ...paid, others: [named] })],
      null,
      null,
    ],
    [
      'a payment without the comment does not match if a payment with the comment covers a part',
      {},
      [candidate(1, { comment: 'abc1', ...paid, others: [{ ...named, amount: 1n }] })],
      null,
      null,
    ],
    [
      'a payment without the comment matches if the gateway counts both payments',
      {},
      [candidate(1, { comment: 'abc1', ...paid, overpayment: 500n, others: [named] })],
      1,
      'likely',
    ],
    [
      'a late payment without the comment matches if the gateway counts it',
      {},
      [
        candidate(1, {
          comment: 'a payment without candidates matches no invoice',
          ...paid,
          status: 'expired',
          overpayment: 500n,
        }),
      ],
      1,
      'likely',
    ],
    ['nothing', {}, [], null, null],
  ])('%s', (_, over, candidates, key, certainty) => {
    const found = findMatch({ ...payment, ...over }, candidates)
    expect([found.invoiceKey, found.certainty]).toEqual([key, certainty])
    expect(found.evidence.length).toBeGreaterThan(0)
    for (const { text } of found.evidence) expect(text).toMatch(/\.$/)
  })

  const linkAt = (at: number, ...candidates: readonly Candidate[]) => {
    const { invoiceKey, certainty } = findMatch({ ...payment, at }, candidates)
    return [invoiceKey, certainty]
  }

  test('a payment is within an invoice’s time from 60 s before the creation to the expiry, both included', () => {
    const pending = candidate(1, { createdAt: created })
    const { expiresAt } = pending.invoice
    expect(linkAt(created - 60_000, pending)).toEqual([1, 'likely'])
    expect(linkAt(created - 60_001, pending)).toEqual([null, null])
    expect(linkAt(expiresAt, pending)).toEqual([1, 'likely'])
    expect(linkAt(expiresAt + 1, pending)).toEqual([null, null])
  })

  test('a report of the gateway names a payment that is at most two minutes away, before or after', () => {
    const reported = candidate(1, paid)
    // Beyond this time only the payer agrees, so the link is just likely.
    for (const [apart, certainty] of [
      [120_000, 'certain'],
      [120_001, 'likely'],
    ] as const) {
      expect(linkAt(payment.at + apart, reported)).toEqual([1, certainty])
      expect(linkAt(payment.at - apart, reported)).toEqual([1, certainty])
    }
    // Without a payer, only the time distinguishes the invoice from one that awaits the same amount.
    const anonymous = candidate(2, { ...paid, paidBy: null })
    expect(linkAt(payment.at + 120_000, candidate(1), anonymous)).toEqual([2, 'likely'])
    expect(linkAt(payment.at + 120_001, candidate(1), anonymous)).toEqual([1, 'likely'])
  })

  test('a payment is matched to the same invoice in whatever order payments arrive', () => {
    const ask = { comment: 'abc1', ...paid }
    const invoices = [
      candidate(1, ask),
      candidate(2, paid),
      candidate(3),
      candidate(4, { ...ended, overpayment: 500n }),
      candidate(5),
    ]
    const payments = [
      payment,
      { ...payment, lt: 101n, comment: 'abc1' },
      { ...payment, lt: 102n, payer: bob },
      { ...payment, lt: 103n, at: payment.at - minute },
      { ...payment, lt: 104n, payer: bob, at: payment.at + 5 * minute },
    ]
    const found = orders(payments.length).map((order) => linkInOrder(payments, invoices, order))
    expect(found[0]).toEqual([2, 1, 5, 3, 4])
    for (const links of found) expect(links).toEqual(found[0])
  })

  describe('a payment whose comment is a sentence', () => {
    const [one, two] = [
      candidate(1, { id: 'a1b2c3d4', comment: 'a1b2c3d4', orderReference: '4711' }),
      candidate(2, { id: 'e5f60718', comment: 'e5f60718', orderReference: '4711' }),
    ]
    const free = candidate(3)
    const links = (
      comment: string,
      candidates: readonly Candidate[],
      over: Partial<MatchPayment> = {},
    ) => {
      const { invoiceKey, certainty, namedKey } = findMatch(
        { ...payment, comment, ...over },
        candidates,
      )
      return [invoiceKey, certainty, namedKey]
    }

    test('a comment that contains an invoice id is a likely match, whatever the amount', () => {
      expect(links('Invoice: A1B2C3D4', [two, one, free], { amount: 499n })).toEqual([
        1,
        'likely',
        1,
      ])
      expect(links('Invoice: a1b2c3d4', [free, one])).toEqual([1, 'likely', 1])
      expect(links('thanks a1b2c3d4', [candidate(1, { ...one.invoice, ...ended })])).toEqual([
        1,
        'likely',
        1,
      ])
    })

    test('a comment with two invoice ids matches no invoice, unless the gateway counted the payment', () => {
      const { evidence, ...found } = findMatch({ ...payment, comment: 'a1b2c3d4, e5f60718' }, [
        one,
        two,
        free,
      ])
      expect(found).toEqual({ invoiceKey: null, certainty: null, namedKey: null })
      expect(evidence.map(({ text }) => text)).toEqual([
        'The comment names invoices a1b2c3d4 and e5f60718, so Tondesk links the payment to neither of them.',
      ])
      const counted = candidate(3, paid)
      expect(links('a1b2c3d4, e5f60718', [one, two, counted])).toEqual([3, 'certain', null])
    })

    test('a payment with the id among other words does not replace the payment that the gateway counted', () => {
      const tip: LinkedPayment = { ...before, comment: 'tip for a1b2c3d4', amount: 7n }
      const counted = candidate(1, { id: 'a1b2c3d4', ...paid, others: [tip] })
      expect(findMatch(payment, [counted]).invoiceKey).toBe(1)
    })

    test('a payment in another asset with the id in its comment is not linked to the invoice', () => {
      expect(links('for a1b2c3d4', [one], { currency: 'USDT' })).toEqual([null, null, 1])
    })

    test('a comment with an order reference is a guess for its only invoice or the only pending invoice', () => {
      const closed = candidate(2, { ...two.invoice, ...ended })
      expect(links('Order #4711', [one], { amount: 499n })).toEqual([1, 'guess', null])
      expect(links('Order #4711', [one, closed], { amount: 499n })).toEqual([1, 'guess', null])
      expect(links('Order #4711', [one, two], { amount: 499n })).toEqual([null, null, null])
      expect(links('Order #47110', [one], { amount: 499n })).toEqual([null, null, null])
    })

    test("a comment decides among invoices of exactly the payment's amount", () => {
      const [first, second] = [
        candidate(4, { description: 'Order 4711' }),
        candidate(5, { description: 'Order 4712' }),
      ]
      expect(links('order no. 4712', [first, second])).toEqual([5, 'likely', null])
      expect(links('order no. 4711', [first, second])).toEqual([4, 'likely', null])
      expect(links('thanks', [first, second])).toEqual([4, 'guess', null])
    })

    test('a truncated comment is a guess', () => {
      expect(links('Invoice a1b2c3…', [one, two], { amount: 499n })).toEqual([1, 'guess', null])
    })
  })

  test.each([
    [-60_000, 1],
    [-60_001, null],
  ])(
    'a payment %i ms from the creation of its invoice is within the clock tolerance or before it (invoice %s)',
    (ms, key) => {
      const late = candidate(1, { createdAt: payment.at - ms })
      expect(findMatch(payment, [late]).invoiceKey).toBe(key)
    },
  )

  test('the evidence lists which properties of the named invoice do not fit', () => {
    const named = candidate(1, { comment: 'abc1' })
    const { evidence } = findMatch({ ...payment, comment: 'abc1', currency: 'USDT' }, [named])
    expect(evidence.map(({ kind, fits }) => [kind, fits])).toEqual([
      ['comment', true],
      ['address', true],
      ['amount', false],
      ['time', true],
    ])
    expect(evidence[2]?.text).toBe(
      'The payment is in USDT, but invoice invoice1 requests 0.0000005 TON.',
    )
    const bare = findMatch(payment, [named]).evidence
    expect(bare[0]?.text).toBe(
      'Invoice invoice1 requires the comment “abc1”; the payment has none.',
    )
  })
})

describe('the payments in a transaction', () => {
  const hex = (cell: ReturnType<typeof beginCell>) => cell.endCell().toBoc().toString('hex')
  const account = { address: shop, is_scam: false, is_wallet: true }
  const read = (message: object, more: object = {}) =>
    transactionResponse.parse({
      ...requiredFields.transaction,
      hash: 'ab'.repeat(32),
      lt: 5,
      account,
      success: true,
      utime: 1_764_000_000,
      orig_status: 'active',
      end_status: 'active',
      total_fees: 0,
      transaction_type: 'TransOrd',
      in_msg: {
        ...requiredFields.message,
        msg_type: 'int_msg',
        hash: 'cd'.repeat(32),
        value: 700,
        source: { address: alice },
        ...message,
      },
      ...more,
    })
  const usdt = { wallet: usdtWallet, master: usdtMaster }
  const notification = (payload: (body: ReturnType<typeof beginCell>) => typeof body) =>
    hex(
      payload(
        beginCell()
          .storeUint(0x7362d09c, 32)
          .storeUint(0, 64)
          .storeCoins(9)
          .storeAddress(Address.parseRaw(bob)),
      ),
    )
  const spoken = notification((body) => body.storeMaybeRef(textComment('Order 1')))

  test.each<readonly [name: string, message: object, more: object, found: object | null]>([
    [
      'a message without a body is a payment',
      {},
      {},
      { currency: 'TON', amount: 700n, payer: alice, comment: null },
    ],
    [
      'a comment is part of the payment',
      { raw_body: textComment('hello').toBoc().toString('hex') },
      {},
      { comment: 'hello', commentKey: 'hello' },
    ],
    [
      'an encrypted comment is omitted',
      { raw_body: hex(beginCell().storeUint(0x2167da4b, 32).storeUint(7, 8)) },
      {},
      { amount: 700n, comment: null },
    ],
    [
      'a message with excesses is no payment',
      { raw_body: hex(beginCell().storeUint(0xd53276db, 32).storeUint(0, 64)) },
      {},
      null,
    ],
    [
      'a call of a contract is no payment',
      { raw_body: hex(beginCell().storeUint(5, 32)) },
      {},
      null,
    ],
    ['a bounced message is no payment', { bounced: true }, {}, null],
    ['a message that was returned is no payment', {}, { bounce_phase: 'TrPhaseBounceOk' }, null],
    ['a failed message whose value stayed is a payment', {}, { aborted: true }, { amount: 700n }],
    ['a message without value is no payment', { value: 0 }, {}, null],
    ['an external message is no payment', { msg_type: 'ext_in_msg' }, {}, null],
    [
      'a USDT notification is a payment in USDT',
      { source: { address: usdtWallet }, raw_body: spoken },
      {},
      { currency: 'USDT', amount: 9n, payer: bob, comment: 'Order 1', commentKey: 'order 1' },
    ],
    [
      'a USDT notification with a broken payload is a payment without a comment',
      { source: { address: usdtWallet }, raw_body: notification((body) => body.storeBit(true)) },
      {},
      { currency: 'USDT', amount: 9n, comment: null },
    ],
    ['a jetton notification from another wallet is no payment', { raw_body: spoken }, {}, null],
  ])('%s', (_, message, more, found) => {
    const read_ = incomingOf(read(message, more), usdt)
    if (found === null) expect(read_).toBeNull()
    else expect(read_).toMatchObject(found)
  })

  test("outgoing payments include coins, and USDT only through the account's own wallet", () => {
    const order = beginCell()
      .storeUint(0x0f8a7ea5, 32)
      .storeUint(0, 64)
      .storeCoins(9)
      .storeAddress(Address.parseRaw(bob))
      .storeAddress(null)
      .storeMaybeRef(null)
      .storeCoins(1)
      .storeMaybeRef(null)
    const sent = (destination: string, raw_body?: string) => ({
      ...requiredFields.message,
      msg_type: 'int_msg',
      hash: 'ef'.repeat(32),
      value: 50,
      destination: { address: destination },
      ...(raw_body === undefined ? {} : { raw_body }),
    })
    const out_msgs = [sent(alice), sent(usdtWallet, hex(order)), sent(bob, hex(order))]
    const found = outgoingOf(read({}, { out_msgs }), usdt)
    expect(found.map(({ payee, currency, amount }) => [payee, currency, amount])).toEqual([
      [alice, 'TON', 50n],
      [bob, 'USDT', 9n],
    ])
  })
})

test('a refund is a transfer that names the invoice or else has its amount, and never a transfer that names another invoice', () => {
  const sent = (lt: bigint, amount: bigint, comment: string | null) => ({
    payee: alice,
    lt,
    place: 0,
    hash: String(lt),
    at: created,
    currency: 'TON' as const,
    amount,
    comment,
  })
  const all = [sent(3n, 1n, null), sent(2n, 5n, null), sent(1n, 4n, 'Refund of invoice ABC1')]
  const firstRefund = (...asked: Parameters<typeof refundsAmong<(typeof all)[number]>>) =>
    refundsAmong(...asked).at(0) ?? null
  expect(firstRefund(all, { amount: 5n, id: 'abc1' })?.lt).toBe(1n)
  expect(firstRefund(all, { amount: 5n, id: 'abc2' })?.lt).toBe(2n)
  // A payer may have many discrepancies, so a transfer for one of them must not count as a refund of another.
  expect(firstRefund(all, { amount: 4n, id: 'abc2' })).toBeNull()
  expect(firstRefund(all, { amount: 9n, id: null })).toBeNull()
  expect(firstRefund([], { amount: 9n, id: null })).toBeNull()
  // Among several equal transfers, only the newest is the refund.
  const equal = [sent(6n, 5n, null), sent(5n, 5n, 'x'), sent(4n, 5n, null)]
  expect(refundsAmong(equal, { amount: 5n, id: 'abc1' }).map(({ lt }) => lt)).toEqual([6n])
  // Several transfers may refund one invoice in parts.
  const parts = [sent(10n, 2n, 'Refund of invoice ABC1'), sent(9n, 3n, 'abc1'), sent(8n, 5n, null)]
  expect(refundsAmong(parts, { amount: 5n, id: 'abc1' }).map(({ lt }) => lt)).toEqual([10n, 9n])
  // An id within a longer word does not match.
  expect(firstRefund([sent(7n, 1n, 'for xabc1')], { amount: 9n, id: 'abc1' })).toBeNull()
  expect(firstRefund([sent(8n, 1n, '(ABC-1)')], { amount: 9n, id: 'abc1' })?.lt).toBe(8n)
})

describe('the reconciliation of a period', () => {
  const span = { from: created, to: created + 1000 * minute }
  const invoice = { ...candidate(1, paid).invoice, amount: 500n }
  const at = (minutes: number, amount: bigint, payer = alice) => ({
    at: created + minutes * minute,
    amount,
    payer,
  })

  const id = invoice.id
  const shown = (units: bigint) => formatMoney(units, 'TON')

  test.each<
    readonly [
      found: string | null,
      over: bigint,
      units: bigint,
      words: string,
      invoice: Partial<MatchInvoice>,
      payments: readonly ReturnType<typeof at>[],
    ]
  >([
    [null, 0n, 0n, agree(500n), {}, [at(10, 500n)]],
    [null, 0n, 0n, agree(500n), {}, [at(0, 500n)]],
    [null, 0n, 0n, agree(500n), { paidBy: null }, [at(10, 500n)]],
    [null, 0n, 0n, agree(500n), {}, [at(5, 300n, bob), at(10, 200n)]],
    [
      null,
      20n,
      0n,
      agree(520n, `, ${shown(20n)} more than requested`),
      { overpayment: 20n },
      [at(5, 300n), at(10, 220n)],
    ],
    [
      'no-payment',
      20n,
      -520n,
      `The gateway reports ${shown(520n)} for paid invoice ${id}, but no payment was found.`,
      { overpayment: 20n },
      [],
    ],
    ['payment-less', 0n, -100n, differ(400n, 500n), {}, [at(10, 400n)]],
    ['payment-more', 0n, 100n, differ(600n, 500n), {}, [at(10, 600n)]],
    [
      'payment-less',
      40n,
      -510n,
      differ(550n, 560n),
      { overpayment: 60n },
      [at(-5, 500n), at(-4, 20n), at(10, 30n)],
    ],
    ['other-period', 0n, -500n, elsewhere(500n), {}, [at(-5, 500n)]],
    ['other-period', 0n, -500n, elsewhere(500n), {}, [at(1000, 500n)]],
    [
      'other-period',
      20n,
      -300n,
      elsewhere(300n),
      { overpayment: 20n },
      [at(-5, 300n), at(10, 220n)],
    ],
    [
      'other-period',
      30n,
      -500n,
      elsewhere(520n),
      { overpayment: 50n },
      [at(-5, 500n), at(-4, 20n), at(10, 30n)],
    ],
    [
      'other-payer',
      0n,
      0n,
      `The gateway reports a different payer for invoice ${id}.`,
      {},
      [at(10, 500n, bob)],
    ],
    [
      'not-paid',
      500n,
      0n,
      `${arrived(500n)}, which is expired. The gateway counts ${shown(500n)} as overpayment.`,
      { ...ended, overpayment: 500n },
      [at(10, 500n)],
    ],
    ...(['expired', 'cancelled'] as const).map(
      (status) =>
        [
          'not-paid',
          30n,
          0n,
          `${arrived(30n)}, which is ${status}. The gateway counts ${shown(30n)} as overpayment.`,
          { status, overpayment: 530n },
          [at(-5, 500n), at(10, 30n)],
        ] as const,
    ),
    [
      'not-paid',
      0n,
      500n,
      `${arrived(500n)}, which is pending.`,
      { status: 'pending' },
      [at(10, 500n)],
    ],
    [
      'payment-less',
      0n,
      499n,
      `${arrived(499n)}, which is pending.`,
      { status: 'pending' },
      [at(10, 499n)],
    ],
    [
      'payment-less',
      0n,
      100n,
      `${arrived(100n)}, which is expired.`,
      { status: 'expired' },
      [at(10, 100n)],
    ],
    [
      'other-period',
      70n,
      0n,
      `${arrived(70n)}, which was paid in another period.`,
      { changedAt: created - minute, overpayment: 70n },
      [at(-1, 500n), at(10, 70n)],
    ],
  ])(
    'the reconciliation of an invoice reports the difference %s, the overpayment %s and the units %s',
    (found, over, units, words, changes, payments) => {
      const closed = { ...invoice, ...changes }
      expect(differenceOf(closed, payments, span)).toEqual({
        difference: found,
        text: words,
        units,
        overpayment: over,
      })
    },
  )

  function agree(units: bigint, more = ''): string {
    return `Gateway and chain show ${formatMoney(units, 'TON')} for invoice ${id}${more}.`
  }
  function differ(received: bigint, reported: bigint): string {
    return `The chain shows ${shown(received)} for invoice ${id}, but the gateway reports ${shown(reported)}.`
  }
  function elsewhere(units: bigint): string {
    return `${shown(units)} for invoice ${id} arrived in another period.`
  }
  function arrived(units: bigint): string {
    return `${shown(units)} arrived in this period for invoice ${id}`
  }
})

describe('the evidence for a payment', () => {
  const fits = (kind: string, text: string) => ({ kind, fits: true, text })
  const differs = (kind: string, text: string) => ({ kind, fits: false, text })
  const shared = fits(
    'address',
    'The payment arrived at an address that invoice invoice1 shares with other invoices.',
  )
  const exact = fits('amount', 'The amount is exactly 0.0000005 TON, as requested.')
  const inTime = fits(
    'time',
    'The payment arrived 9 min 59 s after the invoice was created, within the invoice’s lifetime.',
  )

  test.each<
    readonly [
      name: string,
      over: Parameters<typeof candidate>[1],
      changes: Partial<MatchPayment>,
      evidence: readonly object[],
    ]
  >([
    ['no comment', {}, {}, [shared, exact, inTime]],
    ['a comment that nobody requests', {}, { comment: 'thanks' }, [shared, exact, inTime]],
    [
      'a required comment that is missing',
      { comment: 'abc' },
      {},
      [
        differs('comment', 'Invoice invoice1 requires the comment “abc”; the payment has none.'),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'another comment than the required one',
      { comment: 'abc' },
      { comment: 'thanks' },
      [
        differs(
          'comment',
          'Invoice invoice1 requires the comment “abc”; the payment has “thanks”.',
        ),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'the required comment',
      { comment: 'abc' },
      { comment: 'ABC' },
      [
        fits('comment', 'The comment “ABC” is the one in the link of invoice invoice1.'),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'the id without a required comment',
      {},
      { comment: 'for invoice1' },
      [
        fits('comment', 'The comment “for invoice1” contains the id of invoice invoice1.'),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'the id in place of the required comment',
      { comment: 'abc' },
      { comment: 'for invoice1' },
      [
        fits(
          'comment',
          'The comment “for invoice1” contains the id of invoice invoice1, but is not exactly “abc” as in the invoice’s link.',
        ),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'the order reference',
      { orderReference: '4711' },
      { comment: '4711' },
      [
        fits(
          'comment',
          'The comment “4711” fits the order reference or the description of invoice invoice1.',
        ),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'a similar id',
      {},
      { comment: 'inv0ice1' },
      [
        fits('comment', 'The comment “inv0ice1” resembles the id of invoice invoice1.'),
        shared,
        exact,
        inTime,
      ],
    ],
    [
      'another address and a smaller amount',
      {},
      { account: bob, amount: 499n },
      [
        differs('address', 'Invoice invoice1 has a different address.'),
        differs('amount', 'The amount is 0.000000001 TON less than the requested 0.0000005 TON.'),
        inTime,
      ],
    ],
    [
      'an address of its own and a larger amount',
      { isOwnAddress: true },
      { amount: 502n },
      [
        fits('address', 'Only invoice invoice1 has this address.'),
        differs('amount', 'The amount is 0.000000002 TON more than the requested 0.0000005 TON.'),
        inTime,
      ],
    ],
    [
      'another currency',
      {},
      { currency: 'USDT' },
      [
        shared,
        differs('amount', 'The payment is in USDT, but invoice invoice1 requests 0.0000005 TON.'),
        inTime,
      ],
    ],
    [
      'the reported payer',
      { paidBy: alice },
      {},
      [shared, exact, inTime, fits('payer', 'The gateway reports the same payer.')],
    ],
    [
      'another payer than the reported one',
      { paidBy: bob },
      {},
      [shared, exact, inTime, differs('payer', 'The gateway reports a different payer.')],
    ],
    [
      'a block dated before the invoice, within the difference of clocks',
      {},
      { at: created + 1 - minute },
      [
        shared,
        exact,
        fits(
          'time',
          'The payment arrived at the time when the invoice was created, within the invoice’s lifetime.',
        ),
      ],
    ],
    [
      'a payment before the invoice',
      {},
      { at: created - minute },
      [shared, exact, differs('time', 'The payment arrived 1 min before the invoice was created.')],
    ],
    [
      'a payment after the expiry',
      { status: 'expired' },
      { at: created + 62 * minute },
      [shared, exact, differs('time', 'The payment arrived 2 min after the invoice expired.')],
    ],
    [
      'a payment after the cancellation',
      { status: 'cancelled', changedAt: created + minute },
      { at: created + 3 * minute - 1 },
      [
        shared,
        exact,
        differs('time', 'The payment arrived 2 min after the invoice was cancelled.'),
      ],
    ],
  ])('with %s is stated in full', (_, over, changes, evidence) => {
    expect(evidenceOf({ ...payment, ...changes }, candidate(1, over))).toEqual(evidence)
  })

  test('of a payment without an invoice names the nearest invoice, else the missing comment', () => {
    const without = (changes: Partial<MatchPayment>, candidates: readonly Candidate[]) =>
      findMatch({ ...payment, ...changes }, candidates)
    const none =
      'The payment has no comment, and no pending invoice with this address requests exactly this amount.'
    expect(without({}, [])).toEqual({
      invoiceKey: null,
      certainty: null,
      namedKey: null,
      evidence: [differs('comment', none)],
    })
    expect(without({ comment: ' thanks ' }, []).evidence).toEqual([
      differs(
        'comment',
        none.replace('The payment has no comment', 'No invoice has the comment “thanks”'),
      ),
    ])
    // Two invoices that require a comment: the older one is the nearest.
    const asking = [candidate(2, { comment: 'b' }), candidate(1, { comment: 'a' })]
    expect(without({}, asking)).toMatchObject({ invoiceKey: null, namedKey: null })
    expect(without({}, asking).evidence[0]?.text).toContain('invoice1 requires the comment “a”')
    // A named invoice is nearer than one with the same amount, and a better name is nearer than a worse one.
    const named = [...asking, candidate(3, { comment: 'inv0ice3x', amount: 9n, payTo: bob })]
    expect(without({ comment: 'invoice3' }, named).evidence[0]?.text).toContain('invoice3')
    // An invoice that has ended, or that requests another amount, is not near.
    const far = [
      candidate(1, { comment: 'a', expiresAt: created }),
      candidate(2, { comment: 'b', amount: 9n }),
    ]
    expect(without({}, far).evidence).toEqual([differs('comment', none)])
  })

  test('of a payment that names two invoices says so, and links neither', () => {
    const both = findMatch({ ...payment, comment: 'invoice1 invoice2' }, [
      candidate(1),
      candidate(2),
    ])
    expect(both).toEqual({
      invoiceKey: null,
      certainty: null,
      namedKey: null,
      evidence: [
        fits(
          'comment',
          'The comment names invoices invoice1 and invoice2, so Tondesk links the payment to neither of them.',
        ),
      ],
    })
  })
})
