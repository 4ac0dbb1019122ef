import { beginCell } from '@ton/core'
import { expect, test } from 'vitest'
import type { HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import { createNamer } from '../../../src-main/chain/addresses.ts'
import {
  readHistoryFilter,
  type HistoryRequest,
  readHistory,
} from '../../../src-main/explorer/accounts/history.ts'
import { historyRow, readTransaction } from '../../../src-main/chain/history-row.ts'
import {
  type MessageResponse,
  type TransactionResponse,
  messageResponse,
  transactionResponse,
} from '../../../src-main/gateway/query-responses.ts'
import { formatCell } from '../../../src-main/ton/boc.ts'
import { toAddress } from '../../../src-main/ton/address.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const owner = `0:${'aa'.repeat(32)}`
const other = `0:${'bb'.repeat(32)}`
const third = `0:${'cc'.repeat(32)}`
const ownWallet = `0:${'dd'.repeat(32)}`
const usdt = { jetton: `0:${'ee'.repeat(32)}`, symbol: 'USDT', decimals: 6 }

type Facts = {
  readonly lt: number
  readonly in?: MessageResponse
  readonly out?: readonly MessageResponse[]
  readonly compute?: object
}

/** Each step of logical time takes one second. */
function transaction({ lt, in: incoming, out = [], compute }: Facts): TransactionResponse {
  return transactionResponse.parse({
    hash: lt.toString(16).padStart(64, '0'),
    lt,
    account: { address: owner },
    success: compute === undefined,
    ...requiredFields.transaction,
    utime: lt,
    orig_status: 'active',
    end_status: 'active',
    total_fees: 7,
    transaction_type: 'TransOrd',
    ...(lt > 1 && { prev_trans_lt: lt - 1 }),
    ...(incoming && { in_msg: incoming }),
    out_msgs: out,
    ...(compute && { compute_phase: compute }),
  })
}

function message(from: string, to: string, value: number, body = beginCell().endCell()) {
  const slice = body.beginParse()
  const opcode = slice.remainingBits < 32 ? undefined : slice.loadUint(32)
  return messageResponse.parse({
    ...requiredFields.message,
    msg_type: 'int_msg',
    value,
    source: { address: from },
    destination: { address: to },
    hash: '0'.repeat(64),
    raw_body: formatCell(body),
    ...(opcode !== undefined && { op_code: `0x${opcode.toString(16).padStart(8, '0')}` }),
  })
}

function notification(amount: bigint, sender: string) {
  return beginCell()
    .storeUint(0x7362d09c, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(toAddress(sender))
    .storeBit(false)
    .endCell()
}

function order(amount: bigint, to: string) {
  return beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(toAddress(to))
    .storeAddress(null)
    .storeBit(false)
    .storeCoins(1)
    .storeBit(false)
    .endCell()
}

function row(facts: Omit<Facts, 'lt'>): HistoryRow {
  const name = createNamer([], [], () => new Map())
  const assetOf = (wallet: string) => (wallet === ownWallet ? usdt : null)
  return historyRow(readTransaction(transaction({ lt: 9, ...facts })), { name, assetOf })
}

test('a jetton notification counts only if it comes from a jetton wallet of the account', () => {
  const body = notification(5_000_000n, other)
  expect(row({ in: message(ownWallet, owner, 1, body) })).toMatchObject({
    direction: 'in',
    peer: { address: other },
    change: { asset: usdt, units: '5000000' },
  })
  expect(row({ in: message(third, owner, 1, body) })).toMatchObject({
    direction: 'in',
    peer: { address: third },
    change: { asset: { jetton: null }, units: '1' },
  })
})

test('several messages form one row, with a sum for one asset and without a counterparty for several', () => {
  const jettons = [other, third].map((to) => message(owner, ownWallet, 50, order(3n, to)))
  expect(row({ out: jettons })).toMatchObject({
    direction: 'out',
    peer: null,
    change: { asset: usdt, units: '-6' },
    operation: 'jetton_transfer',
  })
  expect(row({ out: [...jettons, message(owner, other, 5)] })).toMatchObject({
    change: { asset: { jetton: null }, units: '-105' },
    operation: null,
  })
})

test('an amount that bounces in the same transaction is no income', () => {
  const bounced = { ...message(owner, other, 90), bounced: true }
  const compute = { skipped: false, success: false, exit_code: 35 }
  expect(row({ in: message(other, owner, 100), out: [bounced], compute })).toMatchObject({
    direction: 'other',
    change: { units: '10' },
    success: false,
    failure: expect.stringContaining('exit code 35') as string,
  })
})

test('a received jetton transfer counts as successful although the account had no gas for its notification', () => {
  const compute = { skipped: true, skip_reason: 'cskip_no_gas' }
  const told = message(ownWallet, owner, 1, notification(5n, other))
  expect(row({ in: told, compute })).toMatchObject({ success: true, failure: null })
})

/** The transactions of an account, as the service returns them in pages: every fiftieth is outgoing. */
const life = Array.from({ length: 2_500 }, (_, index) => {
  const lt = index + 1
  return lt % 50 === 0
    ? transaction({ lt, out: [message(owner, other, 1)] })
    : transaction({ lt, in: message(other, owner, 1) })
})

async function page(question: Partial<HistoryRequest>) {
  return readHistory(
    { before: null, after: null, limit: 20, filter: null, ...question },
    ({ before, after, limit }) => {
      const found = life.filter(
        ({ lt }) =>
          (before === null || Number(lt) < Number(before)) &&
          (after === null || Number(lt) > Number(after)),
      )
      const inOrder = after === null ? found.reverse() : found
      return Promise.resolve({ rows: inOrder.slice(0, limit).map((value) => ({ value })) })
    },
    (transactions) => {
      const name = createNamer([], [], () => new Map())
      return Promise.resolve(
        transactions.map((each) => ({
          row: historyRow(readTransaction(each), { name, assetOf: () => null }),
          opcodes: [],
          isFirst: each.prev_trans_lt === undefined,
        })),
      )
    },
  )
}

const nothing = { direction: null, asset: null, opcode: null, from: null, to: null }
const outgoing = readHistoryFilter({ ...nothing, direction: 'out' })
const lts = (rows: readonly HistoryRow[]) => rows.map(({ lt }) => Number(lt))

test.each([
  ['all transactions', null, 900, life.length],
  ['the transactions of a filter', outgoing, 7, life.length / 50],
])('%s are found once each, page by page, in both directions', async (_, filter, limit, count) => {
  const down: number[] = []
  let older: string | null = null
  let scanned = 0
  do {
    const part = await page({ before: older, limit, filter })
    down.push(...lts(part.rows))
    scanned += part.scanned
    expect(part.scanned).toBeLessThanOrEqual(1_000)
    older = part.older
  } while (older !== null)
  expect(scanned).toBe(life.length)
  expect(down).toHaveLength(count)
  expect(down).toEqual([...new Set(down)].sort((one, two) => two - one))

  const up: number[] = []
  let newer: string | null = '0'
  let part
  do {
    part = await page({ after: newer, limit, filter })
    up.unshift(...lts(part.rows))
    newer = part.newer
  } while (part.scanned > 0)
  expect(up).toEqual(down)
  expect(newer).toBe(String(life.length))
})

test('a page of newer transactions links to the adjacent page of older transactions', async () => {
  const low = await page({ after: '100' })
  expect(lts(low.rows)).toEqual(Array.from({ length: 20 }, (_, index) => 120 - index))
  expect(lts((await page({ before: low.older, limit: 2 })).rows)).toEqual([100, 99])
  const none = await page({ after: '2500' })
  expect(none).toMatchObject({ rows: [], newer: '2500' })
  expect(lts((await page({ before: none.older, limit: 1 })).rows)).toEqual([2500])
})

test("a period ends the scan at its start, not at the account's first transaction", async () => {
  const filter = readHistoryFilter({ ...nothing, from: 2_300_000, to: 2_310_000 })
  const part = await page({ filter })
  expect(lts(part.rows)).toEqual(Array.from({ length: 11 }, (_, index) => 2310 - index))
  expect(part).toMatchObject({ older: null, scanned: 201 })
})

test.each(['0x123456789', 'x', '4294967296'])(
  '%s is refused as an opcode of a history filter',
  (opcode) => {
    expect(() => readHistoryFilter({ ...nothing, opcode })).toThrow('Enter an opcode as')
  },
)
