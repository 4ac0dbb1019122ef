/**
 * Tests exports of long histories: random transactions of the sandbox, and a million entries in
 * limited memory.
 */
import { expect, test } from 'vitest'
import { type HistoryView, historyView } from '../../src-preload/contract/chain/account.ts'
import { deadlines } from '../deadlines.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import {
  opcodeContractAddress,
  usdtMaster,
  usdtWalletOf,
} from '../../src-main/sandbox/chain/contracts.ts'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { openEventStream } from '../fixtures/events.ts'
import { randomOrders } from '../fixtures/random-orders.ts'
import { requiredFields } from '../fixtures/raw-transaction.ts'

async function addNetwork(app: TestApp, query: string, key: string | null): Promise<string> {
  await app.until(async () => {
    const { place, problem } = await app.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }, 'the keychain')
  await app.request('secrets.useSessionOnly')
  const urls = { query, webhooks: 'http://127.0.0.1:9', testnetWebhooks: null, console: null }
  const { id } = await app.request('network.add', { name: 'Long', urls, testOnly: false })
  if (key !== null) await app.request('network.setSecret', { id, slot: 'api', secret: key })
  return id
}

async function exported(
  app: TestApp,
  network: string,
  address: string,
  view: HistoryView = 'transactions',
) {
  const { id } = await app.request('historyExport.start', { network, address, view })
  const get = () => app.job('historyExport', id)
  const isOver = async () => {
    const { state, problem } = await get()
    // A job never ends if a gateway's responses cannot be parsed.
    return state !== 'running' || problem !== null
  }
  await expect.poll(isOver, { timeout: deadlines.test, interval: 500 }).toBe(true)
  return get()
}

const rounds = Number(process.env['TONDESK_HISTORY_ROUNDS'] ?? 10_000)
const seed = Number(process.env['TONDESK_SEED'] ?? 23)

test(`after ${rounds} random messages the exported rows of every account add up, per asset`, async () => {
  await using feed = await openEventStream()
  const orders = randomOrders(feed.api.chain, seed)
  for (let round = 0; round < rounds; round += 1) await orders.step()
  await using app = await startApp({ receive: false })
  const network = await addNetwork(app, feed.queryUrl, null)
  const contracts = [
    opcodeContractAddress(),
    usdtMaster,
    ...orders.people.map((owner) => usdtWalletOf(owner)),
  ]
  for (const view of historyView.options) {
    let rows = 0
    let read = 0
    for (const address of [...orders.people, ...contracts]) {
      const job = await exported(app, network, address.toRawString(), view)
      expect.soft(job).toMatchObject({ state: 'done', problem: null, notes: [] })
      expect.soft(job.assets.map(({ difference }) => difference)).toEqual(job.assets.map(() => '0'))
      rows += job.rows
      read += job.transactions
    }
    const made = JSON.stringify({ rounds, seed, view, rows, read, ...orders.made })
    process.stdout.write(`${made}\n`)
  }
})

const entries = Number(process.env['TONDESK_HISTORY_ENTRIES'] ?? 1_000_000)
const account = `0:${'a1'.repeat(32)}`
const sender = `0:${'b2'.repeat(32)}`

/** Each entry adds 10 nanotons and costs 1. */
function entryAt(index: number) {
  const lt = index * 10
  const hash = index.toString(16).padStart(64, '0')
  return {
    hash,
    lt,
    account: { address: account },
    success: true,
    utime: 1_700_000_000 + index,
    orig_status: 'active',
    end_status: 'active',
    total_fees: 1,
    end_balance: index * 9,
    transaction_type: 'TransOrd',
    prev_trans_lt: index === 1 ? 0 : lt - 10,
    aborted: false,
    in_msg: {
      ...requiredFields.message,
      msg_type: 'int_msg',
      value: 10,
      hash,
      ihr_disabled: true,
      source: { address: sender },
      destination: { address: account },
    },
    out_msgs: [],
  }
}

test('a history of a million entries is exported in bounded memory, with one request per thousand entries', async () => {
  await using gateway = await startEndpoint(({ path }, response) => {
    const url = new URL(path, 'http://gateway')
    const answer = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    // Received requests are not stored, so that only the app’s memory grows.
    gateway.received.length = 0
    if (url.pathname.endsWith('/jettons')) answer({ balances: [] })
    else if (url.pathname.endsWith('/transactions')) {
      const before = url.searchParams.get('before_lt')
      const last = before === null ? entries : Number(before) / 10 - 1
      const length = Math.max(0, Math.min(Number(url.searchParams.get('limit')), last))
      answer({ transactions: Array.from({ length }, (_, at) => entryAt(last - at)) })
    } else {
      const state = {
        last_activity: 1,
        status: 'active',
        interfaces: [],
        get_methods: [],
        last_transaction_lt: entries * 10,
      }
      answer({ address: account, balance: entries * 9, is_wallet: true, ...state })
    }
  })
  await using app = await startApp({ receive: false })
  const network = await addNetwork(app, gateway.url, null)
  const before = process.memoryUsage().rss
  const job = await exported(app, network, account)
  expect(job).toMatchObject({ state: 'done', problem: null, rows: entries, notes: [] })
  expect(job.assets).toMatchObject([
    { opening: '0', closing: String(entries * 9), difference: '0' },
  ])
  // These are requested once for the whole export: the account, its jettons, and its newest transaction.
  expect(job.requests).toBeLessThanOrEqual(Math.ceil(entries / 1000) + 8)
  const { steps } = await app.request('historyExport.balances', { id: job.id, asset: 'TON' })
  expect(steps.at(-1)?.units).toBe(String(entries * 9))
  const file = await app.request('historyExport.write', { id: job.id, format: 'csv' })
  expect(file.bytes).toBeGreaterThan(entries * 100)
  // A million rows as objects would need a gigabyte.
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024)
})
