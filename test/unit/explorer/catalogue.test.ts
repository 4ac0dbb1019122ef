/** The data of the catalogue: opcodes and exit codes of well-known contracts. */
import { crc32 } from 'node:zlib'
import { type Cell, beginCell } from '@ton/core'
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
import catalogue from '../../../src-main/chain/catalogue.json' with { type: 'json' }
import {
  decodeByCatalogue,
  describeExitByCatalogue,
  nameByCatalogue,
} from '../../../src-main/explorer/contracts/catalogue.ts'
import { parseInterface } from '../../../src-main/explorer/contracts/interface-text.ts'
import { knownOpcodes } from '../../../src-main/ton/opcodes.ts'
import { walletVersionOf } from '../../../src-main/ton/wallet.ts'

const definitions = catalogue.flatMap(({ messages = [] }) => messages)
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
  expect(catalogue.flatMap((entry) => entry.wallets ?? [])).toEqual(wallets)
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
