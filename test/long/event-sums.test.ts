/**
 * Random transactions on a chain of its own against the event feed: what the rows of an account's history
 * add up to is what its balances changed by, per asset, to the last unit. `TONDESK_EVENTS` sets the number.
 */
import {
  Address,
  SendMode,
  beginCell,
  comment,
  external,
  internal,
  storeMessage,
  toNano,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton'
import { expect, test } from 'vitest'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
  usdtMaster,
  usdtMintMessage,
  usdtTransferOrder,
  usdtWalletOf,
} from '../../src-main/sandbox/chain/contracts.ts'
import {
  type WalletOrder,
  walletMessage,
  walletSeqno,
} from '../../src-main/sandbox/chain/wallets.ts'
import { balancesOf, network, openFeed, sumOfRows } from '../fixtures/events.ts'
import { wallet } from '../fixtures/query-chain.ts'
import { seeded } from '../fixtures/seeded.ts'

const count = Number(process.env['TONDESK_EVENTS'] ?? 600)
const seed = Number(process.env['TONDESK_SEED'] ?? 20261123)

test(
  `${count} random transactions: the feeds add up to the balances`,
  { timeout: 60 * 60_000 },
  async () => {
    await using feed = await openFeed()
    const { chain } = feed.api
    const random = seeded(seed)
    const below = (most: number) => Math.floor(random() * most)
    const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T
    const wallets = ['wallet-1', 'wallet-2', 'wallet-3', 'wallet-4'].map(wallet)
    // Accounts without code, one of which receives jettons only.
    const strangers = [0x71, 0x72, 0x73].map((byte) =>
      Address.parseRaw(`0:${byte.toString(16).repeat(32)}`),
    )
    const people = [...wallets.map(({ address }) => address), ...strangers]
    const watched = people.map((address) => address.toRawString())
    const usdt = usdtMaster.toRawString()

    const before = await Promise.all(watched.map((address) => balancesOf(feed, address)))
    const newest = await Promise.all(
      watched.map((address) =>
        feed.explorer.request('account.history', {
          ...{ network, address, view: 'events', limit: 1 },
        }),
      ),
    )
    const start = newest
      .map(({ rows }) => BigInt(rows[0]?.lt ?? 0))
      .reduce((a, b) => (a > b ? a : b))

    let salt = 1_000n
    const made: Record<string, number> = {}
    const order = (owner: Address): readonly [string, WalletOrder] => {
      const to = pick(people)
      const text = pick([undefined, comment('hello'), comment('x'.repeat(200))])
      const jettons = { owner, to, amount: BigInt(below(2_000_000) + 1) }
      const burn = beginCell()
        .storeUint(0x595f07bc, 32)
        .storeUint(0, 64)
        .storeCoins(BigInt(below(1000) + 1))
        .storeAddress(owner)
        .storeMaybeRef(null)
        .endCell()
      const opcode = below(0x7fffffff) + 1
      const stories: readonly (readonly [string, WalletOrder])[] = [
        ['transfer', { to, value: BigInt(below(500_000_000)), body: text ?? null, bounce: false }],
        ['bounceable transfer', { to, value: BigInt(below(300_000_000)), bounce: true }],
        [
          'jettons with notice',
          usdtTransferOrder({ ...jettons, text: pick([undefined, 'thanks']) }),
        ],
        ['jettons without notice', usdtTransferOrder({ ...jettons, forwardTon: 0n })],
        ['jettons and TON', usdtTransferOrder({ ...jettons, forwardTon: toNano('0.02') })],
        ['too many jettons', usdtTransferOrder({ ...jettons, amount: 10n ** 15n })],
        ['too little for the fees', { ...usdtTransferOrder(jettons), value: toNano('0.004') }],
        ['burn', { to: usdtWalletOf(owner), value: toNano('0.1'), body: burn }],
        ['call', opcodeOrder({ to: opcodeContractAddress(), opcode })],
        ['deployment', opcodeContractDeployOrder((salt += 1n))],
        ['unpayable transfer', { to, value: toNano(1_000_000), bounce: false }],
      ]
      return pick(stories)
    }
    const modes = [
      SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
      SendMode.IGNORE_ERRORS,
      SendMode.PAY_GAS_SEPARATELY,
    ]
    for (let done = 0; done < count; done += 1) {
      if (random() < 0.03) {
        made['mint'] = (made['mint'] ?? 0) + 1
        await chain.inject([
          usdtMintMessage(pick(people), BigInt(below(10_000_000) + 1), random() < 0.5),
        ])
        continue
      }
      const from = pick(wallets)
      const orders = Array.from({ length: 1 + below(3) }, () => order(from.address))
      for (const [name] of orders) made[name] = (made[name] ?? 0) + 1
      const written = orders.map(([, each]) => each)
      // A mode that does not ignore errors would have the wallet refuse the whole message.
      const canFail = orders.some(([name]) => name === 'unpayable transfer')
      if (random() < 0.6 || canFail) {
        await chain.send([walletMessage(chain, from, written)])
        continue
      }
      const sendMode = pick(modes)
      made[`mode ${sendMode}`] = (made[`mode ${sendMode}`] ?? 0) + 1
      const contract = WalletContractV4.create({ workchain: 0, publicKey: from.publicKey })
      const seqno = walletSeqno(chain, from.address)
      const body = contract.createTransfer({
        ...{ seqno: seqno ?? 0, secretKey: from.secretKey, timeout: chain.now() + 600, sendMode },
        messages: written.map(({ to, value, body: content, init, bounce = true }) =>
          internal({ to, value, bounce, body: content ?? null, init: init ?? null }),
        ),
      })
      const init = seqno === null ? contract.init : null
      const cell = external({ to: contract.address, body, init })
      await chain.send([beginCell().store(storeMessage(cell)).endCell()])
    }

    let events = 0
    for (const [index, address] of watched.entries()) {
      const rows = await feed.feed(address, { since: start, limit: 100 })
      events += rows.length
      const sums = sumOfRows(rows)
      const [had, has] = [
        before[index] ?? new Map<string, bigint>(),
        await balancesOf(feed, address),
      ]
      for (const asset of ['TON', usdt]) {
        const change = (has.get(asset) ?? 0n) - (had.get(asset) ?? 0n)
        expect.soft([address, asset, sums.get(asset) ?? 0n]).toEqual([address, asset, change])
      }
      expect.soft([...sums.keys()].every((asset) => asset === 'TON' || asset === usdt)).toBe(true)
    }
    process.stdout.write(`${JSON.stringify({ count, seed, events, ...made })}\n`)
    expect(events).toBeGreaterThan(count)
  },
)
