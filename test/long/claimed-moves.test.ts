/**
 * Sends random known opcodes to random kinds of accounts. No page may state that jettons or an NFT
 * moved if the balances at the sandbox did not change.
 */
import {
  Address,
  type Builder,
  SendMode,
  beginCell,
  external,
  internal,
  storeMessage,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton'
import { expect, test } from 'vitest'
import { formatSentence } from '../../src-main/chain/compose-sentence.ts'
import { opcodes } from '../../src-main/ton/opcodes.ts'
import { startApp } from '../fixtures/app.ts'
import { walletNamed } from '../fixtures/query-chain.ts'
import { startSandbox } from '../fixtures/sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'

const seeds = [1, 2, 3]
const messages = 25
const payer = walletNamed('wallet-1')
const payee = walletNamed('wallet-2')
const nobody = new Address(0, Buffer.alloc(32, 7))

const transfer = (order: Builder, units: bigint) =>
  order
    .storeCoins(units)
    .storeAddress(payee.address)
    .storeAddress(payer.address)
    .storeBit(false)
    .storeCoins(0n)
    .storeBit(false)
const incoming = (order: Builder, units: bigint) =>
  order
    .storeCoins(units)
    .storeAddress(payer.address)
    .storeAddress(payer.address)
    .storeCoins(0n)
    .storeBit(false)
const burn = (order: Builder, units: bigint) =>
  order.storeCoins(units).storeAddress(payer.address).storeBit(false)
const owner = (order: Builder) => order.storeAddress(payee.address).storeAddress(payer.address)

const bodies: readonly (readonly [number, (order: Builder, units: bigint) => Builder])[] = [
  [opcodes.jettonTransfer, transfer],
  [opcodes.jettonInternalTransfer, incoming],
  [
    opcodes.jettonNotify,
    (order, units) => order.storeCoins(units).storeAddress(nobody).storeBit(false),
  ],
  [opcodes.jettonBurn, burn],
  [opcodes.jettonBurnNotification, (order, units) => owner(order.storeCoins(units))],
  [
    opcodes.jettonMint,
    (order, units) =>
      order
        .storeAddress(payee.address)
        .storeCoins(1n)
        .storeRef(incoming(headOf(opcodes.jettonInternalTransfer), units).endCell()),
  ],
  [opcodes.nftTransfer, (order) => owner(order).storeBit(false).storeCoins(0n).storeBit(false)],
  [opcodes.nftOwnershipAssigned, (order) => order.storeAddress(nobody).storeBit(false)],
  [opcodes.excess, (order) => order],
]

const orders = bodies.filter(([opcode]) =>
  [opcodes.jettonTransfer, opcodes.jettonBurn].some((order) => order === opcode),
)

const headOf = (opcode: number) => beginCell().storeUint(opcode, 32).storeUint(5, 64)
const claimsAsset = (text: string) =>
  /USDT|jettons?\b(?! wallet)(?!_)|the NFT/.test(text.replaceAll(/\([^)]*\)/g, ''))

test.each(seeds)(
  'a message with a known opcode is shown as a transfer only if the balances changed, seed %i',
  async (seed) => {
    const random = seededRandom(seed)
    const pick = <T>(items: readonly T[]): T => {
      const item = items[Math.floor(random() * items.length)]
      if (item === undefined) throw new Error('Nothing to pick from.')
      return item
    }
    await using sandbox = await startSandbox({ seed: `claims-${seed}` })
    await using app = await startApp({ host: 'browser' })
    const { queryUrl, webhooksUrl } = sandbox.ready
    const urls = { query: queryUrl, webhooks: webhooksUrl, testnetWebhooks: null, console: null }
    const { id: network } = await app.request('network.add', {
      name: 'Near',
      urls,
      testOnly: false,
    })
    await sandbox.control('POST', '/send', {
      from: 'wallet-1',
      to: 'wallet-2',
      amount: '5',
      currency: 'USDT',
    })
    const { body: contract } = await sandbox.control<{ address: string }>('POST', '/deploy', {
      from: 'wallet-1',
    })
    const [from, to] = [payer, payee].map(({ address }) => address.toRawString())
    if (from === undefined || to === undefined) throw new Error('There are two wallets.')
    type Jettons = {
      balances: {
        balance: string
        wallet_address: { address: string }
        jetton: { address: string }
      }[]
    }
    const jettonsOf = async (address: string) =>
      (await sandbox.query<Jettons>('GET', `/accounts/${address}/jettons`)).body.balances
    const [held] = await jettonsOf(from)
    const [got] = await jettonsOf(to)
    if (held === undefined || got === undefined) throw new Error('Both hold USDT.')
    const balances = async () =>
      JSON.stringify(
        await Promise.all(
          [from, to].map(async (address) =>
            (await jettonsOf(address)).map(({ balance }) => balance),
          ),
        ),
      )
    await app.request('watch.save', {
      network,
      address: to,
      report: 'none',
      makesCaptures: true,
      isForwarded: false,
      rules: [{ kind: 'jetton', jetton: held.jetton.address, amount: '0.000001' }],
    })
    const receivers = [
      ...[payee.address, nobody, Address.parse(contract.address)],
      ...[held, got].map(({ wallet_address: { address } }) => Address.parse(address)),
      Address.parse(held.jetton.address),
    ]
    const matches = async () => {
      await app.request('watch.check', { network })
      await app.until(async () => !(await app.request('watch.list'))[0]?.isBehind, 'the reading')
      return (await app.request('watch.list'))[0]?.matches ?? 0
    }
    const lastHash = async () =>
      (await app.request('account.history', { network, address: from, limit: 1 })).rows[0]?.hash ??
      ''
    const contractOf = WalletContractV4.create({ workchain: 0, publicKey: payer.publicKey })
    let moved = 0
    let known = await matches()
    for (let index = 0; index < messages; index += 1) {
      // Some messages are orders that the payer’s jetton wallet carries out.
      const isOrder = random() < 0.2
      const own = Address.parse(held.wallet_address.address)
      const [opcode, write] = pick(isOrder ? orders : bodies)
      const receiver = isOrder ? own : pick(receivers)
      const units = BigInt(1 + Math.floor(random() * 1000))
      const body = write(headOf(opcode), units).endCell()
      const before = await balances()
      const earlier = await lastHash()
      const { body: seqno } = await sandbox.query<{ stack: { num: string }[] }>(
        'GET',
        `/blockchain/accounts/${from}/methods/seqno`,
      )
      const order = contractOf.createTransfer({
        seqno: Number(seqno.stack[0]?.num ?? 0),
        secretKey: payer.secretKey,
        timeout: Math.floor(Date.UTC(2026, 0, 1) / 1000) + 100_000,
        sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
        messages: [internal({ to: receiver, value: 100_000_000n, body, bounce: random() < 0.5 })],
      })
      const message = beginCell()
        .store(storeMessage(external({ to: payer.address, body: order })))
        .endCell()
      const sent = await sandbox.query('POST', '/blockchain/message', {
        boc: message.toBoc().toString('base64'),
      })
      expect(sent.status).toBe(200)
      await app.until(async () => (await lastHash()) !== earlier, 'the transaction')
      const isMoved = (await balances()) !== before
      moved += Number(isMoved)
      const id = await lastHash()
      const { trace } = await app.request('transaction.get', { network, id, refresh: true })
      const text = formatSentence(trace?.sentence ?? [], () => 'otherAddress')
      const isRefused = text.includes(', but ')
      const place = `${index}: 0x${opcode.toString(16)}: ${text}`
      expect(claimsAsset(text) && !isRefused, place).toBe(isMoved)
      expect(
        trace?.flow.some(({ jettons }) => jettons.length > 0),
        place,
      ).toBe(isMoved)
      const { event } = await app.request('transaction.event', { network, id })
      const claimed = (event?.actions ?? []).filter(
        ({ kind, status }) => /Jetton|Nft/.test(kind) && status === 'ok',
      )
      expect(claimed.length > 0, `${place}: ${JSON.stringify(claimed)}`).toBe(isMoved)
      for (const view of ['transactions', 'events'] as const) {
        const page = { network, address: from, view, limit: 1 }
        const { rows } = await app.request('account.history', page)
        if (isMoved) continue
        const changes = rows.map((row) => [row.change, row.event?.changes ?? null])
        expect(JSON.stringify(changes), `${place}: ${view}`).not.toContain('USDT')
      }
      const now = await matches()
      if (!isMoved) expect(now, place).toBe(known)
      known = now
    }
    expect(moved).toBeGreaterThan(0)
    expect(moved).toBeLessThan(messages / 2)
    for (const view of ['transactions', 'events'] as const) {
      for (const address of [from, to]) {
        const { id } = await app.request('historyExport.start', { network, address, view })
        const get = () => app.job('historyExport', id)
        await app.until(async () => (await get()).state !== 'running', 'the end of the export')
        const { assets } = await get()
        expect(assets.map(({ symbol, difference }) => [symbol, difference])).toEqual([
          ['TON', '0'],
          ['USDT', '0'],
        ])
      }
    }
    await app.classified()
    const { rows } = await app.request('capture.list', { query: { text: 'origin:watched' } })
    expect(rows).toHaveLength(known)
  },
)
