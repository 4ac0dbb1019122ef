/** Tests transactions in the explorer, from a real sandbox over HTTP, signed by @ton/ton. */
import {
  SendMode,
  beginCell,
  comment,
  external,
  internal,
  storeMessage,
  toNano,
  Cell,
  loadTransaction,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton/dist/wallets/WalletContractV4.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  SentencePart,
  Trace,
  TransactionResult,
} from '../../../src-preload/contract/chain/transaction.ts'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
  usdtMaster,
  usdtTransferOrder,
  usdtWalletOf,
} from '../../../src-main/sandbox/chain/contracts.ts'
import type { WalletOrder } from '../../../src-main/sandbox/chain/wallets.ts'
import { normalizedMessageHash } from '../../../src-main/ton/hash.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'
import { walletNamed } from '../../fixtures/chain.ts'
import { type TestExplorer, openExplorer } from '../../fixtures/explorer.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

const network = 'custom-00000001'
const otherNetwork = 'custom-00000002'
const payer = walletNamed('wallet-1')
const payee = walletNamed('wallet-2')
const contract = WalletContractV4.create({ workchain: 0, publicKey: payer.publicKey })
const payerAddress = payer.address.toRawString()
const payeeAddress = payee.address.toRawString()
const usdt = { jetton: usdtMaster.toRawString(), symbol: 'USDT', decimals: 6 }

let sandbox: RunningSandbox
let explorer: TestExplorer

beforeAll(async () => {
  sandbox = await startSandbox()
  const { queryUrl, testnetQueryUrl, apiKey: key } = sandbox.ready
  explorer = await openExplorer({
    [network]: { queryUrl, key },
    sandbox: { queryUrl, key },
    [otherNetwork]: { queryUrl: testnetQueryUrl, key },
  })
})

afterAll(async () => {
  await explorer[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
})

/** Builds an external message of the payer, as a wallet does. */
async function signed(
  orders: readonly WalletOrder[],
  options: { readonly mode?: SendMode; readonly validFor?: number } = {},
): Promise<{ readonly hash: string; readonly boc: string }> {
  const { mode = SendMode.PAY_GAS_SEPARATELY, validFor = 600 } = options
  const { seqno } = (await sandbox.query<{ seqno: number }>('GET', `/wallet/${payerAddress}/seqno`))
    .body
  const { gen_utime } = await explorer.query(network).masterchainHead()
  const body = contract.createTransfer({
    seqno,
    secretKey: payer.secretKey,
    sendMode: mode,
    timeout: gen_utime + validFor,
    messages: orders.map(({ to, value, body = null, init = null, bounce = true }) =>
      internal({ to, value, body, init, bounce }),
    ),
  })
  const message = external({ to: payer.address, body })
  const cell = beginCell().store(storeMessage(message)).endCell()
  return { hash: normalizedMessageHash(message), boc: cell.toBoc().toString('hex') }
}

/** Sends the message, and reads the resulting transaction by the hash of the message. */
async function done(
  orders: readonly WalletOrder[],
  options?: Parameters<typeof signed>[1],
): Promise<TransactionResult> {
  const { boc, hash } = await signed(orders, options)
  await explorer.request('message.send', { network, boc })
  const { transactionHash } = await explorer.request('message.watch', {
    network,
    messageHash: hash,
    validUntil: null,
  })
  return explorer.request('transaction.get', { network, id: transactionHash ?? '' })
}

function traceOf({ trace, traceProblem }: TransactionResult): Trace {
  if (trace === null) throw new Error(traceProblem ?? 'no trace')
  return trace
}

function printed(parts: readonly SentencePart[]): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'words':
          return part.text
        case 'account':
          return part.account.name ?? part.account.address
        case 'amount':
          return `${formatAmount(BigInt(part.units), part.asset.decimals)} ${part.asset.symbol}`
        case 'quote':
          return `“${part.text}”`
      }
    })
    .join('')
}

const sentenceOf = (answer: TransactionResult) => printed(traceOf(answer).sentence)

const ton = (value: string, text?: string): WalletOrder => ({
  to: payee.address,
  value: toNano(value),
  bounce: false,
  ...(text !== undefined && { body: comment(text) }),
})

const unknownCall: Cell = beginCell().storeUint(0xdeadbeef, 32).storeUint(7, 64).endCell()

test('a wallet’s order with two transfers has a sentence, a trace, a flow and decoded bodies', async () => {
  const answer = await done([ton('1.5', 'order 17'), ton('0.25')])
  expect(sentenceOf(answer)).toBe(
    'wallet-1 sent 1.5 TON to wallet-2 with the comment “order 17” and sent 0.25 TON to wallet-2.',
  )
  const trace = traceOf(answer)
  expect(trace.nodes.map(({ parent, comment: text }) => [parent, text])).toEqual([
    [null, null],
    [0, 'order 17'],
    [0, null],
  ])
  const [from, to] = trace.flow
  expect(from).toMatchObject({ account: { address: payerAddress }, ton: '-1750000000' })
  expect(to).toMatchObject({ account: { address: payeeAddress }, ton: '1750000000' })
  const { inMessage } = answer.transaction
  expect(inMessage?.body?.operation).toBe('wallet_v4r2_order')
  expect(inMessage?.body?.fields).toContainEqual({
    name: 'messages.1.value',
    kind: 'ton',
    value: '250000000',
  })
  expect(answer.transaction.outMessages[0]?.body).toEqual({
    operation: 'text_comment',
    fields: [{ name: 'text', kind: 'text', value: 'order 17' }],
  })
})

test('a USDT transfer is shown from owner to owner, not between their jetton wallets', async () => {
  const transfer = { owner: payer.address, to: payee.address }
  const answer = await done([
    usdtTransferOrder({ ...transfer, amount: 2_500_000n, text: 'order-42' }),
  ])
  expect(sentenceOf(answer)).toBe('wallet-1 sent 2.5 USDT to wallet-2 with the comment “order-42”.')
  const { flow, nodes, isComplete } = traceOf(answer)
  const jettonsOf = (address: string) =>
    flow.find(({ account }) => account.address === address)?.jettons
  expect(jettonsOf(payerAddress)).toEqual([{ asset: usdt, units: '-2500000' }])
  expect(jettonsOf(payeeAddress)).toEqual([{ asset: usdt, units: '2500000' }])
  expect(flow.filter(({ jettons }) => jettons.length > 0)).toHaveLength(2)
  expect(nodes[1]).toMatchObject({
    operation: 'jetton_transfer',
    jetton: { asset: usdt, units: '2500000' },
    comment: 'order-42',
  })
  expect(isComplete).toBe(true)
})

test('a bounced message is described with the reason', async () => {
  const wallet = usdtWalletOf(payer.address)
  const answer = await done([{ to: wallet, value: toNano('0.1'), body: unknownCall }])
  expect(sentenceOf(answer)).toMatch(
    /^wallet-1 called .* \(opcode 0xdeadbeef\), attaching 0\.1 TON, but it was returned \(exit code 65535: the contract does not know this opcode\)\.$/,
  )
  const [, failed, back] = traceOf(answer).nodes
  expect(failed).toMatchObject({ success: false, exitCode: 65535 })
  expect(back).toMatchObject({ bounced: true, parent: 1 })
})

test('a message that fails without bouncing is described as failed', async () => {
  const wallet = usdtWalletOf(payer.address)
  const order = { to: wallet, value: toNano('0.1'), body: unknownCall, bounce: false }
  expect(sentenceOf(await done([order]))).toContain('but it failed (exit code 65535')
})

test('an order of more TON than the wallet has is described as failed, with the action phase’s result', async () => {
  const answer = await done([ton('900000000')])
  expect(sentenceOf(answer)).toBe(
    'wallet-1 took a message from outside, but it failed (exit code 37: not enough coins) and nothing was sent.',
  )
  expect(answer.transaction.phases.action).toMatchObject({
    resultCode: 37,
    resultWords: 'not enough coins',
  })
  // The owner’s order is shown although it caused no message.
  expect(answer.transaction.order).toMatchObject({
    wallet: 'wallet_v4r2',
    seqno: expect.any(Number) as number,
    messages: [
      {
        mode: 1,
        value: '900000000000000000',
        amount: 'value',
        isSent: false,
        destination: { address: payeeAddress, name: null },
      },
    ],
  })
})

test('jettons of an order that the wallet did not execute have their decimals and symbol', async () => {
  const order = usdtTransferOrder({ owner: payer.address, to: payee.address, amount: 2_500_000n })
  const { boc, hash } = await signed([{ ...order, value: toNano('900000000') }])
  await explorer.request('message.send', { network, boc })
  const query = { network, messageHash: hash, validUntil: null }
  const { transactionHash } = await explorer.request('message.watch', query)
  // A new explorer has loaded no transaction of this jetton wallet.
  await using fresh = await openExplorer({
    [network]: { queryUrl: sandbox.ready.queryUrl, key: sandbox.ready.apiKey },
  })
  const read = (partial: boolean) =>
    fresh.request('transaction.get', { network, id: transactionHash ?? '', partial })
  const jettonOf = ({ transaction }: TransactionResult) => transaction.order?.messages[0]?.jetton
  const recipient = { address: payeeAddress }
  const first = await read(true)
  expect(first.isPartial).toBe(true)
  expect(jettonOf(first)).toMatchObject({ units: '2500000', asset: null, recipient })
  const whole = await read(false)
  expect(whole.transaction.success).toBe(false)
  expect(jettonOf(whole)).toMatchObject({ units: '2500000', asset: usdt, recipient })
})

test('an order shows which of its messages the wallet sent', async () => {
  const mode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS
  const jetton = usdtTransferOrder({ owner: payer.address, to: payee.address, amount: 7n })
  const { transaction } = await done([ton('900000000', 'much'), ton('0.5', 'little'), jetton], {
    mode,
  })
  expect(transaction.order?.validUntil).toBeGreaterThan(transaction.at)
  expect(transaction.order?.messages).toMatchObject([
    { comment: 'much', isSent: false, mode },
    { comment: 'little', isSent: true, jetton: null },
    {
      operation: 'jetton_transfer',
      isSent: true,
      jetton: { units: '7', asset: usdt, recipient: { address: payeeAddress } },
    },
  ])
  const whole = await done([ton('1')], { mode: SendMode.CARRY_ALL_REMAINING_INCOMING_VALUE })
  expect(whole.transaction.order?.messages).toMatchObject([{ amount: 'remaining_value' }])
  const received = traceOf(whole).nodes[1]?.hash ?? ''
  const other = await explorer.request('transaction.get', { network, id: received })
  expect(other.transaction.order).toBeNull()
})

test('the deployment and the call of a contract are described', async () => {
  const deployed = await done([opcodeContractDeployOrder(99n)])
  const address = opcodeContractAddress(99n).toRawString()
  expect(sentenceOf(deployed)).toBe(`wallet-1 deployed ${address} with 0.1 TON.`)
  const called = await done([opcodeOrder({ to: opcodeContractAddress(99n), opcode: 0x12345678 })])
  expect(sentenceOf(called)).toBe(
    `wallet-1 called ${address} (opcode 0x12345678), attaching 0.05 TON.`,
  )
})

test('a transaction is found by a message hash in any form, and a settled one sends no request', async () => {
  const answer = await done([ton('0.1', 'by message')])
  const message = answer.transaction.outMessages[0]?.hash ?? ''
  const before = explorer.requests()
  const form = Buffer.from(message, 'hex').toString('base64url')
  const found = await explorer.request('transaction.get', { network, id: form })
  expect(found.transaction.account.address).toBe(payeeAddress)
  expect(found.offline).toBeNull()
  expect(explorer.requests()).toBe(before)
  await expect(
    explorer.request('transaction.get', { network: otherNetwork, id: message }),
  ).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' })
  await expect(explorer.request('transaction.get', { network, id: 'abc' })).rejects.toMatchObject({
    code: 'CHAIN_BAD_HASH',
  })
})

test('an emulation describes the future transaction, and the message can still expire unsent', async () => {
  const { boc, hash } = await signed([ton('2', 'maybe')], { validFor: 60 })
  const emulation = await explorer.request('message.emulate', { network, boc })
  expect(printed(emulation.trace.sentence)).toBe(
    'wallet-1 would send 2 TON to wallet-2 with the comment “maybe”.',
  )
  expect(emulation).toMatchObject({
    messageHash: hash,
    risk: { transfersAll: false, ton: '2000000000' },
    trace: { nodes: [{ hash: null }, { hash: null }] },
  })
  const { gen_utime } = await explorer.query(network).masterchainHead()
  expect(emulation.validUntil).toBe((gen_utime + 60) * 1000)
  const follow = () =>
    explorer.request('message.watch', {
      network,
      messageHash: hash,
      validUntil: emulation.validUntil,
    })
  expect(await follow()).toMatchObject({ state: 'waiting', transactionHash: null })
  // The expiry depends on the network’s own clock, which only the test moves.
  await sandbox.control('POST', '/clock/advance', { byMs: 180_000 })
  await sandbox.control('POST', '/send', {
    from: 'wallet-3',
    to: 'wallet-2',
    amount: '1',
    currency: 'TON',
  })
  expect(await follow()).toMatchObject({ state: 'expired' })
  await expect(explorer.request('message.send', { network, boc })).rejects.toMatchObject({
    code: 'GATEWAY_NOT_ACCEPTED',
    message: expect.stringContaining('exit code 36: it has expired') as string,
  })
})

test('an emulation warns of a failure and of a transfer of the whole balance', async () => {
  const all = await signed([ton('0')], {
    mode: SendMode.CARRY_ALL_REMAINING_BALANCE | SendMode.IGNORE_ERRORS,
  })
  const { warnings, risk } = await explorer.request('message.emulate', { network, boc: all.boc })
  expect(risk?.transfersAll).toBe(true)
  expect(warnings).toContain(
    'The wallet sends its complete TON balance, not only the amounts in the order.',
  )
  const wallet = usdtWalletOf(payer.address)
  const failing = await signed([{ to: wallet, value: toNano('0.1'), body: unknownCall }])
  const { warnings: more } = await explorer.request('message.emulate', {
    network,
    boc: failing.boc,
  })
  expect(more.join(' ')).toMatch(/would fail \(exit code 65535/)
})

test('a search for the BOC of a sent message or of a transaction finds the transaction', async () => {
  const { boc } = await signed([ton('0.01')])
  const { messageHash } = await explorer.request('message.send', { network, boc })
  const { transaction } = await explorer.request('transaction.get', { network, id: messageHash })
  const found = { targets: [{ kind: 'transaction', hash: transaction.hash }], problem: null }
  for (const text of [boc, transaction.raw]) {
    expect(await explorer.request('search.find', { network, text })).toMatchObject(found)
  }
  const unsent = await signed([ton('0.02')])
  expect(await explorer.request('search.find', { network, text: unsent.boc })).toMatchObject({
    targets: [],
    problem: expect.stringContaining('Explorer › Build') as string,
  })
})

test('the fees of a transaction, with the forward fees, are the same number in every place', async () => {
  const { transaction, trace } = await done([ton('0.1')])
  const { hash, account } = transaction
  const raw = loadTransaction(Cell.fromHex(transaction.raw).beginParse())
  const carried = transaction.outMessages.reduce((sum, each) => sum + BigInt(each.forwardFee), 0n)
  expect(carried).toBeGreaterThan(0n)
  const paid = String(raw.totalFees.coins + carried)
  const block = await explorer.request('block.get', { network, id: transaction.block })
  const { address } = account
  const { rows } = await explorer.request('account.history', { network, address })
  const shown = {
    transaction: transaction.fees,
    tree: trace?.nodes.find((node) => node.hash === hash)?.fees,
    flow: trace?.flow.find((each) => each.account.address === address)?.fees,
    block: block.transactions.find((each) => each.hash === hash)?.fees,
    history: rows.find((row) => row.hash === hash)?.fees,
  }
  expect(shown).toEqual({ transaction: paid, tree: paid, flow: paid, block: paid, history: paid })
})

test('a block shows its transactions, neighbours, shards and collected fees', async () => {
  const { transaction } = await done([ton('0.1')])
  const block = await explorer.request('block.get', { network, id: transaction.block })
  expect(block.transactions.map(({ hash }) => hash)).toContain(transaction.hash)
  const [, seqno] = /,(\d+)\)$/.exec(transaction.block) ?? []
  const at = (workchain: number, number: number) => `(${workchain},8000000000000000,${number})`
  const number = Number(seqno)
  expect(block).toMatchObject({
    id: transaction.block,
    network,
    shards: null,
    isKeyBlock: false,
    next: [at(0, number + 1)],
    previous: [at(0, number - 1)],
    masterReference: at(-1, number - 1),
    flow: [{ name: 'Fees collected', units: expect.stringMatching(/^[1-9]\d*$/) as string }],
  })
  expect(BigInt(block.startLt ?? 0)).toBeLessThanOrEqual(BigInt(transaction.lt))
  const master = await explorer.request('block.get', { network, id: at(-1, number) })
  expect(master.shards).toMatchObject([
    { id: at(0, number), transactionCount: block.transactionCount },
  ])
  const newest = await explorer.request('block.latest', { network, limit: 2 })
  expect(newest.blocks.map(({ id }) => id)).toEqual([
    ...[at(-1, number), at(0, number), at(-1, number - 1), at(0, number - 1)],
  ])
  const before = await explorer.request('block.latest', { network, before: newest.older, limit: 1 })
  expect(before.blocks[0]?.id).toBe(at(-1, number - 2))
})

test('a stored transaction is shown without a connection, with a note that it is offline', async () => {
  const { transaction } = await done([ton('0.3', 'kept')])
  const { hash: id } = transaction
  // The chain of a sandbox can be reset, so its transactions are requested again.
  await explorer.request('transaction.get', { network: 'sandbox', id })
  await sandbox[Symbol.asyncDispose]()
  const answer = await explorer.request('transaction.get', { network: 'sandbox', id })
  expect(sentenceOf(answer)).toContain('“kept”')
  expect(answer.offline).toContain('cannot be reached')
  expect(answer.trace?.flow[0]?.account.name).toBe('wallet-1')
  const settled = await explorer.request('transaction.get', { network, id })
  expect(settled.offline).toBeNull()
  await expect(
    explorer.request('transaction.get', { network: otherNetwork, id }),
  ).rejects.toMatchObject({ code: 'GATEWAY_UNREACHABLE' })
})
