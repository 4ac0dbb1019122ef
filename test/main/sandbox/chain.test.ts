import {
  Address,
  Cell,
  Dictionary,
  beginCell,
  comment,
  contractAddress,
  external,
  internal,
  loadMessage,
  storeMessage,
  storeMessageRelaxed,
  toNano,
} from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBalance } from '../../../src-main/sandbox/chain/account-states.ts'
import { NotAcceptedError, UnreadableMessageError } from '../../../src-main/sandbox/chain/chain.ts'
import {
  fromFaucet,
  walletMessage,
  developmentWallets,
  faucetWallet,
} from '../../../src-main/sandbox/chain/wallets.ts'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
} from '../../../src-main/sandbox/chain/contracts.ts'
import {
  createEmulator,
  EmulatorRefusal,
  networkConfig,
} from '../../../src-main/sandbox/chain/emulator.ts'
import {
  type OpenedChain,
  balanceOf,
  exitCodeOf,
  openChain,
  readStack,
  walletNamed,
} from '../../fixtures/chain.ts'

const alice = walletNamed('wallet-1')
const bob = walletNamed('wallet-2')

let opened: OpenedChain
beforeAll(async () => {
  opened = await openChain()
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
})

/** Returns a contract with these bits as its code, deployed by the faucet with this amount. */
function contractOf(codeBits: string, salt: number) {
  const code = beginCell().storeBuffer(Buffer.from(codeBits, 'hex')).endCell()
  const init = { code, data: beginCell().storeUint(salt, 64).endCell() }
  return { address: contractAddress(0, init), init }
}

test('after genesis each wallet has 10,000 TON, is active and has no activity', () => {
  const { chain } = opened
  expect(developmentWallets).toHaveLength(11)
  for (const { address } of developmentWallets) {
    expect(balanceOf(chain, address)).toBe(toNano(10_000))
    expect(chain.account(address.toRawString())?.account?.storage.state.type).toBe('active')
    expect(chain.lastActivity(address.toRawString())).toBe(0)
  }
  expect(chain.head().seqno).toBe(1)
  expect(chain.blockTransactions(1)).toHaveLength(chain.transactionCount())
})

test('a transfer is two transactions of one trace, with parent, opcode, balances and logical times', async () => {
  const { chain, send } = opened
  const before = balanceOf(chain, bob.address)
  const head = chain.head()
  const [root, received, ...more] = await send(alice, {
    to: bob.address,
    value: toNano(1),
    bounce: false,
    body: comment('for lunch'),
  })
  expect(more).toEqual([])
  if (root === undefined || received === undefined) throw new Error('two were expected')
  expect(root).toMatchObject({ account: alice.address.toRawString(), parent: null })
  expect(root.traceId).toBe(root.hash)
  expect(received).toMatchObject({
    account: bob.address.toRawString(),
    parent: root.hash,
    traceId: root.hash,
    inOpcode: 0,
    deployed: false,
    blockSeqno: head.seqno + 1,
  })
  expect(received.lt).toBeGreaterThan(root.lt)
  expect(received.endBalance).toBe(balanceOf(chain, bob.address))
  expect(received.endBalance - before).toBeGreaterThan(toNano('0.999'))
  expect(received.cell.hash().toString('hex')).toBe(received.hash)
  const block = chain.head()
  expect(block.startLt % 1_000_000n).toBe(0n)
  expect(root.lt).toBeGreaterThan(block.startLt)
  expect(block.endLt).toBeGreaterThan(received.lt)
  expect(block.startLt).toBeGreaterThan(head.endLt)

  expect(chain.transaction(received.hash)).toEqual(received)
  expect(chain.transactionsByMessage(received.inMessageHash ?? '')).toEqual([received])
  expect(chain.trace(received.hash)).toEqual({
    transaction: root,
    children: [{ transaction: received, children: [] }],
  })
})

test('an external message is found by its own hash and by the normalized hash of TEP-467', async () => {
  const { chain } = opened
  const signed = walletMessage(chain, alice, [{ to: bob.address, value: 1n, bounce: false }])
  const { body } = loadMessage(signed.beginParse())
  /** The body is in a separate cell; the import fee is arbitrary and not signed. */
  const written = (fee: bigint) =>
    beginCell()
      .storeUint(0b10, 2)
      .storeAddress(null)
      .storeAddress(alice.address)
      .storeCoins(fee)
      .storeBit(false)
      .storeBit(true)
      .storeRef(body)
      .endCell()
  const inside = written(5n)
  const normal = written(0n).hash().toString('hex')
  const { transactions } = await chain.send([inside])
  expect(transactions[0]?.inMessageHash).toBe(inside.hash().toString('hex'))
  expect(chain.transactionsByMessage(normal)).toEqual([transactions[0]])
  expect(chain.transactionsByMessage(inside.hash().toString('hex'))).toEqual([transactions[0]])
})

test('the history is paged by exclusive bounds of logical time, in both directions', async () => {
  const { chain, send } = opened
  for (let count = 0; count < 3; count += 1) {
    await send(alice, { to: bob.address, value: 1n, bounce: false })
  }
  const address = bob.address.toRawString()
  const all = chain.history(address, { limit: 1000 })
  const lts = all.map(({ lt }) => lt)
  expect(lts).toEqual(lts.toSorted((one, other) => Number(other - one)))
  const [newest, second, third] = all
  if (newest === undefined || second === undefined || third === undefined) throw new Error('few')
  expect(chain.history(address, { limit: 1, beforeLt: newest.lt })).toEqual([second])
  expect(chain.history(address, { limit: 9, afterLt: third.lt })).toEqual([newest, second])
  expect(chain.history(address, { limit: 2, afterLt: third.lt, order: 'asc' })).toEqual([
    second,
    newest,
  ])
  expect(chain.traces(address, { limit: 2 }).map(({ id }) => id)).toEqual([
    newest.traceId,
    second.traceId,
  ])
})

test('a message that its receiver cannot accept bounces, less the fees', async () => {
  const { chain, send } = opened
  const nobody = Address.parseRaw(`0:${'5'.repeat(64)}`)
  const before = balanceOf(chain, alice.address)
  const executed = await send(alice, { to: nobody, value: toNano(2), bounce: true })
  expect(executed.map(({ account }) => account)).toEqual([
    alice.address.toRawString(),
    nobody.toRawString(),
    alice.address.toRawString(),
  ])
  const info = executed[2]?.transaction.inMessage?.info
  expect(info).toMatchObject({ type: 'internal', bounced: true })
  expect(before - balanceOf(chain, alice.address)).toBeLessThan(toNano('0.02'))
  expect(chain.account(nobody.toRawString())?.account?.storage.balance.coins ?? 0n).toBe(0n)
})

test('a message with too little gas is executed without effect, and its transaction is aborted', async () => {
  const { chain, send } = opened
  const executed = await send(alice, {
    ...opcodeOrder({ to: opcodeContractAddress(), opcode: 0x11, value: 1000n }),
    bounce: false,
  })
  const description = executed[1]?.transaction.description
  expect(description).toMatchObject({ type: 'generic', aborted: true })
  expect(chain.head().transactionCount).toBe(2)
})

test('a contract with an endless loop ends when its gas is used up', async () => {
  const { chain, send } = opened
  // The code is PUSHCONT {}, AGAIN, an endless loop.
  const loop = contractOf('90ea', 1)
  const executed = await send(alice, {
    to: loop.address,
    value: toNano(1),
    init: loop.init,
    bounce: false,
  })
  expect(executed[1] && exitCodeOf(executed[1])).toBe(-14)
  // An external message has little gas until it is accepted.
  const knock = beginCell()
    .store(storeMessage(external({ to: loop.address, init: loop.init })))
    .endCell()
  await expect(chain.send([knock])).rejects.toMatchObject({ exitCode: -14 })
  await expect(chain.runMethod(loop.address.toRawString(), 'anything', [])).resolves.toMatchObject({
    exitCode: -14,
  })
})

test('a refused external message creates no block and no transaction and changes no state', async () => {
  const { chain } = opened
  const head = chain.head()
  const account = alice.address.toRawString()
  const history = chain.history(account, { limit: 1 })
  const stale = walletMessage(chain, { ...alice, secretKey: bob.secretKey }, [
    { to: bob.address, value: 1n },
  ])
  const refused = chain.send([stale])
  await expect(refused).rejects.toBeInstanceOf(NotAcceptedError)
  await expect(refused).rejects.toMatchObject({ exitCode: 35 })
  const nobody = beginCell()
    .store(storeMessage(external({ to: Address.parseRaw(`0:${'6'.repeat(64)}`) })))
    .endCell()
  await expect(chain.send([nobody])).rejects.toMatchObject({ exitCode: null })
  expect(chain.head()).toBe(head)
  expect(chain.history(account, { limit: 1 })).toEqual(history)
  expect(chain.account(`0:${'6'.repeat(64)}`)).toBeNull()
})

test('the refused messages among several are omitted from the block', async () => {
  const { chain } = opened
  const good = walletMessage(chain, alice, [{ to: bob.address, value: 1n, bounce: false }])
  const { transactions } = await chain.send([good, good])
  expect(transactions).toHaveLength(2)
})

test.each([
  ['an empty cell', beginCell().endCell()],
  ['a cell of random bits', beginCell().storeUint(0xdeadbeef, 32).endCell()],
  [
    'an internal message',
    beginCell()
      .store(storeMessageRelaxed(internal({ to: bob.address, value: 1n })))
      .endCell(),
  ],
  ['a message that is nested too deeply', external1(deepCell(600))],
  ['a message that is too long', external1(wideCell())],
])('%s is refused as not being a readable external message', async (_, cell) => {
  const { chain } = opened
  const head = chain.head()
  await expect(chain.send([cell])).rejects.toBeInstanceOf(UnreadableMessageError)
  await expect(chain.emulate(cell)).rejects.toBeInstanceOf(UnreadableMessageError)
  expect(chain.head()).toBe(head)
})

function external1(body: Cell): Cell {
  return beginCell()
    .store(storeMessage(external({ to: alice.address, body })))
    .endCell()
}

function deepCell(depth: number): Cell {
  let cell = beginCell().endCell()
  for (let level = 0; level < depth; level += 1) cell = beginCell().storeRef(cell).endCell()
  return cell
}

/** Returns about 90 kB of different cells. */
function wideCell(): Cell {
  let level = Array.from({ length: 768 }, (_, index) =>
    beginCell().storeUint(index, 32).storeBuffer(Buffer.alloc(110, 1)).endCell(),
  )
  while (level.length > 1) {
    level = Array.from({ length: Math.ceil(level.length / 4) }, (_, index) => {
      const cell = beginCell()
      for (const child of level.slice(index * 4, index * 4 + 4)) cell.storeRef(child)
      return cell.endCell()
    })
  }
  return level[0] ?? beginCell().endCell()
}

test('a small cell with 2^100 paths is read without delay', async () => {
  let cell = beginCell().storeUint(1, 1).endCell()
  for (let level = 0; level < 100; level += 1) {
    cell = beginCell().storeRef(cell).storeRef(cell).endCell()
  }
  await expect(opened.chain.send([external1(cell)])).rejects.toBeInstanceOf(NotAcceptedError)
})

test('the faucet keeps its balance, and several payments of it are one block of several traces', async () => {
  const { chain } = opened
  const faucet = balanceOf(chain, faucetWallet.address)
  const { block, transactions } = await chain.inject(
    [
      { to: alice.address, value: toNano(5), bounce: false, body: comment('here') },
      { to: bob.address, value: toNano(6), bounce: false },
    ].map(fromFaucet),
  )
  expect(block.transactionCount).toBe(2)
  const [one, other] = transactions
  expect(new Set(transactions.map(({ traceId }) => traceId)).size).toBe(2)
  expect(one?.inOpcode).toBe(0)
  expect(other?.inOpcode).toBeNull()
  expect(one && other && other.lt > one.lt).toBe(true)
  const info = one?.transaction.inMessage?.info
  expect(info).toMatchObject({ type: 'internal', createdAt: block.utime })
  expect(info?.src?.toString()).toBe(faucetWallet.address.toString())
  expect(balanceOf(chain, faucetWallet.address)).toBe(faucet)
})

test('an emulation has the same transactions as the later execution, and changes no state', async () => {
  const { chain, send } = opened
  const message = walletMessage(chain, alice, [
    { to: bob.address, value: toNano(3), bounce: false },
  ])
  const head = chain.head()
  const before = balanceOf(chain, bob.address)
  const emulation = await chain.emulate(message)
  expect(emulation.root.children).toHaveLength(1)
  expect(emulation.account(bob.address.toRawString())?.account?.storage.balance.coins).toBe(
    emulation.root.children[0]?.transaction.endBalance,
  )
  expect(chain.head()).toBe(head)
  expect(balanceOf(chain, bob.address)).toBe(before)
  expect(chain.transaction(emulation.root.transaction.hash)).toBeNull()
  // Executing the message has the same result as the emulation.
  const { transactions } = await chain.send([message])
  expect(transactions[0]?.hash).toBe(emulation.root.transaction.hash)
  expect(transactions[1]?.hash).toBe(emulation.root.children[0]?.transaction.hash)
  await send(alice, { to: bob.address, value: 1n, bounce: false })
})

test('an emulation can ignore the first signature and change balances', async () => {
  const { chain } = opened
  const forged = walletMessage(chain, { ...alice, secretKey: bob.secretKey }, [
    { to: bob.address, value: toNano(50_000), bounce: false },
  ])
  await expect(chain.emulate(forged)).rejects.toMatchObject({ exitCode: 35 })
  const poor = await chain.emulate(forged, { ignoreSignature: true })
  expect(poor.root.children).toHaveLength(0)
  const rich = await chain.emulate(forged, {
    ignoreSignature: true,
    balances: new Map([[alice.address.toRawString(), toNano(60_000)]]),
  })
  expect(rich.root.children).toHaveLength(1)
  expect(rich.root.transaction.endBalance).toBeLessThan(toNano(10_000))
  expect(balanceOf(chain, alice.address)).toBeLessThan(toNano(10_100))
})

test('an opcode contract responds with the opcode’s highest bit set, and further contracts can be deployed', async () => {
  const { chain, send } = opened
  const [, deployed] = await send(alice, opcodeContractDeployOrder(7n))
  expect(deployed).toMatchObject({
    account: opcodeContractAddress(7n).toRawString(),
    deployed: true,
  })
  const [, asked, answered] = await send(
    alice,
    opcodeOrder({ to: opcodeContractAddress(7n), opcode: 0x1234abcd, queryId: 99n }),
  )
  expect(asked).toMatchObject({ inOpcode: 0x1234abcd, deployed: false })
  expect(answered).toMatchObject({
    inOpcode: 0x9234abcd,
    account: alice.address.toRawString(),
  })
  expect(answered?.transaction.inMessage?.body.beginParse().skip(32).loadUintBig(64)).toBe(99n)
  const data = readStack(
    await chain.runMethod(opcodeContractAddress(7n).toRawString(), 'get_responder_data', []),
  )
  expect([data.number(), data.number()]).toEqual([1n, BigInt(0x1234abcd)])
})

test('an opcode contract does not respond to a response, so two contracts exchange no endless messages', async () => {
  const { chain } = opened
  const body = beginCell().storeUint(0x77, 32).storeUint(1, 64).endCell()
  const asked = fromFaucet({ to: opcodeContractAddress(7n), value: toNano(1), bounce: true, body })
  if (asked.info.type !== 'internal') throw new Error('the faucet sends internal messages')
  const info = { ...asked.info, src: opcodeContractAddress(0n) }
  const { transactions } = await chain.inject([{ ...asked, info }])
  expect(transactions.map(({ inOpcode }) => inOpcode)).toEqual([0x77, 0x80000077])
})

test('a get method of an account without code returns null; an unknown method has exit code 11', async () => {
  const { chain } = opened
  await expect(chain.runMethod(`0:${'7'.repeat(64)}`, 'seqno', [])).resolves.toBeNull()
  await expect(chain.runMethod(alice.address.toRawString(), 'no_such', [])).resolves.toMatchObject({
    exitCode: 11,
  })
})

test('accounts are found by their code, new accounts included', () => {
  const { chain } = opened
  const code = chain.account(opcodeContractAddress(7n).toRawString())?.account?.storage.state
  if (code?.type !== 'active') throw new Error('it was deployed above')
  const hash = code.state.code?.hash().toString('hex') ?? ''
  expect(chain.accountsByCode(hash)).toEqual([
    opcodeContractAddress(0n).toRawString(),
    opcodeContractAddress(7n).toRawString(),
  ])
})

test('a balance read without parsing the account equals the parsed balance', () => {
  const { chain, database } = opened
  const rows = database.prepare('SELECT address, state FROM account_states').all()
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    const address = String(row['address'])
    const state = chain.account(address)
    // Genesis wrote the accounts without a transaction, and another writer may order their cells
    // differently.
    const read = readBalance(Buffer.from(row['state'] as Uint8Array))
    if (chain.lastActivity(address) > 0) {
      expect(read).toBe(state?.account?.storage.balance.coins ?? 0n)
    }
  }
})

test('both networks have the same configuration except for the global id', () => {
  const [main, test] = (['mainnet', 'testnet'] as const).map((network) =>
    Cell.fromBase64(networkConfig(network))
      .beginParse()
      .loadDictDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell()),
  )
  if (main === undefined || test === undefined) throw new Error('two were read')
  expect(main.keys().length).toBeGreaterThan(30)
  expect(test.keys()).toEqual(main.keys())
  const different = main.keys().filter((key) => !main.get(key)?.equals(test.get(key) ?? Cell.EMPTY))
  expect(different).toEqual([19])
  expect(main.get(19)?.beginParse().loadInt(32)).toBe(-239)
  expect(test.get(19)?.beginParse().loadInt(32)).toBe(-3)
})

// If there are too many values, the emulator throws a bare number and its memory is in an unknown state;
// later calls did not return.
test('a get method with more values than the TVM can return is refused, and the next call works', async () => {
  const emulator = createEmulator(networkConfig('testnet'))
  /** Builds code that pushes the number 1 this often; each cell has up to 100 instructions. */
  const pushing = (times: number): Cell => {
    const code = beginCell().storeBuffer(Buffer.alloc(Math.min(times, 100), 0x71))
    return (times > 100 ? code.storeRef(pushing(times - 100)) : code).endCell()
  }
  const address = new Address(0, Buffer.alloc(32, 1))
  const call = (times: number) =>
    emulator.runMethod({
      address,
      state: {
        account: {
          addr: address,
          storage: {
            lastTransLt: 1n,
            balance: { coins: toNano(1) },
            state: { type: 'active', state: { code: pushing(times), data: Cell.EMPTY } },
          },
          storageStats: { used: { cells: 1n, bits: 1n }, lastPaid: 0, storageExtra: null },
        },
        lastTransactionLt: 1n,
        lastTransactionHash: 0n,
      },
      method: 'values',
      stack: [],
      now: 1,
      randomSeed: Buffer.alloc(32),
    })
  await expect(call(500)).rejects.toThrow(EmulatorRefusal)
  // The method’s number stays on the stack.
  expect((await call(100))?.stack).toHaveLength(101)
})
