import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createAccountNames,
  createAccountRecords,
  createChainRecords,
  forgetChain,
} from '../../../src-main/chain/store/chain.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const account = `0:${'1'.repeat(64)}`
const hashOf = (number: number) => number.toString(16).padStart(64, '0')
const record = (number: number) => ({
  hash: hashOf(number),
  account,
  // The lt is above 2^53, so storing it as a float would change it.
  lt: (9_007_199_254_740_993n + BigInt(number)).toString(),
  messages: [hashOf(number + 1_000_000)],
  names: [{ address: account, name: 'merchant' }],
  answer: JSON.stringify({ number }),
})

test('the name and kind of an account are read from its newest stored response, and unknown accounts have none', () => {
  using directory = temporaryDirectory()
  const database = openDatabase(join(directory.path, 'chain.db'))
  migrate(database, () => undefined)
  const names = createAccountNames(database)
  const wallet = (is: boolean) => JSON.stringify({ account: { is_wallet: is } })
  expect(names.of('mainnet', account)).toEqual({ name: null, isWallet: null })
  const transactions = [
    { ...record(1), answer: wallet(false) },
    { ...record(2), answer: wallet(true) },
  ]
  createChainRecords(database).put('mainnet', { transactions }, 1)
  expect(names.of('mainnet', account)).toEqual({ name: 'merchant', isWallet: true })
  createAccountRecords(database).put(
    ...(['mainnet', { address: account, answer: '{"is_wallet":false}' }, 2] as const),
  )
  expect(names.of('mainnet', account)).toEqual({ name: 'merchant', isWallet: false })
  createAccountRecords(database).put('mainnet', { address: account, answer: 'damaged' }, 3)
  expect(names.of('mainnet', account)).toEqual({ name: 'merchant', isWallet: true })
  expect(names.of('testnet', account)).toEqual({ name: null, isWallet: null })
  database.close()
})

test('the oldest transactions are pruned with their messages and traces; those loaded again stay', () => {
  using directory = temporaryDirectory()
  const database = openDatabase(join(directory.path, 'chain.db'))
  migrate(database, () => undefined)
  const records = createChainRecords(database, 1_000)
  const put = (from: number, count: number, now: number) =>
    records.put(
      'mainnet',
      {
        transactions: Array.from({ length: count }, (_none, index) => record(from + index)),
        trace: { root: hashOf(from), nodes: '[]', jettons: '[]', isComplete: true },
      },
      now,
    )
  put(0, 600, 1)
  put(600, 600, 2)
  put(0, 10, 3)
  put(1_200, 600, 4)
  expect(records.find('mainnet', hashOf(20))).toBeNull()
  expect(records.find('mainnet', hashOf(1_000_020))).toBeNull()
  expect(records.trace('mainnet', hashOf(600))?.transactions.size ?? 0).toBeLessThan(600)
  expect(records.find('mainnet', hashOf(5))?.fetchedAt).toBe(3)
  const left = records.ofAccount('mainnet', account, { beforeLt: null, limit: 5_000 })
  expect(left.length).toBeLessThanOrEqual(1_000)
  expect(left[0]?.hash).toBe(hashOf(1_799))
  const { lt } = record(1_799)
  const before = records.ofAccount('mainnet', account, { beforeLt: lt, limit: 1 })
  expect(before[0]?.hash).toBe(hashOf(1_798))
  expect(records.find('testnet', hashOf(5))).toBeNull()
  database.close()
})

test('the stored chain of one network is deleted without affecting another network', async () => {
  using directory = temporaryDirectory()
  const database = openDatabase(join(directory.path, 'chain.db'))
  migrate(database, () => undefined)
  const records = createChainRecords(database)
  const transactions = Array.from({ length: 1_100 }, (_none, index) => record(index))
  const trace = { root: hashOf(0), nodes: '[]', jettons: '[]', isComplete: true }
  for (const network of ['sandbox', 'mainnet']) records.put(network, { transactions, trace }, 1)
  await forgetChain(database, 'sandbox')
  for (const hash of [hashOf(0), hashOf(1_099), hashOf(1_000_020)]) {
    expect(records.find('sandbox', hash)).toBeNull()
    expect(records.find('mainnet', hash)).not.toBeNull()
  }
  expect(records.trace('sandbox', hashOf(0))).toBeNull()
  expect(records.trace('mainnet', hashOf(0))?.transactions.size).toBe(1_100)
  database.close()
})
