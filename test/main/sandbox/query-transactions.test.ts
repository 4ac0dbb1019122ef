/** Tests sending messages and reading transactions, as by an independent wallet. */
import {
  type Cell,
  Address,
  beginCell,
  comment,
  external,
  internal,
  loadTransaction,
  SendMode,
  storeMessage,
  toNano,
} from '@ton/core'
import { mnemonicToPrivateKey, sign } from '@ton/crypto'
import { WalletContractV4, WalletContractV5R1 } from '@ton/ton'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromFaucet, walletMessage } from '../../../src-main/sandbox/chain/wallets.ts'
import { parseBoc, parseMessage } from '../../../src-main/ton/boc.ts'
import { messageHash, normalizedMessageHash } from '../../../src-main/ton/hash.ts'
import {
  type Json,
  type QueryChain,
  openQueryChain,
  walletNamed,
} from '../../fixtures/query-chain.ts'

let api: QueryChain

beforeAll(async () => {
  api = await openQueryChain()
})

afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

const payer = walletNamed('wallet-1')
const payee = walletNamed('wallet-2')

function bocOf(message: Parameters<typeof storeMessage>[0]): Cell {
  return beginCell().store(storeMessage(message)).endCell()
}

function base64(cell: Cell): string {
  return cell.toBoc().toString('base64')
}

function transfer(value: bigint, text = 'hello'): Cell {
  const order = { to: payee.address, value, body: comment(text), bounce: false }
  return walletMessage(api.chain, payer, [order])
}

async function history(address: string, query = ''): Promise<Json[]> {
  const answer = await api.get(`/blockchain/accounts/${address}/transactions${query}`)
  return answer['transactions'] as Json[]
}

test('a wallet of @ton/ton signs and sends a message, and its transaction has the hash of its raw BOC', async () => {
  const keys = await mnemonicToPrivateKey([...payer.mnemonic])
  const contract = WalletContractV4.create({ workchain: 0, publicKey: keys.publicKey })
  const { seqno } = await api.get(`/wallet/${contract.address.toString()}/seqno`)
  const body = contract.createTransfer({
    seqno: seqno as number,
    secretKey: keys.secretKey,
    timeout: api.chain.now() + 60,
    sendMode: SendMode.PAY_GAS_SEPARATELY,
    messages: [
      internal({ to: payee.address, value: toNano('1.5'), body: 'привет', bounce: false }),
    ],
  })
  const message = external({ to: contract.address, body })
  const reply = await api.ask('POST', '/blockchain/message', { boc: base64(bocOf(message)) })
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({})

  const [latest] = await history(payee.address.toRawString(), '?limit=1')
  const hash = String(latest?.['hash'])
  const raw = parseBoc(Buffer.from(String(latest?.['raw']), 'hex'))
  expect(raw.hash().toString('hex')).toBe(hash)
  const read = loadTransaction(raw.beginParse())
  expect(BigInt(latest?.['lt'] as number)).toBe(read.lt)
  expect(latest?.['in_msg']).toMatchObject({
    msg_type: 'int_msg',
    value: 1_500_000_000,
    op_code: '0x00000000',
    decoded_op_name: 'text_comment',
    decoded_body: { text: 'привет' },
    source: { address: payer.address.toRawString(), is_wallet: true, name: 'wallet-1' },
  })

  const bytes = Buffer.from(hash, 'hex')
  for (const id of [
    hash,
    hash.toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ]) {
    const found = await api.get(`/blockchain/transactions/${encodeURIComponent(id)}`)
    expect(found).toEqual(latest)
  }
})

test('a transaction is found by its incoming message’s hash, both original and normalized', async () => {
  const cell = transfer(toNano(1))
  await api.post('/blockchain/message', { boc: cell.toBoc().toString('hex') })
  const [sent] = await history(payer.address.toRawString(), '?limit=1')
  const message = parseMessage(cell)
  for (const id of [messageHash(message), normalizedMessageHash(message)]) {
    expect((await api.get(`/blockchain/transactions/${id}`))['hash']).toBe(sent?.['hash'])
    expect((await api.get(`/blockchain/messages/${id}/transaction`))['hash']).toBe(sent?.['hash'])
  }
  const [out] = sent?.['out_msgs'] as Json[]
  const received = await api.get(`/blockchain/messages/${String(out?.['hash'])}/transaction`)
  expect(received['account']).toMatchObject({ address: payee.address.toRawString() })
  expect((received['in_msg'] as Json)['hash']).toBe(out?.['hash'])
})

test('a message has the hash of its original cell, however its body was laid out', async () => {
  // A short body is in a reference, where @ton/core’s own builder would store it in place.
  for (const inPlace of [false, true]) {
    const relaxed = beginCell()
      .storeUint(0x10, 6)
      .storeAddress(payee.address)
      .storeCoins(1000n)
      .storeUint(0, 1 + 4 + 4 + 64 + 32 + 1)
    const text = comment('x')
    const order = inPlace
      ? relaxed.storeBit(false).storeSlice(text.beginParse()).endCell()
      : relaxed.storeBit(true).storeRef(text).endCell()
    const sent = await sendByHand(order)
    const trace = await api.get(`/traces/${sent}`)
    const [out] = (trace['transaction'] as Json)['out_msgs'] as Json[]
    const [child] = trace['children'] as Json[]
    const received = child?.['transaction'] as Json
    expect((received['in_msg'] as Json)['hash']).toBe(out?.['hash'])
    const found = await api.get(`/blockchain/messages/${String(out?.['hash'])}/transaction`)
    expect(found['hash']).toBe(received['hash'])
  }
})

/** Signs an order that is already a cell. @returns the hash of the wallet’s transaction */
async function sendByHand(order: Cell): Promise<string> {
  const { seqno } = await api.get(`/wallet/${payer.address.toString()}/seqno`)
  const unsigned = beginCell()
    .storeUint(698983191, 32)
    .storeUint(api.chain.now() + 60, 32)
    .storeUint(seqno as number, 32)
    .storeUint(0, 8)
    .storeUint(SendMode.PAY_GAS_SEPARATELY, 8)
    .storeRef(order)
  const body = beginCell()
    .storeBuffer(sign(unsigned.endCell().hash(), payer.secretKey))
    .storeBuilder(unsigned)
    .endCell()
  const boc = base64(bocOf(external({ to: payer.address, body })))
  await api.post('/blockchain/message', { boc })
  const [latest] = await history(payer.address.toString(), '?limit=1')
  return String(latest?.['hash'])
}

test('an account’s history is paged in either order, each transaction linked to the previous one', async () => {
  for (let count = 0; count < 5; count += 1) {
    await api.chain.send([transfer(toNano('0.01'), String(count))])
  }
  const account = payer.address.toString()
  const all = await history(account)
  const lts = all.map((each) => BigInt(each['lt'] as number))
  expect(lts).toEqual(lts.toSorted((a, b) => Number(b - a)))
  for (const [index, each] of all.slice(0, -1).entries()) {
    expect(each['prev_trans_hash']).toBe(all[index + 1]?.['hash'])
    expect(each['prev_trans_lt']).toBe(all[index + 1]?.['lt'])
  }
  const [newest, second, third] = all
  const before = await history(account, `?before_lt=${String(newest?.['lt'])}&limit=2`)
  expect(before).toEqual([second, third])
  const after = await history(account, `?after_lt=${String(third?.['lt'])}&sort_order=asc`)
  expect(after).toEqual([second, newest])
  expect(await history(`0:${'ab'.repeat(32)}`)).toEqual([])
})

test('a block has the transactions of its workchain, and the masterchain block of the same number has none', async () => {
  const executed = await api.order(payer, [{ to: payee.address, value: 1n, bounce: false }])
  const { block } = await api.get(`/blockchain/transactions/${executed.hash}`)
  expect(block).toBe(`(0,8000000000000000,${executed.blockSeqno})`)
  const path = `/blockchain/blocks/${encodeURIComponent(String(block))}`
  const found = await api.get(path)
  expect(found).toMatchObject({ workchain_id: 0, seqno: executed.blockSeqno, tx_quantity: 2 })
  const list = (await api.get(`${path}/transactions`))['transactions'] as Json[]
  expect(list.map(({ hash }) => hash)).toContain(executed.hash)
  const head = await api.get('/blockchain/masterchain-head')
  expect(head).toMatchObject({ workchain_id: -1, seqno: executed.blockSeqno, tx_quantity: 0 })
  const status = await api.get('/status')
  expect(status['last_known_masterchain_seqno']).toBe(executed.blockSeqno)
  const masterchain = `/blockchain/masterchain/${executed.blockSeqno}`
  const { shards } = (await api.get(`${masterchain}/shards`)) as { shards: Json[] }
  expect(shards).toEqual([{ last_known_block_id: block, last_known_block: found }])
  expect(await api.get(`${masterchain}/blocks`)).toEqual({ blocks: [head, found] })
  expect(await api.get(`${masterchain}/transactions`)).toEqual({ transactions: list })
  expect((await api.ask('GET', '/blockchain/masterchain/99999/shards')).status).toBe(404)
  expect((await api.ask('GET', '/blockchain/masterchain/x/shards')).status).toBe(400)
})

test('a message is not accepted twice within a minute, also if it was refused', async () => {
  const boc = base64(transfer(toNano('0.02')))
  await api.post('/blockchain/message', { boc })
  const again = await api.ask('POST', '/blockchain/message', { boc })
  expect([again.status, again.body]).toEqual([400, { error: 'duplicate message' }])
  // The same bytes in another encoding are the same message.
  const hex = Buffer.from(boc, 'base64').toString('hex')
  expect((await api.ask('POST', '/blockchain/message', { boc: hex })).status).toBe(400)

  api.advance(59)
  expect((await api.ask('POST', '/blockchain/message', { boc })).body).toEqual(again.body)
  api.advance(1)
  const late = await api.ask('POST', '/blockchain/message', { boc })
  expect(late.status).toBe(406)
  expect(late.body['error']).toContain('cannot apply external message to current state')
  expect(late.body['error']).toContain('External message was not accepted')
  expect((await api.ask('POST', '/blockchain/message', { boc })).body).toEqual(again.body)
})

test('concurrent equal messages are accepted once', async () => {
  const boc = base64(transfer(toNano('0.03')))
  const send = () => api.ask('POST', '/blockchain/message', { boc })
  const replies = await Promise.all([send(), send(), send()])
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('a batch gets 200, and its valid messages are executed although others are refused', async () => {
  const before = (await history(payer.address.toRawString())).length
  const first = transfer(toNano('0.04'))
  const second = walletMessage(api.chain, payee, [{ to: payer.address, value: 5n, bounce: false }])
  const batch = [
    base64(first),
    second.toBoc().toString('hex'),
    base64(first),
    base64(comment('no')),
  ]
  expect((await api.ask('POST', '/blockchain/message', { batch })).status).toBe(200)
  // The transactions of the wallet’s own message and of the other wallet’s transfer.
  expect(await history(payer.address.toRawString())).toHaveLength(before + 2)
})

test('a message to an account without code is refused with 406', async () => {
  const message = external({ to: Address.parseRaw(`0:${'cd'.repeat(32)}`), body: comment('hi') })
  const reply = await api.ask('POST', '/blockchain/message', { boc: base64(bocOf(message)) })
  expect(reply.status).toBe(406)
})

test('a wallet is deployed by its first message', async () => {
  const contract = WalletContractV5R1.create({ publicKey: payer.publicKey })
  await api.chain.inject([fromFaucet({ to: contract.address, value: toNano(2), bounce: false })])
  const body = contract.createTransfer({
    seqno: 0,
    secretKey: payer.secretKey,
    sendMode: SendMode.PAY_GAS_SEPARATELY,
    messages: [internal({ to: payee.address, value: toNano(1), bounce: false })],
  })
  const message = external({ to: contract.address, init: contract.init, body })
  await api.post('/blockchain/message', { boc: base64(bocOf(message)) })
  const [sent] = await history(contract.address.toString(), '?limit=1')
  expect(sent).toMatchObject({ orig_status: 'uninit', end_status: 'active', success: true })
  expect(await api.get(`/wallet/${contract.address.toString()}/seqno`)).toEqual({ seqno: 1 })
  const account = await api.get(`/accounts/${contract.address.toString()}`)
  expect(account).toMatchObject({ is_wallet: true, interfaces: ['wallet_v5r1'] })
})
