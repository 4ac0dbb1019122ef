/**
 * Executes random transactions on a separate chain: the rows of an account’s history must add up to
 * the exact change of its balances, per asset. `TONDESK_EVENTS` sets the number.
 */
import { expect, test } from 'vitest'
import { usdtMaster } from '../../src-main/sandbox/chain/contracts.ts'
import { balancesOf, testNetwork, openEventStream, sumOfRows } from '../fixtures/events.ts'
import { randomOrders } from '../fixtures/random-orders.ts'

const count = Number(process.env['TONDESK_EVENTS'] ?? 600)
const seed = Number(process.env['TONDESK_SEED'] ?? 20261123)

test(`after ${count} random transactions the event feeds add up to the balances`, async () => {
  await using feed = await openEventStream()
  const orders = randomOrders(feed.api.chain, seed)
  const watched = orders.people.map((address) => address.toRawString())
  const usdt = usdtMaster.toRawString()

  const before = await Promise.all(watched.map((address) => balancesOf(feed, address)))
  const newest = await Promise.all(
    watched.map((address) =>
      feed.explorer.request('account.history', {
        network: testNetwork,
        address,
        view: 'events',
        limit: 1,
      }),
    ),
  )
  const start = newest.map(({ rows }) => BigInt(rows[0]?.lt ?? 0)).reduce((a, b) => (a > b ? a : b))

  for (let done = 0; done < count; done += 1) await orders.step()

  let events = 0
  for (const [index, address] of watched.entries()) {
    const rows = await feed.feed(address, { since: start, limit: 100 })
    events += rows.length
    const sums = sumOfRows(rows)
    const [had, has] = [before[index] ?? new Map<string, bigint>(), await balancesOf(feed, address)]
    for (const asset of ['TON', usdt]) {
      const change = (has.get(asset) ?? 0n) - (had.get(asset) ?? 0n)
      expect.soft([address, asset, sums.get(asset) ?? 0n]).toEqual([address, asset, change])
    }
    expect.soft([...sums.keys()].every((asset) => asset === 'TON' || asset === usdt)).toBe(true)
  }
  process.stdout.write(`${JSON.stringify({ count, seed, events, ...orders.made })}\n`)
  expect(events).toBeGreaterThan(count)
})
