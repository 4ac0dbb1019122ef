/**
 * Tests lookups with jettons: wallet addresses are computed and read in bulk, and unreadable
 * wallets have a reason.
 */
import { expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { makeJetton, startJettonGateway } from '../../fixtures/jetton-bulk-gateway.ts'

const owner = (number: number) => `0:${number.toString(16).padStart(64, '0')}`
const owners = (count: number) => Array.from({ length: count }, (_, index) => owner(index + 1))
const jettons = [makeJetton('NONE', 0), makeJetton('NINE', 9), makeJetton('NINE', 30)] as const
const [whole, nine, thirty] = jettons

async function addNetwork(app: TestApp, url: string): Promise<string> {
  const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
  const { id } = await app.request('network.add', { name: 'Local', urls, testOnly: false })
  return id
}

async function look(app: TestApp, network: string, list: readonly string[], minters: string[]) {
  const { id: draft } = await app.request('lookup.begin', { network })
  await app.request('lookup.append', { draft, piece: { text: list.join('\n') }, isLast: true })
  const { id } = await app.request('lookup.start', { draft, jettons: minters })
  await app.until(async () => (await app.job('lookup', id)).state !== 'running', 'end')
  return app.job('lookup', id)
}

const minters = jettons.map(({ address }) => address)

test('jetton balances are exact at every scale, missing wallets are zero, and a foreign wallet has a reason', async () => {
  await using gateway = await startJettonGateway(jettons, 100)
  await using app = await startApp({ receive: false })
  const network = await addNetwork(app, gateway.url)
  const large = 2n ** 100n
  const given = [
    whole.walletOf(owner(1), 7n),
    nine.walletOf(owner(1), 1_500_000_000n),
    thirty.walletOf(owner(1), large),
    nine.walletOf(owner(2), 2n ** 63n),
  ]
  for (const { address, data } of given) gateway.wallets.set(address, data)
  const stolen = whole.walletOf(owner(3), 9n)
  gateway.wallets.set(stolen.address, stolen.stolen)

  const job = await look(app, network, owners(3), minters)
  expect(job).toMatchObject({ state: 'done', problem: null, answered: 3, failed: 0, requests: 2 })
  const { rows, sums } = await app.request('lookup.rows', { id: job.id, offset: 0, limit: 10 })
  const balances = rows.map((row) => row.jettons.map(({ balance }) => balance))
  expect(balances).toEqual([
    ['7', '1500000000', large.toString()],
    ['0', (2n ** 63n).toString(), '0'],
    [null, '0', '0'],
  ])
  expect(rows[2]?.jettons[0]?.problem).toContain('another owner or jetton')
  expect(rows[0]?.jettons[1]?.wallet).toBe(given[1]?.address)
  expect(sums.jettons).toEqual(['7', (2n ** 63n + 1_500_000_000n).toString(), large.toString()])

  const file = await app.request('lookup.export', { id: job.id, format: 'csv' })
  const { base64 } = await app.request('export.read', { id: file.id, offset: 0 })
  const [head = '', first = ''] = Buffer.from(base64, 'base64').toString().split('\r\n')
  const cells = new Map(head.split(',').map((name, at) => [name, first.split(',')[at]]))
  expect(cells.get('balance_NONE')).toBe('7')
  expect(cells.get(`balance_NINE_${nine.address.slice(-6)}`)).toBe('1.5')
  expect(cells.get(`balance_NINE_${thirty.address.slice(-6)}`)).toBe(
    '1.267650600228229401496703205376',
  )
  expect(cells.get(`units_NINE_${thirty.address.slice(-6)}`)).toBe(large.toString())
})

test('a lookup of 300 addresses with three jettons takes at most 1.2 times the necessary requests', async () => {
  await using gateway = await startJettonGateway(jettons, 100)
  await using app = await startApp({ receive: false })
  const network = await addNetwork(app, gateway.url)
  const list = owners(300)
  const job = await look(app, network, list, minters)
  expect(job).toMatchObject({ state: 'done', answered: 300 })
  expect(gateway.asked.map(({ addresses }) => addresses.length)).toEqual(Array(12).fill(100))
  const each = gateway.asked.flatMap(({ kind, addresses }) => addresses.map((one) => kind + one))
  expect(new Set(each).size).toBe(each.length)
  expect(job.requests).toBeLessThanOrEqual(1.2 * 12)
})

test('an address without a jetton and a minter that contradicts the gateway are refused', async () => {
  await using gateway = await startJettonGateway(jettons, 100)
  await using app = await startApp({ receive: false })
  const network = await addNetwork(app, gateway.url)
  gateway.liar = nine.address
  for (const [text, reason] of [
    [owner(5), 'no jetton at this address'],
    ['not an address', 'Enter the address'],
    [nine.address, 'not the one that the gateway reports'],
  ] as const) {
    const answer = await app.envelope('lookup.jetton', { network, text })
    expect(answer).toMatchObject({ error: { code: 'LOOKUP_JETTON_REFUSED' } })
    expect(JSON.stringify(answer)).toContain(reason)
  }
  expect(await app.request('lookup.jetton', { network, text: whole.address })).toMatchObject({
    symbol: 'NONE',
    decimals: 0,
    address: whole.address,
  })
})
