import { type Message, beginCell, comment, toNano } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../../../src-main/sandbox/chain/create-chain.ts'
import { fromFaucet, developmentWallets } from '../../../src-main/sandbox/chain/wallets.ts'
import {
  usdtBalance,
  usdtMaster,
  usdtMintMessage,
  usdtTransferOrder,
  usdtWalletCodeHash,
  usdtWalletOf,
} from '../../../src-main/sandbox/chain/contracts.ts'
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
const carol = walletNamed('wallet-3')
const walletOf = ({ address }: typeof alice) => usdtWalletOf(address)
const transfer = (from: typeof alice, to: typeof alice, amount: bigint, more = {}) =>
  usdtTransferOrder({ owner: from.address, to: to.address, amount, ...more })

let opened: OpenedChain
let chain: Chain
beforeAll(async () => {
  opened = await openChain()
  chain = opened.chain
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
})

async function supply(): Promise<bigint> {
  const data = await chain.runMethod(usdtMaster.toRawString(), 'get_jetton_data', [])
  return readStack(data).number()
}

/** Returns the sum over all wallets. */
function inWallets(): bigint {
  return chain
    .accountsByCode(usdtWalletCodeHash)
    .map((address) => chain.account(address)?.account?.storage.state)
    .map((state) => (state?.type === 'active' ? state.state.data?.beginParse().loadCoins() : 0n))
    .reduce<bigint>((sum, balance) => sum + (balance ?? 0n), 0n)
}

test('genesis mints 10,000 USDT for each wallet in real transactions', async () => {
  for (const { address } of developmentWallets) {
    expect(usdtBalance(chain, address)).toBe(10_000_000_000n)
  }
  expect(await supply()).toBe(110_000_000_000n)
  expect(inWallets()).toBe(110_000_000_000n)
  const minted = chain.history(walletOf(alice).toRawString(), { limit: 10 })
  expect(minted).toHaveLength(1)
  expect(minted[0]).toMatchObject({ deployed: true, inOpcode: 0x178d4519, blockSeqno: 1 })
})

test('the get methods of TEP-74 agree with each other and with the computed addresses', async () => {
  const master = usdtMaster.toRawString()
  const owner = beginCell().storeAddress(alice.address).endCell()
  const found = await chain.runMethod(master, 'get_wallet_address', [
    { type: 'slice', cell: owner },
  ])
  expect(readStack(found).cell().beginParse().loadAddress().toString()).toBe(
    walletOf(alice).toString(),
  )
  const data = readStack(
    await chain.runMethod(walletOf(alice).toRawString(), 'get_wallet_data', []),
  )
  expect(data.number()).toBe(usdtBalance(chain, alice.address))
  expect(data.cell().beginParse().loadAddress().toString()).toBe(alice.address.toString())
  expect(data.cell().beginParse().loadAddress().toString()).toBe(usdtMaster.toString())
  expect(data.cell().hash().toString('hex')).toBe(usdtWalletCodeHash)
})

test('a USDT transfer notifies the receiver with the comment and the forwarded TON, and returns the excess', async () => {
  const ton = balanceOf(chain, alice.address)
  const executed = await opened.send(
    alice,
    transfer(alice, bob, 2_500_000n, { text: 'invoice 7', forwardTon: 1000n, queryId: 5n }),
  )
  expect(executed.map(({ account, inOpcode }) => [account, inOpcode])).toEqual([
    [alice.address.toRawString(), expect.any(Number)],
    [walletOf(alice).toRawString(), 0x0f8a7ea5],
    [walletOf(bob).toRawString(), 0x178d4519],
    [bob.address.toRawString(), 0x7362d09c],
    [alice.address.toRawString(), 0xd53276db],
  ])
  expect(usdtBalance(chain, alice.address)).toBe(9_997_500_000n)
  expect(usdtBalance(chain, bob.address)).toBe(10_002_500_000n)
  const notification = executed[3]?.transaction.inMessage
  expect(notification?.info).toMatchObject({ type: 'internal', value: { coins: 1000n } })
  const body = notification?.body.beginParse().skip(32)
  expect(body?.loadUintBig(64)).toBe(5n)
  expect(body?.loadCoins()).toBe(2_500_000n)
  expect(body?.loadAddress().toString()).toBe(alice.address.toString())
  expect(body?.loadMaybeRef()?.equals(comment('invoice 7'))).toBe(true)
  // The whole amount except the gas was returned.
  expect(ton - balanceOf(chain, alice.address)).toBeLessThan(toNano('0.03'))
})

test('a USDT transfer without forwarded TON sends no notification, and a comment inside the body is passed on', async () => {
  const quiet = await opened.send(alice, transfer(alice, bob, 1n, { forwardTon: 0n }))
  expect(quiet.map(({ inOpcode }) => inOpcode)).not.toContain(0x7362d09c)
  const inside = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(1n)
    .storeAddress(bob.address)
    .storeAddress(null)
    .storeMaybeRef(comment('custom payloads are not looked at'))
    .storeCoins(1n)
    .storeBit(false)
    .storeSlice(comment('inside').beginParse())
    .endCell()
  const executed = await opened.send(alice, {
    to: walletOf(alice),
    value: toNano('0.1'),
    body: inside,
  })
  const notified = executed.find(({ inOpcode }) => inOpcode === 0x7362d09c)
  const body = notified?.transaction.inMessage?.body.beginParse().skip(32 + 64)
  body?.loadCoins()
  body?.loadAddress()
  expect(body?.loadBit()).toBe(false)
  expect(body?.skip(32).loadStringTail()).toBe('inside')
})

test('the first USDT transfer to an owner deploys the owner’s jetton wallet', async () => {
  const fresh = { ...carol, address: usdtMaster }
  const executed = await opened.send(alice, transfer(alice, fresh, 9n))
  const arrival = executed.find(({ inOpcode }) => inOpcode === 0x178d4519)
  expect(arrival).toMatchObject({ deployed: true, account: walletOf(fresh).toRawString() })
  expect(usdtBalance(chain, fresh.address)).toBe(9n)
})

test.each([
  ['more USDT than the balance', () => transfer(alice, bob, 10n ** 15n), 47],
  [
    'too little TON for the fees',
    () => ({ ...transfer(alice, bob, 1n), value: toNano('0.01') }),
    48,
  ],
  [
    'less TON than is to be forwarded',
    () => ({ ...transfer(alice, bob, 1n, { forwardTon: toNano(1) }), value: toNano('0.5') }),
    48,
  ],
  ["another owner's USDT", () => ({ ...transfer(alice, bob, 1n), to: walletOf(bob) }), 73],
  [
    'an opcode it does not know',
    () => ({ ...transfer(alice, bob, 1n), body: beginCell().storeUint(0x5555, 32).endCell() }),
    0xffff,
  ],
  [
    'a forged arrival',
    () => ({ to: walletOf(alice), value: toNano('0.1'), body: arrivalOf(10n ** 9n) }),
    74,
  ],
])('an order for %s is refused, and no USDT moves', async (_, order, exitCode) => {
  const balances = [usdtBalance(chain, alice.address), usdtBalance(chain, bob.address)]
  const executed = await opened.send(alice, order())
  expect(executed[1] && exitCodeOf(executed[1])).toBe(exitCode)
  // The transfer bounced.
  expect(executed[2]?.account).toBe(alice.address.toRawString())
  expect([usdtBalance(chain, alice.address), usdtBalance(chain, bob.address)]).toEqual(balances)
})

/** Builds a transfer that looks as if it came from Alice’s own wallet. */
function arrivalOf(amount: bigint) {
  return beginCell()
    .storeUint(0x178d4519, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(alice.address)
    .storeAddress(null)
    .storeCoins(0)
    .storeMaybeRef(null)
    .endCell()
}

test('a bounced internal transfer returns the USDT', async () => {
  const before = usdtBalance(chain, alice.address)
  const body = beginCell()
    .storeUint(0xffffffff, 32)
    .storeUint(0x178d4519, 32)
    .storeUint(1, 64)
    .storeCoins(777n)
    .endCell()
  const message = fromFaucet({ to: walletOf(alice), value: toNano('0.01'), bounce: false, body })
  if (message.info.type !== 'internal') throw new Error('the faucet sends internal messages')
  const bounced: Message = {
    ...message,
    info: { ...message.info, src: walletOf(bob), bounced: true },
  }
  await chain.inject([bounced])
  expect(usdtBalance(chain, alice.address)).toBe(before + 777n)
})

test('a burn lowers the supply and returns the excess', async () => {
  const before = { supply: await supply(), alice: usdtBalance(chain, alice.address) }
  const body = beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(3, 64)
    .storeCoins(1_000_000n)
    .storeAddress(alice.address)
    .storeMaybeRef(null)
    .endCell()
  const executed = await opened.send(alice, { to: walletOf(alice), value: toNano('0.1'), body })
  expect(executed.map(({ inOpcode }) => inOpcode).slice(1)).toEqual([
    0x595f07bc, 0x7bdd97de, 0xd53276db,
  ])
  expect(usdtBalance(chain, alice.address)).toBe(before.alice - 1_000_000n)
  expect(await supply()).toBe(before.supply - 1_000_000n)
})

test('only the admin can mint USDT, and the faucet is the admin', async () => {
  const before = await supply()
  const { info, body } = usdtMintMessage(carol.address, 5_000_000n)
  if (info.type !== 'internal') throw new Error('the faucet sends internal messages')
  const [, refused] = await opened.send(alice, { to: info.dest, value: toNano('0.2'), body })
  expect(refused && exitCodeOf(refused)).toBe(73)
  expect(await supply()).toBe(before)
  const { transactions } = await chain.inject([usdtMintMessage(carol.address, 5_000_000n)])
  expect(usdtBalance(chain, carol.address)).toBe(10_005_000_000n)
  expect(await supply()).toBe(before + 5_000_000n)
  expect(transactions.map(({ inOpcode }) => inOpcode)).toContain(0x7362d09c)
})

test('the minter provides the address of a jetton wallet by message (TEP-89)', async () => {
  const ask = (includeOwner: boolean) =>
    beginCell()
      .storeUint(0x2c76b973, 32)
      .storeUint(8, 64)
      .storeAddress(bob.address)
      .storeBit(includeOwner)
      .endCell()
  const to = usdtMaster
  const executed = await opened.send(alice, { to, value: toNano('0.1'), body: ask(true) })
  const answer = executed[2]?.transaction.inMessage?.body.beginParse()
  expect(answer?.loadUint(32)).toBe(0xd1735400)
  expect(answer?.loadUintBig(64)).toBe(8n)
  expect(answer?.loadAddress().toString()).toBe(walletOf(bob).toString())
  expect(answer?.loadMaybeRef()?.beginParse().loadAddress().toString()).toBe(bob.address.toString())
})
