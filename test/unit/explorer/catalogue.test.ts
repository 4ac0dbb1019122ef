/** The data of the catalogue: opcodes and exit codes of well-known contracts. */
import { crc32 } from 'node:zlib'
import { type Address, type Cell, beginCell, external, internal, toNano } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { Blockchain } from '@ton/sandbox'
import {
  WalletContractV1R1,
  WalletContractV1R2,
  WalletContractV1R3,
  WalletContractV2R1,
  WalletContractV2R2,
  WalletContractV3R1,
  WalletContractV3R2,
  WalletContractV4,
  WalletContractV5R1,
} from '@ton/ton'
import { expect, test } from 'vitest'
import catalogue from '../../../src-main/ton/catalogue.json' with { type: 'json' }
import {
  decodeByCatalogue,
  describeExitByCatalogue,
  nameByCatalogue,
} from '../../../src-main/chain/catalogue.ts'
import { parseInterface } from '../../../src-main/explorer/contracts/interface-text.ts'
import { knownOpcodes } from '../../../src-main/ton/opcodes.ts'
import { walletVersionOf } from '../../../src-main/ton/wallet.ts'

const definitions = catalogue.contracts.flatMap(({ messages = [] }) => messages)
const publicKey = Buffer.alloc(32)
const codeHash = (wallet: { create(given: object): { init: { code: Cell } } }) =>
  wallet.create({ publicKey, workchain: 0 }).init.code.hash().toString('hex')
const [v1, v3, v4, v5] = [
  WalletContractV1R1,
  WalletContractV3R2,
  WalletContractV4,
  WalletContractV5R1,
].map((wallet) => codeHash(wallet as never))

test('every definition is read whole, and no opcode stands twice or in the table of operations', () => {
  const { messages, unused } = parseInterface(definitions.join('\n'))
  expect(unused).toEqual([])
  expect(messages).toHaveLength(definitions.length)
  const opcodes = [...messages, ...knownOpcodes()].map(({ opcode }) => opcode)
  expect(new Set(opcodes).size).toBe(opcodes.length)
})

/** These standards state other opcodes than the checksum, or state them in ASCII. */
const stated = [
  'ownership_proof',
  'owner_info',
  'take_wallet_address',
  'auth_signed_internal',
  'auth_extension',
]

test('the opcodes of the standards are the checksums of their definitions, but for those that a standard states', () => {
  const wrong = definitions.filter((definition) => {
    const [, name = '', opcode = '', fields = ''] =
      /^(\w+)#([0-9a-f]{8})(.*) = Body;$/.exec(definition) ?? []
    const checksum = crc32(`${name}${fields} = InternalMsgBody`) % 2 ** 31
    return Number.parseInt(opcode, 16) % 2 ** 31 !== checksum && !stated.includes(name)
  })
  expect(wrong).toEqual([])
})

test('each wallet version of the catalogue is the one of the code that @ton/ton deploys', () => {
  const wallets = [
    WalletContractV1R1,
    WalletContractV1R2,
    WalletContractV1R3,
    WalletContractV2R1,
    WalletContractV2R2,
    WalletContractV3R1,
    WalletContractV3R2,
    WalletContractV4,
    WalletContractV5R1,
  ].map((wallet) => walletVersionOf(codeHash(wallet as never)))
  expect(catalogue.contracts.flatMap((entry) => entry.wallets ?? [])).toEqual(wallets)
})

test('one exit code is described by the version of the wallet, and not at all for unknown code', () => {
  expect(describeExitByCatalogue(v1, 34)).toBe('the signature is wrong')
  expect(describeExitByCatalogue(v3, 34)).toBe('the message is for another subwallet')
  expect(describeExitByCatalogue(v3, 36)).toBeNull()
  expect(describeExitByCatalogue(v4, 36)).toBe('the message has expired')
  expect(describeExitByCatalogue(v5, 147)).toBe('the list of actions is invalid')
  expect(describeExitByCatalogue(v5, 148)).toBeNull()
  expect(describeExitByCatalogue('00'.repeat(32), 33)).toBeNull()
  expect(describeExitByCatalogue(undefined, 33)).toBeNull()
})

test('a message of one contract is named only where the code hash shows this contract', () => {
  const body = beginCell().storeUint(0x6578746e, 32).storeUint(7, 64).storeBit(false).endCell()
  expect(nameByCatalogue(v5, 0x6578746e)).toBe('auth_extension')
  expect(decodeByCatalogue(v5, body)).toMatchObject({
    operation: 'auth_extension',
    source: 'wallet v5',
  })
  for (const hash of [v4, undefined]) {
    expect(nameByCatalogue(hash, 0x6578746e)).toBeNull()
    expect(decodeByCatalogue(hash, body)).toBeNull()
  }
})

test('a body that is longer or shorter than its standard says is not decoded', () => {
  const head = () => beginCell().storeUint(0x2fcb26a2, 32)
  expect(decodeByCatalogue(undefined, head().storeUint(7, 64).endCell())).toEqual({
    operation: 'get_static_data',
    source: 'TEP-62',
    fields: [{ name: 'query_id', kind: 'number', value: '7' }],
  })
  expect(decodeByCatalogue(undefined, head().storeUint(7, 63).endCell())).toBeNull()
  expect(decodeByCatalogue(undefined, head().storeUint(7, 65).endCell())).toBeNull()
})

const [own, other] = [1, 2].map((byte) => keyPairFromSeed(Buffer.alloc(32, byte)))

/** The versions take the same orders; their types differ. */
type AnyWallet = {
  create(of: object): {
    readonly address: Address
    readonly init: { readonly code: Cell; readonly data: Cell }
    createTransfer(order: object): Cell
  }
}

// Version 1 has no time limit, versions 1 and 2 have no subwallets. The other codes of version 5 are read
// from the constants of its public source (ton-blockchain/wallet-contract-v5).
test.each([
  ['v1R1', WalletContractV1R1, { seqno: 33, signature: 34 }],
  ['v2R2', WalletContractV2R2, { seqno: 33, signature: 34, expired: 35 }],
  ['v3R2', WalletContractV3R2, { seqno: 33, signature: 35, expired: 35, wallet: 34 }],
  ['v4R2', WalletContractV4, { seqno: 33, signature: 35, expired: 36, wallet: 34 }],
  ['v5R1', WalletContractV5R1, { seqno: 133, signature: 135, expired: 136, wallet: 134 }],
] as const)('wallet %s ends with the exit codes of the catalogue', async (_, kind, codes) => {
  const chain = await Blockchain.create()
  chain.now = 1_800_000_000
  const Wallet = kind as unknown as AnyWallet
  const of = { publicKey: own?.publicKey, workchain: 0 }
  const wallet = Wallet.create(of)
  const payer = await chain.treasury('payer')
  await payer.send({ to: wallet.address, value: toNano(1), bounce: false })
  const messages = [internal({ to: payer.address, value: 1n, bounce: false })]
  const order = {
    seqno: 1,
    secretKey: own?.secretKey,
    messages,
    sendMode: 3,
    timeout: chain.now + 60,
  }
  const exitCode = async (body: Cell, init?: { code: Cell; data: Cell }) => {
    const message = external({ to: wallet.address, body, init: init ?? null })
    const error = await chain.sendMessage(message).then(
      () => null,
      (reason: unknown) => reason as { readonly exitCode?: number },
    )
    return error === null ? 0 : error.exitCode
  }
  expect(await exitCode(wallet.createTransfer({ ...order, seqno: 0 }), wallet.init)).toBe(0)
  const context = { workchain: 0, walletVersion: 'v5r1', subwalletNumber: 5 }
  const walletId = kind === WalletContractV5R1 ? { networkGlobalId: -239, context } : 5
  const bodies = {
    seqno: wallet.createTransfer({ ...order, seqno: 7 }),
    signature: wallet.createTransfer({ ...order, secretKey: other?.secretKey }),
    expired: wallet.createTransfer({ ...order, timeout: chain.now - 10 }),
    wallet: Wallet.create({ ...of, walletId }).createTransfer(order),
  }
  for (const [mistake, code] of Object.entries(codes)) {
    expect([mistake, await exitCode(bodies[mistake as keyof typeof bodies])]).toEqual([
      mistake,
      code,
    ])
    expect(describeExitByCatalogue(codeHash(kind as never), code)).not.toBeNull()
  }
})
