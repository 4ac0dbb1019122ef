/** Tests how far the history of an address is read, and where a sync continues. */
import { expect, test } from 'vitest'
import {
  type TransactionResponse,
  transactionResponse,
} from '../../../src-main/gateway/query-responses.ts'
import type { TransactionsPage } from '../../../src-main/gateway/query.ts'
import { readAccount } from '../../../src-main/invoices/chain/watcher.ts'
import type { InvoiceAccount } from '../../../src-main/invoices/store/invoice-accounts.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const address = `0:${'1'.repeat(64)}`

/** There is one transaction per second; logical times are seconds times ten. */
function history(from: number, to: number): TransactionResponse[] {
  return Array.from({ length: to - from + 1 }, (_, index) =>
    transactionResponse.parse({
      ...requiredFields.transaction,
      hash: String(from + index),
      lt: (from + index) * 10,
      account: { address },
      success: true,
      utime: from + index,
      orig_status: from + index === 1 ? 'uninit' : 'active',
      end_status: 'active',
      total_fees: 0,
      transaction_type: 'TransOrd',
      prev_trans_lt: (from + index - 1) * 10,
    }),
  )
}

/** Watches an account from a certain second on, on a chain that may grow. */
function followed(
  chain: TransactionResponse[],
  since: number,
  change: (page: TransactionResponse[], isLater: boolean) => TransactionResponse[] = (page) => page,
) {
  let account: InvoiceAccount = {
    network: 'sandbox',
    account: address,
    firstInvoice: 1,
    isShared: false,
    since: since * 1000,
    usdtMaster: null,
    usdtWallet: null,
    topLt: null,
    bottomLt: null,
    readFrom: null,
    readTo: null,
    gap: null,
  }
  const kept: number[] = []
  const asked: TransactionsPage[] = []
  let wasUsed = false
  return {
    kept,
    asked,
    account: () => account,
    wasUsed: () => wasUsed,
    setSince(second: number) {
      account = { ...account, since: second * 1000 }
    },
    read: (pagesLeft = Infinity) =>
      readAccount(account, {
        asking: {},
        readTo: ((chain.at(-1)?.utime ?? 0) + 1) * 1000,
        query: {
          accountTransactions(_, page) {
            asked.push(page)
            const { afterLt = '-1', beforeLt = '99999', limit = 0, sortOrder } = page
            const some = chain.filter(
              ({ lt }) => BigInt(lt) > BigInt(afterLt) && BigInt(lt) < BigInt(beforeLt),
            )
            const ordered = sortOrder === 'asc' ? some : some.toReversed()
            return Promise.resolve(change(ordered.slice(0, limit), page.beforeLt !== undefined))
          },
        },
        keep(transactions, { wasUsed: used, ...state }) {
          kept.push(...transactions.map(({ utime }) => utime))
          account = { ...account, ...state }
          wasUsed ||= used
          pagesLeft -= 1
          return pagesLeft > 0 ? Promise.resolve() : Promise.reject(new Error('stopped'))
        },
      }),
  }
}

const span = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)

test('the first sync stops where the invoices begin, and later syncs add each new transaction once', async () => {
  const chain = history(1, 1000)
  const shop = followed(chain, 750)
  await shop.read()
  expect(sorted(shop.kept)).toEqual(span(750, 1000))
  expect(shop.account()).toMatchObject({ readFrom: 750_000, readTo: 1_001_000, topLt: 10_000n })
  expect(shop.wasUsed()).toBe(true)

  chain.push(...history(1001, 1230))
  await shop.read()
  expect(sorted(shop.kept)).toEqual(span(750, 1230))
  const requests = shop.asked.length
  await shop.read()
  expect(shop.asked.length).toBe(requests + 1)
  expect(shop.account().readTo).toBe(1_231_000)
})

test('an interrupted sync continues where it stopped, and reports no covered period before that', async () => {
  const chain = history(1, 1000)
  const shop = followed(chain, 600)
  await expect(shop.read(2)).rejects.toThrow('stopped')
  expect(shop.account()).toMatchObject({ readFrom: null, readTo: null })
  chain.push(...history(1001, 1010))
  await shop.read()
  expect(sorted(shop.kept)).toEqual(span(600, 1010))
  expect(shop.account()).toMatchObject({ readFrom: 600_000, readTo: 1_011_000 })
})

test('transactions that the gateway omitted are requested again, and permanent gaps are reported', async () => {
  const chain = history(1, 400)
  const shop = followed(chain, 50, (page, isLater) => page.slice(Number(isLater)))
  await shop.read()
  expect(sorted(shop.kept)).toEqual(span(50, 400))
  expect(shop.account().gap).toBeNull()

  const lossy = followed(chain, 50, (page) => page.filter(({ utime }) => utime !== 222))
  await lossy.read()
  expect(sorted(lossy.kept)).toEqual(span(50, 400).filter((second) => second !== 222))
  const between = (older: number, newer: number) =>
    `The gateway did not return the transactions between logical time ${older} and ${newer}.`
  expect(lossy.account()).toMatchObject({ readFrom: 50_000, gap: between(2210, 2230) })

  const newest = followed(chain, 390, (page) => page.filter(({ utime }) => utime !== 403))
  await newest.read()
  chain.push(...history(401, 405))
  await newest.read()
  expect(newest.account().gap).toBe(between(4020, 4040))

  // A missing transaction before the first invoice causes no gap.
  const earlier = followed(chain, 300, (page) => page.filter(({ utime }) => utime !== 250))
  await earlier.read()
  expect(earlier.account().gap).toBeNull()

  let first: TransactionResponse[] = []
  const stuck = followed(chain, 50, (page, isLater) => (isLater ? first : (first = page)))
  await stuck.read()
  expect(stuck.account().gap).toMatch(/it returned newer ones again/)
})

test.each([0, 1])(
  'an empty page after %i stops is not interpreted as the beginning of the account',
  async (stops) => {
    let isDown = false
    const shop = followed(history(1, 400), 50, (page, isLater) => (isDown && isLater ? [] : page))
    if (stops > 0) await expect(shop.read(2)).rejects.toThrow('stopped')
    isDown = true
    await shop.read()
    expect(shop.account().gap).toMatch(
      /^The gateway has no transactions before logical time \d+, although the account had some\.$/,
    )
  },
)

test('after a stop, the first transaction of a page is requested again if it is missing', async () => {
  let isLossy = true
  const shop = followed(history(1, 400), 50, (page, isLater) => {
    const isLost = isLater && isLossy
    isLossy = !isLost
    return isLost ? page.slice(2) : page
  })
  isLossy = false
  await expect(shop.read(2)).rejects.toThrow('stopped')
  isLossy = true
  await shop.read()
  expect(sorted(shop.kept)).toEqual(span(50, 400))
  expect(shop.account().gap).toBeNull()
})

test('an older invoice that is added later extends the sync backwards', async () => {
  const chain = history(1, 300)
  const shop = followed(chain, 290)
  await shop.read()
  shop.setSince(40)
  await shop.read()
  expect(sorted(shop.kept)).toEqual(span(40, 300))
  expect(shop.account()).toMatchObject({ readFrom: 40_000, readTo: 301_000 })
})

test('a sync works for a quiet period, an empty account and an address whose history begins with its invoice', async () => {
  const quiet = followed(history(1, 20), 500)
  await quiet.read()
  expect([quiet.kept, quiet.account().readFrom, quiet.account().topLt]).toEqual([[], 500_000, 200n])
  quiet.setSince(15)
  await quiet.read()
  expect(sorted(quiet.kept)).toEqual(span(15, 20))

  const chain: TransactionResponse[] = []
  const fresh = followed(chain, 0)
  await fresh.read()
  expect(fresh.account()).toMatchObject({ topLt: null, readFrom: 0, readTo: 1000 })
  chain.push(...history(1, 3))
  await fresh.read()
  expect(sorted(fresh.kept)).toEqual([1, 2, 3])
  expect(fresh.wasUsed()).toBe(false)
})
