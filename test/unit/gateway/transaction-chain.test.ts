/** Tests pages of an account's transactions that are incomplete, repeated, foreign or out of order. */
import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import {
  type Row,
  type TransactionResponse,
  transactionResponse,
} from '../../../src-main/gateway/query-responses.ts'
import { edgeAt, readChainPage } from '../../../src-main/gateway/transaction-chain.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const account = `0:${'1'.repeat(64)}`
const other = `0:${'2'.repeat(64)}`
const hashOf = (n: number) => n.toString(16).padStart(64, '0')

/**
 * Returns the n-th transaction of the account, with the logical time n * 10; the first one has no
 * predecessor.
 */
function transaction(n: number, more: object = {}): Row<TransactionResponse> {
  const value = transactionResponse.parse({
    ...requiredFields.transaction,
    hash: hashOf(n),
    lt: n * 10,
    account: { address: account },
    success: true,
    utime: n,
    orig_status: 'active',
    end_status: 'active',
    total_fees: 0,
    transaction_type: 'TransOrd',
    ...(n > 1 && { prev_trans_lt: (n - 1) * 10, prev_trans_hash: hashOf(n - 1).toUpperCase() }),
    ...more,
  })
  return { value }
}

const unread = (n: number | null): Row<TransactionResponse> => ({
  unread: { lt: n === null ? null : String(n * 10), why: 'odd' },
})

type Page = readonly Row<TransactionResponse>[]
const list = (...ns: readonly number[]): Page => ns.map((n) => transaction(n))
const edge = { lt: '60', hash: hashOf(6), previousLt: '50', previousHash: hashOf(5) }
const gap = (older: number, newer: number) => ({
  olderLt: String(older * 10),
  newerLt: String(newer * 10),
})

/** Reads the transactions before the sixth one. Each request gets the next page, and the last page repeats. */
async function read(pages: readonly Page[], isUpward = false, more: object = {}) {
  const bounds: (string | undefined)[] = []
  const from = { account, edge, isUpward, ...more }
  const page = await readChainPage(from, ({ beforeLt, afterLt }) => {
    bounds.push(isUpward ? afterLt : beforeLt)
    return Promise.resolve(pages[bounds.length - 1] ?? pages.at(-1) ?? [])
  })
  const ns = page?.rows.map((row) => Number('value' in row ? row.value.lt : row.unread.lt) / 10)
  const { gaps = [], strays = [], unlinked, isRepeated, isCut } = page ?? {}
  return {
    ns,
    gaps: gaps.map(({ olderLt, newerLt }) => ({ olderLt, newerLt })),
    strays,
    unlinked,
    isRepeated,
    isCut,
    bounds,
  }
}

const whole = { ns: [5, 4, 3], gaps: [], strays: [], unlinked: 0, isRepeated: false }

test.each<[string, readonly Page[], object]>([
  ['a complete page', [list(5, 4, 3)], { ...whole, bounds: ['60'] }],
  ['a page that includes the edge', [list(6, 5, 4, 3)], { ...whole, bounds: ['60'] }],
  ['an unsorted page with repeated rows', [list(3, 5, 5, 4, 3)], { ...whole, bounds: ['60'] }],
  ['a page without its first row', [list(4, 3), list(5, 4, 3)], { ...whole, bounds: ['60', '61'] }],
  [
    'a page without its second row',
    [list(5, 3), list(5, 3), list(4, 3)],
    { ...whole, bounds: ['60', '51', '50'] },
  ],
  ['an empty page', [[], [], list(5, 4, 3)], { ...whole, bounds: ['60', '61', '60'] }],
  [
    'a missing row',
    [list(5, 3)],
    { ...whole, ns: [5, 3], gaps: [gap(3, 5)], bounds: ['60', '51', '50'] },
  ],
  [
    'missing rows at the edge',
    [list(3)],
    { ...whole, ns: [3], gaps: [gap(3, 6)], bounds: ['60', '61', '60'] },
  ],
  [
    'two gaps',
    [list(5, 3, 1)],
    {
      ...whole,
      ns: [5, 3, 1],
      gaps: [gap(3, 5), gap(1, 3)],
      bounds: ['60', '51', '50', '31', '30'],
    },
  ],
  [
    'the previous page again',
    [list(8, 7, 6)],
    { ...whole, ns: [], isRepeated: true, bounds: ['60', '61', '60'] },
  ],
  ['no rows', [[]], { ...whole, ns: [], bounds: ['60', '61', '60'] }],
  ['the last page', [list(5, 4, 3, 2, 1)], { ...whole, ns: [5, 4, 3, 2, 1], bounds: ['60'] }],
  [
    'rows of another account, one with the same logical time',
    [[transaction(5, { account: { address: other } }), ...list(5, 4, 3)]],
    { ...whole, strays: ['Logical time 50 (it is of another account)'], bounds: ['60'] },
  ],
  [
    'another transaction with the logical time of a linked one',
    [[transaction(5), transaction(4, { hash: hashOf(99) }), ...list(4, 3)]],
    {
      ...whole,
      gaps: [gap(4, 5)],
      strays: [`${hashOf(4)} (another transaction has its logical time)`],
    },
  ],
  [
    'a transaction repeated with another spelling of its account and hash',
    [
      [
        ...list(5, 4, 3),
        transaction(4, { hash: Buffer.from(hashOf(4), 'hex').toString('base64') }),
        transaction(3, { account: { address: Address.parseRaw(account).toString() } }),
      ],
    ],
    whole,
  ],
  ['an unreadable row', [[...list(5), unread(4), ...list(3)]], { ...whole, bounds: ['60'] }],
  [
    'an unreadable row without a logical time',
    [[...list(5, 4, 3), unread(null)]],
    { ...whole, strays: ['odd'] },
  ],
  [
    'rows without a predecessor',
    [[transaction(5, { prev_trans_lt: null }), ...list(4, 3)]],
    { ...whole, unlinked: 1 },
  ],
  [
    'an account that was deleted and created again',
    [[transaction(5, { prev_trans_lt: 0 }), ...list(4, 3)]],
    { ...whole, bounds: ['60'] },
  ],
])(
  'older transactions are linked correctly when the gateway returns %s',
  async (_, pages, expected) => {
    expect(await read(pages)).toMatchObject(expected)
  },
)

test.each<[string, readonly Page[], object, object]>([
  ['a complete page', [list(7, 8)], {}, { ns: [7, 8], gaps: [], bounds: ['60'] }],
  ['no rows', [[]], {}, { ns: [], gaps: [], bounds: ['60'] }],
  ['only the edge', [list(6)], {}, { ns: [], isRepeated: false, bounds: ['60'] }],
  [
    'no rows although the account has more',
    [[], list(6, 7)],
    { headLt: '70' },
    { ns: [7], bounds: ['60', '59'] },
  ],
  ['older transactions again', [list(4, 5)], {}, { ns: [], isRepeated: true }],
  ['the newest row first', [list(8, 7)], {}, { ns: [7, 8], gaps: [] }],
  [
    'a missing row',
    [list(7, 9)],
    {},
    { ns: [7, 9], gaps: [gap(7, 9)], bounds: ['60', '69', '70'] },
  ],
  [
    "the account's first transactions",
    [list(1, 2)],
    { edge: edgeAt('0') },
    { ns: [1, 2], gaps: [] },
  ],
])(
  'newer transactions are linked correctly when the gateway returns %s',
  async (_, pages, more, expected) => {
    expect(await read(pages, true, more)).toMatchObject(expected)
  },
)

test.each<[string, readonly Page[], object]>([
  ['the next transaction', [list(6, 5, 4)], { ...whole, ns: [5, 4], isCut: false, bounds: ['61'] }],
  [
    'a page without its first row',
    [list(6, 4), list(6, 5, 4)],
    { ...whole, ns: [5, 4], isCut: false, bounds: ['61', '61'] },
  ],
  [
    'a page without its first rows twice',
    [list(6, 3)],
    { ...whole, ns: [3], gaps: [gap(3, 6)], isCut: false },
  ],
  ['only the edge', [list(6)], { ...whole, ns: [], isCut: true, bounds: ['61', '61', '60'] }],
  ['no rows', [[]], { ...whole, ns: [], isCut: true, bounds: ['61', '61', '60'] }],
  ['no rows, and then the rest', [[], list(6, 5)], { ...whole, ns: [5], isCut: false }],
])(
  'a sync resumed at a logical time continues correctly when the gateway returns %s',
  async (_, pages, expected) => {
    expect(await read(pages, false, { edge: edgeAt('60') })).toMatchObject(expected)
  },
)

test('a sync resumed at the first transaction is complete', async () => {
  expect(await read([list(1)], false, { edge: edgeAt('10') })).toMatchObject({
    ns: [],
    gaps: [],
    isCut: false,
    bounds: ['11'],
  })
})

test('a page with hashes of another chain has a gap although the logical times agree', async () => {
  const forked = [transaction(5), transaction(4, { hash: hashOf(77) }), transaction(3)]
  expect((await read([forked])).gaps).toEqual([gap(4, 5)])
  const later = [transaction(7, { prev_trans_hash: hashOf(99) })]
  expect((await read([later], true)).gaps).toEqual([gap(6, 7)])
})
