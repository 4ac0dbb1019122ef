/** Tests the data of the catalogue: opcodes and exit codes of well-known contracts. */
import { crc32 } from 'node:zlib'
import { type Address, type Cell, beginCell, external, internal, toNano } from '@ton/core'
import { keyPairFromSeed, sign } from '@ton/crypto'
import { Blockchain } from '@ton/sandbox'
import {
  type MultisigOrder,
  MultisigOrderBuilder,
  MultisigWallet,
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

/** These standards define other opcodes than the checksum, or define them in ASCII. */
const stated = [
  'ownership_proof',
  'owner_info',
  'take_wallet_address',
  'auth_signed_internal',
  'auth_extension',
  'request_funds',
  'remove_plugin',
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
  expect(nameByCatalogue(v5, 0x6578746e)).toEqual({
    operation: 'auth_extension',
    operationSource: 'wallet v5',
  })
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

const own = keyPairFromSeed(Buffer.alloc(32, 1))
const other = keyPairFromSeed(Buffer.alloc(32, 2))

/** The versions accept the same orders, but their types differ. */
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
  const of = { publicKey: own.publicKey, workchain: 0 }
  const wallet = Wallet.create(of)
  const payer = await chain.treasury('payer')
  await payer.send({ to: wallet.address, value: toNano(1), bounce: false })
  const messages = [internal({ to: payer.address, value: 1n, bounce: false })]
  const order = {
    seqno: 1,
    secretKey: own.secretKey,
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
    signature: wallet.createTransfer({ ...order, secretKey: other.secretKey }),
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

/** Returns the exit code of the first transaction, or of the refusal of an external message. */
async function exitCodeOf(
  result: Promise<{ readonly transactions: readonly object[] }>,
): Promise<number | undefined> {
  try {
    const [first] = (await result).transactions as readonly {
      readonly description: { readonly computePhase?: { readonly exitCode?: number } }
    }[]
    return first?.description.computePhase?.exitCode
  } catch (error) {
    return (error as { readonly exitCode?: number }).exitCode
  }
}

test('wallet v4 obeys the messages of its plugin that the catalogue describes, and ignores those of other contracts', async () => {
  const chain = await Blockchain.create()
  const now = 1_800_000_000
  chain.now = now
  const [plugin, stranger] = [await chain.treasury('plugin'), await chain.treasury('stranger')]
  const wallet = WalletContractV4.create({ publicKey: own.publicKey, workchain: 0 })
  const messages = [internal({ to: stranger.address, value: 1n, bounce: false })]
  const first = { seqno: 0, secretKey: own.secretKey, messages, sendMode: 3, timeout: now + 60 }
  const pluginOrder = (op: number, address: Address, seqno: number) => {
    const order = beginCell()
      .storeUint(698983191, 32)
      .storeUint(now + 60, 32)
      .storeUint(seqno, 32)
      .storeUint(op, 8)
      .storeInt(0, 8)
      .storeBuffer(address.hash)
      .storeCoins(toNano('0.1'))
      .storeUint(0, 64)
      .endCell()
    return beginCell()
      .storeBuffer(sign(order.hash(), own.secretKey))
      .storeSlice(order.beginParse())
      .endCell()
  }
  const send = (body: Cell, init?: { code: Cell; data: Cell }) =>
    exitCodeOf(chain.sendMessage(external({ to: wallet.address, body, init: init ?? null })))
  await stranger.send({ to: wallet.address, value: toNano(5), bounce: false })
  expect(await send(wallet.createTransfer(first), wallet.init)).toBe(0)
  expect(await send(pluginOrder(2, plugin.address, 1))).toBe(0)
  const request = (amount: bigint) =>
    beginCell().storeUint(0x706c7567, 32).storeUint(7, 64).storeCoins(amount).storeBit(0).endCell()
  const remove = beginCell().storeUint(0x64737472, 32).storeUint(8, 64).endCell()
  const ask = async (from: typeof plugin, body: Cell) => {
    const { transactions } = await from.send({ to: wallet.address, value: toNano('0.1'), body })
    const received = transactions.find(
      ({ inMessage }) => inMessage?.info.dest?.toString() === wallet.address.toString(),
    )
    const { description, outMessagesCount } = received ?? {}
    const compute = description?.type === 'generic' ? description.computePhase : undefined
    return { sent: outMessagesCount, exitCode: compute?.type === 'vm' ? compute.exitCode : null }
  }
  expect(await ask(stranger, request(toNano(1)))).toEqual({ sent: 0, exitCode: 0 })
  expect(await ask(plugin, request(toNano(1)))).toEqual({ sent: 1, exitCode: 0 })
  expect(await ask(plugin, request(toNano(50)))).toMatchObject({ exitCode: 80 })
  expect(await ask(plugin, remove)).toMatchObject({ exitCode: 0 })
  expect(await ask(plugin, request(toNano(1)))).toEqual({ sent: 0, exitCode: 0 })
  expect(await send(pluginOrder(3, stranger.address, 2))).toBe(39)
  expect(decodeByCatalogue(v4, request(5n))).toEqual({
    operation: 'request_funds',
    source: 'wallet v4',
    fields: [
      { name: 'query_id', kind: 'number', value: '7' },
      { name: 'amount', kind: 'number', value: '5' },
      { name: 'extra', kind: 'text', value: 'none' },
    ],
  })
  expect(decodeByCatalogue(v4, remove)?.operation).toBe('remove_plugin')
  for (const code of [39, 80]) expect(describeExitByCatalogue(v4, code)).not.toBeNull()
})

test('the multisig wallet of @ton/ton ends with the exit codes of the catalogue', async () => {
  const chain = await Blockchain.create()
  const now = 1_800_000_000
  chain.now = now
  const owners = [own, other, ...[3, 4].map((byte) => keyPairFromSeed(Buffer.alloc(32, byte)))]
  const keys = owners.slice(0, 3).map(({ publicKey }) => publicKey)
  const multisig = new MultisigWallet(keys, 0, 5, 2)
  const payer = await chain.treasury('payer')
  await payer.send({ to: multisig.address, value: toNano(10), bounce: false })
  const send = (body: Cell, init?: { code: Cell; data: Cell }) =>
    exitCodeOf(chain.sendMessage(external({ to: multisig.address, body, init: init ?? null })))
  const build = (walletId = 5, offset = 7200, bodies = [beginCell().endCell()]) => {
    const builder = new MultisigOrderBuilder(walletId, offset)
    for (const body of bodies) {
      builder.addMessage(internal({ to: payer.address, value: 1n, bounce: false, body }), 3)
    }
    // The builder uses the time of this computer, and other bits depend on the messages.
    builder.queryId = BigInt(now + offset) << 32n
    return builder.build()
  }
  const signed = (order: MultisigOrder, owner: number, secretKey = owners[owner]?.secretKey) => {
    const cell = order.toCell(owner)
    return beginCell()
      .storeBuffer(sign(cell.hash(), secretKey ?? Buffer.alloc(64)))
      .storeSlice(cell.beginParse())
      .endCell()
  }
  const { code, data } = multisig.init
  if (!code || !data) throw new Error('The wallet has no code.')
  expect(await send(beginCell().endCell(), { code, data })).toBe(0)
  const order = build()
  const late = build(5, 1800)
  const large = Array.from({ length: 3 }).reduce<Cell>(
    (inner) => beginCell().storeBuffer(Buffer.alloc(100)).storeRef(inner).endCell(),
    beginCell().endCell(),
  )
  const forged = build(5, 7300)
  forged.signatures[1] = Buffer.alloc(64)
  expect({
    initialized: await send(beginCell().endCell()),
    noOwner: await send(signed(order, 3)),
    wrongSignature: await send(signed(order, 0, other.secretKey)),
    expired: await send(signed(build(5, -60), 0)),
    otherWallet: await send(signed(build(6), 0)),
    tooShort: await send(signed(late, 0)),
    first: await send(signed(order, 0)),
    again: await send(signed(order, 0)),
    otherOrder: await send(signed(build(5, 7200, [beginCell().storeBit(1).endCell()]), 1)),
    second: await send(signed(order, 1)),
    executed: await send(signed(order, 2)),
    tooLarge: await send(signed(build(5, 7250, [large]), 0)),
    wrongFurther: await send(signed(forged, 0)),
  }).toEqual({
    initialized: 37,
    noOwner: 31,
    wrongSignature: 32,
    expired: 33,
    otherWallet: 42,
    tooShort: 41,
    first: 0,
    again: 34,
    otherOrder: 36,
    second: 0,
    executed: 35,
    tooLarge: 40,
    wrongFurther: 38,
  })
  const pending = Array.from({ length: 11 }, (_, at) => signed(build(5, 7400 + at), 2))
  const sent: unknown[] = []
  for (const each of pending) sent.push(await send(each))
  expect(sent).toEqual(pending.map((_, at) => (at < 10 ? 0 : 39)))
  const hash = code.hash().toString('hex')
  const codes = Array.from({ length: 12 }, (_, at) => 31 + at)
  for (const each of codes) expect(describeExitByCatalogue(hash, each)).not.toBeNull()
})
