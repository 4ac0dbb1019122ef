import { Cell, beginCell, contractAddress, toNano } from '@ton/core'
import { expect, test } from 'vitest'
import type { Chain } from '../../../src-main/sandbox/chain/create-chain.ts'
import { fromFaucet, walletMessage } from '../../../src-main/sandbox/chain/wallets.ts'
import {
  opcodeContractAddress,
  opcodeOrder,
  usdtTransferOrder,
} from '../../../src-main/sandbox/chain/contracts.ts'
import { openDatabase, copyInto, replaceFrom } from '../../../src-main/sandbox/store/database.ts'
import {
  type OpenedChain,
  balanceOf,
  chainFile,
  handClock,
  openChain,
  walletNamed,
} from '../../fixtures/chain.ts'

const alice = walletNamed('wallet-1')
const bob = walletNamed('wallet-2')
const merchant = walletNamed('merchant')

/** Executes some messages of each kind while time passes. @returns the hashes of all blocks */
async function play({ chain, clock, send }: OpenedChain): Promise<string[]> {
  await send(alice, { to: bob.address, value: toNano(1), bounce: false })
  clock.forward(60)
  await send(
    bob,
    usdtTransferOrder({ owner: bob.address, to: merchant.address, amount: 5n, text: 'a' }),
    opcodeOrder({ to: opcodeContractAddress(), opcode: 0x42 }),
  )
  clock.forward(3600)
  await chain.inject([fromFaucet({ to: alice.address, value: toNano(3), bounce: false })])
  await send(alice, { to: bob.address, value: toNano(2), bounce: false })
  return rootHashes(chain)
}

function rootHashes(chain: Chain): string[] {
  const count = chain.head().seqno
  return Array.from({ length: count }, (_, index) => chain.block(index + 1)?.rootHash ?? 'missing')
}

test('the same seed, script and clock produce the same hashes; another seed or network produces others', async () => {
  await using first = await openChain({ seed: 'one' })
  await using second = await openChain({ seed: 'one' })
  await using third = await openChain({ seed: 'two' })
  await using other = await openChain({ seed: 'one', network: 'testnet' })
  const hashes = await play(first)
  expect(await play(second)).toEqual(hashes)
  const transactionsOf = ({ chain }: OpenedChain) =>
    hashes.flatMap((_, index) => chain.blockTransactions(index + 1).map(({ hash }) => hash))
  expect(transactionsOf(second)).toEqual(transactionsOf(first))
  for (const different of [third, other]) {
    expect(await play(different)).not.toContain(hashes[0])
    const theirs = new Set(transactionsOf(different))
    expect(transactionsOf(first).filter((hash) => theirs.has(hash))).toEqual([])
  }
})

test('a restarted chain has the same head, history and states, and the next message has the same hash', async () => {
  using files = chainFile()
  const { file } = files
  const clock = handClock()
  await using undisturbed = await openChain({ seed: 'kept', clock: handClock() })
  await play(undisturbed)
  let before
  {
    await using opened = await openChain({ file, seed: 'kept', clock })
    await play(opened)
    before = pictureOf(opened.chain)
  }
  // The seed has no effect on an existing chain.
  await using again = await openChain({ file, seed: 'forgotten', clock })
  expect(pictureOf(again.chain)).toEqual(before)
  const order = { to: merchant.address, value: toNano(1), bounce: false }
  const [root] = await again.send(alice, order)
  const [wanted] = await undisturbed.send(alice, order)
  expect(root?.hash).toBe(wanted?.hash)
  expect(again.chain.head()).toEqual(undisturbed.chain.head())
})

function pictureOf(chain: Chain) {
  const accounts = [alice, bob, merchant].map(({ address }) => address.toRawString())
  return {
    head: chain.head(),
    count: chain.transactionCount(),
    hashes: rootHashes(chain),
    accounts: accounts.map((address) => ({
      history: chain.history(address, { limit: 100 }).map(({ hash }) => hash),
      traces: chain.traces(address, { limit: 100 }),
      balance: chain.account(address)?.account?.storage.balance.coins,
      lt: chain.account(address)?.lastTransactionLt,
      lastActivity: chain.lastActivity(address),
    })),
  }
}

test('a failing observer rolls the whole block back, also in memory, and the message can be sent again', async () => {
  await using opened = await openChain()
  const { chain, database, send } = opened
  const before = pictureOf(chain)
  let isBroken = true
  const told: string[] = []
  database.exec('CREATE TABLE notes (block INTEGER) STRICT')
  chain.observe({
    storing: ({ block }) => {
      database.prepare('INSERT INTO notes VALUES (?)').run(block.seqno)
      told.push('storing')
    },
    stored: () => told.push('stored'),
  })
  chain.observe({
    storing: () => {
      if (isBroken) throw new Error('the disk of the observer is full')
    },
    stored: () => undefined,
  })
  const message = walletMessage(chain, alice, [{ to: bob.address, value: 1n, bounce: false }])
  await expect(chain.send([message])).rejects.toThrow('the disk of the observer is full')
  expect(pictureOf(chain)).toEqual(before)
  expect(database.prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 0 })
  isBroken = false
  const { block } = await chain.send([message])
  expect(block.seqno).toBe(before.head.seqno + 1)
  expect(told).toEqual(['storing', 'storing', 'stored'])
  await send(alice, { to: bob.address, value: 1n, bounce: false })
})

test('observers are called inside the block’s transaction, and again after its commit', async () => {
  await using opened = await openChain()
  const { chain, database, send } = opened
  const seen: unknown[] = []
  chain.observe({
    storing: ({ block, transactions }) => {
      seen.push(['storing', database.isTransaction, block.seqno, transactions.length])
    },
    stored: ({ block }) => {
      seen.push(['stored', database.isTransaction, chain.head().seqno === block.seqno])
    },
  })
  await send(alice, { to: bob.address, value: 1n, bounce: false })
  expect(seen).toEqual([
    ['storing', true, 2, 2],
    ['stored', false, true],
  ])
})

test('after its tables are replaced, the chain continues from their contents', async () => {
  using files = chainFile()
  await using opened = await openChain({ file: files.file })
  const { chain, database, send } = opened
  const copy = `${files.file}.copy`
  const before = pictureOf(chain)
  copyInto(database, copy)
  const order = { to: bob.address, value: toNano(1), bounce: false }
  const [first] = await send(alice, order)
  replaceFrom(database, copy)
  chain.reload()
  expect(pictureOf(chain)).toEqual(before)
  expect(chain.transaction(first?.hash ?? '')).toBeNull()
  // Alice’s wallet has its old seqno again: the same message is the same transaction.
  const [again] = await send(alice, order)
  expect(again?.hash).toBe(first?.hash)
})

test('a block that was being created while the tables were replaced is created again on the new tables', async () => {
  using files = chainFile()
  await using opened = await openChain({ file: files.file })
  const { chain, database } = opened
  const copy = `${files.file}.copy`
  copyInto(database, copy)
  const rich = balanceOf(chain, bob.address)
  await opened.send(alice, { to: bob.address, value: toNano(5), bounce: false })
  const gift = chain.inject([fromFaucet({ to: bob.address, value: toNano(1), bounce: false })])
  replaceFrom(database, copy)
  chain.reload()
  const { block } = await gift
  expect(block.seqno).toBe(2)
  expect(balanceOf(chain, bob.address)).toBeLessThanOrEqual(rich + toNano(1))
  expect(chain.history(alice.address.toRawString(), { limit: 1 })).toEqual([])
})

test('concurrent calls create one block after another, each on the state of the former', async () => {
  await using opened = await openChain()
  const { chain } = opened
  const senders = [alice, bob, merchant]
  const blocks = await Promise.all(
    senders.map((wallet) =>
      chain.send([
        walletMessage(chain, wallet, [
          { to: opcodeContractAddress(), value: toNano(1), bounce: false },
        ]),
      ]),
    ),
  )
  expect(blocks.map(({ block }) => block.seqno)).toEqual([2, 3, 4])
  expect(chain.history(opcodeContractAddress().toRawString(), { limit: 3 })).toHaveLength(3)
})

/**
 * A contract that sends its balance to itself until too little remains. In Tolk: `fun
 * onInternalMessage(_: InMessage) { createMessage({ bounce: BounceMode.NoBounce, value: 0, dest:
 * contract.getAddress() }).send(64) }`
 */
const hopper = (() => {
  const [code] = Cell.fromBoc(
    Buffer.from(
      'b5ee9c72010102010026000114ff00f4a413f4bcf2c80b01002ed330f891f240f828c8cf8508fa5270cf0b6ec98040fb00',
      'hex',
    ),
  )
  if (code === undefined) throw new Error('there is a cell')
  const init = { code, data: beginCell().endCell() }
  return { address: contractAddress(0, init), init }
})()
/** The message is forwarded about twenty times. */
const hops = { to: hopper.address, value: 10_000_000n, init: hopper.init, bounce: false }

test('a cascade longer than a block continues in the next blocks, in the same trace', async () => {
  await using whole = await openChain()
  await using cut = await openChain({ limits: { block: 4, blocksInTurn: 100 } })
  const address = hopper.address.toRawString()
  await whole.send(alice, hops)
  const count = whole.chain.history(address, { limit: 1000 }).length
  expect(count).toBeGreaterThan(10)
  expect(whole.chain.head().seqno).toBe(2)

  const first = cut.chain.head().seqno
  const { block, transactions } = await cut.chain.send([walletMessage(cut.chain, alice, [hops])])
  expect(block.seqno).toBe(first + 1)
  expect(transactions).toHaveLength(4)
  expect(cut.chain.history(address, { limit: 1000 })).toHaveLength(count)
  expect(cut.chain.head().seqno).toBe(first + Math.ceil((count + 1) / 4))
  let depth = 0
  const trace = cut.chain.trace(transactions[0]?.hash ?? '')
  let node = trace === 'too long' ? null : trace
  for (; node !== null; node = node.children[0] ?? null) depth += 1
  expect(depth).toBe(count + 1)
})

test('the rest of a cascade survives the end of the process and is executed afterwards', async () => {
  using files = chainFile()
  const { file } = files
  const address = hopper.address.toRawString()
  const limits = { block: 4, blocksInTurn: 1 }
  let done
  {
    await using opened = await openChain({ file, limits })
    const sent = opened.chain.send([walletMessage(opened.chain, alice, [hops])])
    // Closing the chain finishes only the running block.
    await sent
    await opened.chain.close()
    done = opened.chain.history(address, { limit: 1000 }).length
  }
  await using again = await openChain({ file, limits: { block: 4, blocksInTurn: 100 } })
  await again.send(alice, { to: bob.address, value: 1n, bounce: false })
  const count = again.chain.history(address, { limit: 1000 }).length
  expect(count).toBeGreaterThan(done)
  const [last] = again.chain.history(address, { limit: 1 })
  expect(last?.transaction.outMessagesCount).toBe(0)
  // The trace is complete, in the order of its hops.
  const lts = again.chain.history(address, { limit: 1000, order: 'asc' })
  expect(new Set(lts.map(({ traceId }) => traceId)).size).toBe(1)
  lts.slice(1).forEach((hop, index) => {
    expect(hop.parent).toBe(lts[index]?.hash)
  })
})

test('a refused message is reported as refused even if the block executes waiting messages', async () => {
  await using opened = await openChain({ limits: { block: 4, blocksInTurn: 1 } })
  const { chain } = opened
  const forged = walletMessage(chain, { ...bob, secretKey: alice.secretKey }, [
    { to: alice.address, value: 1n },
  ])
  // The second message is executed while the messages caused by the first one are still running.
  const first = chain.send([walletMessage(chain, alice, [hops])])
  const second = chain.send([forged])
  await expect(first).resolves.toMatchObject({ block: { seqno: 2 } })
  await expect(second).rejects.toMatchObject({ exitCode: 35 })
  expect(chain.block(3)?.transactionCount).toBe(4)
  expect(chain.history(bob.address.toRawString(), { limit: 1 })).toEqual([])
})

test('a first start that is interrupted leaves no partial chain: the next start creates the same chain', async () => {
  using files = chainFile()
  const { file } = files
  await using wanted = await openChain()
  const database = openDatabase(file)
  database.exec(
    `CREATE TRIGGER cut BEFORE INSERT ON transactions WHEN NEW.number = 9
     BEGIN SELECT RAISE(ABORT, 'killed'); END`,
  )
  database.close()
  await expect(openChain({ file })).rejects.toThrow('killed')
  const again = openDatabase(file)
  again.exec('DROP TRIGGER cut')
  again.close()
  await using opened = await openChain({ file })
  expect(opened.chain.head()).toEqual(wanted.chain.head())
})

test('a closed chain refuses messages', async () => {
  const opened = await openChain()
  const message = walletMessage(opened.chain, alice, [{ to: bob.address, value: 1n }])
  await opened[Symbol.asyncDispose]()
  await expect(opened.chain.send([message])).rejects.toThrow('the chain is closed')
})
