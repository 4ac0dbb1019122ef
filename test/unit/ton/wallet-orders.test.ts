/** Compares the decoder with wallets built by @ton/ton, which is independent of src-main/ton. */
import {
  type Cell,
  Address,
  Dictionary,
  beginCell,
  comment,
  internal,
  storeMessageRelaxed,
  loadMessageRelaxed,
  SendMode,
} from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import {
  WalletContractV1R3,
  WalletContractV2R2,
  WalletContractV3R1,
  WalletContractV3R2,
  WalletContractV4,
  WalletContractV5R1,
} from '@ton/ton'
import { expect, test } from 'vitest'
import { readComment } from '../../../src-main/ton/payload.ts'
import {
  decodeWalletOrders,
  guessWalletOrders,
  matchOrders,
  readSignedOrders,
  type WalletVersion,
  walletVersionOf,
} from '../../../src-main/ton/wallet.ts'

const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, 7))
const to = Address.parseRaw(`0:${'44'.repeat(32)}`)

const options = {
  seqno: 5,
  secretKey,
  timeout: 1_800_000_000,
  sendMode: SendMode.PAY_GAS_SEPARATELY,
  messages: [
    internal({ to, value: 1n, body: 'one' }),
    internal({ to, value: 2n, body: comment('two') }),
  ],
}

const v3R1 = WalletContractV3R1.create({ workchain: 0, publicKey })
const v3R2 = WalletContractV3R2.create({ workchain: 0, publicKey })
const v4R2 = WalletContractV4.create({ workchain: 0, publicKey })
const v5R1 = WalletContractV5R1.create({ publicKey })

/** A v5 wallet itself adds the mode by which a failed order does not stop the others. */
const v5Mode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS

test.each<[WalletVersion, Cell, Cell, number]>([
  ['v3R1', v3R1.init.code, v3R1.createTransfer(options), 1],
  ['v3R2', v3R2.init.code, v3R2.createTransfer(options), 1],
  ['v4R2', v4R2.init.code, v4R2.createTransfer(options), 1],
  ['v5R1', v5R1.init.code, v5R1.createTransfer(options), v5Mode],
])(
  'a wallet %s is recognized by its code and its orders are decoded',
  (version, code, body, mode) => {
    expect(walletVersionOf(code.hash().toString('hex'))).toBe(version)
    const orders = decodeWalletOrders(version, body)
    expect(orders).toMatchObject({ version, seqno: 5, validUntil: 1_800_000_000 })
    const messages = orders?.orders.map(({ message }) => loadMessageRelaxed(message.beginParse()))
    expect(messages?.map(({ body: each }) => readComment(each))).toEqual(['one', 'two'])
    expect(orders?.orders.map((order) => order.mode)).toEqual([mode, mode])
    // v3R1 and v3R2 have the same layout.
    const guessed = guessWalletOrders(body)
    expect({ ...guessed, version }).toEqual(orders)
  },
)

test('wallets of older versions are recognized, but their orders are not decoded', () => {
  for (const contract of [WalletContractV1R3, WalletContractV2R2]) {
    const { init } = contract.create({ workchain: 0, publicKey })
    const version = walletVersionOf(init.code.hash().toString('hex'))
    expect(version).not.toBeNull()
    expect(version === null ? 'none' : decodeWalletOrders(version, comment('no orders'))).toBeNull()
  }
})

test('a body of another layout contains no orders', () => {
  for (const version of ['v3R1', 'v3R2', 'v4R2', 'v5R1'] as const) {
    expect(decodeWalletOrders(version, comment('hello'))).toBeNull()
    expect(decodeWalletOrders(version, beginCell().endCell())).toBeNull()
  }
})

const ordered = options.messages.map((message) =>
  beginCell().store(storeMessageRelaxed(message)).endCell(),
)

test('an order is decoded without the interfaces of its wallet, but not for the interface of another contract', () => {
  const body = v4R2.createTransfer(options)
  expect(readSignedOrders([], body)).toMatchObject({ wallet: 'wallet_v4r2', seqno: 5 })
  expect(readSignedOrders(['wallet_v4r2'], body)?.orders).toHaveLength(2)
  expect(readSignedOrders(['wallet_v1r1'], body)).toBeNull()
  expect(readSignedOrders(['jetton_wallet'], comment('hello'))).toBeNull()
})

test('the expiry of highload v2 is the upper half of the query id, and its orders are sorted by their keys', () => {
  const queryId = (1_800_000_000n << 32n) + 7n
  const dictionary = Dictionary.empty(Dictionary.Keys.Int(16), {
    serialize: (cell: Cell, builder) => builder.storeUint(3, 8).storeRef(cell),
    parse: (slice) => slice.skip(8).loadRef(),
  })
  for (const [index, cell] of ordered.entries()) dictionary.set(index, cell)
  const body = beginCell()
    .storeBuffer(Buffer.alloc(64))
    .storeUint(698983191, 32)
    .storeUint(queryId, 64)
    .storeDict(dictionary)
    .endCell()
  const read = readSignedOrders(['wallet_highload_v2r2'], body)
  expect(read).toMatchObject({ subwalletId: 698983191, queryId, seqno: null })
  expect(read).toMatchObject({ validUntil: 1_800_000_000, isDeferred: false })
  expect(read?.orders.map(({ mode, message }) => [mode, message.hash().toString('hex')])).toEqual(
    ordered.map((cell) => [3, cell.hash().toString('hex')]),
  )
})

test('a message of highload v3 to the wallet itself contains deferred orders', () => {
  const signed = (message: Cell) =>
    beginCell()
      .storeBuffer(Buffer.alloc(64))
      .storeRef(
        beginCell()
          .storeUint(0x10ad, 32)
          .storeRef(message)
          .storeUint(1, 8)
          .storeUint(9, 23)
          .storeUint(1_800_000_000, 64)
          .storeUint(3600, 22),
      )
      .endCell()
  const wallet = 'wallet_highload_v3r1'
  const [one] = ordered
  const plain = readSignedOrders([wallet], signed(one ?? beginCell().endCell()))
  expect(plain).toMatchObject({ queryId: 9n, validUntil: 1_800_003_600, isDeferred: false })
  expect(plain?.orders).toMatchObject([{ mode: 1 }])

  let actions = beginCell().endCell()
  for (const cell of ordered) {
    actions = beginCell()
      .storeRef(actions)
      .storeUint(0x0ec3c86d, 32)
      .storeUint(1, 8)
      .storeRef(cell)
      .endCell()
  }
  const list = beginCell().storeUint(0xae42e5a4, 32).storeUint(9, 64).storeRef(actions).endCell()
  const itself = beginCell()
    .store(storeMessageRelaxed(internal({ to, value: 1n, body: list })))
    .endCell()
  const deferred = readSignedOrders([wallet], signed(itself))
  expect(deferred).toMatchObject({ isDeferred: true })
  expect(deferred?.orders.map(({ message }) => message.hash().toString('hex'))).toEqual(
    ordered.map((cell) => cell.hash().toString('hex')),
  )
  for (const interfaces of [[wallet], ['wallet_highload_v2']]) {
    expect(readSignedOrders(interfaces, comment('hello'))).toBeNull()
  }
})

test('an order without a message counts as not sent, and an unreadable order does not hide the others', () => {
  const orders = [{ mode: 1, message: beginCell().endCell() }].concat(
    ordered.map((message) => ({ mode: 1, message })),
  )
  expect(matchOrders(orders, []).map(({ isSent }) => isSent)).toEqual([false, false, false])
  expect(matchOrders(orders, []).map(({ order }) => order === null)).toEqual([true, false, false])
})
