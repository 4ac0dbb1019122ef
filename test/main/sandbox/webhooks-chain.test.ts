/** Tests that deliveries of the real chain have the hashes and logical times of the chain. */
import { Cell, SendMode, beginCell, external, storeMessage, toNano } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV5R1 } from '@ton/ton'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, createChain } from '../../../src-main/sandbox/chain/create-chain.ts'
import {
  walletMessage,
  type DevelopmentWallet,
  developmentWallets,
} from '../../../src-main/sandbox/chain/wallets.ts'
import { type Endpoint, startEndpoint } from '../../fixtures/endpoint.ts'
import { type TestWebhooks, openWebhooks } from '../../fixtures/webhooks.ts'

let api: TestWebhooks
let chain: Chain
let endpoint: Endpoint

beforeAll(async () => {
  api = openWebhooks()
  endpoint = await startEndpoint()
  const { database, clock } = api
  chain = await createChain({ database, network: 'mainnet', clock, seed: 'webhooks' })
  for (const observer of api.observers) chain.observe(observer)
})

afterAll(async () => {
  await chain.close()
  await api[Symbol.asyncDispose]()
  await endpoint[Symbol.asyncDispose]()
})

function wallet(index: number): DevelopmentWallet {
  const found = developmentWallets[index]
  if (found === undefined) throw new Error('there are more wallets than that')
  return found
}

function sent(): Record<string, unknown>[] {
  return endpoint.received.splice(0).map(({ body }) => JSON.parse(body) as Record<string, unknown>)
}

test('a transfer is delivered to both of its accounts with the hash and lt of the chain', async () => {
  const id = await api.create(endpoint.url)
  const accounts = [wallet(0), wallet(1)].map(({ address }) => address.toRawString())
  await api.post(`/webhooks/${id}/account-tx/subscribe`, {
    accounts: accounts.map((account_id) => ({ account_id })),
  })
  const message = walletMessage(chain, wallet(0), [{ to: wallet(1).address, value: 5n }])
  const { transactions } = await chain.send([message])
  await api.queue.settled()
  const events = sent()
  expect(events).toHaveLength(2)
  for (const event of events) {
    const transaction = chain.transaction(String(event['tx_hash']))
    expect(event).toEqual({
      event_type: 'account_tx',
      account_id: transaction?.account,
      lt: Number(transaction?.lt),
      tx_hash: transaction?.cell.hash().toString('hex'),
    })
    expect(transactions.map(({ hash }) => hash)).toContain(event['tx_hash'])
  }
  expect(new Set(events.map((event) => event['account_id']))).toEqual(new Set(accounts))
  await api.request(`/webhooks/${id}`, { method: 'DELETE' })
})

test('an external message is delivered as sent, with the hash of the chain', async () => {
  const id = await api.create(endpoint.url)
  await api.post(`/webhooks/${id}/mempool/subscribe`)
  const message = walletMessage(chain, wallet(2), [{ to: wallet(3).address, value: 7n }])
  const { transactions } = await chain.send([message])
  await api.queue.settled()
  const [event, ...others] = sent()
  expect(others).toEqual([])
  expect(event?.['event_type']).toBe('mempool_msg')
  const told = Cell.fromBase64(String(event?.['boc']))
  expect(told.hash()).toEqual(message.hash())
  expect(transactions[0]?.inMessageHash).toBe(told.hash().toString('hex'))
  await api.request(`/webhooks/${id}`, { method: 'DELETE' })
})

test('an opcode in an outgoing message causes an event, too', async () => {
  const id = await api.create(endpoint.url)
  const opcode = 0x11223344
  await api.post(`/webhooks/${id}/subscribe-msg-opcode/0x${opcode.toString(16)}`)
  const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, 'external-out'))
  const contract = WalletContractV5R1.create({ workchain: 0, publicKey })
  await chain.send([
    walletMessage(chain, wallet(0), [{ to: contract.address, value: toNano(1), bounce: false }]),
  ])
  const body = contract.createTransfer({
    seqno: 0,
    secretKey,
    timeout: chain.now() + 600,
    sendMode: SendMode.PAY_GAS_SEPARATELY,
    messages: [
      {
        info: { type: 'external-out', dest: null, createdLt: 0n, createdAt: 0 },
        body: beginCell().storeUint(opcode, 32).endCell(),
      },
    ],
  })
  const message = external({ to: contract.address, body, init: contract.init })
  const { transactions } = await chain.send([beginCell().store(storeMessage(message)).endCell()])
  await api.queue.settled()
  expect(sent()).toEqual([
    {
      event_type: 'opcode_msg',
      account_id: contract.address.toRawString(),
      lt: Number(transactions[0]?.lt),
      tx_hash: transactions[0]?.hash,
    },
  ])
  await api.request(`/webhooks/${id}`, { method: 'DELETE' })
})
