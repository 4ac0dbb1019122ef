/** Held against wallets built by @ton/ton, which is no part of src-main/ton. */
import {
  type Cell,
  Address,
  beginCell,
  comment,
  internal,
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
import { readComment } from '../../src-main/ton/payload.ts'
import {
  decodeWalletOrders,
  guessWalletOrders,
  type WalletVersion,
  walletVersionOf,
} from '../../src-main/ton/wallet.ts'

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

/** v5 itself adds that a failed order must not stop the others. */
const v5Mode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS

test.each<[WalletVersion, Cell, Cell, number]>([
  ['v3R1', v3R1.init.code, v3R1.createTransfer(options), 1],
  ['v3R2', v3R2.init.code, v3R2.createTransfer(options), 1],
  ['v4R2', v4R2.init.code, v4R2.createTransfer(options), 1],
  ['v5R1', v5R1.init.code, v5R1.createTransfer(options), v5Mode],
])('%s is known by its code and its orders are read', (version, code, body, mode) => {
  expect(walletVersionOf(code.hash().toString('hex'))).toBe(version)
  const orders = decodeWalletOrders(version, body)
  expect(orders).toMatchObject({ version, seqno: 5, validUntil: 1_800_000_000 })
  const messages = orders?.orders.map(({ message }) => loadMessageRelaxed(message.beginParse()))
  expect(messages?.map(({ body: each }) => readComment(each))).toEqual(['one', 'two'])
  expect(orders?.orders.map((order) => order.mode)).toEqual([mode, mode])
  // v3R1 and v3R2 are told the same way.
  const guessed = guessWalletOrders(body)
  expect({ ...guessed, version }).toEqual(orders)
})

test('older wallets are wallets too, with orders that are not read', () => {
  for (const contract of [WalletContractV1R3, WalletContractV2R2]) {
    const { init } = contract.create({ workchain: 0, publicKey })
    const version = walletVersionOf(init.code.hash().toString('hex'))
    expect(version).not.toBeNull()
    expect(version === null ? 'none' : decodeWalletOrders(version, comment('no orders'))).toBeNull()
  }
})

test('a body of another make is no orders', () => {
  for (const version of ['v3R1', 'v3R2', 'v4R2', 'v5R1'] as const) {
    expect(decodeWalletOrders(version, comment('hello'))).toBeNull()
    expect(decodeWalletOrders(version, beginCell().endCell())).toBeNull()
  }
})
