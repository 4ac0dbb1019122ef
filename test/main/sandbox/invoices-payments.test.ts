/** Tests payments on the real TVM: a block’s transfers change invoices and cause webhook deliveries. */
import { Address, beginCell, comment, toNano } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usdtTransferOrder } from '../../../src-main/sandbox/chain/contracts.ts'
import type { MatchingRule } from '../../../src-main/sandbox/invoices/invoice.ts'
import { testClock } from '../../fixtures/deliveries.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { respondWith, startEndpoint } from '../../fixtures/endpoint.ts'
import { invoiceWebhooksOf } from '../../fixtures/invoice-shop.ts'
import { type PayingShop, openPayingShop } from '../../fixtures/paying-shop.ts'

let shop: PayingShop
beforeAll(async () => {
  shop = await openPayingShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const amount = 2_000_000n
const wholeLife = 600
const other = { TON: 'USDT', USDT: 'TON' } as const

/** Returns the invoice’s present state, and the states that the endpoint received. */
async function ended(id: string) {
  const { status, overpayment, paid_by_address: payer } = await shop.get(id)
  return { status, overpayment, payer, told: shop.told(id) }
}

describe.each(['comment', 'address'] as const)('payments matched by %s', (rule: MatchingRule) => {
  describe.each(['TON', 'USDT'] as const)('in %s', (currency) => {
    const issue = async () => {
      shop.invoices.access.changeRule(rule)
      return shop.create({ amount: amount.toString(), currency, life_time: wholeLife })
    }

    test('an exact payment: the invoice is paid by the payer at the time of the block', async () => {
      const invoice = await issue()
      await shop.advance(7)
      await shop.pay(invoice, { amount })
      expect(await ended(invoice.id)).toEqual({
        status: 'paid',
        overpayment: undefined,
        payer: shop.payer,
        told: [['paid', undefined]],
      })
      const now = await shop.get(invoice.id)
      expect(now.date_change).toBe(shop.chain.head().utime)
      expect(now).not.toHaveProperty('overpayment')
      expect(invoiceWebhooksOf(shop.endpoint).at(-1)).toEqual(now)
    })

    test('an invoice that is paid in two parts stays pending without an event until the second part', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount: amount - 1n })
      expect(await ended(invoice.id)).toMatchObject({ status: 'pending', told: [] })
      await shop.pay(invoice, { amount: 1n })
      expect(await ended(invoice.id)).toMatchObject({ status: 'paid', told: [['paid', undefined]] })
    })

    test('an overpayment: the invoice is paid with the excess as overpayment', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount: amount + 5n })
      expect(await ended(invoice.id)).toMatchObject({
        status: 'paid',
        overpayment: '5',
        told: [['paid', '5']],
      })
    })

    test('two payments: the invoice is paid once, and the second is reported as overpayment', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount })
      const { date_change: paidAt } = await shop.get(invoice.id)
      await shop.advance(9)
      await shop.pay(invoice, { amount })
      expect(await ended(invoice.id)).toMatchObject({
        status: 'paid',
        overpayment: amount.toString(),
        told: [
          ['paid', undefined],
          ['paid', amount.toString()],
        ],
      })
      expect((await shop.get(invoice.id)).date_change).toBe(paidAt)
    })

    test('a late payment: the invoice stays expired without a payer, and the whole amount is overpayment', async () => {
      const invoice = await issue()
      await shop.advance(wholeLife + 1)
      await shop.pay(invoice, { amount })
      expect(await ended(invoice.id)).toEqual({
        status: 'expired',
        overpayment: amount.toString(),
        payer: undefined,
        told: [
          ['expired', undefined],
          ['expired', amount.toString()],
        ],
      })
    })

    test('a payment in the last second: the invoice is paid', async () => {
      const invoice = await issue()
      await shop.advance(wholeLife)
      await shop.pay(invoice, { amount })
      expect(shop.chain.head().utime).toBe(invoice.date_expire)
      expect(await ended(invoice.id)).toMatchObject({ status: 'paid', told: [['paid', undefined]] })
    })

    test('a payment a second too late, before the expiry was processed: the invoice is expired', async () => {
      const invoice = await issue()
      shop.clock.at = (invoice.date_expire + 1) * 1000
      await shop.pay(invoice, { amount })
      expect(await ended(invoice.id)).toMatchObject({
        status: 'expired',
        told: [
          ['expired', undefined],
          ['expired', amount.toString()],
        ],
      })
    })

    test('a part before the expiry: the paid amount is overpayment', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount: 30n })
      await shop.advance(wholeLife + 1)
      expect(await ended(invoice.id)).toMatchObject({
        status: 'expired',
        overpayment: '30',
        told: [['expired', '30']],
      })
      await shop.pay(invoice, { amount })
      expect(await ended(invoice.id)).toMatchObject({
        status: 'expired',
        overpayment: (amount + 30n).toString(),
      })
    })

    test('a part, a cancellation and the rest: the whole amount is overpayment', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount: 30n })
      await shop.call('DELETE', `/${invoice.id}`)
      await shop.queue.settled()
      await shop.pay(invoice, { amount: amount - 30n })
      expect(await ended(invoice.id)).toEqual({
        status: 'cancelled',
        overpayment: amount.toString(),
        payer: undefined,
        told: [
          ['cancelled', '30'],
          ['cancelled', amount.toString()],
        ],
      })
    })

    test('a payment in the wrong asset: the invoice stays pending', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount, currency: other[currency] })
      expect(await ended(invoice.id)).toMatchObject({ status: 'pending', told: [] })
    })

    test('a payment without the comment, or with another one: the invoice is paid only if the comment is not required', async () => {
      const invoice = await issue()
      await shop.pay(invoice, { amount, comment: null })
      const hasNone = await ended(invoice.id)
      await shop.pay(invoice, { amount, comment: 'for the kettle' })
      const status = rule === 'comment' ? 'pending' : 'paid'
      expect(hasNone.status).toBe(status)
      expect((await ended(invoice.id)).status).toBe(status)
    })
  })
})

describe('payments matched by amount', () => {
  const issue = async (units: bigint, currency = 'TON') => {
    shop.invoices.access.changeRule('amount')
    return shop.create({ amount: units.toString(), currency, life_time: wholeLife })
  }
  const status = async ({ id }: { id: string }) => (await shop.get(id)).status

  test.each(['TON', 'USDT'] as const)(
    '%s: only the exact amount pays the invoice',
    async (currency) => {
      const invoice = await issue(3_000_001n, currency)
      await shop.pay(invoice, { amount: 3_000_000n })
      await shop.pay(invoice, { amount: 3_000_002n })
      await shop.pay(invoice, { amount: 3_000_001n, currency: other[currency] })
      expect(await ended(invoice.id)).toMatchObject({ status: 'pending', told: [] })
      await shop.pay(invoice, { amount: 3_000_001n })
      expect(await ended(invoice.id)).toMatchObject({ status: 'paid', payer: shop.payer })
    },
  )

  test('the oldest of several equal invoices is paid first, and one payment more is overpayment of the last', async () => {
    const first = await issue(4_000_000n)
    await shop.advance(1)
    const second = await issue(4_000_000n)
    await shop.pay(first, { amount: 4_000_000n })
    expect([await status(first), await status(second)]).toEqual(['paid', 'pending'])
    await shop.advance(1)
    await shop.pay(first, { amount: 4_000_000n })
    expect(await status(second)).toBe('paid')
    await shop.pay(first, { amount: 4_000_000n })
    expect((await shop.get(second.id)).overpayment).toBe('4000000')
    expect(await shop.get(first.id)).not.toHaveProperty('overpayment')
  })

  test('a payment after expiry or cancellation is overpayment of the ended invoice', async () => {
    const expired = await issue(5_000_000n)
    await shop.advance(wholeLife + 1)
    await shop.pay(expired, { amount: 5_000_000n })
    expect(await ended(expired.id)).toMatchObject({ status: 'expired', overpayment: '5000000' })
    const cancelled = await issue(6_000_000n, 'USDT')
    await shop.call('DELETE', `/${cancelled.id}`)
    await shop.pay(cancelled, { amount: 6_000_000n })
    expect(await ended(cancelled.id)).toMatchObject({ status: 'cancelled', overpayment: '6000000' })
  })
})

describe('transfers that pay no invoice', () => {
  test('an invoice keeps the matching rule with which it was created', async () => {
    shop.invoices.access.changeRule('comment')
    const invoice = await shop.create({ amount: '7000001' })
    shop.invoices.access.changeRule('amount')
    await shop.pay(invoice, { amount: 7_000_001n, comment: null })
    expect((await shop.get(invoice.id)).status).toBe('pending')
    await shop.pay(invoice, { amount: 7_000_001n })
    expect((await shop.get(invoice.id)).status).toBe('paid')
  })

  test('the right comment at another invoice’s address pays no invoice', async () => {
    shop.invoices.access.changeRule('comment')
    const invoice = await shop.create()
    shop.invoices.putApp({ recipient: shop.payer })
    const elsewhere = await shop.create()
    shop.invoices.putApp({ recipient: shop.merchant })
    expect(elsewhere.pay_to_address).toBe(shop.payer)
    await shop.pay({ ...invoice, pay_to_address: shop.payer }, { amount: 1_000_000_000n })
    expect(await ended(invoice.id)).toMatchObject({ status: 'pending', told: [] })
  })

  test('a comment does not pay an invoice that is matched by its amount', async () => {
    shop.invoices.access.changeRule('amount')
    const invoice = await shop.create({ amount: '8000001' })
    await shop.pay(invoice, { amount: 8_000_009n, comment: invoice.id })
    expect(await ended(invoice.id)).toMatchObject({ status: 'pending', told: [] })
  })

  test('a forged notification pays no invoice, neither with its USDT nor with its TON', async () => {
    shop.invoices.access.changeRule('address')
    const [usdt, ton] = [await shop.create({ currency: 'USDT' }), await shop.create()]
    for (const { pay_to_address: address } of [usdt, ton]) {
      const body = beginCell()
        .storeUint(0x7362d09c, 32)
        .storeUint(0, 64)
        .storeCoins(1_000_000_000n)
        .storeAddress(Address.parseRaw(shop.payer))
        .storeBit(false)
        .endCell()
      await shop.send({ to: Address.parseRaw(address), value: toNano(1), bounce: false, body })
    }
    expect([(await shop.get(usdt.id)).status, (await shop.get(ton.id)).status]).toEqual([
      'pending',
      'pending',
    ])
  })

  test('the TON that accompanies a genuine notification pays no invoice', async () => {
    shop.invoices.access.changeRule('amount')
    const invoice = await shop.create({ amount: '20000000' })
    await shop.pay(invoice, { amount: 77n, currency: 'USDT', forwardTon: 20_000_000n })
    expect((await shop.get(invoice.id)).status).toBe('pending')
  })

  test('USDT without a notification pays no invoice', async () => {
    shop.invoices.access.changeRule('comment')
    const invoice = await shop.create({ currency: 'USDT', amount: '5000' })
    await shop.pay(invoice, { amount: 5000n, forwardTon: 0n })
    expect((await shop.get(invoice.id)).status).toBe('pending')
  })

  test('TON that an address without a contract returned pays no invoice', async () => {
    shop.invoices.access.changeRule('address')
    const invoice = await shop.create()
    await shop.pay(invoice, { amount: 1_000_000_000n, bounce: true })
    expect(await ended(invoice.id)).toMatchObject({ status: 'pending', told: [] })
    await shop.pay(invoice, { amount: 1_000_000_000n, bounce: false })
    expect((await shop.get(invoice.id)).status).toBe('paid')
  })

  test('USDT that the payer does not have pays no invoice', async () => {
    shop.invoices.access.changeRule('comment')
    const invoice = await shop.create({ currency: 'USDT', amount: '100000000000' })
    await shop.pay(invoice, { amount: 100_000_000_000n })
    expect((await shop.get(invoice.id)).status).toBe('pending')
  })
})

test('several payments in one block pay their own invoices, and two for one invoice add up', async () => {
  shop.invoices.access.changeRule('comment')
  const [first, second, third] = [
    await shop.create({ amount: '1000000' }),
    await shop.create({ amount: '2000000', currency: 'USDT' }),
    await shop.create({ amount: '3000000' }),
  ]
  await shop.send(
    shop.order(first, { amount: 400_000n }),
    shop.order(second, { amount: 2_000_000n }),
    shop.order(third, { amount: 3_000_001n, comment: ` ${third.id.toUpperCase()}\n` }),
    shop.order(first, { amount: 600_000n }),
  )
  expect(shop.told(first.id)).toEqual([['paid', undefined]])
  expect(shop.told(second.id)).toEqual([['paid', undefined]])
  expect(shop.told(third.id)).toEqual([['paid', '1']])
})

test('statistics, filters and order include the payments', async () => {
  await using own = await openPayingShop()
  const early = await own.create({ amount: '1000000' })
  const late = await own.create({ amount: '2000000', life_time: 86_400 * 30 })
  const lost = await own.create({ amount: '4000000', life_time: 5 })
  await own.create({ amount: '8000000', life_time: 86_400 * 30 })
  await own.pay(early, { amount: 1_000_009n })
  await own.advance(86_400 * 8)
  await own.pay(late, { amount: 2_000_000n })
  await own.pay(lost, { amount: 3n })
  expect((await own.call('GET', '/stats')).json['stats']).toEqual({
    total: 4,
    success_total: 3_000_000,
    success_in_week: 2_000_000,
    invoices_in_progress: 1,
    total_amount_pending: 8_000_000,
    currency: 'TON',
  })
  const ids = async (query: Record<string, string>) =>
    ((await own.call('GET', '', { query })).json['items'] as { id: string }[]).map(({ id }) => id)
  expect((await ids({ overpayment: 'true' })).sort()).toEqual([early.id, lost.id].sort())
  expect(await ids({ filter_status: 'paid', field_order: 'date_paid' })).toEqual([
    late.id,
    early.id,
  ])
  expect((await ids({ field_order: 'date_paid', type_order: 'asc' })).slice(0, 2)).toEqual([
    early.id,
    late.id,
  ])
})

test('a payment in time counts even if the invoice expires while its block is being created', async () => {
  const clock = testClock()
  await using own = await openPayingShop({ clock })
  const invoice = await own.create({ life_time: 60 })
  clock.at = invoice.date_expire * 1000
  const order = own.order(invoice, { amount: 1_000_000_000n })
  let ending: Promise<void> | undefined
  // After this, the next block that is created reads the clock first.
  clock.now = () => {
    const moment = clock.at
    if (ending === undefined && isMakingBlock()) {
      clock.at += 5000
      ending = own.invoices.due.runDue()
    }
    return moment
  }
  await own.send(order)
  expect(ending).toBeDefined()
  await ending
  expect(own.chain.head().utime).toBe(invoice.date_expire)
  expect(await own.get(invoice.id)).toMatchObject({ status: 'paid' })
})

/** The chain calls this when it sets the time of the block. */
function isMakingBlock(): boolean {
  return new Error().stack?.includes('beginning') === true
}

test('a block that cannot be stored pays no invoice and sends no delivery', async () => {
  await using own = await openPayingShop()
  const invoice = await own.create()
  let isFull = true
  own.chain.observe({
    storing() {
      if (isFull) throw new Error('database or disk is full')
    },
    stored: () => undefined,
  })
  await expect(own.pay(invoice, { amount: 1_000_000_000n })).rejects.toThrow('disk is full')
  expect((await own.get(invoice.id)).status).toBe('pending')
  expect([own.queue.count().waiting, own.endpoint.received.length]).toEqual([0, 0])
  isFull = false
  await own.pay(invoice, { amount: 1_000_000_000n })
  expect(own.told(invoice.id)).toEqual([['paid', undefined]])
})

test('after a restart partial payments, the rule and waiting deliveries remain', async () => {
  using directory = temporaryDirectory()
  await using endpoint = await startEndpoint(respondWith(500))
  const clock = testClock()
  let partly, untold
  {
    await using own = await openPayingShop({ directory, clock, endpoint })
    partly = await own.create({ amount: '1000000' })
    await own.pay(partly, { amount: 400_000n })
    untold = await own.create({ amount: '1000000' })
    await own.pay(untold, { amount: 1_000_000n })
    own.invoices.access.changeRule('address')
  }
  endpoint.received.length = 0
  endpoint.answer = respondWith(200)
  await using own = await openPayingShop({ directory, clock, endpoint })
  expect(own.invoices.access.rule()).toBe('address')
  expect(own.queue.count()).toEqual({ waiting: 1, failing: 1 })
  clock.at += 5000
  await own.queue.runDue()
  expect(own.told(untold.id)).toEqual([['paid', undefined]])
  await own.pay(partly, { amount: 600_000n })
  expect(own.told(partly.id)).toEqual([['paid', undefined]])
})

test('a USDT transfer with the comment inside its body pays the invoice, too', async () => {
  shop.invoices.access.changeRule('comment')
  const invoice = await shop.create({ amount: '5000', currency: 'USDT' })
  const owner = Address.parseRaw(shop.payer)
  const to = Address.parseRaw(invoice.pay_to_address)
  const order = usdtTransferOrder({ owner, to, amount: 5000n })
  const inPlace = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(9, 64)
    .storeCoins(5000n)
    .storeAddress(to)
    .storeAddress(owner)
    .storeBit(false)
    .storeCoins(1n)
    .storeBit(false)
    .storeSlice(comment(invoice.id).beginParse())
    .endCell()
  await shop.send({ ...order, body: inPlace })
  expect(shop.told(invoice.id)).toEqual([['paid', undefined]])
})
