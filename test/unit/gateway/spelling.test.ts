/**
 * Tests that accounts and hashes in a gateway's responses are converted to one form, so that they
 * are compared by value.
 */
import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import { accountEventsResponse } from '../../../src-main/gateway/event-responses.ts'
import type { HttpClient } from '../../../src-main/gateway/http.ts'
import { invoiceEntry } from '../../../src-main/gateway/invoice-responses.ts'
import {
  accountResponse,
  traceResponse,
  transactionResponse,
} from '../../../src-main/gateway/query-responses.ts'
import { createWebhooksClient } from '../../../src-main/gateway/webhooks.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const raw = `0:${'ab'.repeat(32)}`
const hash = 'fb'.repeat(32)
const friendly = Address.parseRaw(raw)
const accounts = [
  raw,
  raw.toUpperCase(),
  friendly.toString(),
  friendly.toString({ bounceable: false, urlSafe: false }),
  friendly.toString({ testOnly: true }),
]
const bytes = Buffer.from(hash, 'hex')
const hashes = [hash, hash.toUpperCase(), bytes.toString('base64'), bytes.toString('base64url')]

const message = {
  ...requiredFields.message,
  msg_type: 'int_msg',
  created_lt: 5,
  hash: '1'.repeat(64),
}
const transaction = {
  ...requiredFields.transaction,
  hash,
  lt: 1,
  account: { address: raw },
  success: true,
  utime: 1,
  total_fees: 0,
  orig_status: 'active',
  end_status: 'active',
  transaction_type: 'TransOrd',
}

test.each(accounts)(
  'each response contains the account %s as the same raw address',
  async (address) => {
    const http = {
      call: ({ answer }: Parameters<HttpClient['call']>[0]) =>
        Promise.resolve(answer.parse({ account_tx_subscriptions: [{ account_id: address }] })),
    } as unknown as HttpClient
    expect(await createWebhooksClient(http).subscriptions('1')).toMatchObject([{ account: raw }])
    expect(
      transactionResponse.parse({
        ...transaction,
        account: { address },
        out_msgs: [{ ...message, source: { address }, destination: { address } }],
      }),
    ).toMatchObject({
      account: { address: raw },
      out_msgs: [{ source: { address: raw }, destination: { address: raw } }],
    })
    const state = { address, balance: 1, last_activity: 1, status: 'active' }
    expect(accountResponse.parse(state).address).toBe(raw)
    const invoice = {
      id: 'x',
      status: 'paid',
      amount: '1',
      currency: 'TON',
      date_create: 1,
      date_expire: 2,
    }
    expect(
      invoiceEntry.parse({ ...invoice, pay_to_address: address, paid_by_address: address }),
    ).toMatchObject({ payTo: raw, paidBy: raw })
  },
)

test.each(hashes)('each response contains the hash %s in the same spelling', (spelling) => {
  expect(
    transactionResponse.parse({
      ...transaction,
      hash: spelling,
      prev_trans_hash: spelling,
      in_msg: { ...message, hash: spelling },
    }),
  ).toMatchObject({ hash, prev_trans_hash: hash, in_msg: { hash } })
  const action = { type: 'Odd', status: 'ok', base_transactions: [spelling] }
  const event = {
    ...requiredFields.event,
    event_id: spelling,
    lt: 1,
    timestamp: 1,
    actions: [action],
  }
  expect(accountEventsResponse.parse({ events: [event] }).events).toMatchObject([
    { value: { event_id: hash, actions: [{ transactions: [hash] }] } },
  ])
  // A child's message is listed once at its parent, although both write its hash differently.
  const [root] = traceResponse.parse({
    transaction: { ...transaction, out_msgs: [{ ...message, hash }] },
    children: [{ transaction: { ...transaction, in_msg: { ...message, hash: spelling } } }],
  })
  expect(root?.transaction.out_msgs).toHaveLength(1)
})

test('a text that is neither an account nor a hash is unchanged', () => {
  const odd = { ...transaction, hash: 'odd', account: { address: '<b>' } }
  expect(transactionResponse.parse(odd)).toMatchObject({ hash: 'odd', account: { address: '<b>' } })
})
