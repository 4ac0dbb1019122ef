/** Tests the event feed, from a real chain through the query API to the rows of the window. */
import { Address, beginCell, comment, toNano } from '@ton/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SentencePart } from '../../../src-preload/contract/chain/transaction.ts'
import { formatNamed } from '../../fixtures/sentences.ts'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
  usdtMaster,
  usdtTransferOrder,
  usdtWalletOf,
} from '../../../src-main/sandbox/chain/contracts.ts'
import type { WalletOrder } from '../../../src-main/sandbox/chain/wallets.ts'
import {
  type EventStream,
  balancesOf,
  testNetwork,
  openEventStream,
  sumOfRows,
} from '../../fixtures/events.ts'
import { type Json, walletNamed } from '../../fixtures/query-chain.ts'

let feed: EventStream
const payer = walletNamed('wallet-1')
const payee = walletNamed('wallet-2')
const from = payer.address.toRawString()

beforeAll(async () => {
  feed = await openEventStream()
})
afterAll(() => feed[Symbol.asyncDispose]())
beforeEach(() => feed.answerInstead(() => null))

const pay = (orders: readonly WalletOrder[]) => feed.api.order(payer, orders)
const newest = async (address: string) => (await feed.feed(address, { limit: 1 }))[0]
const said = (sentence: readonly SentencePart[]) => formatNamed(sentence)
const burn = (amount: bigint): WalletOrder => ({
  to: usdtWalletOf(payer.address),
  value: toNano('0.1'),
  body: beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(payer.address)
    .storeMaybeRef(null)
    .endCell(),
})

// Catches a kind of action that the sandbox creates and the history cannot describe.
test('each kind of action that the sandbox creates has a row with its sentence and its amounts', async () => {
  const stranger = Address.parseRaw(`0:${'78'.repeat(32)}`)
  const usdt = usdtMaster.toRawString()
  const stories: [
    WalletOrder[],
    kinds: string[],
    sentence: RegExp,
    changes: [string | null, string][],
  ][] = [
    [
      [{ to: payee.address, value: toNano(3), body: comment('rent'), bounce: false }],
      ['TonTransfer ok'],
      /^Sent 3 TON to .* with the comment “rent”\.$/,
      [[null, '-3000000000']],
    ],
    [
      [
        usdtTransferOrder({
          owner: payer.address,
          to: payee.address,
          amount: 1_500_000n,
          text: 'x',
        }),
      ],
      ['JettonTransfer ok'],
      /^Sent 1\.5 USD. to .* with the comment “x”\.$/,
      [[usdt, '-1500000']],
    ],
    [[burn(2_000_000n)], ['JettonBurn ok'], /^Burned 2 USD.\.$/, [[usdt, '-2000000']]],
    [
      [opcodeOrder({ to: opcodeContractAddress(), opcode: 0x12345678 })],
      ['SmartContractExec ok', 'TonTransfer ok'],
      /^Called .* \(0x12345678\), attaching 0\.05 TON\.$/,
      [],
    ],
    [
      [opcodeContractDeployOrder(17n)],
      // The deployment is an event of the contract.
      ['TonTransfer ok'],
      /^Sent 0\.1 TON to /,
      [[null, '-100000000']],
    ],
    [[{ to: stranger, value: toNano(1) }], ['TonTransfer failed'], /, but it failed\.$/, []],
  ]
  for (const [orders, kinds, sentence, changes] of stories) {
    await pay(orders)
    const row = await newest(from)
    const actions = row?.event?.actions ?? []
    expect(actions.map(({ kind, status }) => `${kind} ${status}`)).toEqual(kinds)
    expect(said(actions[0]?.sentence ?? [])).toMatch(sentence)
    if (changes.length > 0) {
      const found = row?.event?.changes.map(({ asset, units }) => [asset.jetton, units])
      expect(found).toEqual(changes)
    }
    expect(row?.success).toBe(!kinds.some((kind) => kind.endsWith('failed')))
  }
  const deployed = await newest(opcodeContractAddress(17n).toRawString())
  expect(deployed?.event?.actions.map(({ sentence }) => said(sentence))).toEqual([
    'Received 0.1 TON from wallet-1.',
    'Was deployed.',
  ])
  // The genesis minted before all other events.
  const all = await feed.feed(from, { limit: 7 })
  expect(all.flatMap(({ event }) => event?.actions ?? []).map(({ kind }) => kind)).toContain(
    'JettonMint',
  )
  expect(new Set(all.map(({ hash }) => hash)).size).toBe(all.length)
})

// Catches a jetton transfer without a transaction of its receiver, which is missing among the received ones.
test('a jetton transfer without a notification is among the receiver’s events, but not its transactions', async () => {
  const receiver = Address.parseRaw(`0:${'42'.repeat(32)}`)
  const order = { owner: payer.address, to: receiver, amount: 7_000_000n, forwardTon: 0n }
  const { hash } = await pay([usdtTransferOrder(order)])
  const address = receiver.toRawString()
  const row = await newest(address)
  expect(row).toMatchObject({ hash, direction: 'in', change: { units: '7000000' } })
  expect(said(row?.event?.actions[0]?.sentence ?? [])).toMatch(/^Received 7 USD. from /)
  const request = { network: testNetwork, address, view: 'transactions' as const }
  expect((await feed.explorer.request('account.history', request)).rows).toEqual([])
})

// Catches events whose amounts do not add up: money shown twice, or not at all.
test('the amounts of all event rows add up to the change of the balances', async () => {
  const since = BigInt((await newest(from))?.lt ?? 0)
  const before = await balancesOf(feed, from)
  await pay([{ to: payer.address, value: toNano(1), bounce: false }])
  await pay([{ to: payee.address, value: toNano(2), bounce: false }, burn(5n)])
  await pay([usdtTransferOrder({ owner: payer.address, to: payee.address, amount: 10n ** 15n })])
  const sums = sumOfRows(await feed.feed(from, { since, limit: 2 }))
  const after = await balancesOf(feed, from)
  for (const [asset, had] of before) {
    expect([asset, sums.get(asset) ?? 0n]).toEqual([asset, (after.get(asset) ?? 0n) - had])
  }
})

test('events are filtered by asset, direction and time, and a filter by opcode lists transactions', async () => {
  const ask = (filter: object) =>
    feed.explorer.request('account.history', {
      network: testNetwork,
      address: from,
      view: 'events',
      filter,
    })
  const usdt = await ask({ asset: usdtMaster.toRawString(), direction: 'out' })
  expect(usdt.rows.length).toBeGreaterThan(1)
  expect(
    usdt.rows.every(({ event }) => event?.changes.some(({ asset }) => asset.jetton !== null)),
  ).toBe(true)
  expect((await ask({ to: 1000 })).rows).toEqual([])
  const opcode = await ask({ opcode: '0x12345678' })
  expect(opcode.view).toBe('transactions')
  expect(opcode.viewProblem).toContain('opcode')
})

// Catches an empty history on a gateway that lists only transactions, and a list that mixes both
// kinds.
test('for a gateway without events the history lists transactions and says so', async () => {
  for (const status of [404, 405, 500]) {
    feed.answerInstead((path) =>
      path.includes('/events') ? { status, body: { error: 'no such operation' } } : null,
    )
    const request = { network: testNetwork, address: from, view: 'events' as const }
    const page = await feed.explorer.request('account.history', request)
    expect(page.view).toBe('transactions')
    expect(page.viewProblem).toContain('the history shows transactions')
    expect(page.rows.length).toBeGreaterThan(0)
    const next = feed.explorer.request('account.history', { ...request, before: '5' })
    await expect(next).rejects.toThrow()
  }
  const { hash } = await pay([{ to: payee.address, value: 5n, bounce: false }])
  feed.answerInstead((path) => (path.startsWith('/events') ? { status: 404, body: {} } : null))
  const event = await feed.explorer.request('transaction.event', { network: testNetwork, id: hash })
  expect(event.event).toBeNull()
})

// Catches a statement of the gateway that no transaction confirms, shown as a fact.
test('a transfer action that contradicts the transactions is marked as unconfirmed', async () => {
  const { hash } = await pay([{ to: payee.address, value: toNano(4), bounce: false }])
  await feed.explorer.request('transaction.get', { network: testNetwork, id: hash })
  const honest = await feed.explorer.request('transaction.event', {
    network: testNetwork,
    id: hash,
  })
  expect(honest.event?.actions.map(({ isConfirmed }) => isConfirmed)).toEqual([true])
  const lie = (change: (details: Json) => object) =>
    feed.answerInstead((path, body) => {
      if (!path.startsWith('/events/')) return null
      const [action] = body['actions'] as Json[]
      const details = action?.['TonTransfer'] as Json
      return {
        status: 200,
        body: {
          ...body,
          actions: [{ ...action, TonTransfer: { ...details, ...change(details) } }, null],
        },
      }
    })
  for (const change of [
    () => ({ amount: 4_000_000_000_000n }),
    ({ sender }: Json) => ({ recipient: sender }),
  ]) {
    lie(change)
    const { event } = await feed.explorer.request('transaction.event', {
      network: testNetwork,
      id: hash,
    })
    expect(event?.actions.map(({ isConfirmed }) => isConfirmed)).toEqual([false, null])
  }
  lie(() => ({ comment: '<script>alert(1)</script>\u202Egpj', amount: 'NaN' }))
  const { event } = await feed.explorer.request('transaction.event', {
    network: testNetwork,
    id: hash,
  })
  expect(event?.actions[0]).toMatchObject({ kind: 'TonTransfer', isConfirmed: null })
})

// Catches marks that are lost, a broken event that hides others, and a cursor that never ends.
test('spam and unfinished events are marked, a broken event is listed apart, and an endless cursor ends', async () => {
  feed.answerInstead((path, body) => {
    if (!path.startsWith(`/accounts/${from}/events`)) return null
    const [first, ...others] = body['events'] as Json[]
    const marked = { ...first, is_scam: true, in_progress: true, actions: null }
    return {
      status: 200,
      body: { events: [marked, { lt: 'x' }, ...others], next_from: 10n ** 18n },
    }
  })
  const page = await feed.explorer.request('account.history', {
    // The gateway of the earlier tests listed no events.
    network: testNetwork,
    address: from,
    view: 'events',
    limit: 5,
    refresh: true,
  })
  expect(page.rows[0]?.event).toMatchObject({ isScam: true, inProgress: true, actions: [] })
  expect(page.unread).toHaveLength(1)
  expect(page.rows.length).toBeGreaterThanOrEqual(4)
  const asked = feed.asked.length
  const next = await feed.explorer.request('account.history', {
    network: testNetwork,
    address: from,
    view: 'events',
    limit: 5,
    before: page.older,
  })
  expect(next.older).toBeNull()
  expect(feed.asked.length - asked).toBeLessThan(5)
})
