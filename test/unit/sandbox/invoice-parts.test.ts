import { type Cell, type Transaction, Address, beginCell, Cell as CellClass } from '@ton/core'
import { describe, expect, test } from 'vitest'
import type { ExecutedTransaction } from '../../../src-main/sandbox/chain/chain.ts'
import {
  invoicesCsv,
  createdJson,
  invoiceJson,
  addressOf,
  paymentLink,
  type Invoice,
} from '../../../src-main/sandbox/invoices/invoice.ts'
import { usdtMaster, usdtWalletOf } from '../../../src-main/sandbox/chain/contracts.ts'
import { formatJson } from '../../../src-main/ton/lossless-json.ts'
import { invoiceForm, parseFields } from '../../../src-main/sandbox/invoices/input.ts'
import { paymentOf } from '../../../src-main/sandbox/invoices/tracking.ts'

const shop = `0:${'ab'.repeat(32)}`
const payer = `0:${'cd'.repeat(32)}`
const master = usdtMaster.toRawString()
const shopJettonWallet = usdtWalletOf(Address.parseRaw(shop)).toRawString()

const invoice: Invoice = {
  id: '60ffb075',
  appId: 1,
  status: 'pending',
  amount: 1_500_000_000n,
  currency: 'TON',
  description: 'A kettle',
  lifeTime: 600,
  dateCreate: 1_700_000_000,
  dateExpire: 1_700_000_600,
  dateChange: 1_700_000_000,
  received: 0n,
  paidByAddress: null,
  rule: 'comment',
  payToAddress: shop,
  refunded: null,
  refundAmount: null,
}

describe('the payment link', () => {
  test('a payment link contains the recipient, the amount, the comment and the expiry as Tonkeeper reads them', () => {
    const url = new URL(paymentLink(invoice))
    expect(url.origin).toBe('https://app.tonkeeper.com')
    const recipient = url.pathname.replace('/transfer/', '')
    expect(Address.parseFriendly(recipient)).toMatchObject({
      isBounceable: false,
      isTestOnly: false,
    })
    expect(Address.parse(recipient).toRawString()).toBe(shop)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      amount: '1500000000',
      text: '60ffb075',
      exp: '1700000600',
    })
  })

  test('a payment link in USDT names the jetton, and has no comment under the amount rule', () => {
    const usdt = new URL(paymentLink({ ...invoice, currency: 'USDT', rule: 'amount' }))
    expect(Address.parse(usdt.searchParams.get('jetton') ?? '').toRawString()).toBe(master)
    expect(usdt.searchParams.has('text')).toBe(false)
  })

  test("an invoice's own address depends on its id only", () => {
    expect(addressOf('60ffb075')).toBe(addressOf('60ffb075'))
    expect(addressOf('60ffb076')).not.toBe(addressOf('60ffb075'))
    expect(addressOf('60ffb075')).toMatch(/^0:[0-9a-f]{64}$/)
  })
})

test('a response omits absent values, and the response to a creation omits the time of the change', () => {
  const created = formatJson(createdJson({ ...invoice, description: null }))
  expect(Object.keys(JSON.parse(created) as object)).toEqual([
    'id',
    'status',
    'amount',
    'currency',
    'date_create',
    'date_expire',
    'payment_link',
    'pay_to_address',
  ])
  const paid: Invoice = {
    ...invoice,
    status: 'paid',
    received: 1_500_000_001n,
    paidByAddress: payer,
  }
  expect(invoiceJson(paid)).toMatchObject({
    amount: '1500000000',
    overpayment: '1',
    paid_by_address: payer,
    date_change: 1_700_000_000,
  })
})

test('a CSV export contains no formula and preserves quotation marks, commas and line breaks', () => {
  const described = (description: string) => ({ ...invoice, description })
  const csv = invoicesCsv(
    ['=cmd|1', '+1', '-1', '@SUM(A1)', '\tx', 'a "b", c', 'two\nlines', 'plain = fine'].map(
      described,
    ),
  )
  for (const cell of [
    `,'=cmd|1,`,
    `,'+1,`,
    `,'-1,`,
    `,'@SUM(A1),`,
    `,'\tx,`,
    ',"a ""b"", c",',
    ',"two\nlines",',
    ',plain = fine,',
  ]) {
    expect(csv).toContain(cell)
  }
  expect(csv.split('\r\n')).toHaveLength(10)
})

describe('a request to create an invoice', () => {
  const form = { amount: '1000000000', currency: 'TON', life_time: 60 }
  const why = (body: unknown) => {
    try {
      parseFields(invoiceForm, body)
      return 'taken'
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  test('a request with values at the limits is accepted', () => {
    for (const change of [
      { amount: '1000000' },
      { amount: '100000000000000' },
      { currency: 'USDT', amount: '1000' },
      { currency: 'USDT', amount: '100000000000' },
      { life_time: 1 },
      { life_time: 7_776_000 },
      { description: '' },
      { description: '😀'.repeat(255) },
    ]) {
      expect(why({ ...form, ...change })).toBe('taken')
    }
  })

  test.each([
    [{ amount: '999999' }, /^amount must be 1000000 to 100000000000000 minimal units/],
    [{ amount: '100000000000001' }, /^amount must be/],
    [{ amount: '9'.repeat(500_000) }, /^amount must be/],
    [{ currency: 'USDT', amount: '999' }, /^amount must be 1000 to 100000000000 /],
    [{ currency: 'USDT', amount: '100000000001' }, /^amount must be/],
    [{ amount: 1_000_000_000 }, /^amount must be a string/],
    [{ amount: '1.5' }, /^amount must be a whole number/],
    [{ amount: '-1000000000' }, /^amount must be a whole number/],
    [{ amount: '0x3b9aca00' }, /^amount must be a whole number/],
    [{ amount: ' 1000000000' }, /^amount must be a whole number/],
    [{ amount: '01000000000' }, /^amount must be a whole number/],
    [{ amount: '' }, /^amount must be a whole number/],
    [{ amount: '0' }, /^amount must be/],
    [{ amount: undefined }, /^amount is required/],
    [{ amount: null }, /^amount must be a string/],
    [{ currency: 'BTC' }, /^currency must be one of TON, USDT/],
    [{ currency: 'ton' }, /^currency must be one of/],
    [{ currency: undefined }, /^currency is required/],
    [{ currency: ['TON'] }, /^currency must be one of/],
    [{ life_time: 0 }, /^life_time must be 1 to 7776000 seconds/],
    [{ life_time: -5 }, /^life_time must be 1 to/],
    [{ life_time: 7_776_001 }, /^life_time must be 1 to/],
    [{ life_time: 1.5 }, /^life_time must be a whole number/],
    [{ life_time: '60' }, /^life_time must be a number, not a string/],
    [{ life_time: undefined }, /^life_time is required/],
    [{ description: 'x'.repeat(256) }, /^description must have at most 255/],
    [{ description: 5 }, /^description must be a string, not a number/],
    [{ description: null }, /^description must be a string, not null/],
  ])(
    'a request with a wrong field is refused with the field and the reason: %j',
    (change, message) => {
      expect(why({ ...form, ...change })).toMatch(message)
    },
  )

  test('a number beyond 2^53 is refused as too large, not rounded', () => {
    expect(why({ ...form, life_time: 2n ** 70n })).toMatch(/^life_time must be 1 to/)
  })

  test('a body that is no object is refused, and inherited properties are no fields', () => {
    for (const body of [null, [], 'x', 5, 5n, true]) {
      expect(why(body)).toMatch(/^the body must be a JSON object/)
    }
    expect(why(Object.create(form))).toMatch(/is required/)
  })
})

describe('the payment in a transaction', () => {
  const read = (change: Partial<Received>) =>
    paymentOf(received(change), (address) => address === shop)

  test('a plain transfer is a payment in TON with its comment', () => {
    expect(read({})).toMatchObject({ currency: 'TON', amount: 7n, payer, comment: null })
    expect(read({ body: comment('60ffb075') })).toMatchObject({ comment: '60ffb075' })
    const long = beginCell().storeUint(0, 32).storeStringTail('x'.repeat(500)).endCell()
    expect(read({ body: long })?.comment).toBe('x'.repeat(500))
    expect(read({ body: beginCell().storeUint(0x2167da4b, 32).endCell() })).toMatchObject({
      comment: null,
    })
  })

  test('a transfer with a broken comment is a payment without a comment', () => {
    const exotic = beginCell()
      .storeUint(0, 32)
      .storeRef(new CellClass({ exotic: true, bits: library().bits }))
      .endCell()
    expect(read({ body: exotic })).toMatchObject({ amount: 7n, comment: null })
    expect(read({ body: library() })).toMatchObject({ amount: 7n, comment: null })
  })

  test('bounces, other accounts, transfers without value and excesses are no payments', () => {
    expect(read({ bounced: true })).toBeNull()
    expect(read({ account: payer })).toBeNull()
    expect(read({ value: 0n })).toBeNull()
    expect(read({ returned: true })).toBeNull()
    expect(read({ body: beginCell().storeUint(0xd53276db, 32).storeUint(0, 64).endCell() })).toBe(
      null,
    )
  })

  test("a notification from the invoice's jetton wallet is a payment in USDT, with the comment in place or in a cell", () => {
    for (const inPlace of [true, false]) {
      const body = notification({ inPlace, text: '60ffb075' })
      expect(read({ source: shopJettonWallet, body })).toMatchObject({
        currency: 'USDT',
        amount: 2_500_000n,
        payer,
        comment: '60ffb075',
      })
    }
  })

  test('a jetton notification from another account is no payment', () => {
    expect(read({ source: payer, body: notification({ inPlace: true, text: 'x' }) })).toBeNull()
  })

  test('a notification without a payload or with a truncated payload causes no exception', () => {
    const head = beginCell().storeUint(0x7362d09c, 32).storeUint(0, 64)
    const source = shopJettonWallet
    const bare = head.storeCoins(5n).storeAddress(Address.parseRaw(payer))
    expect(read({ source, body: bare.endCell() })).toMatchObject({ amount: 5n, comment: null })
    const promised = beginCell().storeBuilder(bare).storeBit(true).endCell()
    expect(read({ source, body: promised })).toMatchObject({ amount: 5n, comment: null })
    expect(read({ source, body: beginCell().storeUint(0x7362d09c, 32).endCell() })).toBeNull()
  })

  test('the minter is the payer of newly minted USDT', () => {
    const minted = beginCell().storeUint(0x7362d09c, 32).storeUint(0, 64).storeCoins(5n)
    const body = minted.storeAddress(null).storeBit(false).endCell()
    expect(read({ source: shopJettonWallet, body })).toMatchObject({ amount: 5n, payer: master })
  })
})

type Received = {
  account: string
  source: string
  value: bigint
  body: Cell
  bounced: boolean
  returned: boolean
}

function received(change: Partial<Received>): ExecutedTransaction {
  const { account, source, value, body, bounced, returned } = {
    account: shop,
    source: payer,
    value: 7n,
    body: beginCell().endCell(),
    bounced: false,
    returned: false,
    ...change,
  }
  const transaction = {
    inMessage: {
      info: {
        type: 'internal',
        bounced,
        src: Address.parseRaw(source),
        dest: Address.parseRaw(account),
        value: { coins: value },
      },
      body,
    },
    description: { type: 'generic', bouncePhase: returned ? { type: 'ok' } : null },
  } as unknown as Transaction
  return { hash: 'h', account, transaction } as ExecutedTransaction
}

function comment(text: string): Cell {
  return beginCell().storeUint(0, 32).storeStringTail(text).endCell()
}

function notification({ inPlace, text }: { inPlace: boolean; text: string }): Cell {
  const head = beginCell()
    .storeUint(0x7362d09c, 32)
    .storeUint(1, 64)
    .storeCoins(2_500_000n)
    .storeAddress(Address.parseRaw(payer))
    .storeBit(!inPlace)
  return (
    inPlace ? head.storeSlice(comment(text).beginParse()) : head.storeRef(comment(text))
  ).endCell()
}

/** An exotic cell cannot be read directly. */
function library(): Cell {
  const bits = beginCell().storeUint(2, 8).storeBuffer(Buffer.alloc(32, 7)).endCell().bits
  return new CellClass({ exotic: true, bits })
}
