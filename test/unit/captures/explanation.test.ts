/**
 * Tests pure parts of the explanation of captures: the network of a delivery, the order of the
 * scan, the facts.
 */
import { Address, beginCell, comment, external, internal, SendMode, storeMessage } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { expect, test } from 'vitest'
import type { Network } from '../../../src-preload/contract/network.ts'
import { noFacts } from '../../../src-main/captures/explanation/facts.ts'
import { describeDelivery } from '../../../src-main/captures/routes.ts'
import { whyNotRequested } from '../../../src-main/captures/explanation/requests.ts'
import { createWatcher, nextSlice } from '../../../src-main/captures/explanation/explanation.ts'
import {
  type Arrived,
  type RegisteredEndpoint,
  createNetworkOf,
} from '../../../src-main/captures/explanation/network-of.ts'
import {
  parseMempoolMessage,
  parseInvoiceDelivery,
} from '../../../src-main/captures/explanation/read-capture.ts'

const [mine, other] = ['a'.repeat(32), 'b'.repeat(32)]
const hook = (
  network: string,
  place: string,
  tokenId: string | null = null,
): RegisteredEndpoint => ({
  network,
  endpoint: `https://tunnel.example/base${place}`,
  tokenId,
})
const hooks = [
  hook('mainnet', `/hook/${mine}/shop`),
  hook('testnet', `/hook/${mine}/test`, 'testnet/7'),
  hook('mainnet', `/hook/${mine}/both`),
  hook('testnet', `/hook/${mine}/both`),
  hook('mainnet', '/elsewhere', 'by-hand'),
]
const at = (target: string, rest: Partial<Arrived> = {}): Arrived => ({
  token: 'unchecked',
  tokenId: null,
  target: `/hook/${mine}${target}`,
  kind: 'account_tx',
  ...rest,
})
const wrong = { token: 'wrong' } as const

test.each<[string, Arrived, string | null]>([
  [
    'a token of a webhook determines the network',
    at('', { tokenId: 'custom-0123abcd/5' }),
    'custom-0123abcd',
  ],
  ['a token takes precedence over an address', at('/shop', { tokenId: 'sandbox/5' }), 'sandbox'],
  [
    "the sandbox's token for its test network belongs to the sandbox",
    at('', { tokenId: 'sandbox/testnet/5' }),
    'sandbox',
  ],
  [
    "a token that was added by hand belongs to its webhook's network",
    at('', { tokenId: 'by-hand' }),
    'mainnet',
  ],
  ['a token of no webhook determines no network', at('', { tokenId: 'another' }), null],
  ['an address of one network determines the network', at('/shop'), 'mainnet'],
  ['an address with an additional slash determines the network', at('/shop/'), 'mainnet'],
  ['an address with an additional query determines no network', at('/shop?a=1'), null],
  ['an address of two networks determines no network', at('/both'), null],
  ['a path below an address determines no network', at('/shop/more'), null],
  [
    'an address of another receiver determines no network',
    { ...at(''), target: `/hook/${other}/shop` },
    null,
  ],
  [
    'an address with a wrong token determines the network where no right token is configured',
    at('/shop', wrong),
    'mainnet',
  ],
  [
    'an address with a wrong token determines no network where the right token is configured',
    at('/test', wrong),
    null,
  ],
  ['the delivery of an invoice belongs to no webhook', at('/shop', { kind: 'invoice' }), null],
  ['an invalid target determines no network', { ...at(''), target: '//' }, null],
])('%s', (_, arrived, network) => {
  expect(createNetworkOf(hooks)(arrived)?.network ?? null).toBe(network)
})

test('the scan explains the newest captures first and every capture once, however often the app is interrupted', () => {
  let followed = { to: 0, gaps: [] } as Parameters<typeof nextSlice>[0]
  const seen: number[] = []
  let arrived = 0
  for (let turn = 0; turn < 200; turn += 1) {
    // Captures arrive in waves, and each turn continues from the stored state of the previous turn.
    if (turn % 4 === 0 && arrived < 600) arrived += 50
    const slice = nextSlice(followed, arrived, 10)
    if (slice === null) continue
    expect(slice.to - slice.after).toBeLessThanOrEqual(10)
    if (turn % 4 === 0 && turn < 48) expect(slice.to).toBe(arrived)
    for (let id = slice.after + 1; id <= slice.to; id += 1) seen.push(id)
    followed = JSON.parse(JSON.stringify(slice.followed)) as typeof followed
  }
  expect(followed).toEqual({ to: 600, gaps: [] })
  expect(seen.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 600 }, (_, index) => index + 1),
  )
})

test('many gaps of the scan are merged into 50 without losing a capture', () => {
  let followed = { to: 0, gaps: [] } as Parameters<typeof nextSlice>[0]
  for (let turn = 1; turn <= 80; turn += 1) {
    followed = nextSlice(followed, turn * 100, 10)?.followed ?? followed
  }
  expect(followed.gaps).toHaveLength(50)
  expect(followed.gaps[0]).toEqual([0, 3090])
})

// The scan shares the thread of the receiver: at full speed it would reduce the receiver's throughput by a third.
test('in a burst of captures the scan of older captures runs twice a second', async () => {
  let isRush = true
  const rests: number[] = []
  const written: number[] = []
  const caughtUp = Promise.withResolvers<undefined>()
  const follower = createWatcher({
    meanings: {
      byIds: () => new Map(),
      followed: () => ({ to: 0, gaps: [] }),
      write(_rows, followed) {
        written.push(followed?.to ?? 0)
        if (followed?.gaps.length === 0) caughtUp.resolve(undefined)
      },
    },
    captureReader: { rows: () => Promise.resolve([]) },
    classifiedTo: () => 1000,
    invoices: { reportsFollowedTo: () => Infinity },
    isRush: () => isRush,
    onWritten: () => undefined,
    wait(ms) {
      rests.push(ms)
      isRush = rests.length < 3
      return Promise.resolve()
    },
    onBug: caughtUp.reject,
  })
  follower.start()
  await caughtUp.promise
  await follower.stop()
  expect(written).toHaveLength(5)
  expect(rests.slice(0, 3)).toEqual([500, 500, 500])
  expect(rests.slice(3)).not.toContain(500)
})

test('the amount, recipient and comment of a signed wallet order are parsed offline', () => {
  const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, 7))
  const contract = WalletContractV4.create({ workchain: 0, publicKey })
  const to = Address.parseRaw(`0:${'44'.repeat(32)}`)
  const order = (value: bigint) => internal({ to, value, body: comment('order-42') })
  const body = contract.createTransfer({
    seqno: 5,
    secretKey,
    sendMode: SendMode.PAY_GAS_SEPARATELY,
    messages: [order(5_000_000_001n), order(2n)],
  })
  const message = external({ to: contract.address, body })
  const boc = beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
  expect(parseMempoolMessage(boc)).toMatchObject({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    account: contract.address.toRawString(),
    facts: {
      state: 'waiting',
      amount: { units: '5000000003', direction: 'out' },
      sender: contract.address.toRawString(),
      recipient: to.toRawString(),
      comment: 'order-42',
    },
  })
  for (const text of ['', 'no boc', 'AAAA', comment('no message').toBoc().toString('base64')]) {
    expect(parseMempoolMessage(text)).toBeNull()
  }
})

test('the amount of an invoice delivery is exact, and an unnamed jetton is not shown as TON', () => {
  const told = {
    id: 'a1',
    status: 'paid',
    amount: '12345678901234567890',
    currency: 'TON',
    pay_to_address: `0:${'44'.repeat(32)}`,
    payment_link: 'ton://transfer/x?text=a1',
  }
  expect(parseInvoiceDelivery(JSON.stringify(told))).toMatchObject({
    told: { units: '12345678901234567890' },
    facts: { invoice: 'a1', comment: 'a1', amount: { units: '12345678901234567890' } },
  })
  const usdt = { ...told, currency: 'USDT' }
  expect(parseInvoiceDelivery(JSON.stringify(usdt))?.facts.amount).toBeNull()
  for (const text of ['', '[]', '{"id":5}', JSON.stringify({ ...told, amount: '1.5' })]) {
    expect(parseInvoiceDelivery(text)).toBeNull()
  }
})

test('a network is queried automatically only with a key and only while the setting allows it', () => {
  const urls = { query: 'https://q', webhooks: 'https://w', testnetWebhooks: null, console: null }
  const secrets = { api: null, invoices: null }
  const base = { name: 'N', urls, secrets, testOnly: false, explorer: null, problem: null }
  const of = (kind: Network['kind'], rest: Partial<Network> = {}): Network => ({
    ...base,
    id: kind,
    kind,
    ...rest,
  })
  const key = { api: { hint: 'abcd', addedAt: 1, present: true }, invoices: null }
  expect(whyNotRequested(of('mainnet'), true)).toContain('no key')
  expect(whyNotRequested(of('mainnet', { secrets: key }), true)).toBeNull()
  expect(whyNotRequested(of('mainnet', { secrets: key }), false)).toContain('turned off')
  expect(whyNotRequested(of('custom'), true)).toBeNull()
  expect(whyNotRequested(of('sandbox'), false)).toBeNull()
  expect(whyNotRequested(of('sandbox', { problem: 'It is not running.' }), true)).toBe(
    'It is not running.',
  )
})

test.each([
  [null, null, 'Transaction'],
  [null, 'TON', 'Transfer'],
  ['0xd53276db', 'TON', 'Excess returned'],
  ['0xffffffff', 'TON', 'Returned message'],
  ['0x2167da4b', 'TON', 'Encrypted comment'],
  ['0x00000000', 'TON', 'Transfer'],
  ['0x7362d09c', 'USDT', 'Jetton received'],
  // The notification comes from a contract that is not the account's jetton wallet.
  ['0x7362d09c', 'TON', 'Message jetton_notify'],
  ['0x0f8a7ea5', 'TON', 'Message jetton_transfer'],
  ['0x178d4519', 'TON', 'Message jetton_internal_transfer'],
  ['0x595f07bc', 'TON', 'Message jetton_burn'],
  ['0x5fcc3d14', 'TON', 'Message nft_transfer'],
  ['0x05138d91', 'TON', 'Message nft_ownership_assigned'],
  // A message of a public standard that the catalogue has.
  ['0x2fcb26a2', 'TON', 'Message get_static_data'],
  ['0x12345678', 'TON', 'Unknown message (0x12345678)'],
])(
  'the message with opcode %s and an amount of %s is described as %s',
  (opcode, symbol, described) => {
    const jetton = symbol === 'USDT' ? '0:aa' : null
    const amount =
      symbol === null
        ? null
        : { units: '1', asset: { jetton, symbol, decimals: 9 }, direction: 'in' as const }
    const facts = { ...noFacts, opcode, amount }
    const capture = { kind: 'account_tx', origin: 'received', lt: '47' } as const
    expect(describeDelivery(capture, { ...facts, state: 'known' })).toBe(described)
    for (const state of ['waiting', 'unavailable', 'none'] as const) {
      expect(describeDelivery(capture, { ...facts, state })).toBe('Not explained yet, lt 47')
    }
  },
)

test('requests that no gateway sent, and test deliveries, are described as such', () => {
  expect(describeDelivery({ kind: 'unknown', origin: 'received', lt: null }, noFacts)).toBe(
    'Not a gateway delivery',
  )
  expect(describeDelivery({ kind: 'account_tx', origin: 'test', lt: '47' }, noFacts)).toBe(
    'Test delivery',
  )
})
