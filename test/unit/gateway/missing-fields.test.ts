/** Tests that a field which a gateway omits is unknown: neither zero, nor the coin, nor “no”. */
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { parseInvoiceDelivery } from '../../../src-main/captures/explanation/read-capture.ts'
import {
  accountEventsResponse,
  consequencesResponse,
  eventResponse,
} from '../../../src-main/gateway/event-responses.ts'
import { invoiceEntry, invoiceList } from '../../../src-main/gateway/invoice-responses.ts'
import {
  jettonBalancesResponse,
  nftItemResponse,
  rawAccountResponse,
  storedAccountResponse,
  transactionRowsResponse,
} from '../../../src-main/gateway/query-responses.ts'
import { whyNotDrained } from '../../../src-main/webhooks/move/level.ts'
import { formatJson, parseJson } from '../../../src-main/ton/lossless-json.ts'
import { accountOf, rawTransaction } from '../../fixtures/raw-transaction.ts'

const [alice, bob] = [accountOf('a1'), accountOf('b2')]
const transaction = {
  ...rawTransaction({ account: bob, lt: 5n, in: { from: alice, to: bob, value: 7n } }),
  action_phase: {
    success: true,
    result_code: 0,
    total_actions: 1,
    skipped_actions: 0,
    fwd_fees: 1,
    total_fees: 1,
  },
  storage_phase: { fees_collected: 1, status_change: 'unchanged' },
  credit_phase: { fees_collected: 0, credit: 7 },
}
const event = {
  event_id: 'ab'.repeat(32),
  timestamp: 1,
  lt: 5,
  extra: -3,
  in_progress: false,
  is_scam: false,
  actions: [],
  account: { address: alice },
}
const jetton = { address: bob, name: 'J', symbol: 'J', decimals: 6, verification: 'none' }
const balance = { balance: '5', wallet_address: { address: alice }, jetton }
const flow = { account: { address: alice }, gram: 5, fees: 1, jettons: [] }
const rawAccount = { address: bob, balance: 5, status: 'active', last_transaction_lt: 5 }

type Json = Record<string, unknown>

/** Returns the object without the field at a path. */
function without(value: unknown, path: string): unknown {
  const [first = '', ...rest] = path.split('.')
  const entries = Object.entries(value as Json).flatMap(([name, each]) => {
    if (name !== first) return [[name, each]]
    return rest.length > 0 ? [[name, without(each, rest.join('.'))]] : []
  })
  return Object.fromEntries(entries)
}

const read = (schema: z.ZodType, value: unknown) => schema.safeParse(parseJson(formatJson(value)))

test.each([
  ...['total_fees', 'end_balance', 'aborted', 'lt', 'success', 'in_msg.value', 'in_msg.fwd_fee'],
  ...['in_msg.ihr_fee', 'in_msg.bounced', 'in_msg.created_lt', 'action_phase.fwd_fees'],
  ...['action_phase.total_fees', 'storage_phase.fees_collected', 'credit_phase.credit'],
])('a transaction without %s is an unreadable row whose reason names the field', (path) => {
  const answer = (row: unknown) => read(transactionRowsResponse, { transactions: [row] }).data
  expect(answer(transaction)).toMatchObject([{ value: { end_balance: '0' } }])
  const field = path.split('.').at(-1)
  expect(answer(without(transaction, path))).toMatchObject([
    { unread: { why: expect.stringContaining(`${field}`) as string } },
  ])
})

test.each(['extra', 'lt', 'in_progress'])('an event without %s is an unreadable row', (path) => {
  const answer = (row: unknown) => read(accountEventsResponse, { events: [row] }).data
  expect(answer(event)).toMatchObject({ events: [{ value: { extra: '-3' } }] })
  expect(answer(without(event, path))).toMatchObject({
    events: [{ unread: { why: expect.stringContaining(path) as string } }],
  })
})

test('a jetton without decimals has no amounts', () => {
  const answer = (row: unknown) => read(jettonBalancesResponse, { balances: [row] }).data
  expect(answer(balance)).toMatchObject([{ value: { jetton: { decimals: 6 } } }])
  for (const path of ['jetton.decimals', 'balance']) {
    expect(answer(without(balance, path))).toMatchObject([{ unread: {} }])
  }
  const price = { currency_type: 'jetton', value: '5000000', token_name: 'USDT', jetton: bob }
  const item = (given: object) => ({ address: alice, sale: { address: bob, price: given } })
  expect(read(nftItemResponse, item({ ...price, decimals: 6 })).data).toMatchObject({
    sale: { price: { value: '5000000', decimals: 6 } },
  })
  expect(read(nftItemResponse, item(price)).data).toMatchObject({ sale: { price: null } })
})

test('coins that an action, a value flow or a risk does not state are not shown as 0', () => {
  const exec = { executor: { address: alice }, contract: { address: bob }, operation: 'x' }
  const answer = (details: object) => {
    const action = { type: 'SmartContractExec', status: 'ok', SmartContractExec: details }
    return read(eventResponse, { ...event, actions: [action], value_flow: [] }).data
  }
  for (const name of ['gram_attached', 'ton_attached']) {
    expect(answer({ ...exec, [name]: 5 })).toMatchObject({
      actions: [{ known: { details: { attached: '5' } } }],
    })
  }
  expect(answer(exec)).toMatchObject({ actions: [{ type: 'SmartContractExec', known: null }] })

  const flows = (row: unknown) => read(eventResponse, { ...event, value_flow: [row] }).data
  expect(flows(flow)).toMatchObject({ value_flow: [{ value: { ton: '5' } }] })
  for (const path of ['gram', 'fees']) {
    expect(flows(without(flow, path))).toMatchObject({ value_flow: [{ unread: {} }] })
  }

  const risk = { transfer_all_remaining_balance: false, gram: 5, jettons: [], nfts: [] }
  const consequences = {
    risk,
    event: { ...event, value_flow: [] },
    trace: { transaction, interfaces: [], children: [] },
  }
  expect(read(consequencesResponse, consequences).data).toMatchObject({ risk: { ton: '5' } })
  expect(read(consequencesResponse, without(consequences, 'risk.gram')).success).toBe(false)
})

test('an account without its last transaction is refused, and storage that is not stated is unknown', () => {
  expect(read(rawAccountResponse, rawAccount).success).toBe(true)
  for (const path of ['last_transaction_lt', 'balance']) {
    expect(read(rawAccountResponse, without(rawAccount, path)).success).toBe(false)
  }
  const storage = { used_cells: 3, used_bits: 9, used_public_cells: 0, due_payment: 0 }
  const stored = { ...rawAccount, storage }
  expect(read(storedAccountResponse, stored).data).toMatchObject({ storage: { used_cells: '3' } })
  for (const path of ['storage.used_cells', 'storage.used_bits', 'storage.due_payment']) {
    expect(read(storedAccountResponse, without(stored, path)).data).toMatchObject({ storage: null })
  }
})

const invoice = {
  id: 'a1',
  status: 'pending',
  amount: '5000000',
  currency: 'USDT',
  pay_to_address: bob,
  date_create: 1,
  date_expire: 2,
  payment_link: `https://app.tonkeeper.com/transfer/x?jetton=${bob}&amount=5000000`,
}

test('an invoice without a currency has the currency of its link, and is unreadable without both', () => {
  const bare = without(invoice, 'currency') as object
  expect(read(invoiceEntry, bare).data).toMatchObject({ currency: 'USDT', amount: 5_000_000n })
  const coins = { ...bare, payment_link: 'ton://transfer/x?amount=5' }
  expect(read(invoiceEntry, coins).data).toMatchObject({ currency: 'TON' })
  const nothing = without(bare, 'payment_link')
  expect(read(invoiceEntry, nothing).success).toBe(false)
  expect(read(invoiceList, { items: [nothing, invoice], count: 2 }).data).toMatchObject({
    invoices: [{ currency: 'USDT' }],
    unread: ['Invoice a1 could not be read: its currency is missing'],
  })
  // An undocumented currency is not replaced by the currency of the link.
  expect(read(invoiceEntry, { ...invoice, currency: 'EUR' }).success).toBe(false)
})

test('a delivery of an invoice without a currency has an unknown amount unless its link shows the currency', () => {
  const told = (value: unknown) => parseInvoiceDelivery(JSON.stringify(value))
  expect(told(invoice)?.facts.amount?.asset).toMatchObject({ symbol: 'USDT', decimals: 6 })
  expect(told(without(invoice, 'currency'))?.facts.amount?.asset).toMatchObject({ symbol: 'USDT' })
  const bare = without(without(invoice, 'currency'), 'payment_link')
  expect(told(bare)?.facts.amount).toBeNull()
  expect(told(bare)?.told.currency).toBe('of an unknown currency')
})

test('a move waits while the gateway does not state whether deliveries failed', () => {
  const webhook = { status: 'online', failedAttempts: 0, endpoint: 'https://a.example' } as const
  expect(whyNotDrained(webhook, 0)).toBeNull()
  expect(whyNotDrained({ ...webhook, failedAttempts: null }, 0)).toContain('does not state')
  expect(whyNotDrained({ ...webhook, failedAttempts: 2 }, 0)).toContain('not delivered')
  expect(whyNotDrained({ ...webhook, failedAttempts: null }, 3)).toContain('3 accounts have')
})
