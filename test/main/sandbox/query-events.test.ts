/**
 * Tests events of traces: actions and value flows, and emulations of the same events before they happen.
 */
import {
  type Cell,
  type MessageRelaxed,
  Address,
  beginCell,
  comment,
  external,
  internal,
  storeMessage,
  toNano,
} from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV3R2, WalletContractV4, WalletContractV5R1 } from '@ton/ton'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
  usdtMaster,
  usdtTransferOrder,
  usdtWalletOf,
} from '../../../src-main/sandbox/chain/contracts.ts'
import { type WalletOrder, walletMessage } from '../../../src-main/sandbox/chain/wallets.ts'
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
const payerAddress = payer.address.toRawString()
const payeeAddress = payee.address.toRawString()
const nobody = Address.parseRaw(`0:${'77'.repeat(32)}`)
const usdt = usdtMaster.toRawString()
const usdtWallet = usdtWalletOf(payer.address)

function usdtOrder(to: Address, amount: bigint, text?: string): WalletOrder {
  const transfer = { owner: payer.address, to, amount }
  return usdtTransferOrder(text === undefined ? transfer : { ...transfer, text })
}

function burnBody(amount: bigint): Cell {
  return beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(payer.address)
    .storeMaybeRef(null)
    .endCell()
}

async function eventOf(orders: readonly WalletOrder[]): Promise<Json> {
  const { hash } = await api.order(payer, orders)
  return api.get(`/events/${hash}`)
}

function actionsOf(event: Json): Json[] {
  return event['actions'] as Json[]
}

/** Returns `type status` of each action in order. */
function told(event: Json): string[] {
  return actionsOf(event).map(({ type, status }) => `${String(type)} ${String(status)}`)
}

function detailsOf(event: Json, index = 0): Json {
  const action = actionsOf(event)[index]
  return action?.[String(action['type'])] as Json
}

test('an order of TON transfers is one action each, in order, with the comments', async () => {
  const event = await eventOf([
    { to: payee.address, value: toNano(1), body: comment('order 17'), bounce: false },
    { to: nobody, value: toNano('0.25'), bounce: false },
  ])
  expect(told(event)).toEqual(['TonTransfer ok', 'TonTransfer ok'])
  expect(detailsOf(event)).toEqual({
    sender: { address: payerAddress, name: 'wallet-1', is_scam: false, is_wallet: true },
    recipient: { address: payeeAddress, name: 'wallet-2', is_scam: false, is_wallet: true },
    amount: 1_000_000_000,
    comment: 'order 17',
  })
  expect(detailsOf(event, 1)).toMatchObject({ recipient: { address: nobody.toRawString() } })
  expect(detailsOf(event, 1)).not.toHaveProperty('comment')
  expect(actionsOf(event)[0]?.['simple_preview']).toMatchObject({ value: '1 TON' })
})

test('a jetton transfer is one action of four transactions, with its comment', async () => {
  const event = await eventOf([usdtOrder(payee.address, 2_500_000n, 'order-42')])
  expect(told(event)).toEqual(['JettonTransfer ok'])
  expect(detailsOf(event)).toMatchObject({
    sender: { address: payerAddress },
    recipient: { address: payeeAddress },
    senders_wallet: usdtWallet.toRawString(),
    recipients_wallet: usdtWalletOf(payee.address).toRawString(),
    amount: '2500000',
    comment: 'order-42',
    jetton: { address: usdt, symbol: 'USDT', decimals: 6, verification: 'whitelist' },
  })
  expect(actionsOf(event)[0]?.['base_transactions']).toHaveLength(4)
})

test('a jetton transfer to a new owner also deploys the owner’s jetton wallet', async () => {
  const event = await eventOf([usdtOrder(nobody, 1n)])
  expect(told(event)).toEqual(['JettonTransfer ok', 'ContractDeploy ok'])
})

test('a transfer of more jettons than there are is a failed action without value flow', async () => {
  const event = await eventOf([usdtOrder(payee.address, 10n ** 15n)])
  expect(told(event)).toEqual(['JettonTransfer failed'])
  for (const flow of event['value_flow'] as Json[]) expect(flow).not.toHaveProperty('jettons')
})

test('burned jettons are an action', async () => {
  const event = await eventOf([
    { to: usdtWallet, value: toNano('0.1'), body: burnBody(1_000_000n), bounce: true },
  ])
  expect(told(event)).toEqual(['JettonBurn ok'])
  expect(detailsOf(event)).toMatchObject({ sender: { address: payerAddress }, amount: '1000000' })
})

test('the minting of genesis is an action', async () => {
  const [first] = api.chain.history(usdtWallet.toRawString(), { limit: 1, order: 'asc' })
  const event = await api.get(`/events/${first?.traceId ?? ''}`)
  const mint = actionsOf(event).find(({ type }) => type === 'JettonMint')
  expect(mint).toMatchObject({
    status: 'ok',
    JettonMint: { amount: '10000000000', jetton: { address: usdt } },
  })
})

test('a call of a contract and its response are actions, and so is a deployment', async () => {
  const call = await eventOf([opcodeOrder({ to: opcodeContractAddress(), opcode: 0x12345678 })])
  expect(told(call)).toEqual(['SmartContractExec ok', 'TonTransfer ok'])
  expect(detailsOf(call)).toMatchObject({
    executor: { address: payerAddress },
    contract: { address: opcodeContractAddress().toRawString() },
    operation: '0x12345678',
    ton_attached: 50_000_000,
    gram_attached: 50_000_000,
  })
  const deploy = await eventOf([opcodeContractDeployOrder(17n)])
  expect(told(deploy)).toEqual(['TonTransfer ok', 'ContractDeploy ok'])
})

test('a bounced transfer is a failed action that includes the returned message', async () => {
  const event = await eventOf([{ to: Address.parseRaw(`0:${'78'.repeat(32)}`), value: toNano(1) }])
  expect(told(event)).toEqual(['TonTransfer failed'])
  expect(actionsOf(event)[0]?.['base_transactions']).toHaveLength(2)
  const account = await api.get(`/accounts/${payerAddress}/events/${String(event['event_id'])}`)
  // Only the fees were paid, because the amount was returned.
  expect(Number(account['extra'])).toBeGreaterThan(-10_000_000)
  expect(Number(account['extra'])).toBeLessThan(0)
})

test('a message that a wallet could not send for lack of balance is a failed action', async () => {
  const event = await eventOf([
    { to: payee.address, value: 5n, bounce: false },
    { to: payee.address, value: toNano(1_000_000), body: comment('rich'), bounce: false },
  ])
  // Messages that could not be sent come last, as in the open-source edition of the service.
  expect(told(event)).toEqual(['TonTransfer ok', 'TonTransfer failed'])
  const failed = actionsOf(event).find(({ status }) => status === 'failed')
  expect(failed?.['TonTransfer']).toMatchObject({ amount: 10 ** 15, comment: 'rich' })
})

/** A type for the parts of @ton/ton's contracts that are used here. */
type ClientContract = Pick<WalletContractV3R2, 'address' | 'init'> & {
  createTransfer(order: object): Cell
}
const contracts = {
  V3R2: WalletContractV3R2,
  V4: WalletContractV4,
  V5R1: WalletContractV5R1,
} as const

/** Creates a wallet of this version with TON and USDT; @ton/ton builds its messages, as in a client. */
async function clientWallet(version: keyof typeof contracts) {
  const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, version))
  let executed = 0
  const contract = contracts[version].create({ workchain: 0, publicKey }) as ClientContract
  const { address } = contract
  await api.order(walletNamed('wallet-4'), [
    { to: address, value: toNano(100), bounce: false },
    usdtTransferOrder({
      owner: walletNamed('wallet-4').address,
      to: address,
      amount: 50_000_000n,
    }),
  ])
  return {
    address,
    /** @param sendMode undefined for the library's default */
    sign(sendMode: number | undefined, messages: MessageRelaxed[]): Cell {
      const order = {
        seqno: executed,
        secretKey,
        messages,
        timeout: api.chain.now() + 600,
        // V3 has no default mode.
        ...(sendMode === undefined ? {} : { sendMode }),
      }
      const body = contract.createTransfer(order)
      const init = executed === 0 ? contract.init : null
      executed += 1
      return beginCell()
        .store(storeMessage(external({ to: address, body, init })))
        .endCell()
    },
  }
}

test.each(['V3R2', 'V4', 'V5R1'] as const)(
  'a transfer of a %s wallet is reported once, whatever its send mode',
  async (version) => {
    const client = await clientWallet(version)
    const modes = [...(version === 'V3R2' ? [] : [undefined]), 0, 1, 2, 3, 64]
    const transfer = (value: bigint, text?: string) =>
      internal({ to: payee.address, value, bounce: false, ...(text ? { body: text } : {}) })
    const jetton = (amount: bigint) => {
      const order = { owner: client.address, to: payee.address }
      const { to, value, body } = usdtTransferOrder({ ...order, amount, text: 'order 8' })
      return internal({ to, value, bounce: true, body: body ?? null })
    }
    const stories: (readonly [string[], number | undefined, MessageRelaxed[]])[] = [
      // The first message also deploys the wallet.
      [['TonTransfer ok', 'ContractDeploy ok'], 3, [transfer(1n)]],
      ...modes.flatMap((mode): typeof stories => [
        [['TonTransfer ok'], mode, [transfer(toNano('0.5'), 'order 7')]],
        [
          ['TonTransfer ok', 'TonTransfer ok', 'TonTransfer ok'],
          mode,
          [transfer(toNano('0.1')), transfer(toNano('0.2')), transfer(toNano('0.1'))],
        ],
        [['JettonTransfer ok'], mode, [jetton(2_500_000n)]],
      ]),
      [
        ['TonTransfer ok', 'TonTransfer failed', 'TonTransfer failed'],
        2,
        [
          transfer(toNano(10_000), 'rich'),
          transfer(toNano('0.2'), 'rich'),
          transfer(toNano(10_000), 'rich'),
        ],
      ],
      [['JettonTransfer ok'], 128, [jetton(1_000_000n)]],
    ]
    for (const [expected, mode, messages] of stories) {
      const message = client.sign(mode, messages)
      const boc = message.toBoc().toString('base64')
      const story = `mode ${String(mode)}, ${expected.length} actions`
      const emulated = await api.post('/events/emulate', { boc })
      expect(told(emulated), `emulated, ${story}`).toEqual(expected)
      const { transactions } = await api.chain.send([message])
      const id = transactions[0]?.hash ?? ''
      const event = await api.get(`/events/${id}`)
      expect(told(event), story).toEqual(expected)
      const seen = await api.get(`/accounts/${client.address.toString()}/events/${id}`)
      expect(told(seen), `of the account, ${story}`).toEqual(expected)
    }
  },
)

test('changes of a V5R1 wallet’s extensions are actions, and fail if they fail', async () => {
  const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, 'extensions'))
  const contract = WalletContractV5R1.create({ workchain: 0, publicKey })
  const { address } = contract
  // The types of @ton/ton allow one kind of action per request.
  const client = contract as unknown as { createRequest(args: object): Cell }
  await api.order(walletNamed('wallet-4'), [{ to: address, value: toNano(5), bounce: false }])
  let seqno = 0
  const perform = async (...actions: readonly object[]) => {
    const timeout = api.chain.now() + 600
    const args = { seqno, secretKey, timeout, authType: 'external', actions }
    const init = seqno === 0 ? contract.init : null
    seqno += 1
    const message = external({ to: address, body: client.createRequest(args), init })
    const { transactions } = await api.chain.send([
      beginCell().store(storeMessage(message)).endCell(),
    ])
    return api.get(`/events/${transactions[0]?.hash ?? ''}`)
  }
  const outMsg = internal({ to: payee.address, value: 1n, bounce: false })
  const send = { type: 'sendMsg', mode: 3, outMsg }
  await perform(send)
  const added = await perform(
    { type: 'addExtension', address: nobody },
    { type: 'addExtension', address: payee.address },
    send,
  )
  expect(told(added)).toEqual(['AddExtension ok', 'AddExtension ok', 'TonTransfer ok'])
  expect(detailsOf(added)).toMatchObject({
    wallet: { address: address.toRawString() },
    extension: nobody.toRawString(),
  })
  const remove = { type: 'removeExtension', address: nobody }
  expect(told(await perform(remove))).toEqual(['RemoveExtension ok'])
  expect(told(await perform(remove))).toEqual(['RemoveExtension failed'])
})

test('the value flow of each account equals the change of its balance', async () => {
  const stories: readonly (readonly WalletOrder[])[] = [
    [{ to: payee.address, value: toNano(3), bounce: false }],
    [{ to: payer.address, value: toNano(3), bounce: false }],
    [{ to: Address.parseRaw(`0:${'79'.repeat(32)}`), value: toNano(1) }],
    [usdtOrder(payee.address, 7n, 'x'), { to: payee.address, value: 1n, bounce: false }],
    [usdtOrder(payee.address, 10n ** 15n)],
    [usdtOrder(Address.parseRaw(`0:${'7a'.repeat(32)}`), 8n)],
    [{ to: usdtWallet, value: toNano('0.1'), body: burnBody(5n) }],
    [opcodeOrder({ to: opcodeContractAddress(), opcode: 0x7fffffff })],
    [opcodeContractDeployOrder(18n)],
    // A wallet skips a message that it cannot send, and pays a fee for it.
    [{ to: payee.address, value: toNano(99_000_000) }],
    ...Array.from({ length: 12 }, (_, story) =>
      Array.from({ length: 1 + (story % 4) }, (__, order) => ({
        to: (story + order) % 3 === 0 ? Address.parseRaw(`0:${'7b'.repeat(32)}`) : payee.address,
        value: ((story * 5 + order * 3) % 4) % 2 === 0 ? toNano(99_000_000) : toNano(1),
        bounce: order % 2 === 0,
      })),
    ),
  ]
  for (const orders of stories) {
    const message = walletMessage(api.chain, payer, orders)
    const { root } = await api.chain.emulate(message)
    const accounts = new Set(
      [root].flatMap(function all(node): string[] {
        return [node.transaction.account, ...node.children.flatMap(all)]
      }),
    )
    const before = new Map([...accounts].map((each) => [each, balance(each)]))
    const { transactions } = await api.chain.send([message])
    const event = await api.get(`/events/${transactions[0]?.hash ?? ''}`)
    const flow = event['value_flow'] as Json[]
    const gained = flow.map((each) => [(each['account'] as Json)['address'], each['gram']])
    const expected = [...before].map(([each, had]) => [each, Number(balance(each) - had)])
    expect(new Map(gained as [])).toEqual(new Map(expected as []))
    for (const each of flow) expect(each['ton']).toBe(each['gram'])
  }
})

function balance(address: string): bigint {
  return api.chain.account(address)?.account?.storage.balance.coins ?? 0n
}

test('an account’s event has the actions in which the account takes part', async () => {
  const { hash } = await api.order(payer, [
    { to: payee.address, value: toNano(1), bounce: false },
    { to: walletNamed('wallet-3').address, value: toNano(2), bounce: false },
  ])
  const seen = await api.get(`/accounts/${payeeAddress}/events/${hash}`)
  expect(told(seen)).toEqual(['TonTransfer ok'])
  expect((actionsOf(seen)[0]?.['simple_preview'] as Json)['accounts']).toHaveLength(1)
  const sender = await api.get(`/accounts/${payerAddress}/events/${hash}`)
  expect(told(sender)).toHaveLength(2)
  const stranger = await api.get(
    `/accounts/${walletNamed('wallet-9').address.toString()}/events/${hash}`,
  )
  expect(told(stranger)).toEqual(['Unknown ok'])
})

test('pages of an account’s events contain each event once', async () => {
  const address = payee.address.toString()
  const whole = await api.get(`/accounts/${address}/events?limit=100`)
  expect(whole['next_from']).toBe(0)
  const ids = (whole['events'] as Json[]).map((event) => event['event_id'])
  expect(ids.length).toBeGreaterThan(5)
  const paged: unknown[] = []
  let from = ''
  for (;;) {
    const page = await api.get(`/accounts/${address}/events?limit=3${from}`)
    paged.push(...(page['events'] as Json[]).map((event) => event['event_id']))
    if (page['next_from'] === 0) break
    from = `&before_lt=${String(page['next_from'])}`
  }
  expect(paged).toEqual(ids)
  const ascending = await api.get(`/accounts/${address}/events?limit=100&sort_order=asc`)
  expect((ascending['events'] as Json[]).map((event) => event['event_id'])).toEqual(
    ids.toReversed(),
  )
  const traces = await api.get(`/accounts/${address}/traces`)
  const traceIds = (traces['traces'] as Json[]).map(({ id }) => id)
  // The genesis minted jettons without a notification, so there is an event, but no trace of the owner.
  expect(ids.filter((id) => !traceIds.includes(id))).toHaveLength(1)
  expect(ids.filter((id) => traceIds.includes(id))).toEqual(traceIds)
})

test('events are filtered by time and by initiator', async () => {
  const address = walletNamed('wallet-8').address
  api.advance(1_000)
  await api.order(payer, [{ to: address, value: toNano(1), bounce: false }])
  const moment = api.chain.now()
  api.advance(1_000)
  await api.order(walletNamed('wallet-8'), [{ to: payer.address, value: 1n, bounce: false }])
  const count = async (query: string) => {
    const answer = await api.get(`/accounts/${address.toString()}/events?limit=100&${query}`)
    return (answer['events'] as Json[]).length
  }
  expect(await count(`start_date=${moment}`)).toBe(2)
  expect(await count(`start_date=${moment}&end_date=${moment}`)).toBe(1)
  expect(await count(`start_date=${moment}&initiator=true`)).toBe(1)
  expect(await count(`start_date=${moment + 1_001}`)).toBe(0)
})

test('a trace is found by any of its transactions or messages', async () => {
  const { hash, inMessageHash } = await api.order(payer, [usdtOrder(payee.address, 1n)])
  const trace = await api.get(`/traces/${hash}`)
  expect(trace['emulated']).toBe(false)
  expect((trace['transaction'] as Json)['hash']).toBe(hash)
  const [child] = trace['children'] as Json[]
  const inner = (child?.['transaction'] as Json)['hash']
  expect(await api.get(`/traces/${String(inner)}`)).toEqual(trace)
  expect(await api.get(`/traces/${inMessageHash ?? ''}`)).toEqual(trace)
})

test('an emulation returns the event of the later execution, and changes no state', async () => {
  const orders = [usdtOrder(payee.address, 3n, 'soon'), { to: nobody, value: 9n, bounce: false }]
  const message = walletMessage(api.chain, payer, orders)
  const boc = message.toBoc().toString('base64')
  const head = await api.get('/blockchain/masterchain-head')
  const emulated = await api.post('/events/emulate', { boc })
  const trace = await api.post('/traces/emulate', { boc })
  expect(trace['emulated']).toBe(true)
  const seen = await api.post(`/accounts/${payeeAddress}/events/emulate`, { boc })
  expect(told(seen)).toEqual(['JettonTransfer ok'])
  expect(await api.get('/blockchain/masterchain-head')).toEqual(head)

  const { transactions } = await api.chain.send([message])
  const event = await api.get(`/events/${transactions[0]?.hash ?? ''}`)
  expect(event).toEqual(emulated)
})

test('a wallet’s emulation returns the trace, the event and the risk', async () => {
  const message = walletMessage(api.chain, payer, [
    usdtOrder(payee.address, 4_000_000n),
    { to: payee.address, value: toNano(2), bounce: false },
  ])
  // This message has the signature of another message.
  const boc = message.toBoc().toString('hex')
  const answer = await api.post('/wallet/emulate?currency=usd', { boc })
  expect(Object.keys(answer).toSorted()).toEqual(['event', 'risk', 'trace'])
  expect(answer['risk']).toMatchObject({
    transfer_all_remaining_balance: false,
    ton: 2_100_000_001,
    gram: 2_100_000_001,
    jettons: [{ quantity: '4000000', jetton: { symbol: 'USDT' } }],
    nfts: [],
    total_equivalent: expect.closeTo(10.3) as number,
  })
  expect(answer['event']).toMatchObject({ account: { address: payerAddress } })
  const byQuery = await api.get(`/wallet/emulate?boc=${boc}`)
  expect(byQuery['event']).toEqual(answer['event'])

  const poor = await api.post('/wallet/emulate', {
    boc,
    params: [{ address: payer.address.toString(), balance: 100_000_000 }],
  })
  expect(told(poor['event'] as Json)).toContain('TonTransfer failed')
})

test('an emulation that the contract refuses gets 406, unless the signature is ignored', async () => {
  const stranger = walletNamed('wallet-5')
  const message = walletMessage(api.chain, { ...payer, secretKey: stranger.secretKey }, [
    { to: payee.address, value: 1n, bounce: false },
  ])
  const boc = message.toBoc().toString('base64')
  const refused = await api.ask('POST', '/events/emulate', { boc })
  expect(refused.status).toBe(406)
  const path = '/events/emulate?ignore_signature_check=true'
  expect((await api.ask('POST', path, { boc })).status).toBe(200)
  // The emulation never verifies the signature of a wallet.
  expect((await api.ask('POST', '/wallet/emulate', { boc })).status).toBe(200)
  const override = { boc, address_override: payee.address.toString() }
  const other = await api.ask('POST', '/wallet/emulate', override)
  expect([200, 406]).toContain(other.status)
})
