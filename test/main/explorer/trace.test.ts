/** Tests traces of real transactions, in every form in which a gateway may return them. */
import { Address, type Builder, beginCell, comment, toNano } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AssetOf, readTrace } from '../../../src-main/chain/read-trace.ts'
import { formatNamed } from '../../fixtures/sentences.ts'
import { showTrace, tonFlowOf } from '../../../src-main/explorer/transactions/trace-view.ts'
import { type TraceNodeResponse, traceResponse } from '../../../src-main/gateway/query-responses.ts'
import {
  opcodeContractAddress,
  opcodeOrder,
  usdtTransferOrder,
  usdtWalletOf,
} from '../../../src-main/sandbox/chain/contracts.ts'
import type { WalletOrder } from '../../../src-main/sandbox/chain/wallets.ts'
import { opcodes } from '../../../src-main/ton/opcodes.ts'
import {
  type Json,
  type QueryChain,
  openQueryChain,
  walletNamed,
} from '../../fixtures/query-chain.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

let api: QueryChain
const payer = walletNamed('wallet-1')
const payee = walletNamed('wallet-2')
const usdtWallet = usdtWalletOf(payer.address)
const nobody = Address.parseRaw(`0:${'77'.repeat(32)}`)

const usdt = (amount: bigint, to = payee.address): WalletOrder =>
  usdtTransferOrder({ owner: payer.address, to, amount })
const burn: WalletOrder = {
  to: usdtWallet,
  value: toNano('0.1'),
  body: beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(0, 64)
    .storeCoins(5n)
    .storeAddress(payer.address)
    .storeMaybeRef(null)
    .endCell(),
}

beforeAll(async () => {
  api = await openQueryChain()
})

afterAll(() => api[Symbol.asyncDispose]())

async function traceOf(orders: readonly WalletOrder[]): Promise<Json> {
  const { hash } = await api.order(payer, orders)
  return api.get(`/traces/${hash}`)
}

/** An account’s transactions may be in several branches of the tree. */
const byLt = (a: TraceNodeResponse, b: TraceNodeResponse) =>
  Number(BigInt(a.transaction.lt) - BigInt(b.transaction.lt))

const noLabels = () => new Map<string, string>()
const show = (answer: readonly TraceNodeResponse[]) =>
  showTrace(readTrace(answer), {
    assetOf: () => ({ jetton: '0:master', symbol: 'USDT', decimals: 6 }),
    labelsOf: noLabels,
  }).trace

test('the flow and fees of every account add up to the change of its balance', async () => {
  const balances = new Map<string, bigint>()
  let compared = 0
  for (const orders of [
    [{ to: payee.address, value: toNano(1), body: comment('a'), bounce: false }],
    [usdt(1_000_000n), usdt(3n, nobody)],
    [usdt(10n ** 15n)],
    [burn],
    [opcodeOrder({ to: opcodeContractAddress(), opcode: 0x1234 })],
    [{ to: nobody, value: toNano('0.2'), bounce: true }],
    [{ to: usdtWallet, value: toNano('0.1'), body: comment('?') }],
    [usdt(2_000_000n), burn, opcodeOrder({ to: opcodeContractAddress(), opcode: 0x1 })],
  ] satisfies WalletOrder[][]) {
    const nodes = traceResponse.parse(await traceOf(orders))
    for (const { transaction } of nodes.sort(byLt)) {
      const { ton, fees } = tonFlowOf(transaction)
      const { address } = transaction.account
      const before = balances.get(address)
      const after = BigInt(transaction.end_balance)
      if (before !== undefined) {
        expect(after - before, `${address} in ${transaction.hash}`).toBe(ton - fees)
        compared += 1
      }
      balances.set(address, after)
    }
  }
  expect(compared).toBeGreaterThan(20)
})

test('jetton flows of a transfer add up to zero, a failed transfer has none, and a burn has only an outflow', async () => {
  const sumOf = async (orders: readonly WalletOrder[]) => {
    const { flow } = show(traceResponse.parse(await traceOf(orders)))
    return flow.flatMap(({ jettons }) => jettons.map(({ units }) => BigInt(units)))
  }
  expect(await sumOf([usdt(1_000n)])).toEqual([-1000n, 1000n])
  expect(await sumOf([usdt(10n ** 15n)])).toEqual([])
  expect(await sumOf([burn])).toEqual([-5n])
})

test('a body with a known opcode is described as a jetton or NFT action only at a contract that obeyed it', async () => {
  const random = seededRandom(20_261_128)
  const below = (limit: number) => Math.floor(random() * limit)
  const units = () => BigInt(1 + below(1_000_000))
  const order = (opcode: number) =>
    beginCell()
      .storeUint(opcode, 32)
      .storeUint(below(2 ** 32), 64)
  const bodies: readonly (() => Builder)[] = [
    () => transferBody(order(opcodes.jettonTransfer), units()),
    () =>
      order(opcodes.jettonInternalTransfer)
        .storeCoins(units())
        .storeAddress(payer.address)
        .storeAddress(payer.address)
        .storeCoins(0n)
        .storeBit(false),
    () => order(opcodes.jettonNotify).storeCoins(units()).storeAddress(nobody).storeBit(false),
    () => order(opcodes.jettonBurn).storeCoins(units()).storeAddress(payer.address).storeBit(false),
    () =>
      order(opcodes.jettonBurnNotification)
        .storeCoins(units())
        .storeAddress(payer.address)
        .storeAddress(payer.address),
    () =>
      order(opcodes.jettonMint)
        .storeAddress(payee.address)
        .storeCoins(1n)
        .storeRef(
          order(opcodes.jettonInternalTransfer)
            .storeCoins(units())
            .storeAddress(null)
            .storeAddress(null)
            .storeCoins(0n)
            .storeBit(false)
            .endCell(),
        ),
    () =>
      order(opcodes.nftTransfer)
        .storeAddress(payee.address)
        .storeAddress(payer.address)
        .storeBit(false)
        .storeCoins(0n)
        .storeBit(false),
    () => order(opcodes.nftOwnershipAssigned).storeAddress(nobody).storeBit(false),
    () => order(opcodes.excess),
  ]
  const receivers = [payee.address, nobody, usdtWallet, opcodeContractAddress()]
  const genuine = new Set(
    [usdtWallet, usdtWalletOf(payee.address), usdtWalletOf(nobody)].map(String),
  )
  const isGenuine = (wallet: string) => genuine.has(String(Address.parseRaw(wallet)))
  const asset = { jetton: '0:master', symbol: 'USDT', decimals: 6 }
  const knowledge: readonly AssetOf[] = [
    (wallet) => (isGenuine(wallet) ? asset : null),
    (wallet) => (isGenuine(wallet) ? asset : undefined),
    () => undefined,
  ]
  let believed = 0
  for (const to of receivers) {
    for (const body of bodies) {
      const built = body().endCell()
      const nodes = traceResponse.parse(
        await traceOf([{ to, value: toNano('0.1'), body: built, bounce: false }]),
      )
      for (const assetOf of knowledge) {
        const { sentence, flow } = showTrace(readTrace(nodes), {
          assetOf,
          labelsOf: noLabels,
        }).trace
        const text = formatNamed(sentence)
        const isClaimed = /USDT|jettons?\b(?! wallet)(?!_)|the NFT/.test(
          text.replaceAll(/\([^)]*\)/g, ''),
        )
        const isMoved = flow.some(({ jettons }) => jettons.length > 0)
        // A refusal by a real jetton wallet is described as failed.
        const isRefused = to === usdtWallet && text.includes(', but ')
        expect(isClaimed && !isRefused, text).toBe(isMoved)
        if (isMoved) believed += 1
        if (to === payee.address && built.beginParse().loadUint(32) === opcodes.jettonTransfer) {
          expect(text).toMatch(/sent 0\.1 TON to \S+ with the opcode jetton_transfer\.$/)
        }
      }
    }
  }
  // These are a transfer and a burn at the jetton wallet, with and without its data.
  expect(believed).toBe(6)
})

const transferBody = (order: Builder, units: bigint) =>
  order
    .storeCoins(units)
    .storeAddress(payee.address)
    .storeAddress(payer.address)
    .storeBit(false)
    .storeCoins(0n)
    .storeBit(false)

test('a trace whose out_msgs omit the delivered messages is read the same', async () => {
  const told = await traceOf([usdt(7n), { to: payee.address, value: 1n, bounce: false }])
  const without = (node: Json): Json => ({
    ...node,
    transaction: { ...(node['transaction'] as Json), out_msgs: [] },
    children: ((node['children'] ?? []) as Json[]).map(without),
  })
  const terse = traceResponse.parse(without(told))
  expect(terse).toEqual(traceResponse.parse(told))
})

test('a message that has not arrived is described as on its way, and the trace as incomplete', async () => {
  const told = await traceOf([{ to: payee.address, value: toNano(3), bounce: false }])
  const { isComplete, sentence } = show(traceResponse.parse({ ...told, children: [] }))
  expect(isComplete).toBe(false)
  expect(sentence.at(-1)).toEqual({ kind: 'words', text: ' (on its way).' })
})

test('a trace of 1,100 levels is read, with the depth and parent of each step', async () => {
  const told = await traceOf([{ to: payee.address, value: 1n, bounce: false }])
  let chain: Json = { ...told, children: [] }
  for (let depth = 1; depth < 1_100; depth += 1) chain = { ...told, children: [chain] }
  const { nodes } = show(traceResponse.parse(chain))
  expect(nodes).toHaveLength(1_100)
  expect(nodes.at(-1)).toMatchObject({ depth: 1_099, parent: 1_098 })
})
